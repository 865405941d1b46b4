import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { cli, temporaryFolder } from './harness.js';

const chat = (question: string): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: 'hi' },
    ],
  });
const CHATS = `${chat('a')}\n${chat('b')}\nnot json\n`;
const WHOLE = 'version: 1\nselection:\n  rules: [whole]\n';
const RUN = ['run', 'whole.yaml', '--input', '-', '--out', 'out', '--workers', '1', '--json'];

function project(pipeline = WHOLE): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'whole.yaml'), pipeline);
  return cwd;
}

function sumsOf(cwd: string): unknown {
  const { files } = JSON.parse(readFileSync(join(cwd, 'out/corpus/manifest.json'), 'utf8')) as {
    files: { sha256: string }[];
  };
  return files.map(({ sha256 }) => sha256);
}

describe('standard input of a run', () => {
  it('is kept in the run folder, closed to others, and is what the corpus says that it came from', async () => {
    const cwd = project();
    const { code, out, err } = await cli(RUN, { cwd, stdin: gzipSync(CHATS) });
    expect(err).not.toContain('trajmill:');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ read: 3, kept: 2, rejected: 1 });
    const kept = join(cwd, 'out/stdin/-');
    expect(readFileSync(kept)).toEqual(gzipSync(CHATS));
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const reject = JSON.parse(readFileSync(join(cwd, 'out/rejects.jsonl'), 'utf8')) as object;
    expect(reject).toMatchObject({ source: '-', line: 3, code: 'invalid_json' });
    expect(readdirSync(join(cwd, 'out')).filter((name) => name.startsWith('stdin'))).toEqual(['stdin']);
    expect((await cli(['verify', 'out'], { cwd })).code).toBe(0);
  });

  it('gives one plan for one content, wherever it runs, and another for another', async () => {
    const plan = async (stdin: string): Promise<string> => {
      const { out } = await cli(['plan', 'whole.yaml', '--input', '-', '--out', 'out', '--json'], {
        cwd: project(),
        stdin,
      });
      return (JSON.parse(out) as { plan_id: string }).plan_id;
    };
    expect(await plan(CHATS)).toBe(await plan(CHATS));
    expect(await plan(CHATS)).not.toBe(await plan(chat('c')));
  });

  it('is not asked for again by --resume and by a share, and they end with the same bytes', async () => {
    const alone = project();
    expect((await cli(RUN, { cwd: alone, stdin: CHATS })).code).toBe(0);
    for (const how of [['--resume'], ['--shard', '0/1']]) {
      const cwd = project();
      const planned = await cli(['plan', 'whole.yaml', '--input', '-', '--out', 'out'], {
        cwd,
        stdin: CHATS,
      });
      expect(planned.code).toBe(0);
      const { code, err } = await cli([...RUN, ...how], { cwd });
      expect(code, err).toBe(0);
      expect(sumsOf(cwd)).toEqual(sumsOf(alone));
    }
  });

  it('of another content is refused by a folder that holds a plan, whose own stays', async () => {
    const cwd = project();
    await cli(RUN, { cwd, stdin: CHATS });
    const { code, err } = await cli(RUN, { cwd, stdin: chat('c') });
    expect(code).toBe(2);
    expect(err).toContain('holds plan');
    expect(readFileSync(join(cwd, 'out/stdin/-'), 'utf8')).toBe(CHATS);
    expect(readdirSync(join(cwd, 'out')).filter((name) => name.startsWith('stdin'))).toEqual(['stdin']);
  });

  it('is read beside files, whose paths it does not change, and may be named in the pipeline file', async () => {
    const cwd = project(`${WHOLE}inputs:\n  - globs: [logs/*.jsonl, '-']\n    source: piped\n`);
    mkdirSync(join(cwd, 'logs'));
    writeFileSync(join(cwd, 'logs/c.jsonl'), `${chat('c')}\n`);
    const { out } = await cli(['run', 'whole.yaml', '--out', 'out', '--json'], { cwd, stdin: CHATS });
    expect((JSON.parse(out) as RunSummary).read).toBe(4);
    const { body } = JSON.parse(readFileSync(join(cwd, 'out/plan.json'), 'utf8')) as {
      body: { inputs: { path: string; stdin?: boolean; source: string }[]; companions: string[] };
    };
    expect(body.inputs.map(({ path, stdin, source }) => ({ path, stdin, source }))).toEqual([
      { path: '-', stdin: true, source: 'piped' },
      { path: 'c.jsonl', source: 'piped' },
    ]);
    expect(body.companions).toEqual([]);
  });

  it('without a byte is one reject', async () => {
    const cwd = project();
    const { out } = await cli(RUN, { cwd, stdin: '' });
    expect(JSON.parse(out)).toMatchObject({ read: 1, rejected: 1 });
  });

  it('that is interrupted ends with 75 and leaves nothing', async () => {
    const cwd = project();
    const { code } = await cli(RUN, { cwd, stdin: CHATS, signal: AbortSignal.abort() });
    expect(code).toBe(75);
    expect(readdirSync(join(cwd, 'out'))).toEqual([]);
  });

  it('may be the last of several words of --input', async () => {
    const cwd = project();
    writeFileSync(join(cwd, 'c.jsonl'), `${chat('c')}\n`);
    const argv = ['run', 'whole.yaml', '--out', 'out', '--json', '--input', 'c.jsonl', '-'];
    expect(JSON.parse((await cli(argv, { cwd, stdin: CHATS })).out)).toMatchObject({ read: 4 });
  });
});

describe('standard input of the commands that look', () => {
  it('is inspected, and shown as tokens', async () => {
    const inspected = await cli(['inspect', '-', '--json'], { stdin: CHATS });
    expect(inspected.code).toBe(0);
    expect(inspected.out).toContain('openai-messages');
    const shown = await cli(['tokens', '-'], { stdin: CHATS });
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('«hi<|im_end|>»');
    expect(existsSync('-')).toBe(false);
  });
});
