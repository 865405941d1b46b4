import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCut, MAX_CHUNK } from '../../src/tokens/bpe/chunk-cut.js';
import { ChunkMemo, hashOf, UNKNOWN } from '../../src/tokens/bpe/chunk-memo.js';
import { PADDING } from '../../src/tokens/bpe/utf8.js';
import type { ChunkRange } from '../../src/tokens/chunk-trail.js';
import { anyText, laid, PlainMemo, SMALL } from './plain-memo.js';

/** Ids to a byte: few, many, as many as there are. */
const anyShare = fc.constantFrom(0, 0.1, 1);

describe('the memory of chunks', () => {
  it('finds what was stored and nothing else, forgets when it is full, expects what followed', () => {
    const seen = { hits: 0, expected: 0, entries: 0, bytes: 0, ids: 0 };
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 1, maxLength: 8, size: 'max' }),
        anyShare,
        fc.nat(),
        (texts, share, salt) => {
          const memo = new ChunkMemo({ bytes: SMALL.bytes });
          const plain = new PlainMemo();
          const copied = new Int32Array(MAX_CHUNK + 4);
          for (const text of texts) {
            const { bytes, view, end } = laid(text);
            for (let at = 0; at < end; at = memo.stop) {
              const first = plain.expected;
              const entry = memo.find(bytes, view, at, end);
              expect(entry).toBe(plain.find(text, at));
              expect(memo.stop).toBe(plain.stop);
              if (entry === UNKNOWN) {
                // as where a word goes on behind the chunk
                if ((at + salt) % 17 === 0) continue;
                const size = Math.max(1, Math.round((memo.stop - at) * share));
                const ids = Array.from({ length: size }, (_, i) => (salt + at * 31 + i * 7) % 150_000);
                const stored = memo.store(view, at, Int32Array.from([-7, ...ids, -7]), 1, ids.length);
                expect(stored).toBe(plain.store(text, at, ids));
                expect(memo.generation).toBe(plain.generation);
                if (stored === UNKNOWN) continue;
                expect(memo.holds(stored, Int32Array.from(ids), 0, view, at)).toBe(true);
                continue;
              }
              seen.hits++;
              if (entry === first) seen.expected++;
              const known = plain.chunks[entry];
              expect(text.slice(at, memo.stop)).toBe(known?.text);
              expect(isCut(bytes, memo.stop, end)).toBe(true);
              expect(memo.bytesOf(entry)).toBe(known?.text.length);
              expect(memo.idsOf(entry)).toBe(known?.ids.length);
              expect(memo.copyIds(entry, copied, 3)).toBe(known?.ids.length);
              expect([...copied.subarray(3, 3 + memo.idsOf(entry))]).toEqual(known?.ids);
            }
          }
          for (const kind of ['entries', 'bytes', 'ids'] as const) seen[kind] += plain.forgotten[kind];
        },
      ),
      // a smaller counterexample would be long in coming
      { numRuns: 100, endOnFailure: true },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  it('tells chunks apart that have the same hash', () => {
    const textOf = (n: number): string => `${String(n).padStart(7, '0')} of one hash with`;
    const known = new Map<number, number>();
    const pairs: Array<[string, string]> = [];
    const { bytes, view, end } = laid(textOf(0));
    for (let n = 0; n < 250_000; n++) {
      for (let rest = n, i = 6; i >= 0; i--, rest = Math.floor(rest / 10)) bytes[i] = 0x30 + (rest % 10);
      const hash = hashOf(view, 0, end);
      const other = known.get(hash);
      if (other !== undefined) pairs.push([textOf(other), textOf(n)]);
      known.set(hash, n);
    }
    expect(pairs.length).toBeGreaterThan(0);
    for (const pair of pairs) {
      const memo = new ChunkMemo({ bytes: SMALL.bytes });
      const [one, two] = pair.map(laid);
      if (one === undefined || two === undefined) continue;
      expect(hashOf(one.view, 0, end)).toBe(hashOf(two.view, 0, end));
      for (const [k, { bytes, view }] of [one, two].entries()) {
        expect(memo.find(bytes, view, 0, end)).toBe(UNKNOWN);
        expect(memo.store(view, 0, Int32Array.of(k), 0, 1)).toBe(k);
      }
      // the second is expected after the first, then nothing is after the second
      for (const k of [1, 1, 0, 0, 1]) {
        const { bytes, view } = k === 0 ? one : two;
        expect(memo.find(bytes, view, 0, end)).toBe(k);
      }
    }
  });

  it('does not take the zeros behind a text for those of a chunk', () => {
    const memo = new ChunkMemo({ bytes: SMALL.bytes });
    const first = 'sixteen and more\n';
    for (const [rest, wanted] of [
      ['ended by zeros\0\0\0', 1],
      ['ended by zeros', UNKNOWN],
      ['ended by zeros\0\0', 2],
    ] as const) {
      const { bytes, view, end } = laid(first + rest);
      for (const at of [0, first.length]) {
        const entry = memo.find(bytes, view, at, end);
        expect(memo.stop).toBe(at === 0 ? first.length : end);
        const stored = entry === UNKNOWN ? memo.store(view, at, Int32Array.of(at), 0, 1) : entry;
        expect(stored).toBe(at === 0 ? 0 : wanted);
      }
    }
  });

  it('keeps up to its last byte, which the prover can read, and then begins anew', () => {
    let memo = new ChunkMemo({ bytes: SMALL.bytes });
    const store = (text: string): number => {
      const { bytes, view, end } = laid(text);
      expect(memo.find(bytes, view, 0, end)).toBe(UNKNOWN);
      return memo.store(view, 0, Int32Array.of(text.length), 0, 1);
    };
    for (const letter of 'abcd') store(letter.repeat(1020));
    expect([store('one byte too many'), memo.generation]).toEqual([0, 1]);
    memo = new ChunkMemo({ bytes: SMALL.bytes });
    for (const letter of 'abcd') store(letter.repeat(1020));
    const last = store('the last sixteen');
    expect([last, memo.generation]).toEqual([4, 0]);
    const decode =
      (found: string[]) =>
      (ids: Int32Array, view: DataView, { from, to, at, end }: ChunkRange) => {
        const text = Buffer.from(view.buffer, at, end - at).toString();
        found.push(text, String(ids.subarray(from, to)));
        for (let i = 0; i < PADDING; i++) view.getUint8(end + i);
        return text.startsWith('the');
      };
    const found: string[] = [];
    expect(memo.decodes(last, decode(found))).toBe(true);
    expect(memo.decodes(last, () => false)).toBe(true);
    expect(memo.decodes(0, decode(found))).toBe(false);
    expect(memo.decodes(0, () => true)).toBe(false);
    expect(found).toEqual(['the last sixteen', '16', 'a'.repeat(1020), '1020']);
    expect([store('a whole line more'), memo.generation]).toEqual([0, 1]);
    expect(memo.decodes(0, () => true)).toBe(true);
    store('the last sixteen');
  });

  it('holds ids and bytes only where all of both are those of the chunk', () => {
    const memo = new ChunkMemo({ bytes: SMALL.bytes });
    const text = 'seventeen bytes!!';
    const ids = Int32Array.of(9, 1, 2, 3, 9);
    const { bytes, view, end } = laid(`..${text}..`);
    const alone = laid(text);
    expect(memo.find(alone.bytes, alone.view, 0, text.length)).toBe(UNKNOWN);
    const entry = memo.store(alone.view, 0, ids, 1, 3);
    const holds = (from = 1, at = 2): boolean => memo.holds(entry, ids, from, view, at);
    expect(holds()).toBe(true);
    for (let at = 0; at < 5; at++) expect(holds(1, at)).toBe(at === 2);
    for (let from = 0; from < 5; from++) expect(holds(from)).toBe(from === 1);
    for (let i = 1; i < 4; i++) {
      ids[i] = (ids[i] ?? 0) ^ 4;
      expect(holds()).toBe(false);
      ids[i] = (ids[i] ?? 0) ^ 4;
    }
    for (let i = 0; i < end; i++) {
      bytes[i] = (bytes[i] ?? 0) ^ 128;
      expect(holds()).toBe(i < 2 || i >= 2 + text.length);
      bytes[i] = (bytes[i] ?? 0) ^ 128;
    }
    expect(memo.holds(entry, ids.subarray(0, 3), 1, view, 2)).toBe(false);
  });

  it('rests for four times its size where less than a quarter of the text had been seen, and not else', () => {
    const read = (memo: ChunkMemo, text: string): void => {
      const { bytes, view, end } = laid(text);
      if (memo.find(bytes, view, 0, end) === UNKNOWN) memo.store(view, 0, Int32Array.of(1), 0, 1);
    };
    const size = 4096;
    const lines = Array.from({ length: 300 }, (_, k) => `line ${k} of the log that is read`);
    const unread = new ChunkMemo({ bytes: size });
    for (const line of lines) if (unread.generation === 0) read(unread, line);
    expect(unread.generation).toBe(1);
    expect([unread.rests(2 * size), unread.rests(2 * size - 1), unread.rests(9), unread.rests(1)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const reread = new ChunkMemo({ bytes: size });
    for (const line of lines) {
      if (reread.generation > 0) break;
      for (let k = 0; k < 2; k++) read(reread, line);
    }
    expect([reread.generation, reread.rests(1)]).toEqual([1, false]);
  });
});
