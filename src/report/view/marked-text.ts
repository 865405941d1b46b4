import type { Segment } from '../../chat/segment.js';
import type { Encoder } from '../../tokens/encoder.js';

/** Where the segments of a rendering begin in the bytes that its tokens stand for. */
export interface PlacedSegments {
  readonly segments: readonly Pick<Segment, 'part' | 'turn' | 'span' | 'glue'>[];
  /** first byte of each, ascending */
  readonly starts: ArrayLike<number>;
}

/** The token columns of a stored row. */
export interface RowTokens {
  readonly input_ids: ArrayLike<number>;
  readonly loss_mask: ArrayLike<number>;
  /** position of the window of each token, -1 for none */
  readonly window_index?: ArrayLike<number>;
}

export interface MarkedPiece {
  readonly part: string;
  readonly span: number;
  readonly glue: boolean;
  readonly text: string;
}

/** A turn as the tokens of a row decode, with what the row's mask says. Offsets are UTF-16 units of the joined pieces. */
export interface MarkedTurn {
  /** as the segments number it */
  readonly turn: number;
  readonly pieces: readonly MarkedPiece[];
  /** [start, end, ...] of text whose every byte is trained */
  readonly trained: readonly number[];
  /** starts of characters of which only some bytes are trained */
  readonly split: readonly number[];
  readonly n_tokens: number;
  readonly n_trained: number;
  /** windows of its trained tokens */
  readonly windows: readonly number[];
}

/** The bytes that ids stand for; ids that the tokenizer does not have stand for none. */
export interface DecodedTokens {
  readonly bytes: Buffer;
  /** first byte of each token, and the end */
  readonly starts: Int32Array;
}

export function decodeTokens(ids: ArrayLike<number>, encoder: Encoder): DecodedTokens {
  const lengths = encoder.byteLengths ?? new Uint16Array(0);
  const starts = new Int32Array(ids.length + 1);
  for (let i = 0; i < ids.length; i++) starts[i + 1] = (starts[i] ?? 0) + (lengths[ids[i] ?? 0] ?? 0);
  const bytes = Buffer.alloc(starts[ids.length] ?? 0);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    if (id < lengths.length) bytes.set(encoder.tokenBytes(id), starts[i]);
  }
  return { bytes, starts };
}

/**
 * Parts the decoded text of a row into turns, and lays the stored mask over it. Text and marks come from the ids and the
 * mask alone; the segments only say what a piece of text is. What belongs to no turn goes with the turn that follows.
 */
export function markTurns(tokens: RowTokens, decoded: DecodedTokens, placed: PlacedSegments): MarkedTurn[] {
  const { segments, starts } = placed;
  const turnOf = ownTurns(segments);
  const turns: MarkedTurn[] = [];
  let token = 0;
  for (let first = 0; first < segments.length; ) {
    let after = first + 1;
    while (after < segments.length && turnOf[after] === turnOf[first]) after++;
    const start = starts[first] ?? 0;
    const end = after < segments.length ? (starts[after] ?? start) : decoded.bytes.length;
    const line = new UnitLine(decoded.bytes, start);
    const pieces: MarkedPiece[] = [];
    const edges: number[] = [];
    for (let k = first; k < after; k++) {
      const segment = segments[k];
      const next = segments[k + 1];
      if (segment === undefined) continue;
      const same = k + 1 < after && next?.part === segment.part && next.span === segment.span;
      if (same && next?.glue === segment.glue) continue;
      const pieceEnd = k + 1 < after ? (starts[k + 1] ?? start) : end;
      const pieceStart = edges.at(-1) ?? start;
      edges.push(pieceEnd);
      if (pieceEnd === pieceStart) continue;
      const text = decoded.bytes.toString('utf8', pieceStart, pieceEnd);
      pieces.push({ part: segment.part, span: segment.span, glue: segment.glue, text });
    }
    const marks = runsOf(tokens, decoded, { token, start, end });
    token = marks.next;
    if (pieces.length > 0) {
      turns.push({ turn: turnOf[first] ?? -1, pieces, ...line.ranges(marks.runs, edges), ...marks.counts });
    }
    first = after;
  }
  return turns;
}

/** The turn of each segment; what has none takes that of the next one, at the end that of the last. */
function ownTurns(segments: PlacedSegments['segments']): number[] {
  const turns = segments.map(({ turn }) => turn);
  for (let k = turns.length - 2; k >= 0; k--) if (turns[k] === -1) turns[k] = turns[k + 1] ?? -1;
  for (let k = 1; k < turns.length; k++) if (turns[k] === -1) turns[k] = turns[k - 1] ?? -1;
  return turns;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Trained runs of bytes in a range, and the counts of the tokens that begin there. */
function runsOf(
  { loss_mask: mask, window_index: windowOf }: RowTokens,
  { starts }: DecodedTokens,
  { token, start, end }: ByteRange & { readonly token: number },
) {
  const runs: { start: number; end: number }[] = [];
  const windows = new Set<number>();
  let n_tokens = 0;
  let n_trained = 0;
  let i = token;
  // a token that began before reaches in
  if (i > 0 && (starts[i] ?? 0) > start) i--;
  for (; i < starts.length - 1 && (starts[i] ?? 0) < end; i++) {
    const from = Math.max(start, starts[i] ?? 0);
    const to = Math.min(end, starts[i + 1] ?? 0);
    const begins = (starts[i] ?? 0) >= start;
    if (begins) n_tokens++;
    if (mask[i] !== 1) continue;
    if (begins) n_trained++;
    const window = windowOf?.[i] ?? -1;
    if (window >= 0) windows.add(window);
    const last = runs.at(-1);
    if (last?.end === from) last.end = to;
    else if (to > from) runs.push({ start: from, end: to });
  }
  return { runs, next: i, counts: { n_tokens, n_trained, windows: [...windows].sort((a, b) => a - b) } };
}

/** Counts UTF-16 units along bytes; positions are asked in ascending order. Text is decoded piece by piece. */
class UnitLine {
  readonly #bytes: Buffer;
  #at: number;
  #units = 0;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  ranges(runs: readonly ByteRange[], edges: readonly number[]): { trained: number[]; split: number[] } {
    const trained: number[] = [];
    const split: number[] = [];
    let edge = 0;
    const units = (byte: number): number => {
      while (edge < edges.length && (edges[edge] ?? 0) <= byte) this.#advance(edges[edge++] ?? 0);
      this.#advance(byte);
      return this.#units;
    };
    for (const { start, end } of runs) {
      const inner = { start: this.#next(start), end: this.#previous(end) };
      if (inner.start !== start) split.push(units(this.#previous(start)));
      if (inner.start < inner.end) trained.push(units(inner.start), units(inner.end));
      if (inner.end !== end) split.push(units(inner.end));
    }
    return { trained, split: [...new Set(split)] };
  }

  #advance(to: number): void {
    if (to <= this.#at) return;
    this.#units += this.#bytes.toString('utf8', this.#at, to).length;
    this.#at = to;
  }

  /** The first byte at or after `at` that begins a character. */
  #next(at: number): number {
    let byte = at;
    while (this.#continues(byte)) byte++;
    return byte;
  }

  #previous(at: number): number {
    let byte = at;
    while (this.#continues(byte)) byte--;
    return byte;
  }

  #continues(at: number): boolean {
    return ((this.#bytes[at] ?? 0) & 0xc0) === 0x80;
  }
}
