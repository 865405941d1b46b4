import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, temporaryFolder, trajmill } from '../pipeline/child-run.js';
import { cli } from './harness.js';

const home = temporaryFolder();
const run = join(home, 'run');
afterAll(() => rmSync(home, { recursive: true, force: true }));

const page = (path: string): string => readFileSync(path, 'utf8');

beforeAll(async () => {
  const { code, stderr } = await trajmill(['run', 'pipelines/demo.yaml', '--out', run]);
  expect(code, stderr).toBe(0);
});

describe('report', () => {
  it('is written by a run beside its corpus, and again the same, byte by byte', async () => {
    const written = page(join(run, 'report.html'));
    const { code, err } = await cli(['report', 'run'], { cwd: home });
    expect([code, err]).toEqual([0, 'wrote run/report.html\n']);
    expect(page(join(run, 'report.html'))).toBe(written);
  });

  it('holds no path of the machine', () => {
    const text = page(join(run, 'report.html'));
    for (const path of [home, repository, process.execPath]) expect(text).not.toContain(path);
  });

  it('goes where --out says', async () => {
    const { code } = await cli(['report', 'run', '--out', 'elsewhere/demo.html'], { cwd: home });
    expect(code).toBe(0);
    expect(page(join(home, 'elsewhere/demo.html'))).toBe(page(join(run, 'report.html')));
  });

  it('of a corpus without its run says what it does not know, and lists no rejects', async () => {
    cpSync(join(run, 'corpus'), join(home, 'moved/corpus'), { recursive: true });
    const { code, err } = await cli(['report', 'moved/corpus'], { cwd: home });
    expect(code).toBe(0);
    expect(err).toContain('no plan beside the corpus');
    const text = page(join(home, 'moved/corpus/report.html'));
    expect(text).toContain('direction_contradicts_task');
    expect(text).not.toContain('Unterminated string');
  });

  it('names what is missing where nothing is committed', async () => {
    const { code, err } = await cli(['report', '.'], { cwd: home });
    expect(code).toBe(2);
    expect(err).toContain('the corpus is not committed');
  });
});

describe('a run and its report', () => {
  it('leaves it out with --no-report', async () => {
    const out = join(home, 'without');
    expect((await trajmill(['run', 'pipelines/demo.yaml', '--out', out, '--no-report'])).code).toBe(0);
    expect(existsSync(join(out, 'corpus/manifest.json'))).toBe(true);
    expect(existsSync(join(out, 'report.html'))).toBe(false);
    expect((await trajmill(['commit', out, '--no-report'])).code).toBe(0);
    expect(existsSync(join(out, 'report.html'))).toBe(false);
    const { code, stdout } = await trajmill(['commit', out, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).read).toBe(22);
    expect(page(join(out, 'report.html'))).toBe(page(join(run, 'report.html')));
  });

  it('keeps the commit where the report cannot be written, and warns', async () => {
    const out = join(home, 'blocked');
    cpSync(run, out, { recursive: true });
    rmSync(join(out, 'report.html'));
    mkdirSync(join(out, 'report.html/in-the-way'), { recursive: true });
    const { code, stdout, stderr } = await trajmill(['commit', out, '--json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: the corpus is committed, but its report could not be written: /m);
    expect(JSON.parse(stdout).kept).toBe(12);
    expect((await trajmill(['verify', out])).code).toBe(0);
  });
});
