import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { repository, temporaryFolder, trajmill, writePipeline } from './child-run.js';

const TASK = 'sample-seed-variety';
const LOG = 'seed-native-tree.jsonl';

/** What became of a log and of the same log without its answers, by the folder of each. */
async function decisionsOf(
  folders: { readonly whole: string; readonly bare: string },
  options: { workers: string; duplicates?: string },
): Promise<Record<string, [decision: string, detail: string | null]>> {
  const home = temporaryFolder();
  const log = readFileSync(join(repository, 'data/samples/logs/trajmill-native', TASK, LOG), 'utf8');
  const record = JSON.parse(log.split('\n')[0] ?? '') as Record<string, unknown>;
  const put = (name: string, value: object): void => {
    mkdirSync(join(home, 'logs', name, TASK), { recursive: true });
    writeFileSync(join(home, 'logs', name, TASK, LOG), `${JSON.stringify(value)}\n`);
  };
  put(folders.whole, record);
  put(folders.bare, { ...record, answers: [] });
  const pipeline = writePipeline(home, (text) =>
    text
      .replace(/globs: \[.*\]/, `globs: ['${home}/logs/**/*']`)
      .replace('shard_bytes: 60000', `shard_bytes: 1\nduplicates: ${options.duplicates ?? 'drop'}`),
  );
  const out = join(home, 'run');
  const run = await trajmill(['run', pipeline, '--out', out, '--workers', options.workers]);
  expect(run.code, run.stderr).toBe(0);
  const { corpus, manifest } = await readManifest(out);
  const found: Record<string, [string, string | null]> = {};
  for (const { table, path } of manifest.files) {
    if (table !== 'trajectories') continue;
    for await (const row of readShard(join(corpus, path), TABLES.trajectories)) {
      found[row.source_path.split('/').find((part) => /^[ab]$/.test(part)) ?? ''] = [
        row.decision,
        row.detail,
      ];
    }
  }
  return found;
}

it.each([
  ['comes second', { whole: 'b', bare: 'a' }, '1'],
  ['comes first', { whole: 'a', bare: 'b' }, '1'],
  ['comes second, on two workers', { whole: 'b', bare: 'a' }, '2'],
])('of equal runs the one whose log has the outcomes stays: it %s', async (_, folders, workers) => {
  const found = await decisionsOf(folders, { workers });
  expect(found[folders.whole]).toEqual(['kept', null]);
  expect(found[folders.bare]?.[0]).toBe('duplicate');
  expect(found[folders.bare]?.[1]).toMatch(
    new RegExp(
      `^the one of (.*/)?${folders.whole}/${TASK}/${LOG} stands: graded executions: [1-9]\\d* there, 0 here$`,
    ),
  );
});

it('the first in plan order stays where the pipeline asks for it, without outcomes and so without a row', async () => {
  const found = await decisionsOf({ whole: 'b', bare: 'a' }, { workers: '1', duplicates: 'drop-later' });
  expect([found['a']?.[0], found['b']?.[0]]).toEqual(['filtered', 'duplicate']);
});
