import { isAboveMedian, medalOf } from './medals.js';
import type { ReportRow } from './report.js';
import type { TaskRecord } from './task-record.js';

/** What was handed in for a competition. */
export interface GradedSubmission {
  /** null where there was none or the grader refused it; NaN and infinities stand as they are */
  readonly score: number | null;
  readonly submission_exists: boolean;
  /** as the grader says; by default whether there is a score, finite or not */
  readonly valid_submission?: boolean;
  readonly submission_path?: string | null;
  /** ISO 8601 */
  readonly created_at?: string | null;
}

/** The report of one submission in the schema of MLE-bench, medals by its rules. */
export function reportRowOf(submission: GradedSubmission, record: TaskRecord): ReportRow {
  const { score, submission_exists } = submission;
  const medal = medalOf(score, record);
  const { gold = null, silver = null, bronze = null, median = null } = record.thresholds ?? {};
  return {
    competition_id: record.task_id,
    score: looseNumber(score),
    gold_threshold: gold,
    silver_threshold: silver,
    bronze_threshold: bronze,
    median_threshold: median,
    any_medal: medal !== null && medal !== 'none',
    gold_medal: medal === 'gold',
    silver_medal: medal === 'silver',
    bronze_medal: medal === 'bronze',
    above_median: isFiniteScore(score) && isAboveMedian(score, record) === true,
    submission_exists,
    valid_submission: submission.valid_submission ?? score !== null,
    is_lower_better: record.is_lower_better,
    created_at: submission.created_at ?? null,
    submission_path: submission.submission_path ?? null,
  };
}

/** The sums that head a report file, by the flags of its rows. */
export interface ReportTotals {
  readonly total_runs: number;
  readonly total_runs_with_submissions: number;
  readonly total_valid_submissions: number;
  readonly total_medals: number;
  readonly total_gold_medals: number;
  readonly total_silver_medals: number;
  readonly total_bronze_medals: number;
  readonly total_above_median: number;
}

export function reportTotals(rows: readonly ReportRow[]): ReportTotals {
  const count = (flag: keyof ReportRow): number => rows.filter((row) => row[flag] === true).length;
  return {
    total_runs: rows.length,
    total_runs_with_submissions: count('submission_exists'),
    total_valid_submissions: count('valid_submission'),
    total_medals: count('any_medal'),
    total_gold_medals: count('gold_medal'),
    total_silver_medals: count('silver_medal'),
    total_bronze_medals: count('bronze_medal'),
    total_above_median: count('above_median'),
  };
}

/** A report file as MLE-bench writes it: totals, then rows by competition; NaN and infinities bare, as Python does. */
export function reportFile(rows: readonly ReportRow[]): string {
  const sorted = [...rows].sort((a, b) => (a.competition_id < b.competition_id ? -1 : 1));
  const body = JSON.stringify({ ...reportTotals(rows), competition_reports: sorted }, null, 4);
  const bare = body.replace(
    /^(\s+"(?:score|gold_threshold|silver_threshold|bronze_threshold|median_threshold)": )"(NaN|-?Infinity)"(?=,?$)/gm,
    '$1$2',
  );
  return `${bare}\n`;
}

function isFiniteScore(score: number | null): score is number {
  return score !== null && Number.isFinite(score);
}

function looseNumber(score: number | null): ReportRow['score'] {
  if (score === null || Number.isFinite(score)) return score;
  return Number.isNaN(score) ? 'NaN' : score > 0 ? 'Infinity' : '-Infinity';
}
