import { ascending, nearestRank } from '../../../report/stats/intervals.js';

/** The ends of an axis of scores, and how many lie beyond them. */
export interface ScoreAxis {
  readonly low: number;
  readonly high: number;
  readonly beyond: number;
}

/** How many spreads of the middle half a score may lie outside of it, before the axis leaves it out. */
const FENCE = 6;

/**
 * An axis for scores and thresholds. A few wild scores, as a diverged loss, would leave nothing to see of the others:
 * they are drawn at the edge and counted.
 */
export function scoreAxis(scores: readonly number[], thresholds: readonly number[]): ScoreAxis {
  const sorted = ascending(scores);
  const q1 = nearestRank(sorted, 0.25) ?? 0;
  const q3 = nearestRank(sorted, 0.75) ?? 0;
  const fence = FENCE * (q3 - q1);
  const inside = fence === 0 ? sorted : sorted.filter((score) => score >= q1 - fence && score <= q3 + fence);
  const shown = [...inside, ...thresholds];
  const low = shown.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = shown.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const room = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
  return {
    low: low - room,
    high: high + room,
    beyond: sorted.filter((score) => score < low || score > high).length,
  };
}

interface SpreadOptions {
  readonly values: readonly number[];
  /** the least distance between two of them */
  readonly gap: number;
}

/** The values, moved apart where they are closer than a gap, in their order: places for their labels. */
export function spreadValues({ values, gap }: SpreadOptions): number[] {
  const order = values.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
  const places = order.map(({ value }) => value);
  // two passes: up, then the whole back by half of what it grew
  for (let k = 1; k < places.length; k++) {
    places[k] = Math.max(places[k] ?? 0, (places[k - 1] ?? 0) + gap);
  }
  const grown = (places.at(-1) ?? 0) - (order.at(-1)?.value ?? 0);
  const result = [...values];
  order.forEach(({ i }, k) => {
    result[i] = (places[k] ?? 0) - grown / 2;
  });
  return result;
}
