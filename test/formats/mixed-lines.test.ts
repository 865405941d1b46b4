import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { probeFile } from '../../src/formats/probe.js';
import { folderWith, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const row = (text: string): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: text },
      { role: 'assistant', content: 're' },
    ],
  });

/** What each line of a file became: the text of its first turn, or a code, by line number. */
async function outcomes(content: string | Buffer): Promise<Record<number, string>> {
  const results = await readFiles({ f: content });
  const lines = results.map((result) => {
    if (result.kind === 'trajectory') {
      const { source, turns } = result.trajectory;
      return [source.line ?? 0, turns[0]?.spans[0]?.text ?? ''] as const;
    }
    if (result.kind === 'reject') return [result.reject.line ?? 0, result.reject.code] as const;
    return [0, 'sidecar'] as const;
  });
  return Object.fromEntries(lines);
}

const LOG = '2026-05-01 12:00:00 INFO step done';

describe('rows among lines that are none', () => {
  it.each([
    ['a broken first line', `{"messages": [oops\n${row('a')}\n`, { 1: 'invalid_json', 2: 'a' }],
    ['a file that was cut at the front', `nt":"q"}]}\n${row('a')}\n`, { 1: 'invalid_json', 2: 'a' }],
    [
      'a banner of the shell',
      `Welcome to Debian!\n\n${row('a')}\n${row('b')}\n`,
      { 1: 'invalid_json', 3: 'a', 4: 'b' },
    ],
    [
      'more broken lines than rows',
      `oops\n{"\n[\n${row('a')}\nx\n`,
      {
        1: 'invalid_json',
        2: 'invalid_json',
        3: 'invalid_json',
        4: 'a',
        5: 'invalid_json',
      },
    ],
    [
      'lines of a log between',
      `${LOG}\n${LOG}\n${row('a')}\n${LOG}\n${LOG}\n${row('b')}\n`,
      {
        1: 'invalid_json',
        2: 'invalid_json',
        3: 'a',
        4: 'invalid_json',
        5: 'invalid_json',
        6: 'b',
      },
    ],
    ['a log in JSON between', `{"level":"info","msg":"x"}\n${row('a')}\n`, { 1: 'bad_shape', 2: 'a' }],
    ['a byte order mark and blank lines', `\uFEFF\n\n\r\n${row('a')}\n`, { 4: 'a' }],
    ['a torn last line', `${row('a')}\n${row('b').slice(0, 30)}`, { 1: 'a', 2: 'torn_line' }],
    [
      'a good line that leads, and only broken ones after it',
      `${row('a')}\nx\ny\nz\n`,
      {
        1: 'a',
        2: 'invalid_json',
        3: 'invalid_json',
        4: 'invalid_json',
      },
    ],
  ])('%s', async (_, content, expected) => {
    expect(await outcomes(content)).toEqual(expected);
    expect(await outcomes(gzipSync(content))).toEqual(expected);
  });

  it('give each bad line its bytes', async () => {
    const content = `ä banner\n${row('a')}\n`;
    const [reject] = rejectsOf(await readFiles({ f: content }));
    expect(reject).toMatchObject({ line: 1, byte_start: 0, byte_end: Buffer.byteLength('ä banner') });
  });

  it('are found behind a long banner, and behind a first line beyond a megabyte', async () => {
    const banner = Array.from({ length: 300 }, (_, at) => `line ${at}`);
    const rows = Array.from({ length: 40 }, (_, at) => row(`q${at}`));
    expect(trajectoriesOf(await readFiles({ f: [...banner, ...rows, ''].join('\n') }))).toHaveLength(40);
    for (const start of ['x', '{"a": "x']) {
      const torn = `${start}${'x'.repeat(1_500_000)}`;
      expect(trajectoriesOf(await readFiles({ f: [torn, ...rows, ''].join('\n') }))).toHaveLength(40);
    }
  });

  it('are cut into ranges like any rows', async () => {
    const folder = folderWith({ f: `banner\n${row('a')}\n${row('b')}\n`, g: `x\ny\nz\n${row('a')}\n` });
    expect(await probeFile(join(folder, 'f'))).toEqual({ splittable: true });
    expect(await probeFile(join(folder, 'g'))).toEqual({ splittable: true });
  });

  it('account for every line, wherever broken ones stand', async () => {
    const line = fc.oneof(
      fc
        .constantFrom('oops', '{"messages": [', '{}', '[1]', 'null', '7', '{"a": 1}', '\uFEFF{"b":', LOG)
        .map((text) => ({ text, good: false })),
      fc.string({ minLength: 1, maxLength: 5 }).map((text) => ({ text: row(text), good: true })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 2, maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        async (lines, end) => {
          fc.pre(lines.some(({ good }) => good));
          const results = await readFiles({ f: lines.map(({ text }) => text + end).join('') });
          expect(results).toHaveLength(lines.length);
          expect(trajectoriesOf(results)).toHaveLength(lines.filter(({ good }) => good).length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('text that quotes a row', () => {
  it('stays the text that it is', async () => {
    const page = [...Array.from({ length: 60 }, (_, at) => `Sentence ${at}.`), row('an example')].join('\n');
    expect(rejectsOf(await readFiles({ f: page })).map((reject) => reject.code)).toEqual(['unknown_format']);
    const chat = `# aider chat started at 2024-05-01 10:00:00\n\n#### do it\n\n${row('an example')}\n\nDone.\n`;
    const [run] = trajectoriesOf(await readFiles({ f: chat }));
    expect(run?.source.format).toBe('aider-markdown');
  });

  it('is a document where all of it is one', async () => {
    const list = `[\n${row('a')},\n${row('b')}\n]\n`;
    const results = await readFiles({ f: list });
    expect(trajectoriesOf(results).map((run) => run.source.line)).toEqual([null, null]);
  });
});
