import type { TaskRecord } from '../../grading/task-record.js';
import { readManifest } from '../../tables/manifest.js';
import { tableRows } from '../table-rows.js';
import type { CorpusFacts } from './facts.js';
import { FACT_COLUMNS, FactsBuilder, tasksByName } from './facts-builder.js';

/**
 * The facts of a committed corpus, given its folder or its run folder. One row group of a few columns is in memory at
 * a time, beside the facts. Throws TrajmillError E_UNCOMMITTED where there is no corpus.
 */
export async function readCorpusFacts(dir: string, tasks: readonly TaskRecord[]): Promise<CorpusFacts> {
  const { corpus, manifest } = await readManifest(dir);
  const builder = new FactsBuilder();
  const rowsOf = <T extends keyof typeof FACT_COLUMNS>(table: T) =>
    tableRows({ corpus, manifest, table, columns: FACT_COLUMNS[table] });
  for await (const row of rowsOf('executions')) builder.execution(row);
  for await (const row of rowsOf('windows')) builder.window(row);
  for await (const row of rowsOf('sft')) builder.prefix(row);
  for await (const row of rowsOf('trajectories')) builder.trajectory(row);
  return builder.build({ rejects: manifest.rejects, tasks: tasksByName(tasks) });
}
