import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultPage } from '../../../src/browser/query/data.js';
import { isSecret } from '../../../src/report/serve/access.js';
import { BODY_LIMIT } from '../../../src/report/serve/body.js';
import { CONCURRENT_QUERIES } from '../../../src/report/serve/query-service.js';
import { policyOf } from '../../../src/report/serve/reply.js';
import { type RunningServer, serveCorpus } from '../../../src/report/serve/server.js';
import { temporaryFolder } from '../../pipeline/child-run.js';
import { corpusAt, LIMITS, makeCorpus } from '../query/corpus.js';

const home = temporaryFolder();
let server: RunningServer;
let cookie = '';
const viewed: string[] = [];

beforeAll(async () => {
  const source = await corpusAt(await makeCorpus(home));
  const pages = {
    report: async () => '<p>the report</p>',
    view: async (id: string) => {
      viewed.push(id);
      return id === 'known' ? '<p>a trajectory</p>' : null;
    },
  };
  server = await serveCorpus({ pages, source, limits: { ...LIMITS, seconds: 5, rows: 10 }, port: 0 });
  const entered = await raw(`GET ${new URL(server.url).pathname}${new URL(server.url).search} HTTP/1.1`);
  cookie = /set-cookie: ([^;]+)/i.exec(entered.head)?.[1] ?? '';
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** What a socket gives for these very bytes. `Host` is right unless `headers` has one. */
function raw(line: string, headers: readonly string[] = [], body = ''): Promise<RawAnswer> {
  const hasHost = headers.some((header) => /^host:/i.test(header));
  const lines = [
    line,
    ...(hasHost ? [] : [`Host: 127.0.0.1:${server.port}`]),
    ...headers.filter((header) => header !== 'Host:absent'),
    'Connection: close',
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return rawBytes(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function rawBytes(bytes: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1] ?? 0), head, body: rest.join('\r\n\r\n') });
    });
    socket.write(bytes);
  });
}

const withCookie = (...headers: string[]): string[] => [`Cookie: ${cookie}`, ...headers];
const ours = (): string => `Origin: http://127.0.0.1:${server.port}`;

const post = (value: unknown, ...headers: string[]): Promise<RawAnswer> =>
  raw(
    'POST /api/query HTTP/1.1',
    withCookie(ours(), 'Content-Type: application/json', ...headers),
    typeof value === 'string' ? value : JSON.stringify(value),
  );

/** As a page asks, where the answer may come in pieces. */
const ask = (value: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}/api/query`, {
    method: 'POST',
    headers: {
      Cookie: cookie,
      Origin: `http://127.0.0.1:${server.port}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(value),
    signal: signal ?? null,
  });

