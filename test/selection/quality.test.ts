import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
