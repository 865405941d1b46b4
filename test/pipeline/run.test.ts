import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { executeRun } from '../../src/pipeline/execute-run.js';
import { fingerprint, repository, temporaryFolder, trajmill, writePipeline } from './child-run.js';

const home = temporaryFolder();
const golden = join(home, 'golden');
let pipeline = '';
let expected: Record<string, string> = {};
let summary: Record<string, unknown> = {};

beforeAll(async () => {
  pipeline = writePipeline(home);
  const run = await trajmill(['run', pipeline, '--out', golden, '--workers', '2', '--json']);
  expect(run.code).toBe(0);
  summary = JSON.parse(run.stdout) as Record<string, unknown>;
  expected = fingerprint(golden);
});

describe('a run', () => {
  it('accounts for every trajectory', () => {
    const { read, kept, filtered, rejected, duplicates } = summary as Record<string, number>;
    expect(read).toBe((kept ?? 0) + (filtered ?? 0) + (rejected ?? 0) + (duplicates ?? 0));
    const rejects = readFileSync(join(golden, 'rejects.jsonl'), 'utf8').trim().split('\n');
    expect(rejects).toHaveLength(rejected ?? -1);
    const facts = JSON.parse(readFileSync(join(repository, 'data/samples/expected.json'), 'utf8')) as {
      files: { trajectories: unknown[] }[];
    };
    const known = facts.files.reduce((sum, file) => sum + file.trajectories.length, 0);
    // every trajectory of the sample session, and the torn line that is none
    expect(read).toBe(known + 1);
  });

  it('is one of several tasks and leaves no staging behind', () => {
    expect(readdirSync(join(golden, 'completions')).length).toBeGreaterThan(3);
    expect(existsSync(join(golden, 'staging'))).toBe(false);
  });

  it('writes no absolute path and no secret of the logs anywhere', () => {
    const canaries = ['AKIA', 'hf_00'];
    const visit = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) visit(path);
        else if (entry.name !== 'location.json') {
          const text = readFileSync(path).toString('latin1');
          for (const canary of canaries) expect(text.includes(canary), `${canary} in ${path}`).toBe(false);
          if (!path.endsWith('summary.json')) expect(text.includes(repository), path).toBe(false);
        }
      }
    };
    visit(golden);
  });

  it.each([1, 3])('gives the same bytes with %i workers', async (workers) => {
    const out = join(home, `workers-${workers}`);
    const run = await trajmill(['run', pipeline, '--out', out, '--workers', String(workers)]);
    expect(run.code).toBe(0);
    expect(fingerprint(out)).toEqual(expected);
  });

  it('gives the same bytes in shards, whose number may change on the way', async () => {
    const out = join(home, 'shards');
    for (const shard of ['2/3', '0/2', '1/2']) {
      const run = await trajmill(['run', pipeline, '--out', out, '--shard', shard]);
      expect(run.code, run.stderr).toBe(0);
    }
    expect(fingerprint(out)).toEqual(expected);
  });

  it('committed again gives the same', async () => {
    const again = await trajmill(['commit', golden, '--json']);
    expect(again.code).toBe(0);
    expect(fingerprint(golden)).toEqual(expected);
  });
});

