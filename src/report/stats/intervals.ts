import { estimate } from '../../grading/aggregate.js';
import { nearestRankOf } from '../../grading/nearest-rank.js';
import type { Figure, FigurePlace } from './figure.js';

export type Interval = readonly [number, number];

const Z = 1.959963984540054;

/**
 * Wilson's 95% interval of a share, 0 to 1. `successes` may be a sum of halves (ties). Null for no observation.
 */
export function wilson95(successes: number, n: number): Interval | null {
  if (n === 0) return null;
  const share = successes / n;
  const z2 = Z * Z;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  // at the ends the two terms cancel exactly but for rounding
  const low = successes === 0 ? 0 : Math.max(0, centre - half);
  const high = successes === n ? 1 : Math.min(1, centre + half);
  return [low, high];
}

/**
 * Distribution-free 95% interval of a quantile: the r-th and the s-th of the sorted values, where the number of values
 * below the quantile, a binomial count, lies in [r, s) with at least 95% probability, half of the rest on each side.
 * Null where the values are too few for it, as below six for a median.
 */
export function orderInterval95(sorted: readonly number[], q: number): Interval | null {
  const n = sorted.length;
  let r = 0;
  let s = n + 1;
  let below = 0;
  for (let k = 0; k < n; k++) {
    below += binomial(n, k, q);
    // below is P(count <= k)
    if (below <= 0.025) r = k + 1;
    if (below >= 0.975) {
      s = k + 1;
      break;
    }
  }
  const low = sorted[r - 1];
  const high = sorted[s - 1];
  return low === undefined || high === undefined ? null : [low, high];
}

/** P(count = k) among n draws of probability p. */
function binomial(n: number, k: number, p: number): number {
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

const logFactorials: number[] = [0];

function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i++) {
    logFactorials.push((logFactorials[i - 1] ?? 0) + Math.log(i));
  }
  return logFactorials[n] ?? 0;
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** The median: the middle value, or the mean of the two in the middle. Null for none. */
export function median(sorted: readonly number[]): number | null {
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return null;
  const lower = sorted[(sorted.length - 1) >> 1] ?? upper;
  return (lower + upper) / 2;
}

/** Nearest-rank quantile: the smallest value such that a share q of all is no greater. Null for none. */
export function nearestRank(sorted: readonly number[], q: number): number | null {
  return sorted[nearestRankOf(q, sorted.length) - 1] ?? null;
}

/** Numbers in ascending order, in a list of their own: sums over it do not depend on the order of arrival. */
export function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** A share with Wilson's interval. */
export function shareFigure(place: FigurePlace, successes: number, n: number): Figure {
  const [low, high] = wilson95(successes, n) ?? [null, null];
  return { ...place, value: n === 0 ? null : successes / n, low, high, n, interval: 'wilson' };
}

/** A mean with Student's t interval; without one below two values. */
export function meanFigure(place: FigurePlace, values: readonly number[]): Figure {
  const { n, mean, ci95 } = estimate(ascending(values));
  return { ...place, value: mean, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null, n, interval: 't' };
}

/** A quantile with its order interval: the median for .5, else by nearest rank. */
export function quantileFigure(place: FigurePlace, values: readonly number[], q: number): Figure {
  const sorted = ascending(values);
  const [low, high] = orderInterval95(sorted, q) ?? [null, null];
  const value = q === 0.5 ? median(sorted) : nearestRank(sorted, q);
  return { ...place, value, low, high, n: sorted.length, interval: 'order' };
}

/** A number that has no interval: an extreme, a count, a sum. */
export function plainFigure(place: FigurePlace, value: number | null, n: number): Figure {
  return { ...place, value, low: null, high: null, n, interval: 'none' };
}

/**
 * A ratio of two sums over independent rows, each given as [part, whole], with Student's t interval of the linearised
 * ratio: rows vary, their tokens do not do so on their own.
 */
export function ratioFigure(place: FigurePlace, rows: readonly (readonly [number, number])[]): Figure {
  const sumOf = (values: readonly number[]): number =>
    ascending(values).reduce((sum, value) => sum + value, 0);
  const whole = sumOf(rows.map(([, of]) => of));
  if (whole === 0) return { ...place, value: null, low: null, high: null, n: rows.length, interval: 't' };
  const ratio = sumOf(rows.map(([part]) => part)) / whole;
  // a residual in units of the mean whole, so that its standard error is that of the ratio
  const scale = whole / rows.length;
  const { ci95 } = estimate(ascending(rows.map(([part, of]) => ratio + (part - ratio * of) / scale)));
  const [low, high] = ci95 === null ? [null, null] : [Math.max(0, ci95[0]), Math.min(1, ci95[1])];
  return { ...place, value: ratio, low, high, n: rows.length, interval: 't' };
}
