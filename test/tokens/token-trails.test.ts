import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkMemo, UNKNOWN } from '../../src/tokens/bpe/chunk-memo.js';
import { ChunkTrail, type KeptChunks, type KnownChunks } from '../../src/tokens/chunk-trail.js';
import { maskTokens } from '../../src/tokens/token-mask.js';
import { laid, SMALL } from './plain-memo.js';
import { anyRow, byteLengths, noisyMask, placesOf, type Row, VOCABULARY, walk } from './walk-rows.js';

/** The entry of a chunk with these bytes; what is known of them already stays, whatever the ids. */
function storeChunk(memo: ChunkMemo, text: string, ids: Int32Array): number {
  const { bytes, view, end } = laid(text);
  const known = memo.find(bytes, view, 0, end);
  return known === UNKNOWN ? memo.store(view, 0, ids, 0, ids.length) : known;
}

/** Chunks that count how often whole ones of them were taken. */
function watched(known: KnownChunks | null, taken: { count: number }): KnownChunks | null {
  if (known === null) return null;
  const { kept } = known;
  const watching: KeptChunks = {
    generation: kept.generation,
    bytesOf: (entry) => kept.bytesOf(entry),
    // asked for only once a chunk is taken
    idsOf: (entry) => {
      taken.count++;
      return kept.idsOf(entry);
    },
    holds: (...place) => kept.holds(...place),
    decodes: (...asked) => kept.decodes(...asked),
  };
  return { ...known, kept: watching };
}

const anyRun = fc.record({ first: fc.nat(200), count: fc.integer({ min: 2, max: 16 }) });
const anyRuns = fc.array(anyRun, { maxLength: 30, size: 'max' });
const anyNoise = fc.oneof(fc.constant([]), fc.array(fc.nat(150), { maxLength: 150, size: 'max' }));
const anyLongRow = anyRow({ maxUnits: 10, errors: [0, 0, 2] });

/** Chunks of tokens of a row with the bytes that these have; a chunk may cross any edge. */
function trueTrail(row: Row, runs: ReadonlyArray<{ first: number; count: number }>): KnownChunks | null {
  const memo = new ChunkMemo({ bytes: SMALL.bytes });
  const trail = new ChunkTrail();
  let next = 0;
  for (const { first, count } of [...runs].sort((a, b) => a.first - b.first)) {
    const ids = row.ids.slice(first, first + count);
    const tokens = [...ids].map((id) => VOCABULARY[id] ?? '');
    const text = tokens.join('');
    // no token of an encoder is without bytes
    const entry = first < next || tokens.includes('') ? UNKNOWN : storeChunk(memo, text, ids);
    if (entry === UNKNOWN || !memo.holds(entry, ids, 0, laid(text).view, 0)) continue;
    if (memo.idsOf(entry) !== ids.length) continue;
    trail.add(memo, entry, first);
    next = first + ids.length;
  }
  return trail.known();
}

describe('with a true trail', () => {
  it('a walk finds what it finds without one', () => {
    const taken = { count: 0 };
    fc.assert(
      fc.property(anyLongRow, anyRuns, anyNoise, (row, runs, noise) => {
        const mask = noisyMask(row, noise);
        expect(walk(row, mask, watched(trueTrail(row, runs), taken))).toEqual(walk(row, mask, null));
      }),
      { numRuns: 3000 },
    );
    expect(taken.count).toBeGreaterThan(1000);
  });

  it('tokens are masked as without one', () => {
    const taken = { count: 0 };
    fc.assert(
      fc.property(anyLongRow, anyRuns, (row, runs) => {
        const { layout, marks, ids } = row;
        const plain = new Uint8Array(ids.length + 3).fill(7);
        const into = plain.slice();
        const counts = maskTokens(ids, { byteLengths, layout, marks, into: plain });
        const chunks = watched(trueTrail(row, runs), taken);
        expect(maskTokens(ids, { byteLengths, layout, marks, chunks, into })).toEqual(counts);
        expect(into).toEqual(plain);
      }),
      { numRuns: 3000 },
    );
    expect(taken.count).toBeGreaterThan(1000);
  });
});

/** Ids with as many bytes, in part the same bytes. */
const ALIKE: Readonly<Record<number, number>> = { 0: 1, 1: 0, 2: 3, 3: 2, 5: 7, 7: 5 };

interface Lie {
  readonly first: number;
  readonly count: number;
  /** the bytes of the chunk: those of its ids, those that the text has there, or nearly those */
  readonly bytes: 'own' | 'text' | 'near';
  /** how far from the ids it is said to start, and which entry is said to be it */
  readonly shift: number;
  readonly entry: number;
}

