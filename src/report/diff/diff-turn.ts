import type { DiffMark, DiffSegment } from '../../browser/diff/data.js';

/** A piece of a turn as a row renders it, with the ranges of it that are trained: [start, end, ...]. */
export interface MarkedText {
  readonly part: string;
  readonly text: string;
  readonly trained: readonly number[];
}

/** A turn as a row of one corpus has it. */
export type MarkedTexts = readonly MarkedText[];

/**
 * Sets two renderings of a turn side by side. Pieces of equal part and text are matched in order, as many as can be; what
 * is left stands on its own side. Where the whole text is the same, pieces of the first are taken for both.
 */
export function diffTurn(a: MarkedTexts, b: MarkedTexts): DiffSegment[] {
  const joined = joinedText(a);
  if (joined === joinedText(b)) return comparePieces(a, trainedUnits(b));
  const segments: DiffSegment[] = [];
  let i = 0;
  let j = 0;
  for (const [x, y] of [...matched(a, b), [a.length, b.length] as const]) {
    while (i < x) segments.push(...oneSided(a[i++], 'a'));
    while (j < y) segments.push(...oneSided(b[j++], 'b'));
    const [left, right] = [a[i++], b[j++]];
    if (left !== undefined && right !== undefined)
      segments.push(...comparePieces([left], trainedUnits([right])));
  }
  return segments;
}

/** Whether a segment is the same on both sides. */
export const isSame = ({ a, b }: DiffSegment): boolean => a === b;

const joinedText = (pieces: MarkedTexts): string => pieces.map(({ text }) => text).join('');

/** For every unit of the joined text whether it is trained. */
function trainedUnits(pieces: MarkedTexts): Uint8Array {
  const units = new Uint8Array(pieces.reduce((sum, { text }) => sum + text.length, 0));
  let start = 0;
  for (const { text, trained } of pieces) {
    for (let k = 0; k < trained.length; k += 2) {
      units.fill(1, start + (trained[k] ?? 0), start + (trained[k + 1] ?? 0));
    }
    start += text.length;
  }
  return units;
}

/** Parts the pieces of one side where either mark changes. */
function comparePieces(pieces: MarkedTexts, other: Uint8Array): DiffSegment[] {
  const own = trainedUnits(pieces);
  const segments: DiffSegment[] = [];
  let start = 0;
  for (const { part, text } of pieces) {
    const end = start + text.length;
    for (let from = start; from < end; ) {
      let to = from + 1;
      while (to < end && own[to] === own[from] && other[to] === other[from]) to++;
      const segment = { part, text: text.slice(from - start, to - start), left_out: 0, tail: '' };
      segments.push({ ...segment, a: markOf(own[from]), b: markOf(other[from]) });
      from = to;
    }
    start = end;
  }
  return segments;
}

function oneSided(piece: MarkedText | undefined, side: 'a' | 'b'): DiffSegment[] {
  if (piece === undefined) return [];
  return comparePieces([piece], trainedUnits([piece])).map((segment) =>
    side === 'a' ? { ...segment, b: null } : { ...segment, a: null },
  );
}

const markOf = (unit: number | undefined): DiffMark => (unit === 1 ? 'trained' : 'masked');

/** Beyond this pieces are matched only as far as they begin and end alike: their number is squared otherwise. */
const MOST_PIECES = 400;

/** A longest list of pairs of equal pieces, in order. */
function matched(a: MarkedTexts, b: MarkedTexts): (readonly [number, number])[] {
  const keys = [a, b].map((pieces) => pieces.map(({ part, text }) => `${part}\0${text}`));
  const [left = [], right = []] = keys;
  let first = 0;
  while (first < left.length && first < right.length && left[first] === right[first]) first++;
  let last = 0;
  const most = Math.min(left.length, right.length) - first;
  while (last < most && left[left.length - 1 - last] === right[right.length - 1 - last]) last++;
  const head = Array.from({ length: first }, (_, k) => [k, k] as const);
  const tail = Array.from(
    { length: last },
    (_, k) => [left.length - last + k, right.length - last + k] as const,
  );
  const middle = longestCommon(
    left.slice(first, left.length - last),
    right.slice(first, right.length - last),
  );
  return [...head, ...middle.map(([x, y]) => [x + first, y + first] as const), ...tail];
}

function longestCommon(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  if (a.length > MOST_PIECES || b.length > MOST_PIECES) return [];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
