import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { describeWithShared, sharedDir, sharedFile } from '../shared.js';
import { fingerprint, temporaryFolder, trajmill } from './child-run.js';

const LOG = 'logs/claude_code_session_jsonl/v2.0.42_thinking.jsonl';

/** Lines of the log up to which the first session goes; the second goes on from there. */
const FORK = 120;

interface Log {
  readonly flags: readonly string[];
  readonly detail: string | null;
  trained: number;
}

interface Corpus {
  readonly out: string;
  /** by the name of the log; `trained` counts the trained tokens of its rows */
  readonly logs: Readonly<Record<string, Log>>;
  /** trained tokens of all rows */
  readonly trained: number;
  readonly stdout: string;
}

/** The log as its older versions went on with a session: a file of its own, every line under the new name. */
function renamed(lines: readonly string[], session: string): string {
  return lines
    .map((line) => `${line.replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${session}"`)}\n`)
    .join('');
}

async function corpusOf(
  files: Readonly<Record<string, string>>,
  options: { workers?: string } = {},
): Promise<Corpus> {
  const home = temporaryFolder();
  mkdirSync(join(home, 'logs'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, 'logs', name), text);
  const pipeline = join(home, 'pipeline.yaml');
  writeFileSync(
    pipeline,
    `version: 1\ninputs: [{ globs: ['logs/*'] }]\nselection: { rules: [whole] }\nshard_bytes: 1\n`,
  );
  const out = join(home, 'run');
  const run = await trajmill(['run', pipeline, '--out', out, '--workers', options.workers ?? '1']);
  expect(run.code, run.stderr).toBe(0);
  const { corpus, manifest } = await readManifest(out);
  const logs: Record<string, Log> = {};
  const trained: Record<string, number> = {};
  for (const { table, path } of manifest.files) {
    if (table === 'sft') {
      for await (const row of readShard(join(corpus, path), TABLES.sft)) {
        trained[row.source_path] = (trained[row.source_path] ?? 0) + row.n_trained;
      }
    }
    if (table !== 'trajectories') continue;
    for await (const row of readShard(join(corpus, path), TABLES.trajectories)) {
      logs[row.source_path] = { flags: row.flags, detail: row.detail, trained: 0 };
    }
  }
  for (const [name, log] of Object.entries(logs)) log.trained = trained[name] ?? 0;
  const sum = Object.values(trained).reduce((all, own) => all + own, 0);
  return { out, logs, trained: sum, stdout: run.stdout };
}

describeWithShared('a session that was begun as a copy of another one', () => {
  const lines = sharedDir === null ? [] : readFileSync(sharedFile(LOG), 'utf8').trimEnd().split('\n');
  const whole = renamed(lines, 'child');
  let corpus: Promise<Corpus> | null = null;
  const alone = (): Promise<Corpus> => {
    corpus ??= corpusOf({ 'child.jsonl': whole });
    return corpus;
  };

  it('trains each reply once, in the log that selection keeps, whichever comes first', async () => {
    const before = await alone();
    expect(before.trained).toBeGreaterThan(0);
    // the first session was cut off in a call: the rule leaves it out, and the second holds all of it
    const parent = renamed(lines.slice(0, FORK), 'parent');
    for (const [first, second] of [
      ['a.jsonl', 'b.jsonl'],
      ['b.jsonl', 'a.jsonl'],
    ] as const) {
      const both = await corpusOf({ [first]: parent, [second]: whole });
      expect(both.trained).toBe(before.trained);
      expect(both.logs[second]?.flags).not.toContain('repeated_replies');
    }
  });

  it('has what it began with as its condition alone where the other one is kept, and counts it', async () => {
    const before = await alone();
    // another session that goes on from the same beginning and ends well
    const [last = ''] = lines.slice(-1);
    const reply = JSON.parse(last) as { message: { content: object[] } };
    reply.message.content = [{ type: 'text', text: 'Something else was said at the end.' }];
    const ended = renamed([...lines.slice(0, -1), JSON.stringify(reply)], 'other');
    const both = await corpusOf({ 'a.jsonl': whole, 'b.jsonl': ended });
    expect(both.logs['a.jsonl']?.trained).toBe(before.trained);
    expect(both.logs['a.jsonl']?.flags).not.toContain('repeated_replies');
    expect(both.logs['b.jsonl']?.flags).toContain('repeated_replies');
    expect(both.logs['b.jsonl']?.trained).toBeGreaterThan(0);
    expect(both.logs['b.jsonl']?.trained).toBeLessThan(before.trained / 10);
    expect(both.logs['b.jsonl']?.detail).toMatch(/^\d+ of its replies .* the first in (.*\/)?a\.jsonl$/);
    expect(both.stdout).toMatch(/ replies not trained: they stand in another log too/);
    const verified = await trajmill(['verify', both.out]);
    expect(verified.code, verified.stderr).toBe(0);
    const parallel = await corpusOf({ 'a.jsonl': whole, 'b.jsonl': ended }, { workers: '2' });
    expect(fingerprint(parallel.out)).toEqual(fingerprint(both.out));
  });
});
