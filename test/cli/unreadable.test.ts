import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from './harness.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const NOBODY = 65534;
const CHAT = '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"hi"}]}\n';

/** A folder with a good log, and a pipeline; open to everyone, so that a child without rights can use it. */
function project(): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'logs'));
  writeFileSync(join(cwd, 'logs/good.jsonl'), CHAT);
  writeFileSync(join(cwd, 'whole.yaml'), 'version: 1\nselection:\n  rules: [whole]\n');
  chmodSync(cwd, 0o777);
  return cwd;
}

/** The built command as a user whom file permissions bind, which root is not. */
function unprivileged(argv: readonly string[], cwd: string) {
  const asRoot = process.getuid?.() === 0;
  const result = spawnSync(process.execPath, [MAIN, ...argv], {
    cwd,
    encoding: 'utf8',
    ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

function rejectsOf(cwd: string): unknown[] {
  const text = readFileSync(join(cwd, 'out/rejects.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

const RUN = ['run', 'whole.yaml', '--input', 'logs/**/*', '--out', 'out', '--json', '--workers', '1'];

describe.skipIf(process.platform === 'win32')('a file that cannot be read', () => {
  it('is one reject with its code, a warning, and costs no other file', () => {
    const cwd = project();
    writeFileSync(join(cwd, 'logs/closed.jsonl'), CHAT);
    chmodSync(join(cwd, 'logs/closed.jsonl'), 0);
    const { code, out, err } = unprivileged(RUN, cwd);
    expect(err).toContain(
      '1 of 2 files cannot be read and will be rejected; "closed.jsonl": permission denied',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ read: 2, kept: 1, rejected: 1 });
    expect(rejectsOf(cwd)).toEqual([
      expect.objectContaining({
        source: 'closed.jsonl',
        code: 'unreadable_file',
        message: 'permission denied',
        sha256: null,
      }),
    ]);
    // frozen: a run that goes on elsewhere, where the file is open, does not take it in by half
    chmodSync(join(cwd, 'logs/closed.jsonl'), 0o644);
    expect(unprivileged([...RUN, '--resume'], cwd)).toMatchObject({ code: 2 });
  });

  it('in a folder that may be listed but not entered is found all the same', () => {
    const cwd = project();
    mkdirSync(join(cwd, 'logs/half'));
    writeFileSync(join(cwd, 'logs/half/a.jsonl'), CHAT);
    chmodSync(join(cwd, 'logs/half'), 0o744);
    expect(unprivileged(RUN, cwd).code).toBe(0);
    expect(rejectsOf(cwd)).toEqual([expect.objectContaining({ source: 'half/a.jsonl' })]);
  });

  it('counts against the limit of rejects', () => {
    const cwd = project();
    writeFileSync(join(cwd, 'whole.yaml'), 'version: 1\nlimits: { max_rejected: 0 }\n');
    writeFileSync(join(cwd, 'logs/closed.jsonl'), CHAT);
    chmodSync(join(cwd, 'logs/closed.jsonl'), 0);
    expect(unprivileged(RUN, cwd).code).toBe(65);
  });

  it('and is the only one ends the run with 74', () => {
    const cwd = project();
    chmodSync(join(cwd, 'logs/good.jsonl'), 0);
    const { code, err } = unprivileged(RUN, cwd);
    expect(code).toBe(74);
    expect(err).toContain('none of 1 input files can be read; "good.jsonl": permission denied');
  });

  it.skipIf(process.platform !== 'linux')(
    'because the disk fails is told from one that is closed',
    async () => {
      const cwd = project();
      // the start of a process's memory is never mapped: reading it is an input/output error
      symlinkSync('/proc/self/mem', join(cwd, 'logs/broken.jsonl'));
      const inputs = ['logs/good.jsonl', 'logs/broken.jsonl'];
      const argv = ['run', 'whole.yaml', '--input', ...inputs, '--out', 'out', '--workers', '1'];
      expect((await cli(argv, { cwd })).code).toBe(0);
      expect(rejectsOf(cwd)).toEqual([
        expect.objectContaining({ source: 'broken.jsonl', message: 'the disk cannot read it' }),
      ]);
    },
  );

  it.skipIf(process.platform !== 'linux')('for its name is no UTF-8 is a reject too', async () => {
    const cwd = project();
    writeFileSync(Buffer.concat([Buffer.from(join(cwd, 'logs/bad')), Buffer.from([0xff])]), CHAT);
    expect((await cli(RUN, { cwd })).code).toBe(0);
    expect(rejectsOf(cwd)).toEqual([
      expect.objectContaining({ source: 'bad\ufffd', code: 'unreadable_file' }),
    ]);
  });
});

describe.skipIf(process.platform === 'win32')('a folder that cannot be listed', () => {
  it('ends the run with 74, for what it holds cannot be counted; ignored, it is passed over', () => {
    const cwd = project();
    mkdirSync(join(cwd, 'logs/closed'));
    writeFileSync(join(cwd, 'logs/closed/a.jsonl'), CHAT);
    chmodSync(join(cwd, 'logs/closed'), 0);
    const { code, err } = unprivileged(RUN, cwd);
    expect(code).toBe(74);
    expect(err).toContain(
      'logs/closed: cannot be listed: permission denied; leave it out with inputs[].ignore',
    );
    writeFileSync(
      join(cwd, 'whole.yaml'),
      "version: 1\ninputs:\n  - { globs: ['logs/**/*'], ignore: ['closed/**'] }\nselection:\n  rules: [whole]\n",
    );
    expect(unprivileged(['run', 'whole.yaml', '--out', 'out'], cwd)).toMatchObject({ code: 0 });
    chmodSync(join(cwd, 'logs/closed'), 0o755);
  });
});

describe('an input that vanished after it was planned', () => {
  it.each(['gone', 'a folder'])('ends the run with 74: %s', async (what) => {
    const cwd = project();
    writeFileSync(join(cwd, 'logs/b.jsonl'), CHAT);
    expect((await cli(['plan', 'whole.yaml', '--input', 'logs/*', '--out', 'out'], { cwd })).code).toBe(0);
    rmSync(join(cwd, 'logs/b.jsonl'));
    if (what === 'a folder') mkdirSync(join(cwd, 'logs/b.jsonl'));
    const { executeRun } = await import('../../src/pipeline/execute-run.js');
    const fault = await executeRun({
      outDir: join(cwd, 'out'),
      resume: true,
      workers: 1,
      signal: new AbortController().signal,
    }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'E_INPUT_CHANGED', exitCode: 74 });
  });
});
