import { RejectError } from '../logs/reject.js';
import type { ChatRenderer, RenderInput } from './renderer.js';
import type { Rendering, Segment } from './segment.js';

/**
 * A conversation as the model saw it grow: each stretch between two positions of `cuts` is taken from the rendering
 * that ends with it, so that what the template rewrites later stays as it was. Without cuts it is the plain
 * rendering. Costs one rendering for each cut.
 */
export function composeStretches(
  renderer: Pick<ChatRenderer, 'render'>,
  { turns, indices, tools }: RenderInput,
  cuts: readonly number[],
): Rendering {
  const positions = new Map(indices.map((turn, position) => [turn, position]));
  const segments: Segment[] = [];
  const stripped: number[] = [];
  const continued: number[] = [];
  let from = 0;
  for (const end of [...cuts.filter((cut) => cut > 0 && cut < indices.length), indices.length]) {
    const rendering = renderer.render({ turns, indices: indices.slice(0, end), tools });
    const positionOf = (segment: Segment | undefined) => positions.get(segment?.turn ?? -1) ?? -1;
    const first = from === 0 ? 0 : startOf(rendering.segments, { from, positionOf, done: segments });
    // What a template prints behind all messages belongs to the end of the last stretch alone.
    const last = rendering.segments.findLastIndex((segment) => positionOf(segment) >= 0);
    const stop = end === indices.length ? rendering.segments.length : last + 1;
    for (let k = first; k < stop; k++) {
      const segment = rendering.segments[k];
      if (segment === undefined) continue;
      const position = positionOf(segment);
      if (position >= 0 && position < from && segment.part !== 'stop') refuseMoved(indices[from]);
      segments.push(segment);
    }
    const isOfStretch = (turn: number): boolean => (positions.get(turn) ?? -1) >= from;
    stripped.push(...rendering.stripped_reasoning.filter(isOfStretch));
    continued.push(...rendering.continued.filter(isOfStretch));
    from = end;
  }
  return { segments, stripped_reasoning: stripped, continued };
}

/** A late system message that the template prints at the front cannot be joined behind what was there before it. */
function refuseMoved(turn: number | undefined): never {
  throw new RejectError('template_not_prefix', `the template moves turn ${turn} before earlier turns`);
}

/** Where a stretch begins in its rendering: with its first turn, or with the stop that the turn before it lacks. */
function startOf(
  segments: readonly Segment[],
  {
    from,
    positionOf,
    done,
  }: { from: number; positionOf: (segment: Segment | undefined) => number; done: readonly Segment[] },
): number {
  const first = segments.findIndex((segment) => positionOf(segment) >= from);
  if (first < 0) return segments.length;
  const before = segments[first - 1];
  const stopped = done.some((segment) => segment.part === 'stop' && segment.turn === before?.turn);
  return before?.part === 'stop' && !stopped ? first - 1 : first;
}
