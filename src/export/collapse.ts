import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { collapseSequence } from '../tables/expanded-rows.js';
import { readShard } from '../tables/read-shard.js';
import { EXPANDED_TABLE } from '../tables/specs/expanded.js';
import { RL_TABLE } from '../tables/specs/rl.js';
import { WINDOWS_TABLE } from '../tables/specs/windows.js';
import type { ExpandedRow, WindowRow } from '../tables/table-specs.js';
import { EXPANDED_PARTS } from './expanded.js';
import type { ExportSink, WrittenFile } from './export-sink.js';
import { writeWholeFolder } from './whole-folder.js';

export interface CollapsedSplit {
  readonly split: string;
  /** rows of `rl` and of `windows` */
  readonly sequences: number;
  readonly windows: number;
}

export interface CollapseReport {
  readonly out: string;
  readonly splits: readonly CollapsedSplit[];
  readonly files: readonly WrittenFile[];
}

interface SplitFiles {
  readonly expanded: readonly string[];
  readonly withoutTokens: readonly string[];
}

/**
 * Gives back the stored form of an export of expanded windows: in the folder of each split `rl-00000.parquet` and
 * `windows-00000.parquet`, with the columns of these tables. Throws TrajmillError: E_USAGE where `dir` is no such export
 * or `out` is not empty, E_VERIFY where rows are missing or do not continue one another.
 */
export async function collapseExport({ dir, out }: { dir: string; out: string }): Promise<CollapseReport> {
  const found = await splitsIn(dir);
  if (found.size === 0) {
    throw new TrajmillError('E_USAGE', 'no export of expanded windows: no part-00000.parquet in a split', {
      place: dir,
    });
  }
  return writeWholeFolder(out, async (root) => {
    const splits: CollapsedSplit[] = [];
    for (const [split, files] of found) splits.push(await collapseSplit(root.folder(split), split, files));
    return { out, splits, files: [...root.files] };
  });
}

/** The folders of an export that hold expanded windows, in order of their names. */
async function splitsIn(dir: string): Promise<Map<string, SplitFiles>> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((cause) => {
    const absent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const message = absent ? 'there is no such folder' : 'cannot be read as a folder';
    throw new TrajmillError('E_USAGE', message, { place: dir, cause });
  });
  const found = new Map<string, SplitFiles>();
  for (const name of entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()) {
    const files = (await readdir(join(dir, name))).sort();
    const partsOf = (part: string): string[] =>
      files
        .filter((file) => new RegExp(`^${part}-\\d+\\.parquet$`).test(file))
        .map((file) => join(dir, name, file));
    const expanded = partsOf(EXPANDED_PARTS.expanded);
    if (expanded.length > 0) {
      found.set(name, { expanded, withoutTokens: partsOf(EXPANDED_PARTS.withoutTokens) });
    }
  }
  return found;
}

async function collapseSplit(sink: ExportSink, split: string, files: SplitFiles): Promise<CollapsedSplit> {
  const rl = sink.parquetParts(RL_TABLE, { name: 'rl' });
  const windows = sink.parquetParts(WINDOWS_TABLE, { name: 'windows' });
  const size = { split, sequences: 0, windows: 0 };
  const append = async (rows: readonly WindowRow[]): Promise<void> => {
    for (const row of rows) await windows.append(row);
    size.windows += rows.length;
  };
  for await (const rows of sequencesOf(files.expanded)) {
    const sequence = collapseSequence(rows);
    await rl.append(sequence.rl);
    await append(sequence.windows);
    size.sequences++;
  }
  for (const path of files.withoutTokens) {
    for await (const row of readShard(path, WINDOWS_TABLE)) await append([row as WindowRow]);
  }
  await rl.close();
  await windows.close();
  return size;
}

/** The rows of one sequence stand together. */
async function* sequencesOf(paths: readonly string[]): AsyncGenerator<ExpandedRow[]> {
  let rows: ExpandedRow[] = [];
  for (const path of paths) {
    for await (const each of readShard(path, EXPANDED_TABLE)) {
      const row = each as ExpandedRow;
      if (rows.length > 0 && rows[0]?.sequence_id !== row.sequence_id) {
        yield rows;
        rows = [];
      }
      rows.push(row);
    }
  }
  if (rows.length > 0) yield rows;
}
