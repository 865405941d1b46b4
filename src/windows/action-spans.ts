import type { SpanKind } from '../trajectory/span.js';
import type { Trajectory } from '../trajectory/trajectory.js';

const ACTION_KINDS: ReadonlySet<SpanKind> = new Set(['reasoning', 'text', 'tool_call', 'malformed_call']);

/** [turn, span] */
export type SpanPlace = readonly [number, number];

/**
 * The spans that the policy generated in this run and that may be trained: reasoning, text and calls of origin
 * `model`, of the policy's own model, in turns of non-zero weight that stand in a context epoch (a rewound branch
 * stands in none). `model` names the policy where a log holds several; null is the trajectory's own.
 */
export function actionSpans(trajectory: Trajectory, model: string | null = null): SpanPlace[] {
  const policy = model ?? trajectory.model;
  const epochs = epochOfTurns(trajectory);
  const places: SpanPlace[] = [];
  for (const [t, turn] of trajectory.turns.entries()) {
    if (turn.weight === 0 || !epochs.has(t)) continue;
    for (const [s, span] of turn.spans.entries()) {
      const own = (span.model ?? trajectory.model) === policy;
      if (span.origin === 'model' && own && ACTION_KINDS.has(span.kind)) places.push([t, s]);
    }
  }
  return places;
}

/** The first context epoch of each turn: the one in which it is trained. Turns of no epoch are absent. */
export function epochOfTurns(trajectory: Trajectory): Map<number, number> {
  const epochs = new Map<number, number>();
  for (const [e, epoch] of trajectory.epochs.entries()) {
    for (const turn of epoch.turns) if (!epochs.has(turn)) epochs.set(turn, e);
  }
  return epochs;
}
