import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import { parseReport, statedTotals } from '../../src/grading/report.js';
import { reportFile, reportRowOf, reportTotals } from '../../src/grading/report-file.js';
import { checkReport } from '../../src/grading/result-table.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { taskOf } from '../windows/synthetic-run.js';

describe('a report', () => {
  it('keeps what is no finite number, bare as Python writes it', () => {
    const rows = [Number.NaN, Number.POSITIVE_INFINITY, null, 0.75].map((score, i) =>
      reportRowOf(
        { score, submission_exists: score !== null, submission_path: '"NaN"' },
        { ...taskOf(), task_id: `t${i}` },
      ),
    );
    const text = reportFile(rows);
    expect(text).toContain('"score": NaN,');
    expect(text).toContain('"score": Infinity,');
    const read = parseReport(text, 'r.json');
    expect(read).toEqual(rows);
    expect(read.map(({ valid_submission, bronze_medal }) => [valid_submission, bronze_medal])).toEqual([
      [true, false],
      [true, false],
      [false, false],
      [true, true],
    ]);
    expect(checkReport(read, statedTotals(text, 'r.json'))).toEqual([]);
  });

  it('says what in it cannot be right', () => {
    const good = reportRowOf({ score: 0.75, submission_exists: true }, taskOf());
    const twice = { ...good, competition_id: 'twice', gold_medal: true };
    const lost = { ...good, competition_id: 'lost', valid_submission: false };
    const bare = { ...good, competition_id: 'bare', bronze_medal: false };
    const found = checkReport([good, twice, lost, bare], {
      ...reportTotals([good, twice, lost, bare]),
      total_runs: 5,
    });
    expect(found.map(({ row, rule }) => [row, rule])).toEqual([
      ['twice', 'tiers'],
      ['lost', 'order'],
      ['bare', 'tiers'],
      ['total_runs', 'totals'],
    ]);
  });
});

describeWithShared('a published report', () => {
  it('is written again as it was, but for a total that its rows do not make', () => {
    const path = sharedFile('grading/fmagent_group1.grading_report.json');
    const text = readFileSync(path, 'utf8');
    const published = parseReport(text, path);
    const records = new Map(builtinTasks().map((record) => [record.task_id, record]));
    const rows = published.map((row) => {
      const record = records.get(row.competition_id);
      if (record === undefined) throw new Error(`no record of ${row.competition_id}`);
      return reportRowOf(
        {
          score: typeof row.score === 'number' ? row.score : null,
          submission_exists: row.submission_exists === true,
          submission_path: row.submission_path ?? null,
          created_at: row.created_at ?? null,
        },
        record,
      );
    });
    expect(rows).toHaveLength(75);
    // its own rows say that two of the runs handed in nothing
    const stated = JSON.parse(text) as Record<string, unknown>;
    expect(JSON.parse(reportFile(rows))).toEqual({ ...stated, total_runs_with_submissions: 73 });
    expect(checkReport(published, statedTotals(text, path))).toEqual([
      {
        row: 'total_runs_with_submissions',
        rule: 'totals',
        detail: 'the rows make 73, the report states 75',
      },
    ]);
  });
});
