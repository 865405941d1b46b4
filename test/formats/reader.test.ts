import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import type { FormatAdapter } from '../../src/formats/adapter.js';
import { aideJournal } from '../../src/formats/aide-journal.js';
import { FirstLooks } from '../../src/formats/first-looks.js';
import { openaiMessages } from '../../src/formats/openai-messages.js';
import { probeFile } from '../../src/formats/probe.js';
import { type ReadRequest, readTrajectories } from '../../src/formats/reader.js';
import { readRecord } from '../../src/formats/record.js';
import { scanFile } from '../../src/logs/scan.js';
import { describeWithShared, sharedFile } from '../shared.js';
import {
  folderWith,
  onlyReject,
  onlyTrajectory,
  readAll,
  readFiles,
  rejectsOf,
  trajectoriesOf,
} from './read-all.js';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const messages = (text: string) => [
  { role: 'user', content: text },
  { role: 'assistant', content: `answer to ${text}` },
];
const rowText = (text: string) => JSON.stringify({ messages: messages(text) });

describe('a source', () => {
  it('names the bytes of its row', async () => {
    const content = `${rowText('a')}\r\n\n${rowText('é')}\n`;
    const [, second] = trajectoriesOf(await readFiles({ 'rows.jsonl': content }));
    const source = second?.source;
    expect(source).toMatchObject({
      path: 'rows.jsonl',
      line: 3,
      format: 'openai-messages',
      adapter_version: '1',
      sidecars: [],
    });
    const bytes = Buffer.from(content).subarray(source?.byte_start, source?.byte_end);
    expect(bytes.toString('utf8')).toBe(rowText('é'));
    expect(source?.sha256).toBe(sha256(rowText('é')));
  });

  it('of a document is the file', async () => {
    const content = JSON.stringify(messages('a'), null, 1);
    const run = onlyTrajectory(await readFiles({ 'a.json': content }));
    expect(run.source).toMatchObject({
      line: null,
      byte_start: 0,
      byte_end: content.length,
      sha256: sha256(content),
    });
  });

  it('has a path relative to the root, with companions beside it', async () => {
    const root = folderWith({});
    mkdirSync(join(root, 'runs', 'one'), { recursive: true });
    const history = JSON.stringify({ competition: 'c', actions: [] });
    writeFileSync(join(root, 'runs/one/agent_trajectory.json'), JSON.stringify(messages('a')));
    writeFileSync(join(root, 'runs/one/env_history.json'), history);
    const run = onlyTrajectory(await readAll({ root, path: 'runs/one/agent_trajectory.json' }));
    expect(run.source.path).toBe('runs/one/agent_trajectory.json');
    expect(run.source.sidecars[0]).toMatchObject({
      path: 'runs/one/env_history.json',
      sha256: sha256(history),
    });
    const frozen = await readAll({ root, path: 'runs/one/agent_trajectory.json', siblings: [] });
    expect(onlyTrajectory(frozen).source.format).toBe('openai-messages');
  });
});

describe('byte ranges', () => {
  it('of a file of rows share the first look at it, and read the same as without', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => rowText(`run ${index}`));
    const root = folderWith({ 'rows.jsonl': `${rows.join('\n')}\n`, 'other.jsonl': `${rowText('other')}\n` });
    let looks = 0;
    const counting: FormatAdapter = {
      ...openaiMessages,
      name: 'counted',
      detect: (sniff) => {
        // the first line is also looked at as a document of its own
        if (sniff.lines.length > 0) looks++;
        return openaiMessages.detect(sniff);
      },
    };
    const scan = await scanFile(join(root, 'rows.jsonl'), { rangeBytes: 300, splittable: true });
    const readRanges = async (shared: Pick<ReadRequest, 'looks'>) => {
      looks = 0;
      const results: unknown[] = [];
      for (const range of scan.ranges) {
        results.push(...(await readAll({ root, path: 'rows.jsonl', range, formats: [counting], ...shared })));
      }
      return { results, looks };
    };
    const alone = await readRanges({});
    expect(alone.looks).toBe(scan.ranges.length);
    const kept = new FirstLooks();
    const shared = await readRanges({ looks: kept });
    expect(shared.looks).toBe(1);
    expect(shared.results).toEqual(alone.results);
    const whole = { byte_start: 0, byte_end: 10_000, first_line: 1 };
    const other = await readAll({ root, path: 'other.jsonl', range: whole, looks: kept });
    expect(onlyTrajectory(other).source).toMatchObject({ path: 'other.jsonl', format: 'openai-messages' });
  });

  it('joined give what the whole gives', async () => {
    const lines = Array.from({ length: 40 }, (_, index) =>
      index % 7 === 3 ? '{"messages": [}' : rowText(`${index}`),
    );
    const root = folderWith({ 'rows.jsonl': lines.join('\n') });
    const path = 'rows.jsonl';
    const whole = await readAll({ root, path });
    expect(whole).toHaveLength(40);
    const scan = await scanFile(join(root, path), { rangeBytes: 300, splittable: true });
    expect(scan.ranges.length).toBeGreaterThan(5);
    const parts = [];
    for (const range of scan.ranges) parts.push(...(await readAll({ root, path, range })));
    expect(parts).toEqual(whole);
  });

  it('of a file without a trajectory yield its reject once', async () => {
    const root = folderWith({ 'rows.jsonl': '{"a":1}\n{"a":2}\n' });
    const ranges = [
      { byte_start: 0, byte_end: 8, first_line: 1 },
      { byte_start: 8, byte_end: 16, first_line: 2 },
    ];
    const results = [];
    for (const range of ranges) results.push(...(await readAll({ root, path: 'rows.jsonl', range })));
    expect(onlyReject(results)).toMatchObject({ code: 'unknown_format', byte_start: 0, byte_end: 16 });
  });
});

