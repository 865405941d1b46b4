import { TrajmillError } from '../errors.js';
import type { StoredSequence } from '../tables/expanded-rows.js';
import { readShard } from '../tables/read-shard.js';
import { RL_TABLE } from '../tables/specs/rl.js';
import { WINDOWS_TABLE } from '../tables/specs/windows.js';
import type { RlRow, WindowRow } from '../tables/table-specs.js';
import type { RlShard } from './rl-sources.js';

/** Sequences with all their windows, exported or not, every column as it is stored. */
export async function* storedSequences(shards: readonly RlShard[]): AsyncGenerator<StoredSequence> {
  for (const { rl, windows } of shards) {
    const bySequence = new Map<string, WindowRow[]>();
    for await (const row of allWindows(windows)) {
      if (row.sequence_id === null) continue;
      const own = bySequence.get(row.sequence_id) ?? [];
      own.push(row);
      bySequence.set(row.sequence_id, own);
    }
    for await (const row of readShard(rl, RL_TABLE)) {
      const own = bySequence.get(row.sequence_id) ?? [];
      bySequence.delete(row.sequence_id);
      yield { rl: row as RlRow, windows: own };
    }
    const [orphan] = bySequence.keys();
    if (orphan === undefined) continue;
    throw new TrajmillError('E_VERIFY', `windows name the sequence ${orphan}, which is not there`, {
      place: rl,
    });
  }
}

/** Windows that have no tokens: those of sub-agents. */
export async function* windowsWithoutTokens(paths: readonly string[]): AsyncGenerator<WindowRow> {
  for await (const row of allWindows(paths)) if (row.sequence_id === null) yield row;
}

async function* allWindows(paths: readonly string[]): AsyncGenerator<WindowRow> {
  for (const path of paths) {
    for await (const row of readShard(path, WINDOWS_TABLE)) yield row as WindowRow;
  }
}
