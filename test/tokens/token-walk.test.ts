import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Segment, SegmentPart } from '../../src/chat/segment.js';
import { DECODING_PADDING, decodingTable } from '../../src/tokens/decoder.js';
import type { Encoder } from '../../src/tokens/encoder.js';
import type { Layout } from '../../src/tokens/layout.js';
import { type WalkFindings, walkTokens } from '../../src/tokens/proof-walk.js';
import { maskTokens } from '../../src/tokens/token-mask.js';
import { placeTokens } from '../../src/tokens/token-places.js';

const SPECIAL = 5;
const VOCABULARY = ['a', 'b', 'ab', 'ba', 'aabbaabbaabb', '<s>', '', '<s>', 'abab', 'aabba'];
const encoder = {
  byteLengths: Uint16Array.from(VOCABULARY, (token) => token.length),
  tokenBytes: (id: number) => Buffer.from(VOCABULARY[id] ?? ''),
  specials: new Map([['<s>', SPECIAL]]),
} as unknown as Encoder;
const table = decodingTable(encoder);

interface Row {
  readonly text: string;
  readonly ids: Int32Array;
  readonly segments: readonly Segment[];
  readonly marks: Uint8Array;
  readonly layout: Layout;
}

const parts: readonly SegmentPart[] = ['context', 'header', 'text', 'stop', 'separator', 'think_frame'];
/** A segment of a rendering; there are none without text. */
const anySegment = fc.record({
  units: fc.array(fc.constantFrom('a', 'b', 'ab', 'aabbaabbaabb', '<s>'), { minLength: 1, maxLength: 5 }),
  part: fc.constantFrom(...parts),
  mark: fc.nat(1),
  /** how far a character composes across the edge before the segment */
  before: fc.constantFrom(0, 0, 0, 1, 2),
  after: fc.constantFrom(0, 0, 0, 1),
});

/** Rows whose tokens are mostly those of the text; `pick` chooses among the tokens that fit, or does not care. */
const anyRow = fc
  .tuple(fc.array(anySegment, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat(99)))
  .map(([drawn, picks]): Row => {
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
      const id = next() < 4 ? [-1, 6, 99, 0, 4, SPECIAL][next() % 6] : fitting[next() % fitting.length];
      ids.push(id ?? 0);
      at += VOCABULARY[id ?? 0]?.length ?? 0;
      if (ids.length > 200) break;
    }
    const pieces = [...text.matchAll(/<s>/g)].map(({ index }) => ({
      text: '<s>',
      special: next() < 90 ? SPECIAL : -1,
      start: index,
      end: index + 3,
    }));
    return {
      text,
      ids: Int32Array.from(ids),
      segments: drawn.map(({ part }, turn) => ({ text: '', part, turn, span: 0, glue: true })),
      marks: Uint8Array.from(drawn, ({ mark }) => mark),
      layout: { text, pieces, low, high, bytes: text.length, specialOffsets: [] },
    };
  });

/** Per byte: 1 to be trained, 2 composed across the edge of something trained, 0 neither. */
function flagsOf({ marks, layout: { low, high, bytes } }: Row): number[] {
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

interface Place {
  readonly id: number;
  readonly bytes: string;
  readonly at: number;
  readonly flags: readonly number[];
  readonly segment: number;
}

function placesOf(row: Row): Place[] {
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

const isWhole = ({ bytes, flags }: Place): boolean => bytes !== '' && flags.every((flag) => flag === 1);

/** What a walk finds, one token and one question after the other. */
function findings(row: Row, mask: Uint8Array): WalkFindings {
  const places = placesOf(row);
  const { pieces } = row.layout;
  const glue = pieces.filter(({ special }) => special >= 0).map(({ start }) => start);
  const specials = places.filter(({ id }) => id === SPECIAL).map(({ at }) => at);
  const trained = places.filter((_, i) => mask[i] === 1);
  const partOf = ({ segment }: Place): string => row.segments[segment]?.part ?? '';
  const stopped = trained.filter((place) => partOf(place) === 'stop').map(({ segment }) => segment);
  return {
    binary: mask.every((value) => value < 2),
    decodes:
      places.every(({ id }) => VOCABULARY[id] !== undefined) &&
      places.map(({ bytes }) => bytes).join('') === row.text,
    masked: places.every((place, i) => (mask[i] === 1) === isWhole(place)),
    straddled: places.filter((place) => !isWhole(place) && place.flags.some((flag) => flag !== 0)).length,
    specials: glue.length === specials.length && glue.every((at, i) => at === specials[i]),
    stops: trained.every((place) =>
      partOf(place) === 'stop'
        ? place.id === SPECIAL
        : place.id !== SPECIAL || ['text', 'think_frame'].includes(partOf(place)),
    ),
    stoppedTurns: stopped.filter((segment, i) => segment !== stopped[i - 1]),
  };
}

it('finds the same as asking token by token', () => {
  fc.assert(
    fc.property(anyRow, fc.array(fc.nat(400)), (row, noise) => {
      const mask = Uint8Array.from(placesOf(row), (place, i) => {
        const flip = noise[i] ?? 3;
        return flip > 2 ? Number(isWhole(place)) : flip;
      });
      const expected = Buffer.alloc(row.text.length + DECODING_PADDING);
      expected.write(row.text);
      const found = walkTokens({
        input_ids: row.ids,
        loss_mask: mask,
        segments: row.segments,
        layout: row.layout,
        marks: row.marks,
        expected: new DataView(expected.buffer, expected.byteOffset, expected.length),
        chunks: null,
        table,
        stopIds: new Set([SPECIAL]),
      });
      const wanted = findings(row, mask);
      // tokens that are not those of the text have no place in it: then only that is of interest
      if (wanted.decodes) expect(found).toEqual(wanted);
      else expect(found.decodes).toBe(false);
    }),
    { numRuns: 5000 },
  );
});

it('masks the same as asking token by token', () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      const places = placesOf(row);
      fc.pre(places.map(({ bytes }) => bytes).join('') === row.text);
      fc.pre(places.every(({ bytes }) => bytes !== ''));
      const into = new Uint8Array(places.length);
      const byteLengths = encoder.byteLengths ?? new Uint16Array();
      const count = maskTokens(row.ids, {
        byteLengths,
        layout: row.layout,
        marks: row.marks,
        into,
      });
      expect([...into]).toEqual(places.map((place) => Number(isWhole(place))));
      expect([...placeTokens(row.ids, byteLengths, row.layout)]).toEqual(
        places.map(({ segment }) => segment),
      );
      expect(count.n_trained).toBe(places.filter(isWhole).length);
      expect(count.straddled_tokens).toBe(
        places.filter((place) => !isWhole(place) && place.flags.some((flag) => flag !== 0)).length,
      );
    }),
    { numRuns: 5000 },
  );
});
