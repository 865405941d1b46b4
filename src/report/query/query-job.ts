import type { QueryCorpus } from './query-corpus.js';

/** `page` is for people: the first rows as short texts, with the number of those behind them. */
export const QUERY_FORMATS = ['page', 'csv', 'json', 'parquet'] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

/** A value that is bound to `$name`; numbers without a fraction are bound as whole ones. */
export type ParameterValue = string | number | boolean | null;
export type QueryParameters = Readonly<Record<string, ParameterValue>>;

export interface QueryLimits {
  /** wall seconds until the statement is stopped; the process that runs it ends two seconds later at the latest */
  readonly seconds: number;
  /** MiB that DuckDB may take; the whole process may take half a GiB more */
  readonly memory: number;
  readonly threads: number;
  /** rows of a page */
  readonly rows: number;
}

/** One question to a corpus. Plain data. */
export interface QueryJob {
  readonly source: QueryCorpus;
  readonly sql: string;
  readonly parameters: QueryParameters;
  readonly format: QueryFormat;
  /** for `parquet` alone: absolute path of a file that does not exist yet */
  readonly out: string | null;
  readonly limits: QueryLimits;
}

/** How a question ended. */
export type QueryOutcome =
  | { readonly kind: 'done'; readonly rows: number }
  /** a mistake in the SQL or its parameters */
  | { readonly kind: 'mistake'; readonly message: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'memory' }
  /** the files of the corpus could not be read */
  | { readonly kind: 'unreadable'; readonly message: string }
  /** the disk failed, or was full, while the answer was made */
  | { readonly kind: 'disk'; readonly message: string };
