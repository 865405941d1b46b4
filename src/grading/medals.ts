import type { Medal, TaskRecord, Thresholds } from './task-record.js';

/** The part of a task record that grading needs. */
export type Gradable = Pick<TaskRecord, 'is_lower_better' | 'thresholds'>;

/** Positive where `a` is the better score, negative where `b` is, 0 where they are equal. */
export function compareScores(a: number, b: number, isLowerBetter: boolean): number {
  if (a === b) return 0;
  return a < b === isLowerBetter ? 1 : -1;
}

/** Inclusive: the score equals the threshold or is better. */
export function reaches(score: number, threshold: number, isLowerBetter: boolean): boolean {
  return compareScores(score, threshold, isLowerBetter) >= 0;
}

/**
 * The medal of a score by the rules of MLE-bench: thresholds are inclusive, the best tier wins, and the score is
 * compared as it stands. Null where it cannot be known: no finite score, no thresholds, or an unknown threshold
 * that decides (gold unknown and silver reached, bronze unknown and silver missed).
 */
export function medalOf(score: number | null, record: Gradable): Medal | null {
  if (score === null || !Number.isFinite(score) || record.thresholds === null) return null;
  const { gold, silver, bronze } = record.thresholds;
  const lower = record.is_lower_better;
  if (bronze !== null && !reaches(score, bronze, lower)) return 'none';
  if (gold === null) return null;
  if (reaches(score, gold, lower)) return 'gold';
  if (silver === null) return null;
  if (reaches(score, silver, lower)) return 'silver';
  return bronze === null ? null : 'bronze';
}

/** Tiers as numbers, so that tiers can be compared and subtracted. */
export const MEDAL_RANK = { none: 0, bronze: 1, silver: 2, gold: 3 } as const satisfies Record<Medal, number>;

/** Bronze or better; null where the medal is unknown. */
export function isAnyMedal(medal: Medal | null): boolean | null {
  return medal === null ? null : medal !== 'none';
}

/** Strictly better than the median of the leaderboard; null where the median is unknown. A missing score is not. */
export function isAboveMedian(score: number | null, record: Gradable): boolean | null {
  const median = record.thresholds?.median ?? null;
  if (median === null) return null;
  return score !== null && compareScores(score, median, record.is_lower_better) > 0;
}

export interface MedalPositions {
  readonly gold: number;
  readonly silver: number;
  readonly bronze: number;
}

/** 1-based leaderboard positions of the last gold, silver and bronze medal among n teams (MLE-bench). */
export function medalPositions(n: number): MedalPositions {
  const share = (fraction: number): number => Math.max(1, Math.trunc(fraction * n));
  if (n < 100) return { gold: share(0.1), silver: share(0.2), bronze: share(0.4) };
  if (n < 250) return { gold: 10, silver: share(0.2), bronze: share(0.4) };
  const gold = 10 + Math.trunc(0.002 * n);
  if (n < 1000) return { gold, silver: 50, bronze: 100 };
  return { gold, silver: share(0.05), bronze: share(0.1) };
}

export interface LeaderboardThresholds {
  readonly n_teams: number;
  /** whether the first score is below the last */
  readonly is_lower_better: boolean;
  readonly positions: MedalPositions;
  readonly thresholds: Thresholds;
  /** every score is at least as good as the next: a leaderboard that is not sorted deserves no trust */
  readonly sorted: boolean;
}

/**
 * Direction, medal positions and thresholds of a leaderboard whose scores stand in rank order (MLE-bench).
 * Throws RangeError where a score is not finite or the list is empty.
 */
export function leaderboardThresholds(scores: readonly number[]): LeaderboardThresholds {
  const first = scores[0];
  const last = scores[scores.length - 1];
  if (first === undefined || last === undefined) throw new RangeError('leaderboard without scores');
  const bad = scores.findIndex((score) => !Number.isFinite(score));
  if (bad >= 0) throw new RangeError(`leaderboard score ${bad + 1} of ${scores.length} is not finite`);
  const lower = first < last;
  const positions = medalPositions(scores.length);
  const at = (position: number): number => scores[position - 1] ?? last;
  const sorted = scores.every((score, i) => compareScores(score, scores[i + 1] ?? score, lower) >= 0);
  return {
    n_teams: scores.length,
    is_lower_better: lower,
    positions,
    thresholds: {
      gold: at(positions.gold),
      silver: at(positions.silver),
      bronze: at(positions.bronze),
      median: medianOf(scores),
    },
    sorted,
  };
}

/** The middle score, or the mean of the two in the middle. */
function medianOf(scores: readonly number[]): number {
  const sorted = [...scores].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[(sorted.length >> 1) - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Python's round(x, 5) of a float: to the nearest decimal of the exact binary value, exact ties to even. toFixed
 * differs only on exact ties, and a double lies exactly between two fifth decimals only if it is an odd multiple
 * of 1/64. Only for metrics that this project computes: a score from a log is compared as it stands.
 */
export function round5(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const sixtyFourths = x * 64;
  if (!Number.isInteger(sixtyFourths) || sixtyFourths % 2 === 0) return Number(x.toFixed(5));
  const doubled = BigInt(Math.abs(sixtyFourths)) * 3125n;
  const below = doubled / 2n;
  const even = below % 2n === 0n ? below : below + 1n;
  return Math.sign(x) * Number(`${even}e-5`);
}
