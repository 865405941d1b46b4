import type { CorpusManifest } from '../../tables/manifest.js';
import { tableRows } from '../table-rows.js';
import { STORED_COLUMNS, type StoredRun, StoredRuns } from './stored-run.js';

/** The runs of a corpus, without tokens and texts; memory grows with executions and windows. */
export async function readStoredRuns(corpus: string, manifest: CorpusManifest): Promise<StoredRun[]> {
  const runs = new StoredRuns();
  const rowsOf = <T extends keyof typeof STORED_COLUMNS>(table: T) =>
    tableRows({ corpus, manifest, table, columns: STORED_COLUMNS[table] });
  for await (const row of rowsOf('trajectories')) runs.trajectory(row);
  for await (const row of rowsOf('executions')) runs.execution(row);
  for await (const row of rowsOf('windows')) runs.window(row);
  for await (const row of rowsOf('sft')) runs.prefix(row);
  return runs.runs();
}
