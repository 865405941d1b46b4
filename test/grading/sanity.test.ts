import { describe, expect, it } from 'vitest';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import { sanityReport } from '../../src/grading/sanity.js';
import { taskOf } from '../windows/synthetic-run.js';

describe('sanityReport', () => {
  const good = { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 };
  it.each([
    ['ordered, sample beaten', good, 0.5, 'ok', 'ok', 0],
    ['ordered, sample unknown', good, null, 'unknown', 'ok', 0],
    ['sample as good as gold', good, 0.9, 'violated', 'remove', 1],
    ['tie of silver and bronze', { ...good, bronze: 0.8 }, 0.5, 'ok', 'remove', 1],
    ['two violations and the sample', { ...good, silver: 0.9, median: 0.7 }, 1, 'violated', 'remove', 3],
    ['an unknown tier is passed over', { ...good, silver: null }, 0.5, 'ok', 'ok', 0],
    [
      'lower is better',
      { gold: 1, silver: 2, bronze: 3, median: 4, is_lower_better: true },
      9,
      'ok',
      'ok',
      0,
    ],
    ['wrong way round', { ...good, is_lower_better: true }, null, 'unknown', 'remove', 3],
  ])('%s', (_name, thresholds, sampleScore, sample, verdict, n) => {
    const record = taskOf(thresholds, { origin: 'synthetic', sample_submission_score: sampleScore });
    const report = sanityReport(record);
    expect(report.sample).toBe(sample);
    expect(report.verdict).toBe(verdict);
    expect(report.violations).toHaveLength(n);
  });

  it('only warns about official tasks: four of the 82 of MLE-bench have ties', () => {
    const reports = builtinTasks().map(sanityReport);
    expect(reports.filter(({ verdict }) => verdict === 'warn')).toHaveLength(4);
    expect(reports.filter(({ verdict }) => verdict === 'remove')).toHaveLength(0);
  });
});
