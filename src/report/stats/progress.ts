import { compareScores, isAboveMedian, reaches } from '../../grading/medals.js';
import type { TaskRecord } from '../../grading/task-record.js';
import type { ExecutionFact, RunFact } from './facts.js';

/** A valid submission of a run and what it took to get there. */
export interface Step {
  /** null where the grader accepted it but the log has no score */
  readonly score: number | null;
  /** the agent's turns that launched something, counted from 1 up to the one that made it */
  readonly turns: number;
  /** seconds of all executions up to and including it; null where one of them is not known */
  readonly seconds: number | null;
}

export interface Progress {
  /** in the order of launch */
  readonly steps: readonly Step[];
  /** of all executions; null where one is not known */
  readonly seconds: number | null;
}

/** Whether an execution left a submission that counts: a failed one does not, whatever file it left. */
export function isValid(execution: ExecutionFact): boolean {
  const { status, gradable, score_test: test } = execution;
  if (!gradable || (status !== 'ok' && status !== 'unknown')) return false;
  // accepted without a score on any scale counts; a score on another scale only is not one of the task
  return test !== null || (execution.score_validation === null && execution.score_self_reported === null);
}

/** The valid submissions of a run on the test scale, with the turns and seconds that they took. */
export function progressOf({ executions }: RunFact): Progress {
  const turns = new Set<number>();
  const steps: Step[] = [];
  let seconds: number | null = 0;
  for (const execution of executions) {
    turns.add(execution.call_turn);
    seconds = seconds === null || execution.seconds === null ? null : seconds + execution.seconds;
    if (isValid(execution)) steps.push({ score: execution.score_test, turns: turns.size, seconds });
  }
  return { steps, seconds };
}

/** The first step with the best score, null where no score is known. */
export function bestStep(steps: readonly Step[], task: TaskRecord): Step | null {
  let best: Step | null = null;
  for (const step of steps) {
    if (step.score === null) continue;
    const before = best?.score ?? null;
    if (before === null || compareScores(step.score, before, task.is_lower_better) > 0) best = step;
  }
  return best;
}

export const BEST_SO_FAR = ['valid_submission', 'above_median', 'any_medal'] as const;
export type BestSoFar = (typeof BEST_SO_FAR)[number];

/** Whether a run has each of the three by the steps given; null where the task does not tell. */
export function reached(steps: readonly Step[], task: TaskRecord | null): Record<BestSoFar, boolean | null> {
  const valid = steps.length > 0;
  if (task === null) return { valid_submission: valid, above_median: null, any_medal: null };
  const score = bestStep(steps, task)?.score ?? null;
  const bronze = task.thresholds?.bronze ?? null;
  const median = task.thresholds?.median ?? null;
  const isUnknown = valid && score === null;
  return {
    valid_submission: valid,
    above_median: median === null || isUnknown ? null : isAboveMedian(score, task) === true,
    any_medal:
      bronze === null || isUnknown ? null : score !== null && reaches(score, bronze, task.is_lower_better),
  };
}

/** Whether a run launched an experiment or a scoring call: only such runs can have submitted something. */
export function hasAttempt({ executions }: RunFact): boolean {
  return executions.some(({ kind, gradable }) => kind !== 'other' || gradable);
}
