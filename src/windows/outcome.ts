import { type Gradable, medalOf } from '../grading/medals.js';
import type { Medal, TaskRecord } from '../grading/task-record.js';
import { byObservation, finiteScore, type ValidSubmissions } from '../grading/valid-submissions.js';
import type { Execution, ScoreScale, Submission } from '../trajectory/execution.js';
import type { WindowFlag } from './flags.js';
import type { WindowOptions } from './options.js';
import type { Outcome } from './window.js';

/** What became of an execution, before any comparison with others. */
export interface ExecutionOutcome {
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly score_scale: ScoreScale | null;
  /** the submission that is graded; null where there is none on the scale */
  readonly graded: Submission | null;
  readonly medal: Medal | null;
  readonly flags: readonly WindowFlag[];
}

export interface OutcomeInput {
  readonly execution: Execution;
  /** submissions linked to the execution */
  readonly submissions: readonly Submission[];
  readonly valid: ValidSubmissions;
  /** the log would show a submission if there were one */
  readonly submissions_recorded: boolean;
  readonly gradable: Gradable | null;
  readonly score_scale: ScoreScale;
}

const MEDAL_OUTCOME = { none: 'below_medal', bronze: 'bronze', silver: 'silver', gold: 'gold' } as const;

/** Direction and thresholds on the scale that is graded; null without a task record. */
export function gradableFor(task: TaskRecord | null, options: WindowOptions): Gradable | null {
  if (task === null || options.score_scale === 'test') return task;
  const names = [task.task_id, ...task.aliases];
  const thresholds = names.map((name) => options.thresholds[name]).find((found) => found !== undefined);
  return { is_lower_better: task.is_lower_better, thresholds: thresholds ?? null };
}

/** The outcome of one execution: the table of docs/windows.md, row by row. */
export function outcomeOf(input: OutcomeInput): ExecutionOutcome {
  const { execution } = input;
  const own = byObservation(input.submissions);
  const fresh = own.filter((submission) => !submission.stale);
  const flags: WindowFlag[] = [];
  if (execution.feedback_turn === null) flags.push('feedback_missing');
  if (execution.invalidated) flags.push('invalidated');
  if (fresh.length < own.length) flags.push('stale_submission');
  switch (execution.status) {
    case 'infrastructure':
      return unscored('infrastructure', flags);
    case 'error':
    case 'timeout':
      if (execution.status === 'timeout') flags.push('timeout');
      if (fresh.some((submission) => submission.gradable)) flags.push('failed_with_submission');
      return unscored('error', flags);
    case 'unknown':
      flags.push('status_unknown');
      break;
    case 'ok':
      break;
  }
  // the agent ran something and handed in what an earlier run had left
  if (fresh.length === 0 && own.length > 0) return unscored('error', flags);
  const graded = fresh.filter((submission) => input.valid.counted.has(submission));
  if (graded.length > 1) flags.push('several_submissions');
  const last = graded[graded.length - 1];
  return last === undefined ? notGraded(input, fresh, flags) : gradedBy(input, last, flags);
}

function gradedBy(
  { gradable }: OutcomeInput,
  submission: Submission,
  flags: readonly WindowFlag[],
): ExecutionOutcome {
  const score = finiteScore(submission);
  const medal = gradable === null ? null : medalOf(score, gradable);
  const scored = { score, score_scale: submission.scale, graded: submission, medal };
  if (medal !== null) return { outcome: MEDAL_OUTCOME[medal], ...scored, flags };
  return {
    outcome: 'ungraded',
    ...scored,
    flags: [...flags, gradable === null ? 'no_task' : 'no_thresholds'],
  };
}

/** No score that counts: the agent's doing (no submission), or only unknown to us (ungraded)? */
function notGraded(
  { execution, score_scale, submissions_recorded }: OutcomeInput,
  fresh: readonly Submission[],
  flags: readonly WindowFlag[],
): ExecutionOutcome {
  const scored = fresh.filter((submission) => finiteScore(submission) !== null);
  const last = scored[scored.length - 1];
  if (last !== undefined) {
    const why: WindowFlag = last.scale === score_scale ? 'other_grader' : 'other_scale';
    const known = { score: finiteScore(last), score_scale: last.scale, graded: null, medal: null };
    return { outcome: 'ungraded', ...known, flags: [...flags, why] };
  }
  if (fresh.some((submission) => submission.gradable && submission.score === null)) {
    return unscored('ungraded', [...flags, 'score_unknown']);
  }
  if (!submissions_recorded) return unscored('ungraded', [...flags, 'submissions_not_recorded']);
  const isKnown = execution.status !== 'unknown' || fresh.length > 0;
  return unscored(isKnown ? 'no_submission' : 'ungraded', flags);
}

function unscored(outcome: Outcome, flags: readonly WindowFlag[]): ExecutionOutcome {
  return { outcome, score: null, score_scale: null, graded: null, medal: null, flags };
}