describe('who may ask', () => {
  it('is who has the token, and gets a cookie that scripts and other sites cannot use', async () => {
    const { pathname, search, searchParams } = new URL(server.url);
    expect(searchParams.get('token')).toMatch(/^[\w-]{43}$/);
    const { status, head } = await raw(`GET ${pathname}${search} HTTP/1.1`);
    expect(status).toBe(303);
    expect(head).toMatch(/^location: \/\r?$/im);
    expect(head).toMatch(
      new RegExp(
        `^set-cookie: trajmill_${server.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/\r?$`,
        'im',
      ),
    );
    expect(head).not.toContain(searchParams.get('token') ?? '');
    expect(cookie).not.toContain(searchParams.get('token') ?? '');
  });

  it.each([
    ['nothing', '/', []],
    ['a wrong token', `/?token=${'x'.repeat(43)}`, []],
    ['an empty token', '/?token=', []],
    ['a wrong cookie', '/', [`Cookie: trajmill_PORT=${'x'.repeat(43)}`]],
    ['an empty cookie', '/', ['Cookie: trajmill_PORT=']],
    ['the cookie of another port', '/', ['Cookie: trajmill_1=VALUE']],
    ['the token in the cookie', '/', ['Cookie: trajmill_PORT=TOKEN']],
  ])('is not who has %s', async (_, path, headers) => {
    const token = new URL(server.url).searchParams.get('token') ?? '';
    const filled = headers.map((header) =>
      header
        .replace('PORT', String(server.port))
        .replace('TOKEN', token)
        .replace('VALUE', cookie.split('=')[1] ?? ''),
    );
    const { status, body } = await raw(`GET ${path} HTTP/1.1`, filled);
    expect(status).toBe(401);
    expect(body).not.toContain('report');
  });

  it('compares secrets of any length', () => {
    expect(isSecret('abc', 'abc')).toBe(true);
    for (const wrong of ['', 'ab', 'abcd', 'abd']) expect(isSecret(wrong, 'abc')).toBe(false);
  });

  it.each([
    ['another name that leads here', 'Host: evil.example'],
    ['that name with the port', 'Host: evil.example:PORT'],
    ['the name of the loopback', 'Host: localhost:PORT'],
    ['another spelling of it', 'Host: 127.1:PORT'],
    ['no port', 'Host: 127.0.0.1'],
    ['another port', 'Host: 127.0.0.1:1'],
    ['an empty one', 'Host:'],
    ['a name in front', 'Host: evil.example@127.0.0.1:PORT'],
  ])('is not who was sent to %s', async (_, header) => {
    const { status } = await raw('GET / HTTP/1.1', withCookie(header.replace('PORT', String(server.port))));
    expect([400, 403]).toContain(status);
  });

  it('is not who sends two hosts, or none', async () => {
    const host = `Host: 127.0.0.1:${server.port}`;
    for (const headers of [[host, 'Host: evil.example'], ['Host: evil.example', host], ['Host:absent']]) {
      const { status } = await raw('GET / HTTP/1.1', withCookie(...headers));
      expect([400, 403]).toContain(status);
    }
  });

  it.each([
    ['no origin', []],
    ['another origin', ['Origin: http://evil.example']],
    ['no origin that has a name', ['Origin: null']],
    ['the origin of another port', ['Origin: http://127.0.0.1:1']],
    ['the origin by another scheme', ['Origin: https://127.0.0.1:PORT']],
    ['our origin, but from another site', ['Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site']],
    ['our origin, but from another port', ['Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-site']],
  ])('may not POST with %s', async (_, headers) => {
    const filled = headers.map((header) => header.replace('PORT', String(server.port)));
    const { status, body } = await raw(
      'POST /api/query HTTP/1.1',
      withCookie('Content-Type: application/json', ...filled),
      '{"sql":"SELECT 42 AS answer"}',
    );
    expect(status).toBe(403);
    expect(body).not.toContain('42');
  });

  it('may not POST without the cookie, even with the token', async () => {
    const { search } = new URL(server.url);
    const { status } = await raw(
      `POST /api/query${search} HTTP/1.1`,
      [ours(), 'Content-Type: application/json'],
      '{"sql":"SELECT 1"}',
    );
    expect(status).toBe(401);
  });

  it('listens on the loopback alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) {
      const reached = await new Promise((resolve) => {
        const socket = connect(server.port, address);
        socket.on('connect', () => resolve(true));
        socket.on('error', () => resolve(false));
      });
      expect(reached, address).toBe(false);
    }
  });
});

