import { describe, expect, it } from 'vitest';
import { PADDING } from '../../src/tokens/bpe/utf8.js';
import { MAX_CACHED_BYTES, WordCache } from '../../src/tokens/bpe/word-cache.js';

/** Pseudo-random integers below a limit, always the same. */
function integers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
}

/** A cache that is asked and told words as the encoder does. */
class Asked {
  readonly #cache = new WordCache();
  readonly #buffer = new Uint8Array(MAX_CACHED_BYTES + PADDING);
  readonly #view = new DataView(this.#buffer.buffer);
  readonly #out = new Int32Array(MAX_CACHED_BYTES + 8);

  /** The ids that the cache knows, or null; a word that it does not know is stored with `ids`. */
  look(word: Uint8Array, ids: readonly number[]): number[] | null {
    this.#buffer.fill(0x2a);
    this.#buffer.set(word);
    const count = this.#cache.append(this.#buffer, this.#view, 0, word.length, this.#out, 3);
    if (count > 0) return [...this.#out.subarray(3, 3 + count)];
    this.#out.set(ids, 3);
    this.#cache.store(this.#buffer, 0, word.length, this.#out, 3, ids.length);
    return null;
  }
}

/** Word k, and ids that no other word has; lengths of every kind, first and last bytes often alike. */
function wordOf(k: number): { word: Uint8Array; ids: number[] } {
  const next = integers(k * 2 + 1);
  const length = next(9) === 0 ? 13 + next(MAX_CACHED_BYTES - 13) : 4 + next(9);
  const word = new Uint8Array(length).fill(0x61);
  for (let i = 0; i < 4; i++) word[(i * 5) % length] = (k >>> (i * 8)) & 0xff;
  return { word, ids: Array.from({ length: 1 + next(Math.min(length, 7)) }, (_, i) => k * 8 + i) };
}

describe('the words seen before', () => {
  it('have their own ids or none, however many came between', () => {
    const asked = new Asked();
    const next = integers(7);
    const told = new Map<string, number[]>();
    let known = 0;
    for (let n = 0; n < 300_000; n++) {
      const { word, ids } = wordOf(next(3) === 0 ? next(2000) : next(250_000));
      const key = Buffer.from(word).toString('latin1');
      const found = asked.look(word, ids);
      if (found !== null) {
        known++;
        expect(found).toEqual(told.get(key));
      } else told.set(key, ids);
    }
    expect(known).toBeGreaterThan(100_000);
  });

  it('stay known while they are met again, when all others are forgotten', () => {
    const asked = new Asked();
    const common = Array.from({ length: 500 }, (_, k) => wordOf(1_000_000 + k));
    for (const { word, ids } of common) asked.look(word, ids);
    let forgotten = 0;
    for (let round = 0; round < 60; round++) {
      for (let k = 0; k < 5000; k++) {
        const { word, ids } = wordOf(round * 5000 + k);
        asked.look(word, ids);
      }
      for (const { word, ids } of common) if (asked.look(word, ids) === null) forgotten++;
    }
    expect(forgotten).toBe(0);
    const { word, ids } = wordOf(0);
    expect(asked.look(word, ids)).toBeNull();
  });
});
