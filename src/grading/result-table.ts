import { TrajmillError } from '../errors.js';
import { parseCsv } from './csv.js';
import type { ReportRow } from './report.js';
import { type ReportTotals, reportTotals } from './report-file.js';

/** The figures of a published table of results; all but the name may be missing. */
export const RESULT_FIGURES = [
  'valid_submission',
  'above_median',
  'any_medal',
  'gold',
  'silver',
  'bronze',
] as const;
export type ResultFigure = (typeof RESULT_FIGURES)[number];

/** A figure as it is printed: the digits after its point tell how far it was rounded. */
export interface PrintedNumber {
  readonly value: number;
  readonly decimals: number;
}

export interface ResultRow {
  readonly name: string;
  /** runs, or tasks of one seed, that the figures are taken over; null where not stated */
  readonly n: number | null;
  /** name of the row that this one is a part of, such as a split of all */
  readonly part_of: string | null;
  readonly figures: Readonly<Partial<Record<ResultFigure, PrintedNumber>>>;
}

export interface Inconsistency {
  readonly row: string;
  readonly rule: 'tiers' | 'range' | 'order' | 'counts' | 'totals';
  /** a sentence with both values */
  readonly detail: string;
}

export interface TableOptions {
  /** figures are counts, or percentages of n */
  readonly unit: 'count' | 'percent';
  /** percentages are of one seed, so that each must be a whole number of n */
  readonly single_seed?: boolean;
}

const PRINTED = /^(-?\d+(?:\.(\d+))?)\s*%?(?:\s*(?:±|\+\/-|\+-)\s*\d+(?:\.\d+)?\s*%?)?$/;

/**
 * Reads a table of results: CSV with `name`, optional `n` and `part_of`, and any of the figures; a figure may carry a
 * percent sign and a spread (`34.2 ± 1.5`). Throws E_TASK_FILE with the line.
 */
export function parseResultTable(text: string, path: string): ResultRow[] {
  return parseCsv(text, path).records.map(({ line, cells }) => {
    const figures: Partial<Record<ResultFigure, PrintedNumber>> = {};
    for (const figure of RESULT_FIGURES) {
      const cell = (cells[figure] ?? '').trim();
      if (cell === '' || cell === '-') continue;
      const match = PRINTED.exec(cell);
      if (match === null) {
        throw new TrajmillError('E_TASK_FILE', `${figure} "${cell}" is not a figure`, {
          place: `${path}:${line}`,
        });
      }
      figures[figure] = { value: Number(match[1]), decimals: match[2]?.length ?? 0 };
    }
    const n = (cells['n'] ?? '').trim();
    const part = (cells['part_of'] ?? '').trim();
    return {
      name: (cells['name'] ?? '').trim(),
      n: n === '' ? null : Number(n),
      part_of: part === '' ? null : part,
      figures,
    };
  });
}

/**
 * What in a published table cannot be right, allowing for the rounding that its digits show: tiers that do not add up
 * to any medal, figures out of range, medals without valid submissions, percentages that are no whole number of runs,
 * parts that do not add up to their total.
 */
export function checkResultTable(rows: readonly ResultRow[], options: TableOptions): Inconsistency[] {
  const found: Inconsistency[] = [];
  for (const row of rows) {
    found.push(...checkTiers(row, options), ...checkRange(row, options), ...checkOrder(row, options));
    if (options.unit === 'percent' && options.single_seed === true) found.push(...checkWholeCounts(row));
  }
  for (const total of rows) {
    const parts = rows.filter(({ part_of }) => part_of !== null && part_of === total.name);
    if (parts.length > 0) found.push(...checkTotal(total, parts, options));
  }
  return found;
}

/** What sums of doubles may be off. */
const ARITHMETIC = 1e-9;

/** Half a unit of the last digit. */
function slack({ decimals }: PrintedNumber): number {
  return 0.5 * 10 ** -decimals;
}

/** How far a sum of figures may be off: counts are whole, percentages were rounded. */
function tolerance(numbers: readonly PrintedNumber[], { unit }: TableOptions): number {
  const rounding = unit === 'count' ? 0 : numbers.reduce((sum, number) => sum + slack(number), 0);
  return rounding + ARITHMETIC;
}

function checkTiers({ name, figures }: ResultRow, options: TableOptions): Inconsistency[] {
  const { gold, silver, bronze, any_medal: any } = figures;
  if (gold === undefined || silver === undefined || bronze === undefined || any === undefined) return [];
  const sum = gold.value + silver.value + bronze.value;
  if (Math.abs(sum - any.value) <= tolerance([gold, silver, bronze, any], options)) return [];
  const detail = `gold ${gold.value} + silver ${silver.value} + bronze ${bronze.value} = ${short(sum)}, any medal ${any.value}`;
  return [{ row: name, rule: 'tiers', detail }];
}

