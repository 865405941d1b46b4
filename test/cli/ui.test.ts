import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../browser.js';
import { repository, temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { cli } from './harness.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  const run = await trajmill(['run', writePipeline(home), '--out', join(home, 'run'), '--workers', '1']);
  expect(run.code, run.stderr).toBe(0);
});

interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<{ code: number | null; out: string }>;
}

/** Starts `trajmill ui` as a user does, and waits for the address that it prints. */
async function serve(...argv: string[]): Promise<Serving> {
  const main = join(repository, 'dist/cli/main.js');
  const child = spawn(process.execPath, [main, 'ui', join(home, 'run'), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }));
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('\n')) resolve(out.trim());
    });
    child.on('close', () => reject(new Error(err)));
  });
  return { child, url, ended };
}

describe('trajmill ui', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints one address with a token, and ends in order at %s',
    async (signal) => {
      const { child, url, ended } = await serve();
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
      // a connection that does nothing must not keep it
      const idle = connect(Number(new URL(url).port), '127.0.0.1');
      await new Promise((resolve) => idle.on('connect', resolve));
      child.kill(signal);
      expect(await ended).toEqual({ code: 0, out: `${url}\n` });
      idle.destroy();
    },
  );

  it('serves the report, a trajectory by its whole id, and the query page', async () => {
    const { child, url, ended } = await serve();
    const entered = await fetch(url, { redirect: 'manual' });
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const get = async (path: string) => {
      const response = await fetch(new URL(path, url), { headers: { Cookie: cookie } });
      return { status: response.status, text: await response.text() };
    };
    const { out } = await cli(['query', 'run', 'SELECT trajectory_id FROM sft LIMIT 1', '--format', 'csv'], {
      cwd: home,
    });
    const id = out.split('\r\n')[1] ?? '';
    const report = await get('/');
    expect(report.status).toBe(200);
    expect(report.text).toContain('view/{id}');
    expect(report.text).toContain('<a href="/query">Query</a>');
    const view = await get(`/view/${id}`);
    expect(view.status).toBe(200);
    expect(view.text).toContain(id);
    expect((await get('/query')).status).toBe(200);
    for (const absent of [id.slice(0, 10), 'f'.repeat(64), '..%2fplan.json']) {
      expect((await get(`/view/${absent}`)).status, absent).toBe(404);
    }
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  it('refuses what is no port, and no corpus', async () => {
    for (const port of ['-1', '65536', 'x', '1.5']) {
      expect((await cli(['ui', 'run', '--port', port], { cwd: home })).code, port).toBe(2);
    }
    expect((await cli(['ui', '.'], { cwd: home })).code).toBe(2);
  });

  it('says that a port is taken, with exit code 74', async () => {
    const { child, url, ended } = await serve();
    const taken = await cli(['ui', 'run', '--port', new URL(url).port], { cwd: home });
    expect(taken.code).toBe(74);
    expect(taken.err).toMatch(/port \d+ is in use: choose another --port/);
    child.kill('SIGTERM');
    await ended;
  });
});

describeInBrowser('trajmill ui in a browser', () => {
  it('leads from the report to a trajectory and to the query page, without a complaint', async () => {
    const { child, url, ended } = await serve();
    const opened = await openPage(url);
    expect(opened.page.url()).not.toContain('token');
    await opened.page.click('text=Query');
    await opened.page.waitForSelector('#sql');
    await opened.page.fill('#sql', 'SELECT trajectory_id FROM sft ORDER BY ALL LIMIT 1');
    await opened.page.keyboard.press('Control+Enter');
    await opened.page.click('#result td a');
    await opened.page.waitForURL(/\/view\/[0-9a-f]{64}$/);
    await opened.page.click('text=Report');
    await opened.page.waitForURL((address) => address.pathname === '/');
    expect(opened.consoleErrors).toEqual([]);
    expect(opened.pageErrors).toEqual([]);
    await opened.close();
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });
});
