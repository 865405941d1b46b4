import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  meanFigure,
  median,
  nearestRank,
  orderInterval95,
  quantileFigure,
  ratioFigure,
  wilson95,
} from '../../../src/report/stats/intervals.js';

const place = { section: 's', key: 'k', figure: 'f' };
const rounded = (interval: readonly [number, number] | null) =>
  interval?.map((x) => Math.round(x * 1e4) / 1e4) ?? null;

describe('wilson95', () => {
  // at the ends z2/(n + z2) and its mirror, in the middle .5 -+ z/2/sqrt(n + z2)
  it.each([
    [8, 10, [0.4902, 0.9433]],
    [0, 10, [0, 0.2775]],
    [10, 10, [0.7225, 1]],
    [1, 1, [0.2065, 1]],
    [50, 100, [0.4038, 0.5962]],
    [0.5, 1, [0.0546, 0.9454]],
  ])('%d of %d', (successes, n, expected) => {
    expect(rounded(wilson95(successes, n))).toEqual(expected);
  });

  it('is nothing without observations', () => {
    expect(wilson95(0, 0)).toBeNull();
  });

  it('holds the share, lies in 0 to 1 and mirrors', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (a, b) => {
        const n = a + b + 1;
        const [low, high] = wilson95(a, n) ?? [2, -2];
        const [mirroredLow, mirroredHigh] = wilson95(n - a, n) ?? [2, -2];
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(a / n);
        expect(high).toBeGreaterThanOrEqual(a / n);
        expect(mirroredLow).toBeCloseTo(1 - high, 12);
        expect(mirroredHigh).toBeCloseTo(1 - low, 12);
      }),
    );
  });
});

describe('orderInterval95', () => {
  const ranks = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

  // the table of ranks for a median (Conover, Practical Nonparametric Statistics)
  it.each([
    [5, null],
    [6, [1, 6]],
    [8, [1, 8]],
    [9, [2, 8]],
    [10, [2, 9]],
    [20, [6, 15]],
    [25, [8, 18]],
  ])('median of %d values', (n, expected) => {
    expect(orderInterval95(ranks(n), 0.5)).toEqual(expected);
  });

  it('has no end for a quantile that too few values lie beyond', () => {
    expect(orderInterval95(ranks(20), 0.9)).toBeNull();
    expect(orderInterval95(ranks(100), 0.9)).toEqual([84, 96]);
  });

  it('covers with the stated probability', () => {
    for (const n of [6, 10, 37, 400]) {
      const [low, high] = orderInterval95(ranks(n), 0.5) ?? [0, 0];
      // P(low <= count of smaller values < high) for a fair coin, added up exactly
      let coverage = 0;
      let term = 2 ** -n;
      for (let k = 0; k < n; k++) {
        if (k >= low && k < high) coverage += term;
        term *= (n - k) / (k + 1);
      }
      expect(coverage).toBeGreaterThanOrEqual(0.95);
      expect(coverage).toBeLessThan(0.99);
    }
  });
});

describe('means, quantiles and ratios', () => {
  it('takes a mean with Student, whatever the order', () => {
    // R: t.test(1:5)$conf.int is 1.036757 4.963243
    const figure = meanFigure(place, [3, 1, 5, 4, 2]);
    expect(figure).toMatchObject({ value: 3, n: 5, interval: 't' });
    expect(figure.low).toBeCloseTo(1.036757, 4);
    expect(figure.high).toBeCloseTo(4.963243, 4);
    expect(meanFigure(place, [7])).toMatchObject({ value: 7, low: null, high: null, n: 1 });
    expect(meanFigure(place, [])).toMatchObject({ value: null, n: 0 });
  });

  it('takes medians between and other quantiles at a rank', () => {
    expect(median([1, 2, 3, 10])).toBe(2.5);
    expect(median([1, 2, 10])).toBe(2);
    expect(median([])).toBeNull();
    expect(nearestRank([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9);
    expect(quantileFigure(place, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 0.5)).toMatchObject({
      value: 5.5,
      low: 2,
      high: 9,
      n: 10,
    });
  });

  it('takes a ratio of sums, exact where all rows agree', () => {
    const figure = ratioFigure(place, [
      [10, 40],
      [1, 4],
    ]);
    expect(figure).toMatchObject({ value: 0.25, low: 0.25, high: 0.25, n: 2 });
    // residuals -1 and 1 around .5 of a mean whole 10: standard error .1, t(1) = 12.7062, cut off at 0 and 1
    expect(
      ratioFigure(place, [
        [4, 10],
        [6, 10],
      ]),
    ).toMatchObject({ value: 0.5, low: 0, high: 1, n: 2 });
    const many = ratioFigure(
      place,
      Array.from({ length: 10 }, (_, i) => [i % 2 === 0 ? 4 : 6, 10] as const),
    );
    // deviation sqrt(10/9) of residuals in a tenth, over sqrt 10, times t(9) = 2.26216
    expect(many.low).toBeCloseTo(0.5 - (2.26216 * 0.1 * Math.sqrt(10 / 9)) / Math.sqrt(10), 5);
    expect(ratioFigure(place, [])).toMatchObject({ value: null, n: 0 });
  });
});
