import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { isAboveMedian, medalOf } from './medals.js';
import type { Medal, TaskRecord } from './task-record.js';

const loose = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).nullish();

/** A row of an MLE-bench grading report; unknown fields are allowed, a threshold may be missing. */
export const reportRowSchema = z.object({
  competition_id: z.string(),
  score: loose,
  gold_threshold: loose,
  silver_threshold: loose,
  bronze_threshold: loose,
  median_threshold: loose,
  any_medal: z.boolean().nullish(),
  gold_medal: z.boolean().nullish(),
  silver_medal: z.boolean().nullish(),
  bronze_medal: z.boolean().nullish(),
  above_median: z.boolean().nullish(),
  submission_exists: z.boolean().nullish(),
  valid_submission: z.boolean().nullish(),
  is_lower_better: z.boolean().nullish(),
  created_at: z.string().nullish(),
  submission_path: z.string().nullish(),
});
export type ReportRow = z.infer<typeof reportRowSchema>;

export const REPORT_FLAGS = {
  non_finite_score: 'the report calls the submission valid but its score is not finite: not gradable',
  unknown_task: 'no task record: thresholds and direction are those of the report',
  direction_differs: 'the report states another direction than the task record, which counts',
  thresholds_differ: 'the report states other thresholds than the task record, which counts',
  medal_differs: 'the report awards another medal than the rules do',
  above_median_differs: 'the report and the rules differ on above median',
} as const satisfies Record<string, string>;
export type ReportFlag = keyof typeof REPORT_FLAGS;

/** A row graded by the rules, whatever medal it claims. */
export interface GradedRow {
  readonly competition_id: string;
  /** as it stands, null where missing or not finite */
  readonly score: number | null;
  readonly valid_submission: boolean;
  readonly gradable: boolean;
  readonly medal: Medal | null;
  readonly any_medal: boolean;
  readonly above_median: boolean;
  readonly flags: readonly ReportFlag[];
}

/**
 * Reads an MLE-bench report: the file of a whole run with `competition_reports`, or the report of one submission.
 * Bare NaN and Infinity are read. Throws E_TASK_FILE, with the row and field, where it is neither.
 */
export function parseReport(text: string, path: string): ReportRow[] {
  const document = parseTolerantly(text, path);
  const isRun = isRunReport(document);
  const rows: unknown = isRun ? document.competition_reports : [document];
  const parsed = z.array(reportRowSchema).safeParse(rows);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).map(String).join('.');
  throw new TrajmillError('E_TASK_FILE', `not an MLE-bench report: row ${field}: ${issue?.message ?? ''}`, {
    place: path,
  });
}

/** The totals that head the report of a whole run, as they stand; none in the report of one submission. */
export function statedTotals(text: string, path: string): Readonly<Record<string, unknown>> {
  const document = parseTolerantly(text, path);
  if (!isRunReport(document)) return {};
  return Object.fromEntries(Object.entries(document).filter(([name]) => name.startsWith('total_')));
}

function isRunReport(document: unknown): document is { readonly competition_reports: unknown } {
  return typeof document === 'object' && document !== null && 'competition_reports' in document;
}

function parseTolerantly(text: string, path: string): unknown {
  // Strings are matched first, so that a NaN inside one stays as it is.
  const strict = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(token),
  );
  try {
    return JSON.parse(strict);
  } catch (cause) {
    throw new TrajmillError('E_TASK_FILE', 'not JSON', { place: path, cause });
  }
}

/** Grades a row by the task record, or where there is none by the row's own thresholds and direction. */
export function gradeReportRow(row: ReportRow, record: TaskRecord | null): GradedRow {
  const flags: ReportFlag[] = [];
  const score = finite(row.score);
  const claimed = {
    gold: finite(row.gold_threshold),
    silver: finite(row.silver_threshold),
    bronze: finite(row.bronze_threshold),
    median: finite(row.median_threshold),
  };
  const own = { is_lower_better: row.is_lower_better ?? false, thresholds: claimed };
  const rules = record ?? own;
  if (record === null) flags.push('unknown_task');
  else {
    if ((row.is_lower_better ?? record.is_lower_better) !== record.is_lower_better) {
      flags.push('direction_differs');
    }
    const tiers = ['gold', 'silver', 'bronze', 'median'] as const;
    const differs = tiers.some(
      (tier) => claimed[tier] !== null && claimed[tier] !== record.thresholds?.[tier],
    );
    if (differs) flags.push('thresholds_differ');
  }
  const directionKnown = record !== null || typeof row.is_lower_better === 'boolean';
  const medal = directionKnown ? medalOf(score, rules) : null;
  const above = directionKnown && isAboveMedian(score, rules) === true;
  const isValid = row.valid_submission ?? score !== null;
  if (isValid && score === null) flags.push('non_finite_score');
  if (claimedMedal(row) !== null && (medal ?? 'none') !== claimedMedal(row)) flags.push('medal_differs');
  if (typeof row.above_median === 'boolean' && row.above_median !== above) flags.push('above_median_differs');
  return {
    competition_id: row.competition_id,
    score,
    valid_submission: isValid,
    gradable: score !== null,
    medal,
    any_medal: medal !== null && medal !== 'none',
    above_median: above,
    flags,
  };
}

function claimedMedal(row: ReportRow): Medal | null {
  if (row.gold_medal === true) return 'gold';
  if (row.silver_medal === true) return 'silver';
  if (row.bronze_medal === true) return 'bronze';
  return typeof row.gold_medal === 'boolean' ? 'none' : null;
}

function finite(value: number | string | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
