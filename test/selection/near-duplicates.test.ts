import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatedJaccard, MinHasher } from '../../src/selection/minhash.js';
import { nearDuplicateClusters, nearDuplicatesSchema } from '../../src/selection/near-duplicates.js';
import { wordRuns, wordsOf } from '../../src/selection/words.js';

const usual = nearDuplicatesSchema.parse({});

/** Word runs as sets, compared exactly. */
function exactJaccard(a: string, b: string, n: number): number {
  const [left, right] = [wordRuns(wordsOf(a), n), wordRuns(wordsOf(b), n)];
  const both = [...left].filter((run) => right.has(run)).length;
  return both / (left.size + right.size - both);
}

const words = fc.array(
  fc.integer({ min: 0, max: 5000 }).map((i) => `w${i.toString(36)}`),
  {
    minLength: 60,
    maxLength: 300,
  },
);

describe('words', () => {
  it('do not depend on case, punctuation or the form of Unicode', () => {
    expect(wordsOf('Ｆit, the_MODEL (v2):\n  café!')).toEqual(['fit', 'the', 'model', 'v2', 'café']);
    expect(wordsOf('cafe\u0301')).toEqual(wordsOf('café'));
    expect(wordsOf(' -- ')).toEqual([]);
  });
});

describe('MinHash', () => {
  it('has the usual parameters: runs of 5 words, 14 buckets of 8 hashes', () => {
    expect(usual).toMatchObject({ ngram: 5, buckets: 14, hashes: 8 });
    expect(new MinHasher({ ...usual, seed: 0 }).size).toBe(112);
  });

  it('estimates the Jaccard similarity of word runs', () => {
    const hasher = new MinHasher({ ...usual, buckets: 64, hashes: 16, seed: 3 });
    fc.assert(
      fc.property(words, words, fc.double({ min: 0, max: 1, noNaN: true }), (base, other, share) => {
        // a text, and one that begins like it and goes on otherwise
        const a = base.join(' ');
        const b = [...base.slice(0, Math.round(base.length * share)), ...other].join(' ');
        const [left, right] = [hasher.sign(a), hasher.sign(b)];
        if (left === null || right === null) throw new Error('no words');
        // 1024 hashes: a standard error of at most 1/64; five of them
        expect(Math.abs(estimatedJaccard(left, right) - exactJaccard(a, b, 5))).toBeLessThan(5 / 64);
      }),
      { numRuns: 150 },
    );
  });

  it('is without bias over many pairs', () => {
    const hasher = new MinHasher({ ...usual, seed: 1 });
    let error = 0;
    const pairs = 200;
    for (let i = 0; i < pairs; i++) {
      const base = Array.from({ length: 200 }, (_, w) => `a${i}x${w}`);
      const cut = 20 + (i % 160);
      const other = [...base.slice(0, cut), ...Array.from({ length: 100 }, (_, w) => `b${i}x${w}`)];
      const [a, b] = [base.join(' '), other.join(' ')];
      const [left, right] = [hasher.sign(a), hasher.sign(b)];
      if (left === null || right === null) throw new Error('no words');
      error += estimatedJaccard(left, right) - exactJaccard(a, b, 5);
    }
    // a pair errs by up to .047, the mean of 200 by .0033
    expect(Math.abs(error / pairs)).toBeLessThan(0.012);
  });

  it('depends on the seed and on nothing else', () => {
    const sign = (seed: number) => new MinHasher({ ...usual, seed }).sign('one two three four five six');
    expect(sign(7)).toEqual(sign(7));
    expect(sign(7)).not.toEqual(sign(8));
    expect([...(sign(0)?.slice(0, 4) ?? [])]).toMatchInlineSnapshot(`
      [
        1834635043,
        282717768,
        977604655,
        2331750394,
      ]
    `);
  });

  it('signs a text shorter than a shingle as one, and none without words', () => {
    const hasher = new MinHasher({ ...usual, seed: 0 });
    expect(hasher.sign('done')).toEqual(hasher.sign(' Done. '));
    expect(hasher.sign('...')).toBeNull();
  });
});

describe('clusters', () => {
  const options = { buckets: 3, hashes: 2 };

  /** Every pair compared in every bucket, then closed under chains. */
  function naive(signatures: readonly (Uint32Array | null)[]): number[] {
    const first = signatures.map((_, index) => index);
    const near = (a: Uint32Array | null | undefined, b: Uint32Array | null | undefined): boolean => {
      if (a === null || b === null || a === undefined || b === undefined) return false;
      return [0, 2, 4].some((from) => a[from] === b[from] && a[from + 1] === b[from + 1]);
    };
    for (let changed = true; changed; ) {
      changed = false;
      for (const i of first.keys()) {
        for (let j = 0; j < i; j++) {
          const least = Math.min(first[i] ?? i, first[j] ?? j);
          if (!near(signatures[i], signatures[j]) || (first[i] === least && first[j] === least)) continue;
          first[i] = least;
          first[j] = least;
          changed = true;
        }
      }
    }
    return first;
  }

  it('are chains of items that agree in a bucket, led by the first', () => {
    const signature = fc.option(
      fc
        .array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 })
        .map((list) => Uint32Array.from(list)),
      { nil: null, freq: 8 },
    );
    fc.assert(
      fc.property(fc.array(signature, { maxLength: 40 }), (signatures) => {
        expect([...nearDuplicateClusters(signatures, options)]).toEqual(naive(signatures));
      }),
    );
  });

  it('join texts that differ in little and part those that share little', () => {
    const hasher = new MinHasher({ ...usual, seed: 0 });
    const base = Array.from({ length: 400 }, (_, i) => `word${(i * 7919) % 1000}`);
    const edited = base.map((word, i) => (i === 200 ? 'changed' : word));
    const half = [...base.slice(0, 200), ...Array.from({ length: 200 }, (_, i) => `other${i}`)];
    const signatures = [base, half, edited].map((list) => hasher.sign(list.join(' ')));
    expect([...nearDuplicateClusters([...signatures, null], usual)]).toEqual([0, 1, 0, 3]);
  });
});
