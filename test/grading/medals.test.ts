import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import {
  compareScores,
  isAboveMedian,
  isAnyMedal,
  leaderboardThresholds,
  medalOf,
  medalPositions,
  round5,
} from '../../src/grading/medals.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { describeWithShared, sharedFile } from '../shared.js';

interface ThresholdFacts {
  competition_id: string;
  split: string;
  num_teams: number;
  is_lower_better: boolean;
  gold_position: number;
  silver_position: number;
  bronze_position: number;
  gold_threshold: number;
  silver_threshold: number;
  bronze_threshold: number;
  median_threshold: number;
}

function readFacts<T>(name: string): T {
  return JSON.parse(readFileSync(sharedFile(`grading/${name}`), 'utf8')) as T;
}

describe('medalOf', () => {
  const lower = { is_lower_better: true, thresholds: { gold: 1, silver: 2, bronze: 3, median: 4 } };
  it.each([
    [0.5, 'gold'],
    [1, 'gold'],
    [1.00001, 'silver'],
    [2, 'silver'],
    [3, 'bronze'],
    [3.00001, 'none'],
  ])('lower is better: %f is %s', (score, medal) => {
    expect(medalOf(score, lower)).toBe(medal);
  });

  it.each([null, Number.NaN, Number.POSITIVE_INFINITY])('%s has no medal', (score) => {
    expect(medalOf(score, lower)).toBeNull();
    expect(isAnyMedal(medalOf(score, lower))).toBeNull();
  });

  it('is null without thresholds, and where an unknown threshold decides', () => {
    expect(medalOf(1, { is_lower_better: false, thresholds: null })).toBeNull();
    const partial = { gold: null, silver: 0.8, bronze: 0.7, median: null };
    const task = { is_lower_better: false, thresholds: partial };
    expect(medalOf(0.85, task)).toBeNull();
    expect(medalOf(0.75, task)).toBeNull();
    expect(medalOf(0.6, task)).toBe('none');
    const noBronze = { is_lower_better: false, thresholds: { ...partial, gold: 0.9, bronze: null } };
    expect(medalOf(0.85, noBronze)).toBe('silver');
    expect(medalOf(0.75, noBronze)).toBeNull();
  });

  it('gives the same medal when scores, thresholds and direction are negated', () => {
    const score = fc.double({ noNaN: true, min: -10, max: 10 });
    fc.assert(
      fc.property(score, fc.array(score, { minLength: 4, maxLength: 4 }), fc.boolean(), (s, t, isLower) => {
        const [gold = 0, silver = 0, bronze = 0, median = 0] = t;
        const thresholds = { gold, silver, bronze, median };
        const negated = { gold: -gold, silver: -silver, bronze: -bronze, median: -median };
        const task = { is_lower_better: isLower, thresholds };
        const mirrored = { is_lower_better: !isLower, thresholds: negated };
        expect(medalOf(-s, mirrored)).toBe(medalOf(s, task));
        expect(isAboveMedian(-s, mirrored)).toBe(isAboveMedian(s, task));
        expect(compareScores(-s, -gold, !isLower)).toBe(compareScores(s, gold, isLower));
      }),
    );
  });
});

describe('medalPositions', () => {
  it.each([
    [1, 1, 1, 1],
    [9, 1, 1, 3],
    [50, 5, 10, 20],
    [99, 9, 19, 39],
    [100, 10, 20, 40],
    [249, 10, 49, 99],
    [250, 10, 50, 100],
    [999, 11, 50, 100],
    [1000, 12, 50, 100],
    [4539, 19, 226, 453],
  ])('%i teams: gold %i, silver %i, bronze %i', (n, gold, silver, bronze) => {
    expect(medalPositions(n)).toEqual({ gold, silver, bronze });
  });
});

