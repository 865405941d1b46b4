import { compareScores, MEDAL_RANK, medalOf } from '../grading/medals.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { SelectionFlag } from './flags.js';
import type { Degradation } from './options.js';

export interface Drop {
  /** in the unit, never negative */
  readonly amount: number;
  /** greater than the threshold */
  readonly cuts: boolean;
  /** how it was measured, as part of a sentence */
  readonly measure: string;
  readonly flags: readonly SelectionFlag[];
}

/** Two amounts count as equal up to this share of the larger, so that .95 to .90 is no more than .05. */
const EQUAL_WITHIN = 1e-9;

export function isGreater(a: number, b: number): boolean {
  return a - b > EQUAL_WITHIN * Math.max(Math.abs(a), Math.abs(b));
}

/**
 * The performance drop from the best score to a later one. `span` divides by |gold - median| of the task, where that
 * is unknown or zero by |best|, where that is zero by nothing. Null where tiers are asked for and medals are unknown.
 */
export function dropBetween(
  best: number,
  later: number,
  { task, degradation }: { task: TaskRecord; degradation: Degradation },
): Drop | null {
  const worse = compareScores(best, later, task.is_lower_better) > 0 ? Math.abs(best - later) : 0;
  const as = (amount: number, measure: string, flags: SelectionFlag[] = []): Drop => {
    return { amount, cuts: isGreater(amount, degradation.threshold), measure, flags };
  };
  switch (degradation.unit) {
    case 'absolute':
      return as(worse, 'score points');
    case 'tiers': {
      if (worse === 0) return as(0, 'medal tiers');
      const from = medalOf(best, task);
      const to = medalOf(later, task);
      if (from === null || to === null) return null;
      return as(Math.max(0, MEDAL_RANK[from] - MEDAL_RANK[to]), 'medal tiers');
    }
    case 'span': {
      const { gold = null, median = null } = task.thresholds ?? {};
      const span = gold === null || median === null ? 0 : Math.abs(gold - median);
      if (span > 0) return as(worse / span, `of the span ${short(span)} between gold and median`);
      if (best !== 0) return as(worse / Math.abs(best), 'of |best|', ['drop_relative']);
      return as(worse, 'score points', ['drop_absolute']);
    }
  }
}

/** A number for people: at most six significant digits. */
export function short(x: number): string {
  return String(Number(x.toPrecision(6)));
}