describe('files that no adapter can take', () => {
  it.each([
    ['no bytes', '', 'empty_file'],
    ['blank lines', '\n \n\r\n', 'empty_file'],
    ['an LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n', 'lfs_pointer'],
    ['a zip', Buffer.from('PK\x03\x04rest', 'latin1'), 'bad_archive'],
    ['NUL bytes', Buffer.from('ab\0cd'), 'binary_file'],
    ['UTF-16', Buffer.from('\uFEFF{"a":1}', 'utf16le'), 'binary_file'],
    ['prose', 'Dear diary,\n[today] nothing.\n', 'unknown_format'],
    ['prose in brackets', '[2025-01-01] nothing\n', 'unknown_format'],
    ['a cut document', '{\n "nodes": [\n', 'invalid_json'],
    ['a cut first line', '{"messages": [{"role"', 'invalid_json'],
    ['a number', '12', 'unknown_format'],
    ['a deep document', `{"a": ${'['.repeat(3000)}${']'.repeat(3000)}}`, 'too_deep'],
  ])('%s', async (_name, content, code) => {
    const reject = onlyReject(await readFiles({ file: content }));
    expect(reject.code).toBe(code);
    expect(reject).toMatchObject({
      source: 'file',
      line: null,
      byte_start: 0,
      byte_end: Buffer.byteLength(content),
      sha256: sha256(content),
    });
  });

  it('a document above the limit', async () => {
    const content = JSON.stringify(messages('x'.repeat(500)), null, 1);
    const reject = onlyReject(await readFiles({ 'a.json': content }, { limits: { document_bytes: 400 } }));
    expect(reject).toMatchObject({
      code: 'too_large',
      message: 'a single document above the limit of 400 bytes',
    });
  });

  it('a line above the limit, beside one that is read', async () => {
    const content = `${rowText('a')}\n${rowText('x'.repeat(5000))}\n`;
    const results = await readFiles({ 'rows.jsonl': content }, { limits: { line_bytes: 1000 } });
    expect(trajectoriesOf(results)).toHaveLength(1);
    expect(rejectsOf(results)).toMatchObject([
      { code: 'too_large', line: 2, sha256: null, format: 'openai-messages' },
    ]);
  });
});

describe('JSON lines', () => {
  it('are believed after a broken first line', async () => {
    const results = await readFiles({ f: `{"torn": \n${rowText('a')}\n${rowText('b')}\n` });
    expect(results.map((result) => result.kind)).toEqual(['reject', 'trajectory', 'trajectory']);
  });

  it('are found where the first line is longer than the head', async () => {
    const content = `${rowText('x'.repeat(3000))}\n${rowText('b')}\n${rowText('c')}\n`;
    const results = await readFiles({ f: content }, { limits: { head_bytes: 1000 } });
    expect(trajectoriesOf(results)).toHaveLength(3);
  });

  it('keep the flags of their bytes, each row its own', async () => {
    const odd = rowText('b').replace('"messages"', '"score": NaN, "messages"');
    const content = Buffer.concat([
      Buffer.from(`\uFEFF${rowText('a')}\n${odd}\n`),
      Buffer.from(
        '{"messages": [{"role": "user", "content": "\xff"}, {"role": "assistant", "content": "a"}]}\n',
        'latin1',
      ),
    ]);
    const runs = trajectoriesOf(await readFiles({ f: content }));
    expect(runs.map((run) => run.flags[0])).toEqual(['bom', 'bare_nan', 'invalid_utf8']);
  });

  it('with NUL bytes in a torn tail lose that row alone', async () => {
    const results = await readFiles({
      f: Buffer.concat([Buffer.from(`${rowText('a')}\n${rowText('b')}\n`), Buffer.alloc(20)]),
    });
    expect(results.map((result) => (result.kind === 'reject' ? result.reject.code : result.kind))).toEqual([
      'trajectory',
      'trajectory',
      'torn_line',
    ]);
  });
});

