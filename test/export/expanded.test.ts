import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { EXPANDED_TABLE } from '../../src/tables/specs/expanded.js';
import type { AnyRow, TableSpec } from '../../src/tables/table-spec.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';
import { cli } from '../cli/harness.js';
import { repository, temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { windowRow } from '../tables/corpus.js';
import { exported, newFolder, RL_ROWS, WINDOW_ROWS, writeSplits } from './corpus.js';

async function rowsIn(spec: TableSpec, paths: readonly string[]): Promise<AnyRow[]> {
  const rows: AnyRow[] = [];
  for (const path of paths) for await (const row of readShard(path, spec)) rows.push(row);
  return rows;
}

const byKey = (spec: TableSpec, rows: readonly AnyRow[]): ReadonlyMap<unknown, AnyRow> =>
  new Map(rows.map((row) => [row[spec.key ?? ''], row]));

/** Exports every split, collapses it, and compares both tables value by value; gives the numbers of rows. */
async function roundTrip(dir: string): Promise<{ rl: number; windows: number; expanded: number }> {
  const home = newFolder();
  const expanded = join(home, 'expanded');
  const stored = join(home, 'stored');
  const exporting = await cli(['export', dir, '--to', 'expanded', '--offline-policy', '--out', expanded]);
  expect(exporting.code, exporting.err).toBe(0);
  const collapsing = await cli(['collapse', expanded, '--out', stored]);
  expect(collapsing.code, collapsing.err).toBe(0);
  const { corpus, manifest } = await readManifest(dir);
  const counts = { rl: 0, windows: 0, expanded: 0 };
  for (const split of new Set(manifest.files.map((file) => file.split))) {
    const inTable = (table: TableName) => (file: (typeof manifest.files)[number]) =>
      file.table === table && file.split === split;
    const trained = new Map<unknown, number>();
    if (!existsSync(join(expanded, split))) continue;
    for (const table of ['rl', 'windows'] as const) {
      const spec: TableSpec = TABLES[table];
      const paths = manifest.files.filter(inTable(table)).map(({ path }) => join(corpus, path));
      const before = await rowsIn(spec, paths);
      const after = await rowsIn(spec, [join(stored, split, `${table}-00000.parquet`)]);
      expect(after).toHaveLength(before.length);
      expect(byKey(spec, after)).toEqual(byKey(spec, before));
      counts[table] += before.length;
      if (table === 'rl') {
        for (const row of before) {
          trained.set(
            row['sequence_id'],
            (row['loss_mask'] as Int8Array).reduce((a, b) => a + b, 0),
          );
        }
      }
    }
    const rows = await rowsIn(EXPANDED_TABLE, [join(expanded, split, 'part-00000.parquet')]);
    counts.expanded += rows.length;
    for (const row of rows) {
      const left =
        (trained.get(row['sequence_id']) ?? 0) - (row['loss_mask'] as Int8Array).reduce((a, b) => a + b, 0);
      trained.set(row['sequence_id'], left);
    }
    expect([...trained.values()].filter((left) => left !== 0)).toEqual([]);
  }
  return counts;
}

describe('an export of expanded windows', () => {
  it('leads back to the stored form, windows without reward and without tokens among them', async () => {
    const lone = windowRow({
      window_id: 'sub',
      sequence_id: null,
      token_start: null,
      token_end: null,
      n_trained: 0,
    });
    const dir = await writeSplits({ train: { rl: RL_ROWS, windows: [...WINDOW_ROWS, lone] } });
    expect(await roundTrip(dir)).toEqual({ rl: 2, windows: 5, expanded: 4 });
  });

  it('asks for the same consent as the others', async () => {
    const rl = RL_ROWS.map((row) => ({ ...row, policy_data: 'offline' as const, rollout_log_probs: null }));
    const dir = await writeSplits({ train: { rl, windows: WINDOW_ROWS } });
    await expect(exported(dir, 'expanded')).rejects.toMatchObject({ code: 'E_USAGE' });
    const { path } = await exported(dir, 'expanded', { offlinePolicy: true });
    const rows = await rowsIn(EXPANDED_TABLE, [path('train', 'part-00000.parquet')]);
    expect(new Set(rows.map((row) => row['is_correction']))).toEqual(new Set(['none']));
  });

  it('ends where windows name a sequence that is not there', async () => {
    const dir = await writeSplits({ train: { rl: RL_ROWS.slice(0, 1), windows: WINDOW_ROWS } });
    await expect(exported(dir, 'expanded')).rejects.toMatchObject({ code: 'E_VERIFY' });
  });

  it('is refused by collapse where it is none, or has lost a file', async () => {
    const none = await cli(['collapse', newFolder(), '--out', join(newFolder(), 'x')]);
    expect([none.code, none.err.includes('no export of expanded windows')]).toEqual([2, true]);
    const dir = await writeSplits({ train: { rl: RL_ROWS, windows: WINDOW_ROWS } });
    const { path } = await exported(dir, 'expanded');
    rmSync(path('train', 'part-00000.parquet'));
    expect((await cli(['collapse', path(), '--out', join(newFolder(), 'x')])).code).toBe(2);
  });
});

describe('the sample logs', () => {
  const out = join(temporaryFolder(), 'run');
  beforeAll(async () => {
    const pipeline = writePipeline(
      temporaryFolder(),
      (text) => `${text.trimEnd()}\ntables: [sft, rl, windows, expanded, executions, trajectories]\n`,
    );
    const run = await trajmill(['run', pipeline, '--out', out, '--workers', '1']);
    expect(run.code, run.stderr).toBe(0);
  });

  it('expand and collapse without a difference', async () => {
    const counts = await roundTrip(out);
    expect(counts.windows).toBeGreaterThan(counts.rl);
    expect(counts.rl).toBeGreaterThan(5);
  });

  it('give the table expanded where the pipeline names it, and verify compares it with the others', async () => {
    const { manifest } = await readManifest(out);
    expect(manifest.totals.expanded?.rows).toBe(manifest.totals.windows?.rows);
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
  });
});

describeWithShared('the real logs', () => {
  it('expand and collapse without a difference', async () => {
    const out = join(temporaryFolder(), 'real');
    const pipeline = join(repository, 'pipelines/wirl-windows.yaml');
    const input = join(sharedFile('logs'), '**/*');
    const run = await trajmill(['run', pipeline, '--input', input, '--out', out]);
    expect(run.code, run.stderr).toBe(0);
    const counts = await roundTrip(out);
    expect(counts.windows).toBeGreaterThan(20);
  }, 300_000);
});
