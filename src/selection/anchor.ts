import type { ValidSubmission } from '../grading/valid-submissions.js';
import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { SelectionFlag } from './flags.js';
import type { SelectionOptions } from './options.js';

/** The turn where a prefix is anchored, and the last turn that it keeps. */
export interface Anchor {
  readonly execution: Execution | null;
  readonly turn: number;
  readonly last_turn: number;
  readonly flags: readonly SelectionFlag[];
}

/** The anchor of a submission: the feedback of the execution that made it. */
export function anchorOf(trajectory: Trajectory, chosen: ValidSubmission, options: SelectionOptions): Anchor {
  const flags: SelectionFlag[] = [];
  const { execution, submission } = chosen;
  const turn = anchorTurn(trajectory, chosen, flags);
  if (execution?.invalidated === true) flags.push('anchor_invalidated');
  if (execution !== null && hasLaterFeedback(trajectory, execution, turn))
    flags.push('parallel_feedback_cut');
  const commit = options.tail === 'commit' ? commitTurn(trajectory, { chosen, turn, options }) : null;
  if (commit !== null) flags.push('commit_kept');
  return {
    execution: submission.execution_id === null ? null : execution,
    turn,
    last_turn: commit ?? turn,
    flags,
  };
}

function anchorTurn(trajectory: Trajectory, chosen: ValidSubmission, flags: SelectionFlag[]): number {
  const { execution, submission } = chosen;
  if (execution !== null) {
    if (execution.feedback_turn !== null) return execution.feedback_turn;
    flags.push('feedback_missing');
    return execution.call_turn;
  }
  flags.push('anchor_without_execution');
  if (submission.observed_turn !== null) return submission.observed_turn;
  const scoring = trajectory.executions.find((e) => e.execution_id === submission.scored_by);
  return scoring?.feedback_turn ?? scoring?.call_turn ?? trajectory.turns.length - 1;
}

/** Whether other calls of the anchor's turn are answered only after the cut. */
function hasLaterFeedback(trajectory: Trajectory, execution: Execution, turn: number): boolean {
  return trajectory.executions.some(
    (other) =>
      other.call_turn === execution.call_turn && other.feedback_turn !== null && other.feedback_turn > turn,
  );
}

interface CommitInput {
  readonly chosen: ValidSubmission;
  readonly turn: number;
  readonly options: SelectionOptions;
}

/**
 * The model's next turn after the anchor if all it does is commit the anchor: calls that only score or submit what
 * the anchor made, or the final text of the run. Null otherwise, and for a turn that was cut off.
 */
function commitTurn(trajectory: Trajectory, { chosen, turn, options }: CommitInput): number | null {
  const next = trajectory.turns.findIndex((candidate, t) => t > turn && isModelTurn(candidate));
  const message = trajectory.turns[next];
  if (message === undefined || message.truncated !== null) return null;
  const calls = message.spans.filter((span) => span.kind === 'tool_call' || span.kind === 'malformed_call');
  if (calls.length === 0) return isFinalText(trajectory, next) ? next : null;
  const launched = trajectory.executions.filter((execution) => execution.call_turn === next);
  const commitsOnly = launched.every(
    (execution) =>
      (execution.kind === 'scoring' || (execution.kind === 'other' && isCommitTool(execution.tool))) &&
      scoresOnly(trajectory, execution, chosen),
  );
  if (!commitsOnly) return null;
  const known = new Set(launched.map((execution) => execution.tool));
  const allCommit = calls.every(
    ({ kind, call }) =>
      kind === 'tool_call' && call !== null && (known.has(call.name) || isCommitTool(call.name)),
  );
  return allCommit ? next : null;

  function isCommitTool(name: string): boolean {
    return options.commit_tools.includes(name);
  }
}

/** Whether all that a call scored was made by the chosen execution, as far as the log says. */
function scoresOnly(trajectory: Trajectory, scoring: Execution, chosen: ValidSubmission): boolean {
  return trajectory.submissions.every(
    (submission) =>
      submission.scored_by !== scoring.execution_id ||
      (!submission.stale && submission.execution_id === chosen.submission.execution_id),
  );
}

/** The last words of a run that was not cut off. */
function isFinalText(trajectory: Trajectory, index: number): boolean {
  const isLast = trajectory.turns.every((turn, t) => t <= index || !isModelTurn(turn));
  const spans = trajectory.turns[index]?.spans ?? [];
  const hasText = spans.some((span) => span.kind === 'text' && span.text.trim() !== '');
  return isLast && hasText && trajectory.termination !== 'cut';
}

function isModelTurn(turn: Turn): boolean {
  return turn.role === 'assistant' && turn.spans.some((span) => span.origin === 'model');
}
