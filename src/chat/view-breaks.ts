import type { Role, Turn } from '../trajectory/turn.js';
import type { Rendering, Segment } from './segment.js';

interface Views {
  readonly turns: readonly Turn[];
  readonly indices: readonly number[];
  /** the first `count` of the turns rendered */
  readonly render: (count: number) => Rendering;
}

/** Turns behind a turn of the model that ended without calls: its stop is no longer the last one. */
export function rewrittenStops({ turns, indices }: Pick<Views, 'turns' | 'indices'>): number[] {
  return indices.flatMap((_, at) => {
    const before = turns[indices[at - 1] ?? -1];
    const consecutive = turns[indices[at] ?? -1]?.role === 'assistant';
    const ended =
      before?.role === 'assistant' &&
      !consecutive &&
      before.spans.every((span) => span.inline || span.call === null);
    return ended ? [at] : [];
  });
}

/**
 * Turns with which the template rewrites what the model was given or wrote before, apart from recorded reasoning: an empty
 * think block goes that opened its turns, or a late system message moves to the front. Costs two renderings for each turn of
 * a role in `rewriters`, where some turn of the model stands before it.
 */
export function rewrittenViews(
  { turns, indices, render }: Views,
  { rewriters }: { rewriters: ReadonlySet<Role> },
): number[] {
  const positions: number[] = [];
  let spoken = false;
  indices.forEach((index, at) => {
    const role = turns[index]?.role;
    if (role === 'assistant') spoken = true;
    if (role === undefined || !spoken || !rewriters.has(role)) return;
    const before = render(at);
    const speaker = before.segments.findLast(isWords)?.turn ?? -1;
    if (viewOf(before, speaker) === viewOf(render(at + 1), speaker)) return;
    positions.push(at);
    spoken = false;
  });
  return positions;
}

/** Everything up to the last word that the model wrote in a turn. */
function viewOf({ segments }: Rendering, turn: number): string {
  const last = segments.findLastIndex((segment) => segment.turn === turn && isWords(segment));
  let view = '';
  for (let k = 0; k <= last; k++) view += segments[k]?.text ?? '';
  return view;
}

function isWords({ glue, part }: Segment): boolean {
  return !glue && part !== 'context';
}

/**
 * Turns with which recorded words were taken away, found from the end: of what a rendering leaves out, a shorter one may
 * show more, and the turn that took it is found by halving. Costs a few renderings for each.
 */
export function takenAway({ indices, render }: Omit<Views, 'turns'>): number[] {
  const positions: number[] = [];
  for (let end = indices.length; end > 0; ) {
    const at = takerBefore(indices, { end, render });
    if (at === null) break;
    positions.push(at);
    end = at;
  }
  return positions;
}

/** The last position before `end` whose turn took something away, null where nothing was. */
function takerBefore(
  indices: readonly number[],
  { end, render }: { end: number; render: (count: number) => Rendering },
): number | null {
  const whole = render(end);
  const lost = new Set(whole.stripped_reasoning);
  for (let last = end - 1; last >= 0; last--) {
    const turn = indices[last] ?? -1;
    if (!lost.has(turn)) continue;
    const left = wordsOf(whole, turn);
    const isGone = (count: number): boolean => wordsOf(render(count), turn) <= left;
    if (isGone(last + 1)) continue;
    let [shown, gone] = [last + 1, end];
    while (gone - shown > 1) {
      const middle = (shown + gone) >> 1;
      if (isGone(middle)) gone = middle;
      else shown = middle;
    }
    return shown;
  }
  return null;
}

/** How many characters of a turn's own words are printed, apart from white space, which templates trim here and there. */
function wordsOf({ segments }: Rendering, turn: number): number {
  let length = 0;
  for (const { turn: own, glue, text } of segments)
    if (own === turn && !glue) length += text.replace(/\s+/g, '').length;
  return length;
}
