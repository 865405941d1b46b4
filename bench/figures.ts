/** One measured line of the table. */
export interface BenchRow {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** What a benchmark gives: figures for the top level of the JSON (ratios of one run), and the rows behind them. */
export interface BenchResult {
  readonly figures: Readonly<Record<string, number>>;
  readonly rows: readonly BenchRow[];
}

export type Benchmark = () => BenchResult | Promise<BenchResult>;
