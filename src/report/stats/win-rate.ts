import { compareScores } from '../../grading/medals.js';
import type { RunFact, StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { byCodeUnit, groupBy } from './groups.js';
import { shareFigure } from './intervals.js';
import { bestStep, hasAttempt, progressOf } from './progress.js';

/**
 * Pairwise win rate of models: on every task that both ran, each run of one against each run of the other by its best
 * test score, a tie half, no score losing to any; the mean over tasks. n is the number of tasks, and so is that of
 * Wilson's interval: runs of one task are not independent.
 */
export const winRateFigures: StatsSection = ({ runs, tasks }) => {
  const wins = new Map<string, { won: number; tasks: number }>();
  const known = runs.filter((run) => run.model !== null && tasks.has(run.task_id ?? '') && hasAttempt(run));
  for (const [taskId, ofTask] of groupBy(known, (run) => run.task_id ?? '')) {
    const task = tasks.get(taskId);
    if (task === undefined) continue;
    const bestOf = (run: RunFact): number | null => bestStep(progressOf(run).steps, task)?.score ?? null;
    const scores = [...groupBy(ofTask, (run) => run.model ?? '')].map(
      ([model, own]) => [model, own.map(bestOf)] as const,
    );
    scores.forEach(([a, scoresOfA], i) => {
      for (const [b, scoresOfB] of scores.slice(i + 1)) {
        const share = meanPoints(scoresOfA, scoresOfB, task.is_lower_better);
        const key = `${a} vs ${b}`;
        const before = wins.get(key) ?? { won: 0, tasks: 0 };
        wins.set(key, { won: before.won + share, tasks: before.tasks + 1 });
      }
    });
  }
  return [...wins]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([key, { won, tasks: n }]): Figure => {
      return shareFigure({ section: 'win_rate', key, figure: 'first wins' }, won, n);
    });
};

/** Points of a over b, 0 to 1: one for each win, half for each tie, over all pairs of runs. */
function meanPoints(
  a: readonly (number | null)[],
  b: readonly (number | null)[],
  isLowerBetter: boolean,
): number {
  let points = 0;
  for (const x of a) for (const y of b) points += duel(x, y, isLowerBetter);
  return points / (a.length * b.length);
}

function duel(x: number | null, y: number | null, isLowerBetter: boolean): number {
  if (x === null || y === null) return x === y ? 0.5 : x === null ? 0 : 1;
  return (1 + Math.sign(compareScores(x, y, isLowerBetter))) / 2;
}
