import type { Trajectory } from '../trajectory/trajectory.js';
import type { Rule } from './rule.js';

/**
 * Rule 0: a run that ended normally, kept to its last turn. Normal is an accepted submission, or where the log does
 * not say how it ended, a final message of the model without a call; never a run whose last model turn was cut.
 */
export const selectWhole: Rule = ({ trajectory, options }) => {
  const fault = abnormalEnd(trajectory);
  if (fault !== null) return { reason: 'not_complete', detail: fault };
  if (options.outcome === 'resolved' && trajectory.resolved !== true) {
    const said = trajectory.resolved === null ? 'no report is joined' : 'the report says not resolved';
    return { reason: 'not_resolved', detail: said };
  }
  const last = trajectory.turns.length - 1;
  return {
    anchor: { execution: null, turn: last, last_turn: last, flags: [] },
    score: null,
    threshold_source: null,
    flags: [],
    detail: `the run ended normally (${trajectory.termination}): all ${trajectory.turns.length} turns kept`,
  };
};

/** Why a run did not end normally, or null. */
function abnormalEnd(trajectory: Trajectory): string | null {
  const { termination, turns } = trajectory;
  if (termination !== 'submitted' && termination !== 'unknown') return `the run ended by ${termination}`;
  const last = turns.findLast((turn) => turn.role === 'assistant');
  if (last === undefined) return 'the run has no assistant turn';
  if (last.truncated !== null) return `the last assistant turn is truncated (${last.truncated})`;
  if (termination === 'submitted') return null;
  if (turns[turns.length - 1] !== last) return 'the run ends without a final message of the model';
  const calls = last.spans.some((span) => span.kind === 'tool_call' || span.kind === 'malformed_call');
  return calls ? 'the run ends with an unanswered call' : null;
}
