import fc from 'fast-check';
import type { Segment, SegmentPart } from '../../src/chat/segment.js';
import type { KnownChunks } from '../../src/tokens/chunk-trail.js';
import { DECODING_PADDING, decodingTable } from '../../src/tokens/decoder.js';
import type { Encoder } from '../../src/tokens/encoder.js';
import type { Layout } from '../../src/tokens/layout.js';
import { type WalkFindings, walkTokens } from '../../src/tokens/proof-walk.js';

/** A small vocabulary with a special token, a token without bytes and one that looks like the special one. */
export const SPECIAL = 5;
export const VOCABULARY = ['a', 'b', 'ab', 'ba', 'aabbaabbaabb', '<s>', '', '<s>', 'abab', 'aabba'];
export const byteLengths = Uint16Array.from(VOCABULARY, (token) => token.length);
export const table = decodingTable({
  byteLengths,
  tokenBytes: (id: number) => Buffer.from(VOCABULARY[id] ?? ''),
  specials: new Map([['<s>', SPECIAL]]),
} as unknown as Encoder);

export interface Row {
  readonly text: string;
  readonly ids: Int32Array;
  readonly segments: readonly Segment[];
  readonly marks: Uint8Array;
  readonly layout: Layout;
}

const parts: readonly SegmentPart[] = ['context', 'header', 'text', 'stop', 'separator', 'think_frame'];
/** A segment of a rendering; there are none without text. */
const anySegment = (maxUnits: number) =>
  fc.record({
    units: fc.array(fc.constantFrom('a', 'b', 'ab', 'aabbaabbaabb', '<s>'), {
      minLength: 1,
      maxLength: maxUnits,
      size: 'max',
    }),
    part: fc.constantFrom(...parts),
    mark: fc.nat(1),
    /** how far a character composes across the edge before the segment */
    before: fc.constantFrom(0, 0, 0, 1, 2),
    after: fc.constantFrom(0, 0, 0, 1),
  });

interface RowOptions {
  /** units of a segment at most */
  readonly maxUnits?: number;
  /** tokens of a hundred that do not care for the text: one of these for a row */
  readonly errors?: readonly number[];
}

/** Rows whose tokens are mostly those of the text: `picks` chooses among the tokens that fit, or does not care. */
export const anyRow = ({ maxUnits = 5, errors = [0, 4] }: RowOptions = {}): fc.Arbitrary<Row> =>
  fc
    .tuple(
      fc.array(anySegment(maxUnits), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...errors),
      fc.infiniteStream(fc.nat(99)),
    )
    .map(([drawn, errors, picks]): Row => {
      const next = (): number => picks.next().value ?? 0;
      const text = drawn.map(({ units }) => units.join('')).join('');
      const edges = [0];
      for (const { units } of drawn) edges.push((edges.at(-1) ?? 0) + units.join('').length);
      const low = new Int32Array(edges.length);
      const high = new Int32Array(edges.length);
      edges.forEach((edge, k) => {
        // a character composes out of what stands on both sides
        const isRoomy = edge - (edges[k - 1] ?? edge) > 3 && (edges[k + 1] ?? edge) - edge > 3;
        const { before = 0, after = 0 } = isRoomy ? (drawn[k] ?? {}) : {};
        low[k] = edge - before;
        high[k] = edge + after;
      });
      const ids: number[] = [];
      for (let at = 0; at < text.length; ) {
        const fitting = VOCABULARY.flatMap((token, id) =>
          token !== '' && text.startsWith(token, at) ? [id] : [],
        );
        const id =
          next() < errors ? [-1, 6, 99, 0, 4, SPECIAL][next() % 6] : fitting[next() % fitting.length];
        ids.push(id ?? 0);
        at += VOCABULARY[id ?? 0]?.length ?? 0;
        if (ids.length > 500) break;
      }
      const pieces = [...text.matchAll(/<s>/g)].map(({ index }) => ({
        text: '<s>',
        special: next() < 90 ? SPECIAL : -1,
        normal: false,
        start: index,
        end: index + 3,
      }));
      return {
        text,
        ids: Int32Array.from(ids),
        segments: drawn.map(({ part }, turn) => ({ text: '', part, turn, span: 0, glue: true })),
        marks: Uint8Array.from(drawn, ({ mark }) => mark),
        layout: { pieces, low, high, bytes: text.length, specialOffsets: [] },
      };
    });

/** Per byte: 1 to be trained, 2 composed across the edge of something trained, 0 neither. */
export function flagsOf({ marks, layout: { low, high, bytes } }: Pick<Row, 'marks' | 'layout'>): number[] {
  const flags = new Array<number>(bytes).fill(0);
  const paint = (flag: number, from = 0, to = 0): void => {
    for (let byte = from; byte < to; byte++) flags[byte] = flag;
  };
  marks.forEach((mark, k) => {
    if (mark === 1) paint(1, high[k], low[k + 1]);
  });
  for (let k = 0; k <= marks.length; k++) {
    const sum = (marks[k - 1] ?? 0) + (marks[k] ?? 0);
    if (sum > 0) paint(sum === 2 ? 1 : 2, low[k], high[k]);
  }
  return flags;
}

export interface Place {
  readonly id: number;
  readonly bytes: string;
  readonly at: number;
  readonly flags: readonly number[];
  readonly segment: number;
}

export function placesOf(row: Row): Place[] {
  const flags = flagsOf(row);
  let at = 0;
  return [...row.ids].map((id) => {
    const bytes = VOCABULARY[id] ?? '';
    const starts = [...row.segments.keys()].filter((k) => k > 0 && (row.layout.low[k] ?? 0) <= at);
    const place = { id, bytes, at, flags: flags.slice(at, at + bytes.length), segment: starts.at(-1) ?? 0 };
    at += bytes.length;
    return place;
  });
}

export const isWhole = ({ bytes, flags }: Place): boolean =>
  bytes !== '' && flags.every((flag) => flag === 1);

/** The mask of a row, with some of its values as the noise says: 0 and 1 are taken, more leaves it. */
export function noisyMask(row: Row, noise: readonly number[]): Uint8Array {
  return Uint8Array.from(placesOf(row), (place, i) => {
    const flip = noise[i] ?? 3;
    return flip > 2 ? Number(isWhole(place)) : flip;
  });
}

/** What `walkTokens` finds in a row. */
export function walk(row: Row, mask: Uint8Array, chunks: KnownChunks | null): WalkFindings {
  const expected = Buffer.alloc(row.text.length + DECODING_PADDING);
  expected.write(row.text);
  return walkTokens({
    input_ids: row.ids,
    loss_mask: mask,
    segments: row.segments,
    layout: row.layout,
    marks: row.marks,
    expected: new DataView(expected.buffer, expected.byteOffset, expected.length),
    chunks,
    table,
    stopIds: new Set([SPECIAL]),
  });
}
