import {
  countMedals,
  type Estimate,
  type MedalCounts,
  type Metric,
  overSeeds,
} from '../grading/aggregate.js';
import { type GradedRow, gradeReportRow, parseReport, statedTotals } from '../grading/report.js';
import { checkReport, type Inconsistency } from '../grading/result-table.js';
import type { TaskIndex } from '../grading/task-index.js';

export interface GradedReport {
  readonly file: string;
  readonly rows: readonly GradedRow[];
  readonly counts: MedalCounts;
  /** what in the report contradicts itself */
  readonly inconsistencies: readonly Inconsistency[];
}

export interface GradedReports {
  /** one a seed, in the order given */
  readonly reports: readonly GradedReport[];
  /** shares over the seeds: mean, standard error, 95% interval by Student's t, n */
  readonly over_seeds: Readonly<Record<Metric, Estimate>>;
  readonly by_task: readonly { readonly task_id: string; readonly counts: MedalCounts }[];
}

/** Grades reports of MLE-bench by the rules, whatever medals they claim; each file is a seed. */
export function gradeReports(
  files: readonly { readonly path: string; readonly text: string }[],
  index: TaskIndex,
): GradedReports {
  const reports = files.map(({ path, text }): GradedReport => {
    const claimed = parseReport(text, path);
    const rows = claimed.map((row) => gradeReportRow(row, index.find(row.competition_id)));
    const inconsistencies = checkReport(claimed, statedTotals(text, path));
    return { file: path, rows, counts: countMedals(rows), inconsistencies };
  });
  const byTask = new Map<string, GradedRow[]>();
  for (const row of reports.flatMap((report) => report.rows)) {
    byTask.set(row.competition_id, [...(byTask.get(row.competition_id) ?? []), row]);
  }
  return {
    reports,
    over_seeds: overSeeds(reports.map((report) => report.rows)),
    by_task: [...byTask]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([task_id, rows]) => ({ task_id, counts: countMedals(rows) })),
  };
}
