import { rename } from 'node:fs/promises';
import { holdScratch, releaseScratch } from '../logs/scratch.js';
import { openShardWriter, type ShardOptions } from '../tables/shard-writer.js';
import type { RowOf, TableSpec } from '../tables/table-spec.js';

/**
 * Writes rows as one Parquet file, which is in its place when it is whole: what lay there stays until then. The folder
 * must exist. Throws TrajmillError E_IO where the file cannot be written.
 */
export async function writeWholeTable<S extends TableSpec>(
  options: ShardOptions<S>,
  rows: Iterable<RowOf<S>>,
): Promise<void> {
  const unfinished = `${options.path}.${process.pid}.tmp`;
  holdScratch(unfinished);
  try {
    const writer = await openShardWriter({ ...options, path: unfinished });
    try {
      for (const row of rows) await writer.append(row);
      await writer.close();
      await rename(unfinished, options.path);
    } catch (error) {
      await writer.abort();
      throw error;
    }
  } finally {
    releaseScratch(unfinished);
  }
}
