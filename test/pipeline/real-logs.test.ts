import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Reject } from '../../src/logs/reject.js';
import { readPlan } from '../../src/pipeline/plan.js';
import { runFolder } from '../../src/pipeline/run-folder.js';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { readManifest } from '../../src/tables/manifest.js';
import { type ReadRow, readShard } from '../../src/tables/read-shard.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { repository, temporaryFolder, trajmill } from './child-run.js';

/** Scores as a report would show them. */
const short = (score: number | null): number | null => (score === null ? null : Number(score.toFixed(4)));

describeWithShared('mle-sft over the real logs', () => {
  const out = join(temporaryFolder(), 'real');
  let summary: RunSummary;

  async function rowsOf<N extends TableName>(table: N): Promise<ReadRow<(typeof TABLES)[N]>[]> {
    const { corpus, manifest } = await readManifest(out);
    const rows: ReadRow<(typeof TABLES)[N]>[] = [];
    for (const file of manifest.files) {
      if (file.table !== table) continue;
      for await (const row of readShard(join(corpus, file.path), TABLES[table])) rows.push(row);
    }
    return rows;
  }

  function readRejects(): Reject[] {
    const lines = readFileSync(join(out, 'rejects.jsonl'), 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Reject);
  }

  beforeAll(async () => {
    const pipeline = join(repository, 'pipelines/mle-sft.yaml');
    const input = join(sharedFile('logs'), '**/*');
    const run = await trajmill(['run', pipeline, '--input', input, '--out', out, '--json']);
    expect(run.code, run.stderr).toBe(0);
    summary = JSON.parse(run.stdout) as RunSummary;
  }, 300_000);

  it('loses nothing', async () => {
    const { read, kept, filtered, rejected, duplicates } = summary;
    expect(read).toBe(kept + filtered + rejected + duplicates);
    expect(rejected).toBe(readRejects().length);
    // rejects of a later stage have a row as well
    const decided = (await rowsOf('trajectories')).filter(({ decision }) => decision !== 'rejected');
    expect(decided).toHaveLength(kept + filtered + duplicates);
  });

  it('accounts for every input file', async () => {
    const seen = new Set((await rowsOf('trajectories')).map(({ source_path: path }) => path));
    for (const { source } of readRejects()) seen.add(source);
    const inputs = readPlan(runFolder(out))?.body.inputs.map(({ path }) => path) ?? [];
    expect(inputs.length).toBeGreaterThan(100);
    const silent = inputs.filter((path) => !seen.has(path));
    expect(silent).toHaveLength(summary.sidecars);
    expect([...seen].filter((path) => !inputs.includes(path))).toEqual([]);
  });

  it('recognises the formats that are there', () => {
    expect(Object.keys(summary.by_format)).toEqual(
      expect.arrayContaining([
        'aide-journal',
        'atif',
        'mini-swe-agent',
        'mle-dojo',
        'openai-messages',
        'swe-agent',
      ]),
    );
    expect(summary.rejected_by_code).toMatchObject({ empty_file: 1, lfs_pointer: 1 });
    expect(summary.rejected_by_code['internal'] ?? 0).toBe(0);
  });

  it('keeps one row of the MLE-Dojo run, by its best submission', async () => {
    const rows = (await rowsOf('sft')).filter((row) => row.source_format === 'mle-dojo');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      task_id: 'random-acts-of-pizza',
      rules: ['best'],
      score_scale: 'test',
      medal: 'none',
      cut_turns: 0,
    });
    expect(short(rows[0]?.anchor_score ?? null)).toBe(0.6226);
    const windows = (await rowsOf('windows')).filter((row) => row.source_format === 'mle-dojo');
    const scored = windows.filter(({ score }) => score !== null);
    expect(scored.map(({ score, trend, reward }) => [short(score), trend, reward])).toEqual([
      [0.5564, null, -0.4],
      [0.5988, 'rose', -0.2],
      [0.6226, 'rose', -0.2],
    ]);
  });

  it('grades no window of AIDE, whose scores a model read out of the output', async () => {
    const windows = (await rowsOf('windows')).filter((row) => row.source_format === 'aide-journal');
    const scored = windows.filter(({ score }) => score !== null);
    expect(scored.length).toBeGreaterThan(0);
    for (const { outcome, score_scale: scale, reward, medal } of scored) {
      expect({ outcome, scale, reward, medal }).toEqual({
        outcome: 'ungraded',
        scale: 'self_reported',
        reward: null,
        medal: null,
      });
    }
  });

  it('names the window of the parent node of every node of a search tree', async () => {
    const windows = await rowsOf('windows');
    const keyOf = (row: { source_path: string; trajectory_id: string }, execution: string | null): string =>
      JSON.stringify([row.source_path, row.trajectory_id, execution]);
    const windowOf = new Map(windows.map((row) => [keyOf(row, row.execution_id), row.window_id]));
    const parentOf = new Map(
      (await rowsOf('executions')).map((row) => [
        keyOf(row, row.execution_id),
        windowOf.get(keyOf(row, row.parent_execution)) ?? null,
      ]),
    );
    const named = windows.filter(({ parent_window }) => parent_window !== null);
    expect(named.length).toBeGreaterThan(10);
    expect(new Set(named.map(({ source_format }) => source_format))).toContain('aide-journal');
    expect(windows.map(({ window_id, parent_window }) => [window_id, parent_window])).toEqual(
      windows.map((row) => [row.window_id, parentOf.get(keyOf(row, row.execution_id)) ?? null]),
    );
  });

  it('passes verify', async () => {
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
