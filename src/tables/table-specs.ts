import { EXECUTIONS_TABLE } from './specs/executions.js';
import { EXPANDED_TABLE } from './specs/expanded.js';
import { RL_TABLE } from './specs/rl.js';
import { SFT_TABLE } from './specs/sft.js';
import { TRAJECTORIES_TABLE } from './specs/trajectories.js';
import { WINDOWS_TABLE } from './specs/windows.js';
import type { NewRowOf, RowOf } from './table-spec.js';

/** Version of the column lists: names may grow, never change. Stands in the footer of every shard. */
export const SCHEMA_VERSION = 1;

/** Every table of a corpus, in the order in which docs and manifests list them. */
export const TABLES = {
  sft: SFT_TABLE,
  rl: RL_TABLE,
  windows: WINDOWS_TABLE,
  expanded: EXPANDED_TABLE,
  executions: EXECUTIONS_TABLE,
  trajectories: TRAJECTORIES_TABLE,
} as const;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = [
  'sft',
  'rl',
  'windows',
  'expanded',
  'executions',
  'trajectories',
] as const satisfies readonly TableName[];

/** The tables that a pipeline writes where it names none: expanded rows repeat what rl and windows hold. */
export const DEFAULT_TABLES: readonly TableName[] = TABLE_NAMES.filter((name) => name !== 'expanded');

export type SftRow = RowOf<typeof SFT_TABLE>;
export type RlRow = RowOf<typeof RL_TABLE>;
export type WindowRow = RowOf<typeof WINDOWS_TABLE>;
export type ExpandedRow = RowOf<typeof EXPANDED_TABLE>;
export type ExecutionRow = RowOf<typeof EXECUTIONS_TABLE>;
export type TrajectoryRow = RowOf<typeof TRAJECTORIES_TABLE>;
export type TableRow<T extends TableName> = RowOf<(typeof TABLES)[T]>;
/** A row of a table to be written. */
export type NewTableRow<T extends TableName> = NewRowOf<(typeof TABLES)[T]>;
