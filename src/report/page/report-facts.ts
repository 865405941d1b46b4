import type { Reject } from '../../logs/reject.js';
import type { SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';
import type { CorpusFacts } from '../stats/facts.js';
import { FACT_COLUMNS } from '../stats/facts-builder.js';
import type { Figure } from '../stats/figure.js';

/** Columns that the page needs beyond those of the statistics. */
export const PAGE_COLUMNS = {
  trajectories: [
    ...FACT_COLUMNS.trajectories,
    'source_path',
    'source_format',
    'adapter_version',
    'detail',
    'duplicate_of',
    'n_turns',
  ],
  sft: [
    ...FACT_COLUMNS.sft,
    'task_id',
    'scaffold',
    'model',
    'split',
    'mask_policy',
    'proofs',
    'ids_differ_because',
  ],
  windows: [...FACT_COLUMNS.windows, 'token_start', 'token_end', 'n_trained'],
} as const satisfies {
  trajectories: readonly (keyof TrajectoryRow)[];
  sft: readonly (keyof SftRow)[];
  windows: readonly (keyof WindowRow)[];
};

export type TrajectoryDetail = Pick<TrajectoryRow, (typeof PAGE_COLUMNS.trajectories)[number]>;

type Lineage = 'trajectory_id' | 'source_path' | 'task_id' | 'scaffold' | 'model';

/** A row of `sft`, without what it says. */
export type RowDetail = Pick<
  SftRow,
  Lineage | 'n_tokens' | 'n_trained' | 'split' | 'mask_policy' | 'proofs' | 'ids_differ_because'
>;

/** How long a window is that lies in a sequence. */
export type LengthDetail = Pick<SftRow, Lineage | 'n_tokens' | 'n_trained'>;

/** The facts of the statistics, and what the page shows beside them. */
export interface ReportFacts {
  readonly facts: CorpusFacts;
  readonly trajectories: readonly TrajectoryDetail[];
  readonly rows: readonly RowDetail[];
  readonly lengths: readonly LengthDetail[];
  /** of the policy that sampled the tokens: these need the tokens, so they are computed where those are read */
  readonly policy: readonly Figure[];
  /** the first of them; null where the corpus lies without its rejects.jsonl */
  readonly rejects: readonly Reject[] | null;
}