describe('gzip', () => {
  const content = `${rowText('a')}\n${rowText('b')}\n`;

  it('is read by its first bytes, places speak of the unpacked content', async () => {
    const results = await readFiles({ 'rows.jsonl': gzipSync(content) });
    const plain = trajectoriesOf(await readFiles({ 'rows.jsonl': content }));
    const runs = trajectoriesOf(results);
    expect(runs.map((run) => run.flags[0])).toEqual(['gzip', 'gzip']);
    expect(runs.map((run) => run.source)).toEqual(plain.map((run) => run.source));
    const document = onlyTrajectory(
      await readFiles({ 'a.json.gz': gzipSync(JSON.stringify(messages('a'), null, 1)) }),
    );
    expect(document.flags).toContain('gzip');
  });

  it('that is damaged, cut or too large is a reject', async () => {
    const packed = gzipSync(content);
    const cut = onlyReject(await readFiles({ f: packed.subarray(0, packed.length - 12) }));
    expect(cut.code).toBe('bad_compression');
    const damaged = Buffer.from(packed);
    damaged.fill(7, 12, 30);
    expect(onlyReject(await readFiles({ f: damaged })).code).toBe('bad_compression');
    const bomb = gzipSync(Buffer.alloc(5_000_000, 'x'));
    expect(onlyReject(await readFiles({ f: bomb }, { limits: { unpacked_bytes: 100_000 } })).code).toBe(
      'too_large',
    );
    expect(onlyReject(await readFiles({ f: gzipSync('') })).code).toBe('empty_file');
    expect(onlyReject(await readFiles({ f: gzipSync(packed) })).code).toBe('binary_file');
  });
});

describe('a request', () => {
  it('for an unknown format is a fault of the configuration', async () => {
    const read = readFiles({ f: rowText('a') }, { format: 'aide' });
    await expect(read).rejects.toThrow(/unknown format aide: use auto or one of aide-journal, /);
  });

  it('for a missing file is a fault of the machine', async () => {
    const request: ReadRequest = {
      root: folderWith({}),
      path: 'gone.json',
      range: null,
      format: 'auto',
      siblings: null,
    };
    const read = readTrajectories(request).next();
    await expect(read).rejects.toMatchObject({ code: 'E_IO', place: 'gone.json' });
    await expect(readTrajectories(request).next()).rejects.toBeInstanceOf(TrajmillError);
  });

  it('for one format refuses every other', async () => {
    const reject = onlyReject(await readFiles({ f: rowText('a') }, { format: 'aide-journal' }));
    expect(reject).toMatchObject({ code: 'unknown_format', message: 'not recognised as aide-journal' });
  });
});

it('turns any fault inside an adapter into a reject with its place', () => {
  const failing = {
    ...aideJournal,
    read: () => {
      throw new TypeError('x is\nundefined');
    },
  };
  const place = { path: 'f', line: 4, byte_start: 10, byte_end: 20, sha256: 'aa' };
  const reader = {
    adapter: failing,
    reason: '',
    folder: { names: [], readBytes: () => null },
    experiments: failing.experiments,
    experiment_patterns: [],
  };
  const results = [...readRecord(reader, { input: {}, place, flags: [] })];
  expect(onlyReject(results)).toMatchObject({
    code: 'internal',
    line: 4,
    byte_start: 10,
    format: 'aide-journal',
    message: 'the aide-journal adapter failed: TypeError: x is undefined',
  });
});

describe('a file may be cut', () => {
  const probe = (content: string | Buffer) => probeFile(join(folderWith({ f: content }), 'f'));

  it('where it is JSON lines of rows', async () => {
    expect(await probe(`${rowText('a')}\n${rowText('b')}\n`)).toEqual({ splittable: true });
    expect(await probe(rowText('a'))).toEqual({ splittable: false });
    expect(await probe(gzipSync(`${rowText('a')}\n${rowText('b')}\n`))).toEqual({ splittable: false });
    expect(await probe('{"parentUuid":null,"sessionId":"s","type":"user"}\n{"parentUuid":"a"}\n')).toEqual({
      splittable: false,
    });
    expect(await probe(JSON.stringify(messages('a'), null, 1))).toEqual({ splittable: false });
    expect(await probe('')).toEqual({ splittable: false });
  });
});

describeWithShared('the real logs', () => {
  it('are the same through gzip, but for the flag', async () => {
    for (const path of [
      'aide_journal/translucent-spaniel_journal.json',
      'openai_messages_sft/swesmith_ft_xml_example.jsonl',
    ]) {
      const plain = trajectoriesOf(await readAll({ root: sharedFile('logs'), path }));
      const packed = trajectoriesOf(
        await readFiles({ f: gzipSync(readFileSync(sharedFile(`logs/${path}`))) }),
      );
      expect(packed.map((run) => run.trajectory_id)).toEqual(plain.map((run) => run.trajectory_id));
    }
  });
});
