import type { TaskRecord } from '../../grading/task-record.js';
import type { DecisionRow } from '../../pipeline/decisions.js';
import type { CorpusManifest } from '../../tables/manifest.js';

/** A committed corpus as SQL sees it. Plain data: it is handed to the process that asks DuckDB. */
export interface QueryCorpus {
  /** corpus folder, absolute */
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  /** rejects.jsonl of the run, absolute; null where the corpus lies without its run */
  readonly rejects: string | null;
  /** decisions of the whole corpus, with the task of the plan that each belongs to */
  readonly decisions: readonly (DecisionRow & { readonly task: number })[];
  readonly tasks: readonly TaskRecord[];
}
