import type {
  ExecutionFact,
  PrefixFact,
  RunFact,
  TrajectoryFact,
  WindowFact,
} from '../../report/stats/facts.js';
import type { Figure } from '../../report/stats/figure.js';

/**
 * Values of one column of a table: as they are; each as a place in a list of the different ones; or one that stands in
 * every row.
 */
export type PackedColumn =
  | readonly unknown[]
  | { readonly of: readonly unknown[]; readonly at: readonly number[] }
  | { readonly all: unknown };

/** Rows of a table, column by column. */
export interface PackedTable {
  readonly n: number;
  readonly columns: Readonly<Record<string, PackedColumn>>;
}

/** Where rows come from; tables refer to it by its place. */
export type Origin = Pick<RunFact, 'trajectory_id' | 'source_path' | 'task_id' | 'scaffold' | 'model'>;

interface OfOrigin {
  readonly origin: number;
}

type Own<T> = Omit<T, keyof Origin>;

/** A row of `trajectories`. */
export interface TrajectoryRecord extends OfOrigin, Own<TrajectoryFact> {
  readonly source_format: string;
  readonly adapter_version: string;
  readonly detail: string | null;
  readonly duplicate_of: string | null;
  readonly n_turns: number;
}

/** An execution, or a window, of the run at that place. */
export type ExecutionRecord = Omit<ExecutionFact, 'execution_id'> & { readonly run: number };
export type WindowRecord = WindowFact & { readonly run: number };
export type PrefixRecord = OfOrigin & Own<PrefixFact>;

/** A row of `sft`, without what it says. */
export interface RowRecord extends OfOrigin {
  readonly n_tokens: number;
  readonly n_trained: number;
  readonly split: string;
  readonly mask_policy: string;
  readonly proofs: readonly string[];
  readonly ids_differ_because: readonly string[];
}

/** The tokens of a window that lies in a sequence. */
export interface LengthRecord extends OfOrigin {
  readonly n_tokens: number;
  readonly n_trained: number;
}

export interface RejectRecord {
  readonly source: string;
  /** 1-based; null for a whole file */
  readonly line: number | null;
  readonly stage: string;
  readonly code: string;
  readonly message: string;
  readonly format: string | null;
  readonly trajectory_id: string | null;
  readonly task_id: string | null;
  readonly scaffold: string | null;
  readonly model: string | null;
}

/** What each table of the page holds. */
export interface ReportTables {
  readonly origins: Origin;
  readonly trajectories: TrajectoryRecord;
  readonly runs: OfOrigin;
  readonly executions: ExecutionRecord;
  readonly windows: WindowRecord;
  readonly prefixes: PrefixRecord;
  readonly rows: RowRecord;
  readonly lengths: LengthRecord;
  readonly rejects: RejectRecord;
}

/** What the figures need of a task record. */
export interface ReportTask {
  /** every name that a row may hold */
  readonly names: readonly string[];
  readonly record: unknown;
}

export interface ReportFile {
  readonly path: string;
  readonly rows: number;
  readonly tokens: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** How a trajectory is opened: a link with `{id}` in it, or files beside the page, or a command alone. */
export interface ReportViewer {
  readonly pattern: string;
  /** the trajectories that the pattern leads to; null for all */
  readonly ids: readonly string[] | null;
}

export interface ReportData {
  readonly tables: { readonly [Name in keyof ReportTables]: PackedTable };
  readonly tasks: readonly ReportTask[];
  /** rejected records by code */
  readonly rejects: Readonly<Record<string, number>>;
  /** rejected records that are counted; the table may hold fewer */
  readonly rejected: number;
  readonly lineage: readonly (readonly [string, string])[];
  readonly files: readonly ReportFile[];
  /** files that the manifest names; the list may hold fewer */
  readonly n_files: number;
  /** rows and tokens by table */
  readonly totals: readonly { readonly table: string; readonly rows: number; readonly tokens: number }[];
  readonly plan_id: string;
  /** of the policy that sampled the tokens; of the whole corpus, whatever is filtered */
  readonly policy: readonly Figure[];
  /** what reasons, reject codes and flags mean, by name */
  readonly meanings: Readonly<Record<string, string>>;
  readonly viewer: ReportViewer | null;
  /**
   * Where the tables hold a sample: how many trajectories there are, and the figures of all of them. Null where the
   * tables hold everything.
   */
  readonly sample: { readonly of: number; readonly figures: readonly Figure[] } | null;
}
