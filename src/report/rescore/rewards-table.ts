import type { TableSpec } from '../../tables/table-spec.js';
import { OUTCOMES, TRENDS } from '../../windows/window.js';
import { writeWholeTable } from '../whole-table.js';
import type { RescoredWindow } from './rescore-windows.js';

/** Rewards of a corpus under other rules, to be joined to `windows` by window_id. It is no table of the corpus. */
export const REWARDS_TABLE = {
  name: 'rewards',
  doc: 'One execution window with its reward as stored and as it would be under other rules.',
  key: 'window_id',
  token_column: null,
  columns: [
    { name: 'window_id', type: 'string', nullable: false, doc: 'as in table windows' },
    { name: 'old_reward', type: 'float64', nullable: true, doc: 'as stored' },
    {
      name: 'new_reward',
      type: 'float64',
      nullable: true,
      doc: 'null where the outcome pays nothing, or where reproducible is false',
    },
    { name: 'old_outcome', type: 'string', nullable: false, values: OUTCOMES, doc: 'as stored' },
    { name: 'outcome', type: 'string', nullable: false, values: OUTCOMES, doc: 'under the new rules' },
    { name: 'trend', type: 'string', nullable: true, values: TRENDS, doc: 'under the new rules' },
    {
      name: 'reproducible',
      type: 'bool',
      nullable: false,
      doc: 'false where the tables do not tell in which order the scores of the run were observed',
    },
  ],
} as const satisfies TableSpec;

/** Writes the table as one Parquet file. */
export async function writeRewards(
  path: string,
  windows: readonly RescoredWindow[],
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  await writeWholeTable({ path, spec: REWARDS_TABLE, metadata }, windows);
}