describe('what is asked', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])('is refused by %s', async (method) => {
    const { status, head } = await raw(`${method} / HTTP/1.1`, withCookie(ours()));
    expect(status).toBe(405);
    expect(head).toMatch(/^allow: GET, HEAD, POST\r?$/im);
  });

  it.each(['CONNECT / HTTP/1.1', 'NONSENSE / HTTP/1.1', 'GET', 'GET / HTTP/9.9'])(
    'is refused: %s',
    async (line) => {
      const { status, body } = await raw(line, withCookie());
      expect([0, 400, 405]).toContain(status);
      expect(body).not.toContain('report');
    },
  );

  it.each([
    'http://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/view/',
    '/view/%',
    '/view/%00',
    '/view/%0d%0aX:1',
    '/view/unknown',
    `/view/${'a'.repeat(600)}`,
    '/view/..%2f..%2f..%2fetc%2fpasswd',
    '/../../../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/etc/passwd',
    '/plan.json',
    '/corpus/manifest.json',
    '/query/',
    '/api/query',
    '/index.html',
  ])('is no page: %s', async (path) => {
    const { status, head, body } = await raw(`GET ${path} HTTP/1.1`, withCookie());
    expect([400, 404]).toContain(status);
    expect(head).not.toMatch(/^x:|^location:/im);
    expect(body).not.toMatch(/root:|plan_id|report/);
  });

  it('leads nowhere else when the token comes with it', async () => {
    const { search } = new URL(server.url);
    for (const path of ['//evil.example', '/\\evil.example', 'http://evil.example']) {
      const { status, head } = await raw(`GET ${path}${search} HTTP/1.1`);
      expect(status).toBe(400);
      expect(head).not.toMatch(/^location:/im);
    }
    const { head } = await raw(`GET /query${search} HTTP/1.1`);
    expect(head).toMatch(/^location: \/query\r?$/im);
  });

  it('is answered by report, viewer and query page, and by HEAD without a body', async () => {
    expect(await raw('GET / HTTP/1.1', withCookie())).toMatchObject({
      status: 200,
      body: '<p>the report</p>',
    });
    expect(await raw('GET /view/known HTTP/1.1', withCookie())).toMatchObject({
      status: 200,
      body: '<p>a trajectory</p>',
    });
    expect(viewed).toContain('known');
    const page = await raw('GET /query HTTP/1.1', withCookie());
    expect(page.status).toBe(200);
    expect(page.body).toContain('reward-by-task');
    const head = await raw('HEAD / HTTP/1.1', withCookie());
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.head).toMatch(/^content-length: 17\r?$/im);
  });

  it('is answered with headers that keep it where it is', async () => {
    const { searchParams } = new URL(server.url);
    const answers = [
      await raw('GET / HTTP/1.1', withCookie()),
      await raw('GET /query HTTP/1.1', withCookie()),
      await raw('GET /absent HTTP/1.1', withCookie()),
      await raw('GET / HTTP/1.1'),
      await raw(`GET /?token=${searchParams.get('token')} HTTP/1.1`),
      await raw('PUT / HTTP/1.1', withCookie()),
      await post({ sql: 'SELECT 1' }),
      await post({ sql: 'SELECT 1', format: 'csv' }),
      await post({ sql: 'wrong' }),
    ];
    for (const { head } of answers) {
      expect(head).toMatch(/^cache-control: no-store\r?$/im);
      expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
      expect(head).toMatch(/^referrer-policy: no-referrer\r?$/im);
      expect(head).toMatch(/^x-frame-options: DENY\r?$/im);
      expect(head).toMatch(/^content-security-policy: default-src 'none'.*frame-ancestors 'none'\r?$/im);
      expect(head).not.toMatch(/^(server|x-powered-by|access-control-)/im);
    }
    expect(answers[1]?.head).toMatch(/script-src 'sha256-[^']+'; .*connect-src 'self'/i);
  });

  it('has the policy that a page carries, and only where it stands first', () => {
    const page = (meta: string): string =>
      `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${meta}`;
    const meta = '<meta http-equiv="Content-Security-Policy" content="default-src &#39;self&#39;">';
    expect(policyOf(page(meta))).toBe("default-src 'self'; frame-ancestors 'none'");
    expect(policyOf(page(`<p>${meta}`))).toContain("default-src 'none'");
  });
});