function checkRange({ name, n, figures }: ResultRow, { unit }: TableOptions): Inconsistency[] {
  const most = unit === 'percent' ? 100 : n;
  return RESULT_FIGURES.flatMap((figure) => {
    const value = figures[figure]?.value;
    if (value === undefined || (value >= 0 && (most === null || value <= most))) return [];
    return [
      { row: name, rule: 'range' as const, detail: `${figure} ${value} is not in 0 to ${most ?? '...'}` },
    ];
  });
}

function checkOrder({ name, figures }: ResultRow, options: TableOptions): Inconsistency[] {
  const { valid_submission: valid } = figures;
  if (valid === undefined) return [];
  return (['any_medal', 'above_median'] as const).flatMap((figure) => {
    const number = figures[figure];
    if (number === undefined || number.value - valid.value <= tolerance([number, valid], options)) return [];
    const detail = `${figure} ${number.value} is more than valid submissions ${valid.value}`;
    return [{ row: name, rule: 'order' as const, detail }];
  });
}

function checkWholeCounts({ name, n, figures }: ResultRow): Inconsistency[] {
  if (n === null || n === 0) return [];
  return RESULT_FIGURES.flatMap((figure) => {
    const number = figures[figure];
    if (number === undefined) return [];
    const nearest = (Math.round((number.value / 100) * n) / n) * 100;
    if (Math.abs(nearest - number.value) <= slack(number) + ARITHMETIC) return [];
    const detail = `${figure} ${number.value}% is no whole number of ${n}, the nearest is ${short(nearest)}%`;
    return [{ row: name, rule: 'counts' as const, detail }];
  });
}

function checkTotal(total: ResultRow, parts: readonly ResultRow[], options: TableOptions): Inconsistency[] {
  const found: Inconsistency[] = [];
  const sizes = parts.map(({ n }) => n);
  const runs = sizes.reduce<number | null>((sum, n) => (sum === null || n === null ? null : sum + n), 0);
  if (runs !== null && total.n !== null && runs !== total.n) {
    found.push({ row: total.name, rule: 'totals', detail: `its parts have ${runs} runs, it has ${total.n}` });
  }
  for (const figure of RESULT_FIGURES) {
    const whole = total.figures[figure];
    const pieces = parts.flatMap(({ n, figures }) => {
      const number = figures[figure];
      return number === undefined ? [] : [{ n, number }];
    });
    if (whole === undefined || pieces.length < parts.length) continue;
    const sum = options.unit === 'count' ? addUp(pieces) : weigh(pieces);
    if (sum === null) continue;
    // the mean of rounded figures is off by no more than the roughest of them
    const roughest = pieces.map(({ number }) => number).sort((a, b) => a.decimals - b.decimals)[0] ?? whole;
    if (Math.abs(sum - whole.value) <= tolerance([whole, roughest], options)) continue;
    const detail = `${figure}: its parts make ${short(sum)}, it states ${whole.value}`;
    found.push({ row: total.name, rule: 'totals', detail });
  }
  return found;
}

interface PartFigure {
  readonly n: number | null;
  readonly number: PrintedNumber;
}

function addUp(pieces: readonly PartFigure[]): number {
  return pieces.reduce((sum, { number }) => sum + number.value, 0);
}

/** The mean of percentages by the runs of each part; null where those are not all known. */
function weigh(pieces: readonly PartFigure[]): number | null {
  let runs = 0;
  let sum = 0;
  for (const { n, number } of pieces) {
    if (n === null) return null;
    runs += n;
    sum += n * number.value;
  }
  return runs === 0 ? null : sum / runs;
}

function short(x: number): string {
  return String(Number(x.toPrecision(6)));
}

/**
 * What in a report of MLE-bench cannot be right: totals that its rows do not make, rows with several tiers, or with a
 * tier and no medal. `stated` are the totals as the file holds them, as far as it does.
 */
export function checkReport(
  rows: readonly ReportRow[],
  stated: Readonly<Partial<Record<keyof ReportTotals, unknown>>>,
): Inconsistency[] {
  const found: Inconsistency[] = [];
  for (const row of rows) {
    const tiers = [row.gold_medal, row.silver_medal, row.bronze_medal].filter(
      (medal) => medal === true,
    ).length;
    if (tiers > 1) {
      found.push({ row: row.competition_id, rule: 'tiers', detail: `${tiers} medals for one submission` });
    }
    if (typeof row.any_medal === 'boolean' && row.any_medal !== tiers > 0) {
      const detail = `any_medal is ${row.any_medal} with ${tiers} tiers`;
      found.push({ row: row.competition_id, rule: 'tiers', detail });
    }
    if (row.valid_submission === false && (tiers > 0 || row.above_median === true)) {
      const detail = 'a medal or above median without a valid submission';
      found.push({ row: row.competition_id, rule: 'order', detail });
    }
  }
  for (const [name, counted] of Object.entries(reportTotals(rows))) {
    const value = stated[name as keyof ReportTotals];
    if (value === undefined || value === counted) continue;
    found.push({ row: name, rule: 'totals', detail: `the rows make ${counted}, the report states ${value}` });
  }
  return found;
}
