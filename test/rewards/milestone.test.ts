import { describe, expect, it } from 'vitest';
import { formatShare } from '../../src/rewards/format-share.js';
import {
  MILESTONE_PRESETS,
  type MilestoneOptions,
  milestoneFacts,
  milestoneReward,
  milestoneWeightsSchema,
} from '../../src/rewards/milestone.js';
import { isMaskedByTimeouts } from '../../src/rewards/timeouts.js';
import { makeTurn, reasoningSpan } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { finish, runOf, taskOf, text } from '../windows/synthetic-run.js';

const { paper, release, sparse } = MILESTONE_PRESETS;

function rewardOf(run: Trajectory, options: MilestoneOptions, task = taskOf()): number | null {
  const facts = milestoneFacts(run, task, options);
  return facts === null ? null : milestoneReward(facts, options.weights);
}

describe('milestone reward', () => {
  it.each([
    ['no submission', undefined, 0, 0, 0],
    ['not gradable', null, 0, 0, 0],
    ['below the median', 0.5, 0.3, 0.2, 0],
    ['at the median', 0.6, 0.3, 0.3, 0],
    ['above the median', 0.65, 0.4, 0.3, 0],
    ['bronze', 0.7, 0.6, 0.7, 0],
    ['silver', 0.8, 0.8, 0.8, 0],
    ['gold', 0.9, 0.9, 0.9, 0.9],
  ])('%s without thinking', (_name, score, byPaper, byRelease, bySparse) => {
    const run = runOf([score === undefined ? { exec: 'ok' } : { exec: 'ok', score }]);
    expect([rewardOf(run, paper), rewardOf(run, release), rewardOf(run, sparse)]).toEqual([
      byPaper,
      byRelease,
      bySparse,
    ]);
  });

  it('is 1 for gold with every turn in form', () => {
    const facts = { format: 1, valid: true, median: true, bronze: true, silver: true, gold: true };
    for (const { weights } of Object.values(MILESTONE_PRESETS))
      expect(milestoneReward(facts, weights)).toBe(1);
  });

  it('reads the last submission, the last scored or the best', () => {
    const run = runOf([
      { exec: 'ok', score: 0.95 },
      { exec: 'ok', score: 0.75 },
      { exec: 'ok', score: null },
    ]);
    const read = (submission: MilestoneOptions['submission']) => rewardOf(run, { ...paper, submission });
    expect([read('final'), read('last_scored'), read('best')]).toEqual([0, 0.6, 0.9]);
  });

  it('is unknown where the worth of a valid submission is', () => {
    const run = runOf([{ exec: 'ok', score: 0.95 }]);
    expect(milestoneFacts(run, null, paper)).toBeNull();
    expect(rewardOf(run, paper, taskOf(null))).toBeNull();
    expect(rewardOf(runOf([{ exec: 'error' }]), paper, taskOf(null))).toBe(0);
  });

  it('never reads scores of another scale or a failed execution', () => {
    const other = runOf([{ exec: 'ok', score: 0.95, scale: 'validation' }]);
    const failed = runOf([{ exec: 'error', score: 0.95 }]);
    for (const options of [paper, release]) {
      expect([rewardOf(other, options), rewardOf(failed, options)]).toEqual([0, 0]);
    }
  });

  it.each([
    [{ execute: 0.5, gold: 0.5 }, true],
    [{ format: 0.1, execute: 0.3, median: 0.1, bronze: 0.2, silver: 0.2, gold: 0.1 }, true],
    [{ execute: 0.5, gold: 0.4 }, false],
    [{ execute: 1.5, gold: -0.5 }, false],
    [{ execute: 1, medal: 0 }, false],
  ])('weights %j are valid: %s', (weights, valid) => {
    expect(milestoneWeightsSchema.safeParse(weights).success).toBe(valid);
  });
});

describe('formatShare', () => {
  const run = (contents: readonly string[]) =>
    finish({
      turns: contents.map((content) => makeTurn('assistant', [text(content)])),
      executions: [],
      submissions: [],
    });

  it('counts thoughts anywhere, or only those that open a turn and say something', () => {
    const mixed = run(['<think>a</think>b', 'b <think>a</think>', '<think> </think>b', 'b']);
    expect(formatShare(mixed, 'used')).toBe(0.75);
    expect(formatShare(mixed, 'opening')).toBe(0.25);
    expect(formatShare(run([]), 'used')).toBe(0);
  });

  it('counts reasoning in a field of its own', () => {
    const turns = [
      makeTurn('assistant', [reasoningSpan('why'), text('b')]),
      makeTurn('assistant', [text('b')]),
    ];
    const beside = finish({ turns, executions: [], submissions: [] });
    expect([formatShare(beside, 'used'), formatShare(beside, 'opening')]).toEqual([0.5, 0.5]);
  });
});

describe('isMaskedByTimeouts', () => {
  const events = (late: number, n: number) =>
    runOf(Array.from({ length: n }, (_, i) => ({ exec: i < late ? ('timeout' as const) : ('ok' as const) })));

  it.each([
    [0, 5, false, false],
    [1, 5, true, false],
    [2, 5, true, true],
    [1, 4, true, true],
    [0, 0, false, false],
  ])('%i of %i executions: any %s, more than a fifth %s', (late, n, any, share) => {
    expect(isMaskedByTimeouts(events(late, n), { reading: 'any' })).toBe(any);
    expect(isMaskedByTimeouts(events(late, n), { reading: 'share' })).toBe(share);
  });

  it('takes a limit in seconds where the log marks no timeouts', () => {
    const slow = runOf([{ exec: 'ok', execution: { seconds: 91 } }]);
    expect(isMaskedByTimeouts(slow, { reading: 'any' })).toBe(false);
    expect(isMaskedByTimeouts(slow, { reading: 'any', seconds: 90 })).toBe(true);
  });
});
