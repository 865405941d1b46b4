import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { cli, temporaryFolder } from './harness.js';

const KEY_ID = 'AKIAQ7ZZ0PLM4KXVB2TD';
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A folder with three chats (one holds a key, one is another's duplicate), a broken line and a pipeline. */
function project(): string {
  const folder = temporaryFolder();
  const chat = (question: string, answer: string) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ],
    });
  const lines = [
    chat(`use ${KEY_ID}`, `I use ${KEY_ID}.`),
    chat('hello', 'hi'),
    chat('hello', 'hi'),
    '{"messages": [oops',
  ];
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'logs', 'chats.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(
    join(folder, 'whole.yaml'),
    "version: 1\ninputs:\n  - globs: ['logs/*.jsonl']\nselection:\n  rules: [whole]\n",
  );
  return folder;
}

function start(argv: readonly string[], cwd: string, options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...argv], { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, err })));
}

describe('run', () => {
  it('plans, runs, commits; JSON on stdout, text on stderr, no secret in any table', async () => {
    const cwd = project();
    const { code, out, err } = await cli(['run', 'whole.yaml', '--out', 'out', '--json', '--workers', '1'], {
      cwd,
    });
    expect(err).toContain('Trajectories');
    expect(code).toBe(0);
    const summary = JSON.parse(out) as RunSummary;
    expect(summary).toMatchObject({ read: 4, kept: 2, filtered: 0, rejected: 1, duplicates: 1 });
    expect(summary.secrets_by_kind).toEqual({ 'aws-key-id': 1 });
    expect(summary.seconds).toBeGreaterThan(0);

    const shard = summary.files.find(({ path }) => path.includes('/sft/'));
    const messages: string[] = [];
    for await (const row of readShard(join(cwd, 'out', shard?.path ?? ''), TABLES.sft)) {
      messages.push(row.messages);
    }
    expect(messages.join()).not.toContain(KEY_ID);
    expect(messages.join()).toContain('[masked-aws-key-id-1]');
    for (const name of ['rejects.jsonl', 'summary.json', 'plan.json']) {
      expect(readFileSync(join(cwd, 'out', name), 'utf8')).not.toContain(KEY_ID);
    }

    const verified = await cli(['verify', 'out'], { cwd });
    expect(verified).toMatchObject({ code: 0, err: '' });
    const status = await cli(['status', 'out', '--json'], { cwd });
    expect(JSON.parse(status.out)).toMatchObject({ completed: 1, owed: [], committed: true });
    const again = await cli(['commit', 'out', '--json'], { cwd });
    expect(JSON.parse(again.out)).toMatchObject({ read: 4, kept: 2 });

    const path = join(cwd, 'out', shard?.path ?? '');
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const damaged = await cli(['verify', 'out', '--json'], { cwd });
    expect(damaged.code).toBe(65);
    expect(damaged.err).toContain('failed: sums');
    expect(JSON.parse(damaged.out)).toMatchObject({ ok: false });
  });

  it('does a share, says what is owed, and the last share commits', async () => {
    const cwd = project();
    const argv = ['run', 'whole.yaml', '--out', 'out'];
    const second = await cli([...argv, '--shard', '1/2'], { cwd });
    expect(second.code).toBe(0);
    expect(second.err).toContain('trajmill commit out');
    expect(existsSync(join(cwd, 'out/corpus/manifest.json'))).toBe(false);
    expect((await cli(['commit', 'out'], { cwd })).code).toBe(2);

    const first = await cli(argv, { cwd, env: { SLURM_ARRAY_TASK_ID: '0', SLURM_ARRAY_TASK_COUNT: '2' } });
    expect(first.code).toBe(0);
    expect(first.out).toContain('4 read = 2 kept');
  });

  it.each(['tokenizer', 'template'])(
    'says of a %s by its name at the hub where it could come from',
    async (key) => {
      const cwd = project();
      const pipeline = readFileSync(join(cwd, 'whole.yaml'), 'utf8');
      writeFileSync(join(cwd, 'named.yaml'), `${pipeline}${key}: owner/no-such-model\n`);
      const { code, err } = await cli(['run', 'named.yaml', '--out', 'out'], { cwd });
      expect(code).toBe(2);
      expect(err).toBe(
        `trajmill: ${key}: 'owner/no-such-model' is neither in ${cwd} nor a model in the local Hugging Face cache: ` +
          'give a path, or let it be downloaded with --allow-download\n',
      );
    },
  );

  it('ends with 75 when it is interrupted', async () => {
    const { code, err } = await cli(['run', 'whole.yaml', '--out', 'out'], {
      cwd: project(),
      signal: AbortSignal.abort(),
    });
    expect(code).toBe(75);
    expect(err).toContain('--resume');
  });
});

describe('plan', () => {
  it('freezes and says what it found, twice the same', async () => {
    const cwd = project();
    const argv = ['plan', 'whole.yaml', '--out', 'out', '--json'];
    const first = await cli(argv, { cwd });
    expect(JSON.parse(first.out)).toMatchObject({ files: 1, tasks: 1 });
    expect((await cli(argv, { cwd })).out).toBe(first.out);
    expect((await cli(['status', 'out'], { cwd })).out).toContain('owed       0');
  });

  it('heeds an interrupt while it reads the inputs, and writes nothing', async () => {
    const cwd = project();
    const { code, err } = await cli(['plan', 'whole.yaml', '--out', 'out'], {
      cwd,
      signal: AbortSignal.abort(),
    });
    expect(code).toBe(75);
    expect(err).toMatch(/^trajmill: interrupted [^\n]*\n$/);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});

describe('the built command', () => {
  it('ends with the exit code of the fault', async () => {
    const { code, err } = await ended(start(['run', 'x.yaml', '--wrokers', '1'], dirname(MAIN)));
    expect(code).toBe(2);
    expect(err).toContain('--workers');
  });

  it('ends quietly when nobody reads on', async () => {
    const child = start(['formats'], dirname(MAIN));
    child.stdout?.destroy();
    expect(await ended(child)).toEqual({ code: 0, err: '' });
  });

  it('ends in order on the first signal, and resumes', async () => {
    const cwd = project();
    const argv = ['run', 'whole.yaml', '--out', 'out'];
    const child = start(argv, cwd);
    const result = ended(child);
    while (!existsSync(join(cwd, 'out/plan.json'))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGTERM');
    const { code, err } = await result;
    expect(err).toContain('SIGTERM');
    expect(code).toBe(75);
    expect(existsSync(join(cwd, 'out/corpus/manifest.json'))).toBe(false);

    const resumed = await cli([...argv, '--resume'], { cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.out).toContain('4 read = 2 kept');
  });

  it('that only reads ends at the first signal with 75, and leaves nothing of the log behind', async () => {
    const cwd = temporaryFolder();
    // standard input that never ends stands for a command that would read on for long
    const child = start(['inspect', '-'], cwd, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: cwd },
    });
    const result = ended(child);
    child.stdin?.write('{"messages": [');
    const scratch = (): string[] => readdirSync(cwd).filter((name) => name.startsWith('trajmill-'));
    while (scratch().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    expect(await result).toEqual({ code: 75, err: '\ntrajmill: interrupted by SIGINT\n' });
    expect(scratch()).toEqual([]);
  });
});
