import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { isAboveMedian, medalOf } from '../../src/grading/medals.js';
import { NATUREBENCH_THRESHOLDS, natureBenchOutcome } from '../../src/grading/naturebench.js';
import { sanityReport } from '../../src/grading/sanity.js';
import { type ThresholdMapping, thresholdSource, withMapping } from '../../src/grading/threshold-mapping.js';
import { taskOf } from '../windows/synthetic-run.js';

const bare = taskOf(null, { task_id: 't' });
const known = taskOf(undefined, { task_id: 'known', threshold_source: 'leaderboard' });

function map(mapping: ThresholdMapping, record: typeof bare | null = bare) {
  return withMapping(mapping, {
    taskId: 't',
    record,
    find: (name) => (name === 'known' ? known : null),
    readBoard: () => ({ scores: [4, 3, 2, 1], skipped: 0 }),
  });
}

const baselines = (gold: number, silver: number, bronze: number, median: number) => ({
  gold: { name: 'best', score: gold },
  silver: { name: 'second', score: silver },
  bronze: { name: 'third', score: bronze },
  median: { name: 'linear', score: median },
});

describe('thresholds of a task without medals', () => {
  it.each<[string, ThresholdMapping, object]>([
    [
      'named baselines',
      { baselines: baselines(4, 3, 3, 1) },
      { thresholds: { gold: 4, silver: 3, bronze: 3, median: 1 }, threshold_source: 'baselines' },
    ],
    [
      'a leaderboard',
      { leaderboard: 'b.csv' },
      {
        thresholds: { gold: 4, silver: 4, bronze: 4, median: 2.5 },
        threshold_source: 'leaderboard',
        n_teams: 4,
      },
    ],
    [
      'quantiles, once they are known',
      { quantiles: { gold: 0.9, silver: 0.8, bronze: 0.6, median: 0.5 } },
      { thresholds: null, threshold_source: 'corpus_quantiles' },
    ],
    ['another task', { task: 'known' }, { thresholds: known.thresholds, threshold_source: 'task:known' }],
    [
      'NatureBench',
      { preset: 'naturebench' },
      { thresholds: NATUREBENCH_THRESHOLDS, threshold_source: 'naturebench' },
    ],
  ])('come from %s', (_name, mapping, expected) => {
    expect(map(mapping)).toMatchObject({ task_id: 't', is_lower_better: false, ...expected });
  });

  it('may make the record of a task that none knows, where the direction is known', () => {
    expect(map({ baselines: baselines(1, 2, 3, 4), is_lower_better: true }, null).is_lower_better).toBe(true);
    expect(map({ leaderboard: 'b.csv' }, null)).toMatchObject({ task_id: 't', is_lower_better: false });
    expect(map({ preset: 'naturebench' }, null).task_id).toBe('t');
    expect(map({ task: 'known' }, null)).toMatchObject({ task_id: 't', aliases: [] });
  });

  it.each<[string, ThresholdMapping, typeof bare | null, string]>([
    ['baselines out of order', { baselines: baselines(1, 2, 3, 4) }, bare, 'beats best (1)'],
    ['baselines without a direction', { baselines: baselines(4, 3, 2, 1) }, null, 'is_lower_better'],
    [
      'baselines of another direction',
      { baselines: baselines(4, 3, 2, 1), is_lower_better: true },
      bare,
      'contradicts',
    ],
    [
      'quantiles without a record',
      { quantiles: { gold: 1, silver: 1, bronze: 1, median: 1 } },
      null,
      'no task record',
    ],
    ['a task that is not there', { task: 'nowhere' }, bare, 'no record of task nowhere'],
    [
      'a task of another direction',
      { task: 'known' },
      taskOf(null, { is_lower_better: true }),
      'other direction',
    ],
    [
      'NatureBench downwards',
      { preset: 'naturebench' },
      taskOf(null, { is_lower_better: true }),
      'counts upwards',
    ],
  ])('are refused for %s', (_name, mapping, record, message) => {
    expect(() => map(mapping, record)).toThrow(TrajmillError);
    expect(() => map(mapping, record)).toThrow(message);
  });

  it('name their source, and none where there are none', () => {
    expect(thresholdSource(known)).toBe('leaderboard');
    expect(thresholdSource(taskOf())).toBe('task_record');
    expect([thresholdSource(bare), thresholdSource(null)]).toEqual([null, null]);
  });
});

describe('NatureBench', () => {
  const record = map({ preset: 'naturebench' }, null);

  it.each([
    [0.1, 'match', 'bronze'],
    [0.10000000000000002, 'surpass', 'gold'],
    [0, 'match', 'bronze'],
    [-0, 'match', 'bronze'],
    [-Number.MIN_VALUE, 'below', 'none'],
    [-1, 'below', 'none'],
  ])('g %d is %s', (g, outcome, medal) => {
    expect(natureBenchOutcome(g)).toBe(outcome);
    expect(medalOf(g, record)).toBe(medal);
  });

  it('is graded by its tiers as by its own rule', () => {
    const medals = { surpass: 'gold', match: 'bronze', below: 'none' };
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (g) => {
        expect(medalOf(g, record)).toBe(medals[natureBenchOutcome(g)]);
      }),
    );
    expect(isAboveMedian(0, record)).toBe(false);
    // ties between tiers are a warning of an official task, which its runs survive
    expect(sanityReport(record).verdict).toBe('warn');
  });
});
