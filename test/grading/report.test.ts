import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countMedals, estimate, overSeeds, studentQuantile975 } from '../../src/grading/aggregate.js';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import { gradeReportRow, parseReport } from '../../src/grading/report.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { taskOf } from '../windows/synthetic-run.js';

const row = {
  competition_id: 'task',
  score: 0.75,
  gold_threshold: 0.9,
  silver_threshold: 0.8,
  bronze_threshold: 0.7,
  median_threshold: 0.6,
  any_medal: true,
  gold_medal: false,
  silver_medal: false,
  bronze_medal: true,
  above_median: true,
  submission_exists: true,
  valid_submission: true,
  is_lower_better: false,
};

describe('parseReport', () => {
  it('reads bare NaN and Infinity, but not inside strings', () => {
    const body = JSON.stringify({ ...row, submission_path: 'NaN/-Infinity "NaN"' });
    const [read] = parseReport(body.replace('0.75', 'NaN').replace('0.9', '-Infinity'), 'report.json');
    expect(read?.score).toBe('NaN');
    expect(read?.gold_threshold).toBe('-Infinity');
    expect(read?.submission_path).toBe('NaN/-Infinity "NaN"');
  });

  it.each([
    ['{"competition_reports": [{"score": 1}]}', 'r.json: not an MLE-bench report: row 0.competition_id'],
    ['{"competition_id": "a", "score": "high"}', 'row 0.score'],
    ['nonsense', 'r.json: not JSON'],
  ])('refuses %s', (text, message) => {
    expect(() => parseReport(text, 'r.json')).toThrow(message);
  });
});

describe('gradeReportRow', () => {
  const task = taskOf();
  it.each([
    ['as claimed', {}, { medal: 'bronze', above_median: true, gradable: true, flags: [] }],
    [
      'valid but NaN',
      { score: 'NaN' as const, bronze_medal: false, above_median: false },
      { medal: null, valid_submission: true, gradable: false, flags: ['non_finite_score'] },
    ],
    ['another medal', { gold_medal: true }, { medal: 'bronze', flags: ['medal_differs'] }],
    ['another threshold', { gold_threshold: 0.95 }, { medal: 'bronze', flags: ['thresholds_differ'] }],
    ['another direction', { is_lower_better: true }, { medal: 'bronze', flags: ['direction_differs'] }],
    ['another median', { above_median: false }, { flags: ['above_median_differs'] }],
  ])('%s', (_name, change, expected) => {
    expect(gradeReportRow({ ...row, ...change }, task)).toMatchObject(expected);
  });

  it('uses the thresholds of the report where there is no record', () => {
    expect(gradeReportRow(row, null)).toMatchObject({ medal: 'bronze', flags: ['unknown_task'] });
  });
});

describe('estimate', () => {
  it('gives mean, standard error with ddof 1 and the interval of Student', () => {
    const { n, mean, sem, ci95 } = estimate([0.1, 0.2, 0.3]);
    expect(n).toBe(3);
    expect(mean).toBeCloseTo(0.2, 12);
    expect(sem).toBeCloseTo(0.1 / Math.sqrt(3), 12);
    expect(ci95?.[1]).toBeCloseTo(0.2 + (4.30265 * 0.1) / Math.sqrt(3), 6);
    expect(estimate([0.5])).toEqual({ n: 1, mean: 0.5, sem: null, ci95: null });
    expect(estimate([])).toEqual({ n: 0, mean: null, sem: null, ci95: null });
  });

  it.each([
    [31, 2.039513],
    [60, 2.000298],
    [1000, 1.962339],
  ])('quantile for %i degrees of freedom', (degrees, quantile) => {
    expect(studentQuantile975(degrees)).toBeCloseTo(quantile, 5);
  });
});

describeWithShared('a published grading report', () => {
  const index = TaskIndex.of(builtinTasks());
  const path = sharedFile('grading/fmagent_group1.grading_report.json');
  const text = readFileSync(path, 'utf8');
  const graded = parseReport(text, path).map((r) => gradeReportRow(r, index.find(r.competition_id)));

  it('is graded as it grades itself, row by row', () => {
    expect(graded).toHaveLength(75);
    expect(graded.filter(({ flags }) => flags.length > 0)).toEqual([]);
  });

  it('adds up to its own totals', () => {
    const totals = JSON.parse(text) as Record<string, number>;
    expect(countMedals(graded)).toEqual({
      n: totals['total_runs'],
      valid_submission: totals['total_valid_submissions'],
      above_median: totals['total_above_median'],
      bronze: totals['total_bronze_medals'],
      silver: totals['total_silver_medals'],
      gold: totals['total_gold_medals'],
      any_medal: totals['total_medals'],
    });
    expect(overSeeds([graded, graded]).any_medal).toMatchObject({ n: 2, mean: 32 / 75, sem: 0 });
  });

  it('reads the report of a single submission', () => {
    const single = sharedFile('logs/mlebench_grading/rdagent_stanford-covid-vaccine_grade.json');
    const [only] = parseReport(readFileSync(single, 'utf8'), single);
    if (only === undefined) throw new Error('no row');
    const result = gradeReportRow(only, index.find(only.competition_id));
    expect(result).toMatchObject({ gradable: false, medal: null, valid_submission: false, flags: [] });
  });
});
