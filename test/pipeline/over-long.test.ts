import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { temporaryFolder, trajmill, writePipeline } from './child-run.js';

it.each([
  ['drop', 900, 'dropped'],
  ['cut-tail', 900, 'tail_cut'],
  ['shorten-observations', 3450, 'observations_shortened'],
  ['split', 900, 'context_cut'],
])(
  'rows that are too long are counted and can be proved from the shards: %s',
  async (over, limit, outcome) => {
    const home = temporaryFolder();
    const length = `length: { max_tokens: ${limit}, over: ${over} }\n`;
    const pipeline = writePipeline(home, (text) => `${text.trimEnd()}\n${length}`);
    const out = join(home, 'run');
    const run = await trajmill(['run', pipeline, '--out', out, '--workers', '1', '--json']);
    expect(run.code, run.stderr).toBe(0);
    const summary = JSON.parse(run.stdout) as RunSummary;
    expect(summary.read).toBe(summary.kept + summary.filtered + summary.rejected + summary.duplicates);
    expect(summary.over_long[outcome]).toBeGreaterThan(0);
    expect(readFileSync(join(out, 'plan.json'), 'utf8')).toContain(`"over":"${over}"`);
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
  },
);

interface WindowFigures {
  readonly summary: RunSummary;
  /** trained tokens by window */
  readonly trained: ReadonlyMap<string, number>;
  readonly cut: number;
  readonly longest: number;
}

async function windowsUnder(options: string): Promise<WindowFigures> {
  const home = temporaryFolder();
  const out = join(home, 'run');
  const pipeline = writePipeline(home, (text) => `${text.trimEnd()}\n${options}`);
  const run = await trajmill(['run', pipeline, '--out', out, '--workers', '1', '--json']);
  expect(run.code, run.stderr).toBe(0);
  const verified = await trajmill(['verify', out]);
  expect(verified.code, verified.stdout).toBe(0);
  const { corpus, manifest } = await readManifest(out);
  const trained = new Map<string, number>();
  let cut = 0;
  let longest = 0;
  for (const { table, path } of manifest.files) {
    if (table === 'windows') {
      for await (const row of readShard(join(corpus, path), TABLES.windows)) {
        if (row.sequence_id !== null) trained.set(row.window_id, row.n_trained);
        if (row.flags.includes('context_cut')) cut++;
      }
    }
    if (table !== 'rl') continue;
    for await (const row of readShard(join(corpus, path), TABLES.rl)) {
      longest = Math.max(longest, row.input_ids.length);
      if (row.flags.includes('context_cut')) expect(row.rollout_log_probs).toBe(null);
    }
  }
  return { summary: JSON.parse(run.stdout) as RunSummary, trained, cut, longest };
}

it('sequences that are too long are parted between windows, each window whole, the rest counted', async () => {
  const all = await windowsUnder('');
  const limit = 900;
  const length = `length: { max_tokens: ${limit}, over: split }\n`;
  const parted = await windowsUnder(length);
  const { windows_dropped: gone = 0, windows_context_cut: cut = 0 } = parted.summary.over_long;
  expect(parted.longest).toBeLessThanOrEqual(limit);
  expect(parted.cut).toBe(cut);
  expect(cut).toBeGreaterThan(0);
  expect(parted.trained.size + gone).toBe(all.trained.size);
  for (const [id, trained] of parted.trained) expect(trained).toBe(all.trained.get(id));

  const dropped = await windowsUnder(`${length}windows: { over_long: drop }\n`);
  expect(dropped.cut).toBe(0);
  expect(dropped.longest).toBeLessThanOrEqual(limit);
  expect(dropped.trained.size).toBeLessThan(parted.trained.size);
  expect(dropped.trained.size + (dropped.summary.over_long['windows_dropped'] ?? 0)).toBe(all.trained.size);

  const kept = await windowsUnder(`${length}windows: { over_long: keep }\n`);
  expect([kept.longest, kept.trained]).toEqual([all.longest, all.trained]);
});
