import type { Segment } from '../chat/segment.js';
import type { SpecialFinder } from '../chat/special-tokens.js';
import { mapEdges } from './byte-edges.js';
import type { Encoder } from './encoder.js';
import { normalizerOf } from './text-normalizer.js';

/** Text between two special tokens of the glue, or one such token. */
export interface Piece {
  readonly text: string;
  /** id of the special token, -1 for text */
  readonly special: number;
  /** first byte of the piece in the normalised rendering */
  readonly start: number;
  readonly end: number;
}

/** Where everything in a rendering lies: its pieces, and the bytes at which segments meet. */
export interface Layout {
  readonly pieces: readonly Piece[];
  /**
   * Segment k covers bytes high[k] to low[k + 1]; bytes low[k] to high[k] are a character composed across the
   * edge before segment k and belong to neither side. Both have segments.length + 1 entries.
   */
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** bytes of the whole normalised rendering */
  readonly bytes: number;
  /** where special tokens stand in the glue, in UTF-16 units of the joined segments */
  readonly specialOffsets: readonly number[];
}

export interface LayoutInput {
  readonly segments: readonly Segment[];
  readonly encoder: Encoder;
  readonly finder: SpecialFinder;
  /** also part the text behind every header, where generation began */
  readonly cutAfterHeaders: boolean;
}

/** Lays a rendering out. Special tokens are looked for in the glue alone. */
export function layOut({ segments, encoder, finder, cutAfterHeaders }: LayoutInput): Layout {
  const low = new Int32Array(segments.length + 1);
  const high = new Int32Array(segments.length + 1);
  const pieces: Piece[] = [];
  const specialOffsets: number[] = [];
  const normalizer = normalizerOf(encoder);
  let pending = '';
  let edges: number[] = [];
  let offsets: number[] = [];
  let bytes = 0;
  let units = 0;

  const flush = (): void => {
    const text = pending;
    let end = bytes;
    let next = 0;
    for (const part of normalizer.parts(text)) {
      const first = next;
      while (next < offsets.length && (offsets[next] ?? 0) <= part.end) next++;
      const here = edges.slice(first, next);
      end = mapEdges(
        {
          text: part.text,
          offsets: offsets.slice(first, next).map((offset) => offset - part.start),
          normalize: part.normalize,
          base: end,
        },
        {
          edge(at, from, to) {
            const edge = here[at] ?? 0;
            low[edge] = from;
            high[edge] = to;
          },
        },
      );
    }
    if (text !== '') pieces.push({ text, special: -1, start: bytes, end });
    bytes = end;
    pending = '';
    edges = [];
    offsets = [];
  };

  const addGlue = (text: string): void => {
    let done = 0;
    finder.each(text, (offset, special) => {
      pending += text.slice(done, offset);
      flush();
      const start = bytes;
      bytes += Buffer.byteLength(special);
      pieces.push({ text: special, special: encoder.specials.get(special) ?? -1, start, end: bytes });
      specialOffsets.push(units + offset);
      done = offset + special.length;
    });
    pending += text.slice(done);
  };

  segments.forEach((segment, k) => {
    if (cutAfterHeaders && segment.part !== 'header' && segments[k - 1]?.part === 'header') flush();
    edges.push(k);
    offsets.push(pending.length);
    if (segment.glue) addGlue(segment.text);
    else pending += segment.text;
    units += segment.text.length;
  });
  edges.push(segments.length);
  offsets.push(pending.length);
  flush();
  return { pieces, low, high, bytes, specialOffsets };
}
