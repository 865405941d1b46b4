import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REWARDS_TABLE } from '../../src/report/rescore/rewards-table.js';
import { writeWholeTable } from '../../src/report/whole-table.js';
import { readShard } from '../../src/tables/read-shard.js';
import { temporaryFolder } from '../cli/harness.js';

const row = (window_id: string) => ({
  window_id,
  old_reward: 1,
  new_reward: null,
  old_outcome: 'gold' as const,
  outcome: 'ungraded' as const,
  trend: null,
  reproducible: true,
});

function* broken() {
  yield row('a');
  throw new Error('the rows broke off');
}

it('a table is in its place when it is whole; what lay there stays until then', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'rewards.parquet');
  writeFileSync(path, 'what lay there');
  const options = { path, spec: REWARDS_TABLE, metadata: {} };

  await expect(writeWholeTable(options, broken())).rejects.toThrow('the rows broke off');
  expect(readFileSync(path, 'utf8')).toBe('what lay there');
  expect(readdirSync(folder)).toEqual(['rewards.parquet']);

  await writeWholeTable(options, [row('a'), row('b')]);
  const ids: unknown[] = [];
  for await (const { window_id } of readShard(path, REWARDS_TABLE)) ids.push(window_id);
  expect(ids).toEqual(['a', 'b']);
  expect(readdirSync(folder)).toEqual(['rewards.parquet']);
});
