import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../../src/rewards/group-advantage.js';
import { groupKey } from '../../src/rewards/group-key.js';
import { runOf } from '../windows/synthetic-run.js';

const members = (rewards: readonly (number | null)[]) => rewards.map((reward) => ({ reward }));

describe('groupAdvantages', () => {
  it.each([
    [1, '1.41421 0.00000 -0.70711 -0.70711'],
    [0, '1.63299 0.00000 -0.81649 -0.81649'],
  ] as const)('reference of four with ddof %i', (ddof, expected) => {
    const found = groupAdvantages(members([1, 0.4, 0.1, 0.1]), { ddof });
    expect(found.map((a) => a?.toFixed(5)).join(' ')).toBe(expected);
  });

  it('is exactly 0 for equal rewards, where the division leaves noise', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -10, max: 10 }), fc.integer({ min: 2, max: 9 }), (r, n) => {
        const rewards = Array.from({ length: n }, () => ({ reward: r }));
        for (const ddof of [0, 1] as const) {
          expect(groupAdvantages(rewards, { ddof })).toEqual(rewards.map(() => 0));
        }
      }),
    );
  });

  it('gives a group of one nothing, or its reward as verl does', () => {
    expect(groupAdvantages(members([0.5]), { ddof: 1 })).toEqual([null]);
    expect(groupAdvantages(members([0.5]), { ddof: 1, single: 'verl_singleton' })).toEqual([
      0.5 / (1 + 1e-6),
    ]);
    expect(groupAdvantages([], { ddof: 1 })).toEqual([]);
  });

  it('leaves members without reward out', () => {
    const with3 = groupAdvantages(members([1, 0]), { ddof: 1 });
    expect(groupAdvantages(members([1, null, 0]), { ddof: 1 })).toEqual([with3[0], null, with3[1]]);
    expect(groupAdvantages(members([1, null]), { ddof: 1 })).toEqual([null, null]);
  });

  it('lets a masked member shape the statistics or not', () => {
    const group = [{ reward: 1 }, { reward: 0 }, { reward: -1, masked: true }];
    const after = groupAdvantages(group, { ddof: 0, masking: 'after_advantage' });
    const before = groupAdvantages(group, { ddof: 0, masking: 'before_grouping' });
    expect(after[1]).toBe(0);
    expect(after[2]).toBeNull();
    expect(before[1]).toBeCloseTo(-1, 5);
    expect(before[2]).toBeNull();
    const alone = [{ reward: 1 }, { reward: 0, masked: true }];
    expect(groupAdvantages(alone, { ddof: 0, masking: 'before_grouping' })).toEqual([null, null]);
  });
});

describe('groupKey', () => {
  it('parts runs by task, model, budget and group', () => {
    const keys = [
      groupKey(runOf([]), 'a'),
      groupKey(runOf([]), 'b'),
      groupKey(runOf([], { model: 'other' }), 'a'),
      groupKey(runOf([], { turn_budget: 20 }), 'a'),
      groupKey(runOf([], { group: 'g' }), 'a'),
    ];
    expect(new Set(keys).size).toBe(5);
    expect(groupKey(runOf([{ exec: 'ok' }]), 'a')).toBe(keys[0]);
  });
});
