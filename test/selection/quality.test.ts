import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestRankOf } from '../../src/grading/nearest-rank.js';
import { isGreater } from '../../src/selection/degradation.js';
import { nearestRankQuantile } from '../../src/selection/quality.js';

describe('nearestRankQuantile', () => {
  it.each([
    [0, 1],
    [0.2, 1],
    [0.21, 2],
    [0.5, 3],
    [0.8, 4],
    [1, 5],
  ])('quantile %f of five is %i', (q, expected) => {
    expect(nearestRankQuantile([3, 1, 5, 2, 4], q, false)).toBe(expected);
    expect(nearestRankQuantile([3, 1, 5, 2, 4], q, true)).toBe(6 - expected);
  });

  it('takes the rank that decimals name, not the one that doubles round up to', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(nearestRankQuantile(hundred, 0.07, false)).toBe(7);
    expect(nearestRankQuantile(hundred, 0.55, false)).toBe(55);
  });

  it('has the exact rank for every quantile of up to three decimals and every number of scores', () => {
    for (const n of [1, 2, 3, 7, 20, 60, 100, 360, 1_000]) {
      const scores = Array.from({ length: n }, (_, i) => i + 1);
      for (let k = 0; k <= 1_000; k++) {
        // in integers: the least rank with 1000 rank >= k n
        const rank = Math.max(1, (k * n + 999 - ((k * n + 999) % 1_000)) / 1_000);
        expect(nearestRankQuantile(scores, k / 1_000, false), `${k / 1_000} of ${n}`).toBe(rank);
      }
    }
  });

  it('reads exponents and digits to the last', () => {
    expect([nearestRankOf(1e-7, 10 ** 7), nearestRankOf(1.5e-7, 10 ** 7), nearestRankOf(5e-324, 9)]).toEqual([
      1, 2, 1,
    ]);
    expect(nearestRankOf(0.5000000000000001, 10)).toBe(6);
    expect(nearestRankOf(0.9999999999999999, 3)).toBe(3);
  });

  it('is null for no scores', () => {
    expect(nearestRankQuantile([], 0.5, false)).toBeNull();
  });

  it('leaves at least the share q of the scores no better than itself', () => {
    const score = fc.integer({ min: -5, max: 5 });
    fc.assert(
      fc.property(
        fc.array(score, { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, q) => {
          const found = nearestRankQuantile(list, q, false) ?? Number.NaN;
          expect(list).toContain(found);
          expect(list.filter((other) => other <= found).length).toBeGreaterThanOrEqual(
            q * list.length - 1e-9,
          );
        },
      ),
    );
  });
});

describe('isGreater', () => {
  it.each([
    [0.9 - 0.85, 0.05, false],
    [0.0500001, 0.05, true],
    [0.05, 0.05, false],
    [1e-12, 0, true],
    [0, 0, false],
    [1, 0.9999999999, false],
  ])('%f over %f: %s', (a, b, expected) => {
    expect(isGreater(a, b)).toBe(expected);
  });
});
