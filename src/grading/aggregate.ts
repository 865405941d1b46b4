import type { GradedRow } from './report.js';

/** The six figures of MLE-bench, as shares of the runs. */
export const METRICS = ['valid_submission', 'above_median', 'bronze', 'silver', 'gold', 'any_medal'] as const;
export type Metric = (typeof METRICS)[number];

export type MedalCounts = Readonly<Record<Metric, number>> & { readonly n: number };

/** How many of the runs have each; tiers are exclusive, so that they add up to any_medal. */
export function countMedals(rows: readonly GradedRow[]): MedalCounts {
  const count = (test: (row: GradedRow) => boolean): number => rows.filter(test).length;
  return {
    n: rows.length,
    valid_submission: count((row) => row.valid_submission),
    above_median: count((row) => row.above_median),
    bronze: count((row) => row.medal === 'bronze'),
    silver: count((row) => row.medal === 'silver'),
    gold: count((row) => row.medal === 'gold'),
    any_medal: count((row) => row.any_medal),
  };
}

export interface Estimate {
  /** number of values */
  readonly n: number;
  readonly mean: number | null;
  /** standard error of the mean with ddof 1; null below two values */
  readonly sem: number | null;
  /** 95% interval of the mean by Student's t; null below two values */
  readonly ci95: readonly [number, number] | null;
}

/** Mean, standard error and 95% interval of one figure over seeds. */
export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  if (n === 0) return { n, mean: null, sem: null, ci95: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { n, mean, sem: null, ci95: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sem = Math.sqrt(squares / (n - 1) / n);
  const half = studentQuantile975(n - 1) * sem;
  return { n, mean, sem, ci95: [mean - half, mean + half] };
}

/** The six figures over seeds: one list of graded rows a seed, each a share of that seed's runs. */
export function overSeeds(seeds: readonly (readonly GradedRow[])[]): Record<Metric, Estimate> {
  const counts = seeds.filter((rows) => rows.length > 0).map(countMedals);
  const of = (metric: Metric): Estimate => estimate(counts.map((count) => count[metric] / count.n));
  return {
    valid_submission: of('valid_submission'),
    above_median: of('above_median'),
    bronze: of('bronze'),
    silver: of('silver'),
    gold: of('gold'),
    any_medal: of('any_medal'),
  };
}

/** 97.5% quantiles of Student's t for 1 to 30 degrees of freedom. */
const T975 = [
  12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814, 2.20099, 2.17881,
  2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596, 2.07961, 2.07387, 2.06866, 2.0639,
  2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227,
];

/** Beyond the table the Cornish-Fisher expansion is exact to 1e-5. */
export function studentQuantile975(degrees: number): number {
  const z = 1.959963984540054;
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  const expanded = terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
  return T975[degrees - 1] ?? expanded;
}
