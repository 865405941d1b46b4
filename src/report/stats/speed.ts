import type { RunFact, StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { groupRuns } from './groups.js';
import { meanFigure, quantileFigure, shareFigure } from './intervals.js';
import {
  BEST_SO_FAR,
  bestStep,
  hasAttempt,
  type Progress,
  progressOf,
  reached,
  type Step,
} from './progress.js';

/** Turns of the agent at which SandMLE reports its figures. */
export const TURN_BUDGETS = [5, 10, 20, 30, 40] as const;

/** Seconds of execution: five minutes, half an hour, 1, 2, 4, 12 and 24 hours (MLE-bench's limit). */
export const SECOND_BUDGETS = [300, 1800, 3600, 7200, 14_400, 43_200, 86_400] as const;

/**
 * How long runs take to their first valid submission and to their best one, in turns of the agent that launched
 * something and in seconds of execution, over the runs that have one.
 */
export const speedFigures: StatsSection = ({ runs, tasks }) => {
  const figures: Figure[] = [];
  for (const [key, group] of groupRuns(runs.filter(hasAttempt))) {
    if (group.length === 0) continue;
    const firsts: Step[] = [];
    const bests: Step[] = [];
    for (const run of group) {
      const { steps } = progressOf(run);
      const task = tasks.get(run.task_id ?? '');
      const first = steps[0];
      const best = task === undefined ? null : bestStep(steps, task);
      if (first !== undefined) firsts.push(first);
      if (best !== null) bests.push(best);
    }
    figures.push(
      shareFigure({ section: 'speed', key, figure: 'has a valid submission' }, firsts.length, group.length),
    );
    for (const [name, list] of [
      ['first valid', firsts],
      ['best', bests],
    ] as const) {
      const turns = list.map((step) => step.turns);
      const seconds = list.flatMap((step) => (step.seconds === null ? [] : [step.seconds]));
      figures.push(
        quantileFigure({ section: 'speed', key, figure: `turns to ${name}, median` }, turns, 0.5),
        meanFigure({ section: 'speed', key, figure: `turns to ${name}, mean` }, turns),
        quantileFigure({ section: 'speed', key, figure: `seconds to ${name}, median` }, seconds, 0.5),
      );
    }
  }
  return figures;
};

/**
 * Best so far at budgets of turns and of execution seconds: the share of runs that have a valid submission, one above
 * the median, one with a medal by then. Runs whose task does not tell are left out of n.
 */
export const budgetFigures: StatsSection = ({ runs, tasks }) => {
  const attempts = runs.filter(hasAttempt);
  const progress = new Map<RunFact, Progress>(attempts.map((run) => [run, progressOf(run)]));
  const timed = attempts.filter((run) => progress.get(run)?.seconds !== null);
  const stepsOf = (run: RunFact): readonly Step[] => progress.get(run)?.steps ?? [];

  const figures: Figure[] = [];
  const add = (budget: string, group: readonly RunFact[], within: (step: Step) => boolean): void => {
    const verdicts = group.map((run) =>
      reached(stepsOf(run).filter(within), tasks.get(run.task_id ?? '') ?? null),
    );
    for (const figure of BEST_SO_FAR) {
      const known = verdicts.flatMap((verdict) => (verdict[figure] === null ? [] : [verdict[figure]]));
      const place = { section: 'budgets', key: budget, figure };
      figures.push(shareFigure(place, known.filter(Boolean).length, known.length));
    }
  };
  if (attempts.length === 0) return figures;
  for (const turns of TURN_BUDGETS) add(`turns:${turns}`, attempts, (step) => step.turns <= turns);
  add('turns:all', attempts, () => true);
  for (const seconds of timed.length === 0 ? [] : SECOND_BUDGETS) {
    add(`seconds:${seconds}`, timed, (step) => step.seconds !== null && step.seconds <= seconds);
  }
  return figures;
};