describe('killed without warning', () => {
  it.each([
    'after-plan:1',
    'survey-task:1',
    'after-decide:1',
    'build-trajectory:2',
    'before-completion:1',
    'after-completion:1',
    'commit-link:3',
    'before-manifest:1',
    'after-manifest:1',
  ])('at %s and resumed, it equals the run that was left alone', async (fault) => {
    const out = join(home, `fault-${fault.replace(':', '-')}`);
    const killed = await trajmill(['run', pipeline, '--out', out, '--workers', '1'], {
      TRAJMILL_FAULT: fault,
    });
    expect(killed.signal).toBe('SIGKILL');
    const hasManifest = existsSync(join(out, 'corpus', 'manifest.json'));
    expect(hasManifest).toBe(fault.startsWith('after-manifest'));
    const resumed = await trajmill(['run', pipeline, '--out', out, '--workers', '2', '--resume']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(fingerprint(out)).toEqual(expected);
    expect(existsSync(join(out, 'staging'))).toBe(false);
  });
});

describe('resume', () => {
  it('refuses another plan with exit code 2 and says what to do', async () => {
    const out = join(home, 'other-plan');
    expect((await trajmill(['plan', pipeline, '--out', out])).code).toBe(0);
    const changed = join(home, 'changed.yaml');
    writeFileSync(changed, readFileSync(pipeline, 'utf8').replace('threshold: 0.05', 'threshold: 0.5'));
    const run = await trajmill(['run', changed, '--out', out, '--resume']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--out');
  });

  it('does a task again whose part was damaged', async () => {
    const out = join(home, 'damaged');
    await trajmill(['plan', pipeline, '--out', out]);
    await trajmill(['run', pipeline, '--out', out, '--shard', '0/2']);
    const staging = join(out, 'staging');
    const attempt = readdirSync(staging)[0] ?? '';
    const part = readdirSync(join(staging, attempt)).find((name) => name.endsWith('.parquet')) ?? '';
    const path = join(staging, attempt, part);
    const bytes = readFileSync(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const run = await trajmill(['run', pipeline, '--out', out, '--resume']);
    expect(run.code, run.stderr).toBe(0);
    expect(fingerprint(out)).toEqual(expected);
  });

  it('refuses inputs that changed since they were planned, and commits nothing of them', async () => {
    const logs = join(home, 'logs');
    mkdirSync(logs);
    const log = join(logs, 'a.jsonl');
    copyFileSync(join(repository, 'data/samples/logs/openai-messages/rollouts-1.jsonl'), log);
    const out = join(home, 'changed-input');
    const args = [pipeline, '--input', `${logs}/*`, '--out', out];
    expect((await trajmill(['plan', ...args])).code).toBe(0);
    writeFileSync(log, `${readFileSync(log, 'utf8')}\n`);
    // planned anew it is another plan, which the folder refuses before anything is read
    expect((await trajmill(['run', ...args, '--resume'])).code).toBe(2);
    // under the old plan the file is not what was planned: a fault of the machine, exit code 74
    const fault = await executeRun({
      outDir: out,
      resume: true,
      workers: 1,
      signal: new AbortController().signal,
    }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'E_INPUT_CHANGED', exitCode: 74 });
    const commit = await trajmill(['commit', out]);
    expect(commit.code).toBe(2);
    expect(commit.stderr).toContain('owed');
  });
});

describe('a folder among its own inputs', () => {
  it('is not read by a second run', async () => {
    const logs = temporaryFolder();
    copyFileSync(
      join(repository, 'data/samples/logs/openai-messages/rollouts-1.jsonl'),
      join(logs, 'a.jsonl'),
    );
    const args = ['run', pipeline, '--input', `${logs}/**/*`, '--out', join(logs, 'out')];
    expect((await trajmill(args)).code).toBe(0);
    const again = await trajmill(args);
    expect(again.code, again.stderr).toBe(0);
  });

  it('names a format that does not exist, with those that do', async () => {
    const wrong = writePipeline(temporaryFolder(), (text) => text.replace('atif:', 'atiff:'));
    const run = await trajmill(['plan', wrong, '--out', join(home, 'wrong-format')]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("unknown format 'atiff'");
  });
});

describe('limits', () => {
  it('end a run with exit code 65 and commit nothing', async () => {
    const strict = writePipeline(temporaryFolder(), (text) => `${text}limits: { max_rejected: 1 }\n`);
    const out = join(home, 'strict');
    const run = await trajmill(['run', strict, '--out', out]);
    expect(run.code).toBe(65);
    expect(run.stderr).toContain(`${String(summary['rejected'])} of ${String(summary['read'])}`);
    expect(existsSync(join(out, 'corpus', 'manifest.json'))).toBe(false);
  });
});
