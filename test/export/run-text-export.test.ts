import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../cli/harness.js';
import { newFolder } from './corpus.js';

const PIPELINE = fileURLToPath(new URL('../interop/exports/pipeline.yaml', import.meta.url));

let run = '';
beforeAll(async () => {
  run = join(newFolder(), 'run');
  const { code, err } = await cli(['run', PIPELINE, '--out', run, '--workers', '1']);
  expect(code, err).toBe(0);
}, 60_000);

interface Report {
  readonly splits: readonly { readonly trained: number; readonly counts: Readonly<Record<string, number>> }[];
}

async function exportTo(name: string, dir = run) {
  const out = join(newFolder(), name);
  const { code, out: text, err } = await cli(['export', dir, '--to', name, '--out', out, '--json']);
  expect(code, err).toBe(0);
  const readme = readFileSync(join(out, 'README.md'), 'utf8');
  return { report: JSON.parse(text) as Report, readme, err };
}

const COUNTS = ['both', 'our_mask_alone', 'the_trainer_alone'].map((name) => `tokens_trained_by_${name}`);

describe('an export of messages from a run', () => {
  it('says in tokens what the trainer trains otherwise', async () => {
    const { report, readme } = await exportTo('trl-messages');
    for (const { trained, counts } of report.splits) {
      const [both = 0, ours = 0, theirs = 0] = COUNTS.map((name) => counts[name]);
      expect(both + ours).toBe(trained);
      expect(ours).toBe(0);
      // a newline behind every trained turn, and every token of the turns that the mask leaves out
      expect(theirs).toBeGreaterThan(counts['turns_trained_by_our_mask'] ?? 0);
      expect(readme).toContain(`| tokens trained by the trainer alone | ${theirs} |`);
      expect(counts['rows_not_counted_in_tokens']).toBe(0);
    }
    expect(readme).toContain('newline after the stop token');
  });

  it('finds no difference for a trainer that trains what the policy of the rows does', async () => {
    const { report, readme } = await exportTo('tinker');
    for (const { trained, counts } of report.splits) {
      expect(COUNTS.map((name) => counts[name])).toEqual([trained, 0, 0]);
    }
    expect(readme).toContain('it trains the tokens of our mask');
  });

  it('counts in turns, and says why, where the corpus has left its run', async () => {
    const alone = join(newFolder(), 'corpus');
    cpSync(join(run, 'corpus'), alone, { recursive: true });
    const { report, readme, err } = await exportTo('trl-messages', alone);
    expect(report.splits[0]?.counts).not.toHaveProperty('tokens_trained_by_both');
    expect(readme).toContain('Counted in turns, not in tokens');
    expect(err).toContain('there is no plan beside the corpus');
  });
});
