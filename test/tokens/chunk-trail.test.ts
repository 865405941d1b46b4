import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkTrail, type KeptChunks } from '../../src/tokens/chunk-trail.js';
import { DECODING_PADDING } from '../../src/tokens/decoder.js';
import { chunkDecoder } from '../../src/tokens/proof-chunks.js';
import { SPECIAL, table, VOCABULARY } from './walk-rows.js';

/** Chunks of which only the generation is of interest. */
function keptChunks(): KeptChunks & { generation: number } {
  const no = () => 0;
  return { generation: 0, bytesOf: no, idsOf: no, holds: () => false, decodes: () => false };
}

function read(trail: ChunkTrail): Array<readonly [number, number]> | null {
  const known = trail.known();
  return known === null ? null : [...known.starts].map((start, k) => [start, known.entries[k] ?? -1]);
}

describe('a trail of chunks', () => {
  it('names them in order, however many, until it is cleared', () => {
    const trail = new ChunkTrail();
    const kept = keptChunks();
    expect(read(trail)).toBeNull();
    for (const count of [1, 255, 256, 257, 1000, 3]) {
      const chunks = Array.from({ length: count }, (_, k) => [k * 3 + 1, (k * 7919) % 1000] as const);
      for (const [start, entry] of chunks) trail.add(kept, entry, start);
      expect(read(trail)).toEqual(chunks);
      expect(trail.known()?.kept).toBe(kept);
      trail.clear();
      expect(read(trail)).toBeNull();
    }
  });

  it('is void once the chunks were forgotten, and then holds only those of now', () => {
    const trail = new ChunkTrail();
    const kept = keptChunks();
    trail.add(kept, 5, 0);
    trail.add(kept, 6, 10);
    kept.generation = 1;
    expect(read(trail)).toBeNull();
    trail.add(kept, 0, 20);
    trail.add(kept, 1, 30);
    expect(read(trail)).toEqual([
      [20, 0],
      [30, 1],
    ]);
    kept.generation = 0;
    expect(read(trail)).toBeNull();
  });

  it('holds the chunks of one memory only', () => {
    const trail = new ChunkTrail();
    const [one, other] = [keptChunks(), keptChunks()];
    trail.add(one, 5, 0);
    trail.add(other, 7, 10);
    expect(read(trail)).toEqual([[10, 7]]);
    expect(trail.known()?.kept).toBe(other);
  });
});

describe('the decoder of chunks', () => {
  const decode = chunkDecoder(table);
  const says = (ids: readonly number[], text: string, { before = 0, behind = 'abab' } = {}): boolean => {
    const bytes = Buffer.concat([
      Buffer.alloc(before, 'a'),
      Buffer.from(text + behind),
      Buffer.alloc(DECODING_PADDING),
    ]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const list = Int32Array.from([0, ...ids, 0]);
    const end = before + Buffer.byteLength(text);
    return decode(list, view, { from: 1, to: 1 + ids.length, at: before, end });
  };

  it('is one for a table', () => {
    expect(chunkDecoder(table)).toBe(decode);
    expect(chunkDecoder({ ...table })).not.toBe(decode);
  });

  it.each([
    ['the ids of the bytes', [4, 9, 2], 'aabbaabbaabbaabbaab', true],
    ['a long id', [4, 1], 'aabbaabbaabbb', true],
    ['the last id missing', [8, 2], 'ababababab', false],
    ['an id too many, whose bytes stand behind', [8, 2], 'abab', false],
    ['an id across the end', [2, 8], 'abab', false],
    ['other ids of as many bytes', [3, 2], 'abab', false],
    ['a special id', [2, SPECIAL], 'ab<s>', false],
    ['the same bytes without being special', [2, 7], 'ab<s>', true],
    ['an id without bytes', [2, 6, 2], 'abab', false],
    ['an id that is not known', [2, VOCABULARY.length, 2], 'abab', false],
    ['an id below all', [2, -1, 2], 'abab', false],
    ['no ids for no bytes', [], '', true],
    ['no ids for bytes', [], 'ab', false],
  ])('%s', (_name, ids, text, wanted) => {
    for (const before of [0, 3]) expect(says(ids, text, { before })).toBe(wanted);
  });

  it('says yes only where the ids, one after the other, are the bytes', () => {
    const anyIds = fc.array(fc.integer({ min: -1, max: VOCABULARY.length }), { maxLength: 8 });
    const knownIds = fc.array(fc.constantFrom(0, 1, 2, 3, 4, 7, 8, 9), { maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(anyIds, knownIds), fc.nat(), fc.nat(2), (ids, at, change) => {
        const own = ids.map((id) => VOCABULARY[id] ?? '').join('');
        const place = own === '' ? 0 : at % own.length;
        const other = own[place] === 'a' ? 'b' : 'a';
        const text =
          [own, own.slice(0, place) + other + own.slice(place + 1), own.slice(0, place)][change] ?? '';
        const fits = ids.every((id) => id !== SPECIAL && (VOCABULARY[id] ?? '') !== '');
        expect(says(ids, text, { behind: own })).toBe(fits && text === own);
      }),
      { numRuns: 2000 },
    );
  });
});
