import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';

/** The experiments that were really launched, in the order of their calls. */
export function experimentsOf(trajectory: Trajectory): Execution[] {
  return trajectory.executions
    .filter((execution) => execution.kind === 'experiment' && !isCallTruncated(trajectory, execution))
    .sort(byCall);
}

/** Order by turn, then by place in the turn (unknown places last), then by launch. */
export function byCall(a: Execution, b: Execution): number {
  const spanOf = (execution: Execution): number => execution.call_span ?? Number.MAX_SAFE_INTEGER;
  return a.call_turn - b.call_turn || spanOf(a) - spanOf(b) || a.order - b.order;
}

/**
 * Whether the call that should have launched it was cut off in generation: then there was no execution. The cut
 * hits the last call of a turn; where the log does not part the calls of a turn, it hits them all.
 */
export function isCallTruncated(trajectory: Trajectory, execution: Execution): boolean {
  const turn = trajectory.turns[execution.call_turn];
  if (turn === undefined || turn.truncated === null) return false;
  return execution.call_span === null || execution.call_span >= turn.spans.length - 1;
}

/** Whether an execution ran through, as far as the log says: only then can a submission be its result. */
export function ranThrough(execution: Execution): boolean {
  return execution.status === 'ok' || execution.status === 'unknown';
}
