import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scoreAxis, spreadValues } from '../../../src/browser/report/sections/score-axis.js';

describe('the axis of scores', () => {
  it('holds every score and every threshold where none is wild', () => {
    const { low, high, beyond } = scoreAxis([0.2, 0.5, 0.9], [0.95]);
    expect(beyond).toBe(0);
    expect(low).toBeLessThan(0.2);
    expect(high).toBeGreaterThan(0.95);
  });

  it('leaves wild scores at its edge, and counts them', () => {
    const { high, beyond } = scoreAxis([1, 2, 3, 4, 5, 1e9], []);
    expect(high).toBeLessThan(10);
    expect(beyond).toBe(1);
  });

  it('has room where all scores are equal', () => {
    const { low, high } = scoreAxis([0, 0], []);
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });
});

describe('places of labels', () => {
  it('keep their order and are a gap apart', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 6 }), (values) => {
        const places = spreadValues({ values, gap: 5 });
        const sorted = places.toSorted((a, b) => a - b);
        sorted.forEach((place, i) => {
          if (i > 0) expect(place - (sorted[i - 1] ?? 0)).toBeGreaterThanOrEqual(5 - 1e-9);
        });
        values.forEach((value, i) => {
          values.forEach((other, j) => {
            if (value < other) expect(places[i]).toBeLessThan(places[j] ?? 0);
          });
        });
      }),
    );
  });

  it('are the values themselves where there is room', () => {
    expect(spreadValues({ values: [0, 10, 30], gap: 5 })).toEqual([0, 10, 30]);
  });
});