describe('leaderboardThresholds', () => {
  it('takes the direction from first and last, and the median of an even board between two', () => {
    const found = leaderboardThresholds([1, 2, 4, 8]);
    expect(found.is_lower_better).toBe(true);
    expect(found.thresholds).toEqual({ gold: 1, silver: 1, bronze: 1, median: 3 });
    expect(found.sorted).toBe(true);
    expect(leaderboardThresholds([9, 1, 5]).sorted).toBe(false);
  });

  it('refuses an empty board and a score that is not finite', () => {
    expect(() => leaderboardThresholds([])).toThrow(RangeError);
    expect(() => leaderboardThresholds([1, Number.NaN])).toThrow('score 2 of 2');
  });
});

describe('round5', () => {
  it.each([
    [0.015625, 0.01562],
    [0.046875, 0.04688],
    [-0.015625, -0.01562],
    [-0.046875, -0.04688],
    [2.675005, 2.67501],
    [1e22, 1e22],
    [-0, -0],
    [-1e-9, -0],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('%d becomes %d', (x, rounded) => {
    expect(round5(x)).toBe(rounded);
  });
});

describeWithShared('facts of MLE-bench', () => {
  const index = TaskIndex.of(builtinTasks());

  it('grades all boundary cases as MLE-bench does', () => {
    const cases =
      readFacts<
        {
          competition_id: string;
          score: number | null;
          gold: boolean;
          silver: boolean;
          bronze: boolean;
          above_median: boolean;
        }[]
      >('medal_boundary_cases.json');
    expect(cases).toHaveLength(1043);
    for (const row of cases) {
      const task = index.find(row.competition_id);
      if (task === null) throw new Error(row.competition_id);
      const medal = medalOf(row.score, task);
      expect({
        competition_id: row.competition_id,
        score: row.score,
        gold: medal === 'gold',
        silver: medal === 'silver',
        bronze: medal === 'bronze',
        above_median: isAboveMedian(row.score, task),
      }).toEqual(row);
    }
  });

  it('ships exactly the 82 records, with the positions that their team counts give', () => {
    const facts = readFacts<ThresholdFacts[]>('mlebench_thresholds.json');
    const splits = index.records.filter(({ split }) => split !== null);
    expect(splits).toHaveLength(82);
    expect(facts).toHaveLength(82);
    for (const fact of facts) {
      const task = index.find(fact.competition_id);
      expect(task).toMatchObject({
        task_id: fact.competition_id,
        is_lower_better: fact.is_lower_better,
        n_teams: fact.num_teams,
        split: fact.split,
        thresholds: {
          gold: fact.gold_threshold,
          silver: fact.silver_threshold,
          bronze: fact.bronze_threshold,
          median: fact.median_threshold,
        },
      });
      expect(medalPositions(fact.num_teams)).toEqual({
        gold: fact.gold_position,
        silver: fact.silver_position,
        bronze: fact.bronze_position,
      });
    }
  });

  it('computes the thresholds of the 22 Lite competitions from their leaderboards', () => {
    const packed = readFileSync(sharedFile('grading/lite_leaderboard_scores.json.gz'));
    const boards = JSON.parse(gunzipSync(packed).toString('utf8')) as Record<string, number[]>;
    expect(Object.keys(boards)).toHaveLength(22);
    for (const [id, scores] of Object.entries(boards)) {
      const task = index.find(id);
      const found = leaderboardThresholds(scores);
      expect(found.sorted).toBe(true);
      expect({ id, lower: found.is_lower_better, n: found.n_teams, ...found.thresholds }).toEqual({
        id,
        lower: task?.is_lower_better,
        n: task?.n_teams,
        ...task?.thresholds,
      });
    }
  });

  it('rounds as Python does', () => {
    const cases = readFacts<{ x: number; python_float: number }[]>('round5_cases.json');
    expect(cases.length).toBeGreaterThan(300);
    for (const { x, python_float } of cases) {
      expect([x, round5(x)]).toEqual([x, python_float]);
      expect(round5(-x)).toBe(-python_float);
    }
  });
});
