import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MixCell, mixSchema, mixWeights } from '../../src/selection/mix.js';

const cell = (stage: string | null, source: string | null, n: number): MixCell => ({ stage, source, n });

describe('mix weights', () => {
  it('multiply those of stage and source; what is unnamed counts 1', () => {
    const mix = mixSchema.parse({ stages: { general: 0.5 }, sources: { swe: 3 } });
    const cells = [
      cell('general', 'swe', 4),
      cell('general', null, 1),
      cell('mle', 'swe', 1),
      cell(null, null, 9),
    ];
    expect(mixWeights(cells, mix).map(({ weight }) => weight)).toEqual([1.5, 0.5, 3, 1]);
  });

  it('give stages the shares that are asked', () => {
    const mix = mixSchema.parse({ as: 'share', stages: { general: 1, mle: 3 } });
    const made = mixWeights([cell('general', 'a', 80), cell('mle', 'b', 20)], mix);
    expect(made.map(({ weight }) => weight)).toEqual([25 / 80, 75 / 20]);
  });

  it('give sources their shares within a stage', () => {
    const mix = mixSchema.parse({ as: 'share', stages: { s: 1, t: 1 }, sources: { a: 3, b: 1 } });
    const made = mixWeights([cell('s', 'a', 10), cell('s', 'b', 10), cell('t', 'b', 20)], mix);
    expect(made.map(({ weight, n }) => weight * n)).toEqual([15, 5, 20]);
  });

  it('by share: masses are the shares, and the mean weight is 1', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const cells = fc.uniqueArray(
      fc.record({ stage: name, source: name, n: fc.integer({ min: 1, max: 50 }) }),
      {
        selector: ({ stage, source }) => stage + source,
        minLength: 1,
      },
    );
    const shares = fc.record({
      a: fc.integer({ min: 1, max: 9 }),
      b: fc.integer({ min: 1, max: 9 }),
      c: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(cells, shares, fc.boolean(), (list, stages, withSources) => {
        const mix = mixSchema.parse({ as: 'share', stages, sources: withSources ? stages : {} });
        const made = mixWeights(list, mix);
        const total = list.reduce((sum, { n }) => sum + n, 0);
        const mass = (of: typeof made): number => of.reduce((sum, { n, weight }) => sum + n * weight, 0);
        expect(mass(made)).toBeCloseTo(total, 6);
        const present = [...new Set(list.map(({ stage }) => stage))];
        const asked = present.reduce((sum, stage) => sum + stages[stage as 'a'], 0);
        for (const stage of present) {
          const expected = (stages[stage as 'a'] / asked) * total;
          expect(mass(made.filter((each) => each.stage === stage))).toBeCloseTo(expected, 6);
        }
      }),
    );
  });
});
