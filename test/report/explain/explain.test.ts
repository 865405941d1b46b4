import { describe, expect, it } from 'vitest';
import { meaningOf } from '../../../src/report/explain/meanings.js';
import { type ReasonedWindow, rewardReason } from '../../../src/report/explain/reward-reason.js';
import { matchesOf } from '../../../src/report/explain/stored-rows.js';
import { taskOf } from '../../windows/synthetic-run.js';

describe('rewardReason', () => {
  const window = (change: Partial<ReasonedWindow>): ReasonedWindow => ({
    outcome: 'error',
    score: null,
    score_scale: null,
    previous_score: null,
    trend: null,
    reward: -1,
    flags: [],
    ...change,
  });

  it.each<[Partial<ReasonedWindow>, string]>([
    [{}, 'execution error: base -1.0 = -1.0'],
    [{ flags: ['timeout'] }, 'timeout of its own: base -1.0 = -1.0'],
    [{ flags: ['timeout', 'timeout_masked'], reward: null }, 'timeout, masked by option: pays nothing'],
    [{ outcome: 'no_submission', reward: -0.6 }, 'ran, but nothing gradable: base -0.6 = -0.6'],
    [
      { outcome: 'below_medal', score: 0.5, score_scale: 'test', reward: -0.4 },
      '0.5 does not reach bronze 0.7: base -0.4, nothing to compare with = -0.4',
    ],
    [
      { outcome: 'gold', score: 0.95, score_scale: 'test', previous_score: 0.9, trend: 'rose', reward: 2.2 },
      '0.95 reaches gold 0.9: base 2.0, rose against 0.9 + 0.2 = 2.2',
    ],
    [
      { outcome: 'bronze', score: 0.7, score_scale: 'test', previous_score: 0.8, trend: 'fell', reward: 0.8 },
      '0.7 reaches bronze 0.7: base 1.0, fell against 0.8 - 0.2 = 0.8',
    ],
    [
      {
        outcome: 'silver',
        score: 0.8,
        score_scale: 'validation',
        previous_score: 0.8,
        trend: 'same',
        reward: 0,
        flags: ['base_withheld'],
      },
      '0.8 reaches silver: base withheld (no new tier), same against 0.8 + 0.0 = 0.0',
    ],
    [
      { outcome: 'ungraded', score: 3, score_scale: 'validation', reward: null },
      '3 (validation) is not graded: pays nothing',
    ],
  ])('%j', (change, sentence) => {
    expect(rewardReason(window(change), taskOf())).toBe(sentence);
  });
});

describe('meaningOf', () => {
  it('knows flags of windows, selections and logs, reasons and codes; values of flags aside', () => {
    expect(meaningOf('timeout_masked')).toContain('pays nothing');
    expect(meaningOf('best_tied')).toContain('share the best score');
    expect(meaningOf('no_submission')).toContain('gradable');
    expect(meaningOf('torn_line:3')).toContain('cut off');
    expect(meaningOf('toString')).toBeNull();
  });
});

describe('matchesOf', () => {
  const reject = {
    source: 'a.jsonl',
    line: 3,
    byte_start: 0,
    byte_end: 1,
    sha256: null,
    stage: 'read',
    code: 'torn_line',
    message: '',
    format: null,
    trajectory_id: null,
  } as const;

  it('names a rejected trajectory once, and records that never became one', () => {
    const matches = matchesOf({ trajectories: [], rejects: [reject, { ...reject, trajectory_id: 'abc' }] });
    expect(matches).toEqual([
      { trajectory_id: null, source: 'a.jsonl:3', decision: 'rejected', reason: 'torn_line' },
      { trajectory_id: 'abc', source: 'a.jsonl:3', decision: 'rejected', reason: 'torn_line' },
    ]);
  });
});