const anyLie: fc.Arbitrary<Lie> = fc.record({
  first: fc.nat(100),
  count: fc.integer({ min: 1, max: 16 }),
  bytes: fc.constantFrom('own', 'text', 'text', 'near'),
  shift: fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1, 5),
  entry: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1, 40, -100),
});
const anyLies = fc.array(anyLie, { maxLength: 30, size: 'max' });
const anyPlaces = fc.oneof(fc.constant([]), fc.array(fc.nat(200), { maxLength: 20, size: 'max' }));

function withOther(row: Row, places: readonly number[]): Row {
  const ids = row.ids.slice();
  for (const i of places) if (i < ids.length) ids[i] = ALIKE[ids[i] ?? 0] ?? 2;
  return { ...row, ids };
}

/** Chunks that say anything about a row. */
function lyingTrail(memo: ChunkMemo, row: Row, lies: readonly Lie[]): KnownChunks {
  const places = placesOf(row);
  const said: Array<readonly [start: number, entry: number]> = [];
  for (const { first, count, bytes, shift, entry } of lies) {
    const ids = row.ids.slice(first, first + count);
    const own = [...ids].map((id) => VOCABULARY[id] ?? '').join('');
    const at = places[first]?.at ?? 0;
    const there = row.text.slice(at, at + Math.max(16, own.length));
    const near = there.replace(/[ab](?=.{0,5}$)/, (c) => (c === 'a' ? 'b' : 'a'));
    const stored = storeChunk(memo, { own, text: there, near }[bytes], ids);
    if (stored !== UNKNOWN) said.push([first + shift, stored + entry]);
  }
  said.sort((a, b) => a[0] - b[0]);
  return {
    kept: memo,
    starts: Int32Array.from(said, ([start]) => start),
    entries: Int32Array.from(said, ([, entry]) => entry),
  };
}

describe('with a lying trail', () => {
  it('a walk finds what it finds without one', () => {
    const taken = { count: 0 };
    const undone = { count: 0 };
    fc.assert(
      fc.property(
        anyLongRow,
        anyLies,
        anyNoise,
        anyPlaces,
        anyPlaces,
        fc.boolean(),
        (row, lies, noise, before, after, forgets) => {
          const memo = new ChunkMemo({ bytes: SMALL.bytes });
          const wrong = withOther(row, before);
          const known = lyingTrail(memo, wrong, lies);
          // the prover may have been here before
          walk(wrong, noisyMask(wrong, []), known);
          const last = withOther(wrong, after);
          if (forgets) {
            for (const letter of 'abcde') storeChunk(memo, letter.repeat(1000), Int32Array.of(0));
            lyingTrail(memo, last, [...lies].reverse());
          }
          const mask = noisyMask(last, noise);
          const plain = walk(last, mask, null);
          expect(walk(last, mask, watched(known, taken))).toEqual(plain);
          if (!plain.decodes) undone.count++;
        },
      ),
      { numRuns: 4000 },
    );
    expect(taken.count).toBeGreaterThan(200);
    expect(undone.count).toBeGreaterThan(1000);
  });

  it('what was found of a chunk is not believed of what takes its place', () => {
    const memo = new ChunkMemo({ bytes: SMALL.bytes });
    const ids = (list: number[]): Int32Array => Int32Array.from(list);
    const text = 'abababababababab';
    storeChunk(memo, 'b'.repeat(100), ids(Array<number>(100).fill(1)));
    const entry = storeChunk(memo, text, ids([8, 8, 8, 8]));
    const known = { kept: memo, starts: ids([0]), entries: ids([entry]) };
    const layout = { pieces: [], low: ids([0, 16]), high: ids([0, 16]), bytes: 16, specialOffsets: [] };
    const segments = [{ text, part: 'context', turn: 0, span: 0, glue: true }] as const;
    const row = { text, ids: ids([8, 8, 8, 8]), segments, marks: new Uint8Array(1), layout };
    const taken = { count: 0 };
    expect(walk(row, new Uint8Array(4), watched(known, taken)).decodes).toBe(true);
    expect(taken.count).toBeGreaterThan(0);
    for (const letter of 'cde') storeChunk(memo, letter.repeat(1000), ids([0]));
    expect(memo.generation).toBe(0);
    // one more: it is all that is known then, with the same bytes and other ids where those of the entry lay
    const bad = ids([...Array<number>(100).fill(0), 3, 3, 3, 3]);
    storeChunk(memo, `${'b'.repeat(100)}${text}${'a'.repeat(884)}`, bad);
    expect(memo.generation).toBe(1);
    expect(walk({ ...row, ids: ids([3, 3, 3, 3]) }, new Uint8Array(4), known).decodes).toBe(false);
  });
});
