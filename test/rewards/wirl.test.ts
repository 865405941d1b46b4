import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wirlReward } from '../../src/rewards/wirl.js';
import { OUTCOMES, TRENDS } from '../../src/windows/window.js';

describe('wirlReward', () => {
  it.each([
    ['error', null, -1],
    ['error', 'rose', -1],
    ['no_submission', null, -0.6],
    ['no_submission', 'fell', -0.6],
    ['below_medal', 'fell', -0.6],
    ['below_medal', null, -0.4],
    ['below_medal', 'same', -0.4],
    ['below_medal', 'rose', -0.2],
    ['bronze', 'fell', 0.8],
    ['bronze', 'same', 1],
    ['bronze', 'rose', 1.2],
    ['silver', 'fell', 0.8],
    ['silver', null, 1],
    ['silver', 'rose', 1.2],
    ['gold', 'fell', 1.8],
    ['gold', null, 2],
    ['gold', 'rose', 2.2],
    ['ungraded', 'rose', null],
    ['infrastructure', null, null],
  ] as const)('%s that %s pays %d', (outcome, trend, reward) => {
    expect(wirlReward(outcome, trend)).toBe(reward);
  });

  it.each([
    ['gold', 'rose', 0.2],
    ['bronze', null, 0],
    ['below_medal', 'rose', -0.2],
    ['error', null, -1],
  ] as const)('a withheld base leaves %s that %s with %d', (outcome, trend, reward) => {
    expect(wirlReward(outcome, trend, { base_paid: false })).toBe(reward);
  });

  it('knows ten values and null', () => {
    const ten = [-1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2];
    const seen = new Set<number | null>();
    fc.assert(
      fc.property(fc.constantFrom(...OUTCOMES), fc.constantFrom(null, ...TRENDS), (outcome, trend) => {
        const reward = wirlReward(outcome, trend);
        seen.add(reward);
        expect([null, ...ten]).toContain(reward);
      }),
      { numRuns: 500 },
    );
    expect([...seen].filter((reward) => reward !== null).sort((a, b) => a - b)).toEqual(ten);
  });
});
