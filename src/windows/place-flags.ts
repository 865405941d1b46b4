import { isCallTruncated } from '../grading/experiments.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { SpanPlace } from './action-spans.js';
import type { WindowFlag } from './flags.js';
import type { Launch } from './launches.js';

interface PlaceInput {
  readonly launch: Launch;
  readonly before: Launch | null;
  readonly spans: readonly SpanPlace[];
  readonly epochs: ReadonlyMap<number, number>;
}

/** Flags that follow from where a window lies in its run. */
export function placeFlags(trajectory: Trajectory, input: PlaceInput): WindowFlag[] {
  const { launch, before, spans, epochs } = input;
  const flags: WindowFlag[] = [];
  if (spans.length === 0) flags.push('no_action_spans');
  if (new Set(spans.map(([turn]) => epochs.get(turn))).size > 1) flags.push('crosses_epochs');
  const start = before === null ? 0 : before.end[0] + 1;
  const end = launch.end[0];
  const turns = trajectory.turns.slice(start, end + 1);
  if (turns.some((turn, t) => turn.role === 'assistant' && !epochs.has(start + t))) {
    flags.push('outside_epochs');
  }
  const isCut = trajectory.executions.some(
    (execution) =>
      execution.kind === 'experiment' &&
      execution.call_turn >= start &&
      execution.call_turn <= end &&
      isCallTruncated(trajectory, execution),
  );
  if (isCut) flags.push('call_truncated');
  if (trajectory.parent_session !== null) flags.push('sub_agent');
  return flags;
}
