import type { Execution, ScoreScale, Submission } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { isCallTruncated, ranThrough } from './experiments.js';

/** A submission with a finite score. */
export interface ValidSubmission {
  readonly submission: Submission;
  readonly score: number;
  /** the experiment that made it, null where the log links none */
  readonly execution: Execution | null;
}

/** Why a gradable submission on the right scale does not count. */
export const SKIPPED_SUBMISSIONS = [
  'stale_submission',
  'failed_with_submission',
  'call_truncated',
  'other_grader',
] as const;
export type SkippedSubmission = (typeof SKIPPED_SUBMISSIONS)[number];

export interface ValidSubmissions {
  /** in time of observation */
  readonly list: readonly ValidSubmission[];
  /** the submissions of the list */
  readonly counted: ReadonlySet<Submission>;
  readonly skipped: ReadonlyMap<Submission, SkippedSubmission>;
}

/**
 * The submissions of a run whose scores may be compared: gradable, finite, on one scale, of one grader (that of the
 * first such submission), not stale, and not left behind by an execution that failed.
 */
export function validSubmissions(trajectory: Trajectory, scale: ScoreScale): ValidSubmissions {
  const executions = new Map(trajectory.executions.map((execution) => [execution.execution_id, execution]));
  const list: ValidSubmission[] = [];
  const skipped = new Map<Submission, SkippedSubmission>();
  let grader: string | null | undefined;
  for (const submission of byObservation(trajectory.submissions)) {
    const score = finiteScore(submission);
    if (score === null || submission.scale !== scale) continue;
    const execution = executions.get(submission.execution_id ?? '') ?? null;
    if (submission.stale) skipped.set(submission, 'stale_submission');
    else if (execution !== null && !ranThrough(execution)) skipped.set(submission, 'failed_with_submission');
    else if (execution !== null && isCallTruncated(trajectory, execution)) {
      skipped.set(submission, 'call_truncated');
    } else if (grader !== undefined && grader !== submission.grader) skipped.set(submission, 'other_grader');
    else {
      grader = submission.grader;
      list.push({ submission, score, execution });
    }
  }
  return { list, counted: new Set(list.map(({ submission }) => submission)), skipped };
}

/** The score of a gradable submission, null where it has none or one that is not finite. */
export function finiteScore(submission: Submission): number | null {
  const { gradable, score } = submission;
  return gradable && score !== null && Number.isFinite(score) ? score : null;
}

export function byObservation(submissions: readonly Submission[]): Submission[] {
  return [...submissions].sort((a, b) => a.order - b.order);
}
