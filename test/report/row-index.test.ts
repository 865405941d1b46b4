import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputsOfTrajectory, rowsNamed, rowsOfTrajectory } from '../../src/report/explain/stored-rows.js';
import { RowIndex } from '../../src/report/row-index.js';
import { tableRows } from '../../src/report/table-rows.js';
import { type CorpusManifest, readManifest } from '../../src/tables/manifest.js';
import { temporaryFolder } from '../pipeline/child-run.js';
import { sftRow, writeCorpus } from '../tables/corpus.js';
import { makeCorpus } from './query/corpus.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the rows of a trajectory, found by an index', () => {
  let of: { corpus: string; manifest: CorpusManifest; rejects: null };
  let ids: string[] = [];
  let index: RowIndex;
  beforeAll(async () => {
    of = { ...(await readManifest(await makeCorpus(home))), rejects: null };
    index = await RowIndex.open(of.corpus, of.manifest);
    const found = new Set<string>();
    for await (const row of tableRows({ ...of, table: 'trajectories', columns: ['trajectory_id'] })) {
      found.add(row.trajectory_id);
    }
    ids = [...found];
  });

  it('are those that reading all tables finds', async () => {
    expect(ids.length).toBeGreaterThan(10);
    for (const id of ids) {
      expect(await rowsOfTrajectory(of, id, index)).toEqual(await rowsOfTrajectory(of, id));
      expect(await inputsOfTrajectory(of, { id, index })).toEqual((await rowsNamed(of, id)).trajectories);
    }
  });

  it('are found in whichever row group they stand', async () => {
    const dir = join(home, 'groups');
    const sft = ['a', 'b', 'a'].map((id, k) => sftRow({ trajectory_id: id, row_id: `r${k}` }));
    const [file] = await writeCorpus(dir, { sft });
    const own = await RowIndex.open(dir, (await readManifest(dir)).manifest);
    const found = await own.sft('a');
    expect(file?.row_groups).toBe(3);
    expect([...own.groupsOf('sft', 'b', file?.path ?? '')]).toEqual([1]);
    expect(found.map(({ row_id }) => row_id)).toEqual(['r0', 'r2']);
  });

  it('are read from their own shards alone', async () => {
    const shards = of.manifest.files.filter(({ table, rows }) => table === 'windows' && rows > 0);
    expect(shards.length).toBeGreaterThan(1);
    const holding = ids.map(
      (id) => shards.filter(({ path }) => index.groupsOf('windows', id, path).size > 0).length,
    );
    expect(Math.max(...holding)).toBe(1);
    const [torn] = shards;
    const foreign = ids.find((id) => index.groupsOf('windows', id, torn?.path ?? '').size === 0) ?? '';
    const whole = await rowsOfTrajectory(of, foreign, index);
    const path = join(of.corpus, torn?.path ?? '');
    rmSync(path);
    expect(await rowsOfTrajectory(of, foreign, index)).toEqual(whole);
    await expect(rowsOfTrajectory(of, foreign)).rejects.toThrow();
  });
});