describe('a query', () => {
  it('is answered with the first rows', async () => {
    const { status, body } = await post({ sql: 'SELECT range AS n FROM range(25)' });
    expect(status).toBe(200);
    const page = JSON.parse(body) as ResultPage;
    expect(page).toMatchObject({ columns: [{ name: 'n' }], more: 15, counted: true });
    expect(page.rows).toHaveLength(10);
  });

  it('may be a named question, with its parameters bound', async () => {
    const { body } = await post({ question: 'longest-rows', parameters: { top: '3' } });
    expect((JSON.parse(body) as ResultPage).rows).toHaveLength(3);
    const hostile = await post({ sql: 'SELECT $v AS v', parameters: { v: "'; DROP VIEW windows; --" } });
    expect((JSON.parse(hostile.body) as ResultPage).rows).toEqual([["'; DROP VIEW windows; --"]]);
  });

  it('is downloaded whole as CSV, JSON and Parquet', async () => {
    const sql = "SELECT range AS n, 'é' AS t FROM range(5000)";
    const csv = await ask({ sql, format: 'csv' });
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="query.csv"');
    expect((await csv.text()).split('\r\n')).toHaveLength(5002);
    expect(await (await ask({ sql, format: 'json' })).json()).toHaveLength(5000);
    const path = join(home, 'download.parquet');
    writeFileSync(path, Buffer.from(await (await ask({ sql, format: 'parquet' })).arrayBuffer()));
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors });
    expect(rows).toHaveLength(5000);
    expect(rows[4999]).toEqual({ n: 4999n, t: 'é' });
  });

  it.each<[unknown, number, RegExp]>([
    [{ sql: 'SELECT wrong' }, 400, /line 1, column 8: Binder Error/],
    [{ sql: "FROM read_csv('/etc/passwd')" }, 400, /not available in FROM/],
    [{ sql: 'SELECT 1; SELECT 2' }, 400, /expected one SELECT/],
    [{ question: 'absent' }, 400, /no question is called @absent/],
    [{ question: '../../package' }, 400, /no question is called/],
    [{ question: 'longest-rows', parameters: { top: 'x' } }, 400, /takes a number/],
    [{}, 400, /expected sql or question/],
    [{ sql: 'SELECT 1', question: 'flags' }, 400, /expected sql or question/],
    [{ sql: 'SELECT 1', out: '/tmp/x' }, 400, /expected sql or question/],
    [{ sql: 'SELECT 1', format: 'exe' }, 400, /expected sql or question/],
    [{ sql: 5 }, 400, /expected sql or question/],
    ['[', 400, /not JSON/],
    [{ sql: 'SELECT wrong', format: 'csv' }, 400, /Binder Error/],
    [{ sql: 'SELECT wrong', format: 'parquet' }, 400, /Binder Error/],
    [
      { sql: 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t' },
      400,
      /stopped after 5 s/,
    ],
  ])('%j is refused with %d and one line', async (value, code, line) => {
    const { status, body } = await post(value);
    expect(status).toBe(code);
    const { error } = JSON.parse(body) as { error: string };
    expect(error).toMatch(line);
    expect(error).not.toContain('\n');
  });

  it('breaks off a download that fails midway, so that it is not taken for whole', async () => {
    const late =
      'SELECT CASE WHEN range > 900000 THEN error(range::VARCHAR) ELSE range END AS n FROM range(1000000)';
    const response = await ask({ sql: late, format: 'csv' });
    expect(response.status).toBe(200);
    const length = await response.text().then(
      (text) => text.length,
      () => 'broken off',
    );
    expect(length).toBe('broken off');
  });

  it('must be JSON by its type, and of bounded size', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = withCookie(ours(), `Content-Type: ${type}`);
      expect((await raw('POST /api/query HTTP/1.1', headers, '{"sql":"SELECT 1"}')).status).toBe(415);
    }
    expect((await post({ sql: 'x'.repeat(BODY_LIMIT) })).status).toBe(413);
    const chunk = `${(16384).toString(16)}\r\n${' '.repeat(16384)}\r\n`;
    const chunked = await rawBytes(
      `POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\n${ours()}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`,
    );
    expect(chunked.status).toBe(413);
    expect((await raw('GET / HTTP/1.1', withCookie(`X-Long: ${'x'.repeat(20_000)}`))).status).toBe(431);
  });

  it('waits for no place: too many at once are refused, and who leaves frees one', async () => {
    const sql = 'SELECT count(*) FROM range(100000000) a, range(10000000) b WHERE a.range * b.range = -1';
    const leave = new AbortController();
    const running = Array.from({ length: CONCURRENT_QUERIES }, () =>
      ask({ sql }, leave.signal).catch(() => null),
    );
    let status = 200;
    while (status !== 503) {
      status = (await ask({ sql: 'SELECT 1' })).status;
      expect([200, 503]).toContain(status);
    }
    leave.abort();
    await Promise.all(running);
    while (status !== 200) status = (await ask({ sql: 'SELECT 1' })).status;
    expect(status).toBe(200);
  });
});

describe('the end', () => {
  it('comes with open connections and a running query, which is broken off', async () => {
    const source = await corpusAt(join(home, 'run'));
    const pages = { report: async () => '', view: async () => null };
    const other = await serveCorpus({ pages, source, limits: { ...LIMITS, seconds: 60 }, port: 0 });
    const idle = connect(other.port, '127.0.0.1');
    await new Promise((resolve) => idle.on('connect', resolve));
    const entered = await fetch(other.url, { redirect: 'manual' });
    const [own = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const origin = `http://127.0.0.1:${other.port}`;
    const running = fetch(`${origin}/api/query`, {
      method: 'POST',
      headers: { Cookie: own, Origin: origin, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        sql: 'SELECT count(*) FROM range(100000000) a, range(10000000) b WHERE a.range * b.range = -1',
      }),
    }).then(
      ({ status }) => status,
      () => 'broken off',
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    await other.close();
    expect([500, 'broken off']).toContain(await running);
    await expect(fetch(other.url)).rejects.toThrow();
    idle.destroy();
  });

  it('of a port that is taken is said', async () => {
    const source = await corpusAt(join(home, 'run'));
    const pages = { report: async () => '', view: async () => null };
    await expect(serveCorpus({ pages, source, limits: LIMITS, port: server.port })).rejects.toThrow(
      /^port \d+ is in use: choose another --port/,
    );
  });
});
