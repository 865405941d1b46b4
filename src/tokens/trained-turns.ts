import type { Rendering, Segment } from '../chat/segment.js';
import { RejectError } from '../logs/reject.js';
import type { Execution } from '../trajectory/execution.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { MaskOptions, TrainedKind } from './mask-options.js';

/** What of a trajectory the mask depends on. */
export interface MaskSubject {
  readonly turns: readonly Turn[];
  readonly executions: readonly Execution[];
  readonly model: string | null;
}

export interface TurnDecision {
  readonly trained: ReadonlySet<number>;
  /** flags of the row: what was left out, and why */
  readonly flags: readonly string[];
}

export interface TurnQuestion {
  readonly subject: MaskSubject;
  readonly rendering: Rendering;
  /** turns that the plan lets this row train */
  readonly candidates: ReadonlySet<number>;
  readonly mask: MaskOptions;
}

const KIND_OF_PART: ReadonlyMap<string, TrainedKind> = new Map([
  ['reasoning', 'reasoning'],
  ['think_frame', 'reasoning'],
  ['text', 'text'],
  ['tool_call', 'tool_call'],
  ['call_frame', 'tool_call'],
]);

/** Whether the words of a segment, or the words that it frames, may be trained at all. */
export function wordsTrainable(segment: Segment, subject: MaskSubject, mask: MaskOptions): boolean {
  const kind = KIND_OF_PART.get(segment.part);
  const span = subject.turns[segment.turn]?.spans[segment.span];
  return (
    kind !== undefined &&
    span !== undefined &&
    mask.kinds.includes(kind) &&
    spanTrainable(span, subject, mask)
  );
}

function spanTrainable(span: Span, subject: MaskSubject, mask: MaskOptions): boolean {
  if (span.origin !== 'model') return false;
  if (span.kind === 'malformed_call' && mask.malformed_calls === 'mask') return false;
  if (mask.models !== null) return mask.models.includes(span.model ?? subject.model ?? '');
  return span.model === null || span.model === subject.model;
}

/**
 * Chooses the turns of a row whose words are trained. Throws RejectError where the options refuse trajectories with
 * a turn that was cut short (truncated_turn) or has no stop token (no_stop_token).
 */
export function decideTurns({ subject, rendering, candidates, mask }: TurnQuestion): TurnDecision {
  const wordy = new Set<number>();
  const trainable = new Set<number>();
  const stopped = new Set<number>();
  for (const segment of rendering.segments) {
    if (segment.part === 'stop') stopped.add(segment.turn);
    if (segment.glue || segment.part === 'context') continue;
    wordy.add(segment.turn);
    if (wordsTrainable(segment, subject, mask)) trainable.add(segment.turn);
  }
  const stripped = new Set(rendering.stripped_reasoning);
  const continued = new Set(rendering.continued);
  const failed = mask.failed_turns === 'mask' ? failedTurns(subject.executions) : new Set<number>();
  const flags = new Set<string>();
  const trained: number[] = [];
  for (const index of [...candidates].sort((a, b) => a - b)) {
    const turn = subject.turns[index];
    if (turn === undefined || turn.role !== 'assistant') continue;
    if (turn.truncated !== null && mask.truncated === 'reject') {
      throw new RejectError('truncated_turn', `turn ${index} was cut short (${turn.truncated})`);
    }
    const obstacle = obstacleTo(index, turn);
    if (obstacle === null) trained.push(index);
    else if (obstacle !== '') flags.add(obstacle);
  }
  const chosen = mask.last_turn_only ? trained.slice(-1) : trained;
  const endless = mask.missing_stop === 'reject' ? chosen.find(lacksStop) : undefined;
  if (endless !== undefined) {
    throw new RejectError('no_stop_token', `the template prints no stop token behind turn ${endless}`);
  }
  return { trained: new Set(chosen), flags: [...flags].sort() };

  function lacksStop(index: number): boolean {
    return (subject.turns[index]?.truncated ?? null) === null && !stopped.has(index);
  }

  function obstacleTo(index: number, turn: Turn): string | null {
    if (!wordy.has(index)) return 'empty_turn';
    if (turn.weight <= 0) return 'zero_weight_turn';
    if (!trainable.has(index)) return '';
    if (turn.truncated !== null && mask.truncated === 'mask') return 'truncated_turn_masked';
    if (stripped.has(index) && mask.stripped_reasoning === 'mask') return 'stripped_reasoning_masked';
    if (continued.has(index) && mask.continued_turns === 'mask') return 'continued_turn_masked';
    if (failed.has(index)) return 'failed_turn_masked';
    return mask.missing_stop === 'mask' && lacksStop(index) ? 'turn_without_stop_masked' : null;
  }
}

/** Turns that launched something which failed through the agent's own doing. */
function failedTurns(executions: readonly Execution[]): Set<number> {
  const failed = executions.filter(({ status }) => status === 'error' || status === 'timeout');
  return new Set(failed.map((execution) => execution.call_turn));
}
