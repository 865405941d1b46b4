import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
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
