import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { probeFile } from '../../src/formats/probe.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { tarOf } from './pack.js';
import {
  folderWith,
  onlyReject,
  onlyTrajectory,
  readAll,
  readFiles,
  rejectsOf,
  trajectoriesOf,
} from './read-all.js';

const chat = (text: string) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: text },
      { role: 'assistant', content: `re: ${text}` },
    ],
  });

const rows = (...texts: string[]) => `${texts.map(chat).join('\n')}\n`;

/** Compressed with the reference tool, where the machine has it. */
function byTool(tool: string, args: readonly string[], content: Buffer | string): Buffer | null {
  try {
    return execFileSync(tool, args, {
      input: content,
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

const zstd = (content: Buffer | string, ...args: string[]): Buffer | null =>
  byTool('zstd', ['-q', '-c', ...args], content);
const SMALL = zstd('x');
const hasZstd = SMALL !== null;

/** zstd of two short lines, made by the reference tool, for machines without it. */
const STORED = Buffer.from('KLUv/QRYYQAAaGVsbG8KaGVsbG8KXInl8w==', 'base64');

describe('zstd', () => {
  it('without its content is a damaged stream, with a code', async () => {
    expect(onlyReject(await readFiles({ f: STORED.subarray(0, 8) })).code).toBe('bad_compression');
  });

  it.skipIf(!hasZstd)('of rows is the same as the rows, flagged', async () => {
    const content = rows('a', 'b', 'é');
    const packed = zstd(content) ?? Buffer.alloc(0);
    const plain = trajectoriesOf(await readFiles({ f: content }));
    const found = trajectoriesOf(await readFiles({ f: packed }));
    expect(found.map((run) => run.trajectory_id)).toEqual(plain.map((run) => run.trajectory_id));
    expect(found.map((run) => run.source.sha256)).toEqual(plain.map((run) => run.source.sha256));
    expect(found[0]?.flags).toContain('zstd');
    expect(await probeFile(join(folderWith({ f: packed }), 'f'))).toEqual({ splittable: false });
  });

  it.skipIf(!hasZstd)('of several frames, of long matches, with a checksum', async () => {
    const big = rows(...Array.from({ length: 3000 }, (_, index) => `${index} ${'long words '.repeat(20)}`));
    const frames = Buffer.concat(
      [zstd(big, '--check') ?? SMALL, zstd(rows('z'), '-19') ?? SMALL].map((b) => b ?? Buffer.alloc(0)),
    );
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    for (const packed of [frames, Buffer.concat([skippable, frames])]) {
      const found = trajectoriesOf(await readFiles({ f: packed }));
      expect(found).toHaveLength(3001);
      expect(found.at(-1)?.turns[0]?.spans[0]?.text).toBe('z');
    }
  });

  it.skipIf(!hasZstd)('that is cut or flipped never passes for whole', async () => {
    const packed =
      zstd(rows(...Array.from({ length: 50 }, (_, index) => `row ${index * 7919}`)), '--check') ??
      Buffer.alloc(0);
    await fc.assert(
      fc.asyncProperty(fc.nat(packed.length - 5), async (at) => {
        const results = await readFiles({ f: packed.subarray(0, Math.max(4, at)) });
        expect(rejectsOf(results).map((reject) => reject.code)).toContain('bad_compression');
      }),
      { numRuns: 20 },
    );
  });

  it.skipIf(!hasZstd)('that unfolds beyond the limit is refused by it', async () => {
    const packed = zstd(Buffer.alloc(8_000_000, 'x')) ?? Buffer.alloc(0);
    const reject = onlyReject(await readFiles({ f: packed }, { limits: { unpacked_bytes: 1_000_000 } }));
    expect(reject).toMatchObject({ code: 'too_large', message: expect.stringContaining('1000000') });
  });
});

describe.each(['bzip2', 'xz'])('%s', (tool) => {
  const packed = byTool(tool, ['-c'], tarOf({ 'a.jsonl': rows('a', 'b'), 'b.txt': 'Dear diary.' }));

  it.skipIf(packed === null)('of rows and of a tar archive is the same as they are, flagged', async () => {
    const content = rows('a', 'b');
    const plain = trajectoriesOf(await readFiles({ f: content }));
    const found = trajectoriesOf(await readFiles({ f: byTool(tool, ['-c'], content) }));
    expect(found.map((run) => run.source)).toEqual(plain.map((run) => run.source));
    expect(found[0]?.flags).toContain(tool);
    expect(await probeFile(join(folderWith({ f: byTool(tool, ['-c'], content) }), 'f'))).toEqual({
      splittable: false,
    });
    const members = await readFiles({ f: packed });
    expect(trajectoriesOf(members).map((run) => run.source.path)).toEqual(['f!a.jsonl', 'f!a.jsonl']);
    expect(rejectsOf(members).map((reject) => reject.source)).toEqual(['f!b.txt']);
  });
});

describe('compressions that are not read', () => {
  it.each([
    ['7z', Buffer.from("7z\xbc\xaf'\x1c", 'latin1')],
    ['zstd stream inside', gzipSync(STORED)],
  ])('are named: %s', async (name, content) => {
    const reject = onlyReject(await readFiles({ f: content }));
    expect(reject).toMatchObject({ code: 'binary_file', message: expect.stringContaining(name) });
  });
});

const FILES = {
  'runs/a.jsonl': rows('a1', 'a2'),
  'runs/b.json': JSON.stringify([
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'B' },
  ]),
  'notes.txt': 'Dear diary.\n',
};

const archives: readonly (readonly [string, (files: Readonly<Record<string, string>>) => Buffer])[] = [
  ['tar', (files) => tarOf(files)],
  ['tar.gz', (files) => gzipSync(tarOf(files))],
  [
    'zip',
    (files) =>
      Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([k, v]) => [k, Buffer.from(v)])))),
  ],
];

describe.each(archives)('a %s of logs', (_kind, pack) => {
  it('gives what its files give, under paths of their own', async () => {
    const results = await readFiles({ 'd.archive': pack(FILES) });
    const found = trajectoriesOf(results).map((run) => [
      run.source.path,
      run.source.line,
      run.turns[0]?.spans[0]?.text,
    ]);
    expect(found).toEqual([
      ['d.archive!runs/a.jsonl', 1, 'a1'],
      ['d.archive!runs/a.jsonl', 2, 'a2'],
      ['d.archive!runs/b.json', null, 'b'],
    ]);
    expect(onlyReject(results.filter((result) => result.kind === 'reject'))).toMatchObject({
      source: 'd.archive!notes.txt',
      code: 'unknown_format',
    });
  });

  it('has companions in the folder of each file, and nothing from outside', async () => {
    const history = JSON.stringify({ competition: 'c', actions: [] });
    const messages = FILES['runs/b.json'];
    const packed = pack({ 'r/agent_trajectory.json': messages, 'r/env_history.json': history });
    const results = await readFiles({ 'd.archive': packed, 'env_history.json': history });
    const [run] = trajectoriesOf(results);
    expect(run?.source.sidecars.map(({ path }) => path)).toEqual(['d.archive!r/env_history.json']);
    expect(results.find((result) => result.kind === 'sidecar')).toEqual({
      kind: 'sidecar',
      path: 'd.archive!r/env_history.json',
      of: 'd.archive!r/agent_trajectory.json',
    });
    const alone = await readFiles({
      'd.archive': pack({ 'agent_trajectory.json': messages }),
      'env_history.json': history,
    });
    expect(onlyTrajectory(alone).source.sidecars).toEqual([]);
  });

  it.each(['../evil.json', '/etc/evil.json', 'a/../../evil.json', 'c:/evil.json'])(
    'with the path %s is refused whole',
    async (name) => {
      const before = readdirSync(tmpdir()).filter(
        (entry) => entry.startsWith('trajmill-') && !entry.startsWith('trajmill-read-'),
      );
      const reject = onlyReject(
        await readFiles({ 'd.archive': pack({ 'ok.jsonl': rows('a'), [name]: rows('b') }) }),
      );
      expect(reject).toMatchObject({
        code: 'bad_archive',
        source: 'd.archive',
        message: expect.stringContaining('out of the archive'),
      });
      const after = readdirSync(tmpdir()).filter(
        (entry) => entry.startsWith('trajmill-') && !entry.startsWith('trajmill-read-'),
      );
      expect(after.length).toBeLessThanOrEqual(before.length);
    },
  );

  it('inside another is refused, and so is one without files', async () => {
    const inner = pack({ 'a.jsonl': rows('a') });
    const nested = await readFiles({ 'd.tar': tarOf({ 'inner.bin': inner, 'b.jsonl': rows('b') }) });
    expect(trajectoriesOf(nested)).toHaveLength(1);
    expect(rejectsOf(nested)).toMatchObject([{ source: 'd.tar!inner.bin', code: 'bad_archive' }]);
    expect(onlyReject(await readFiles({ 'd.archive': pack({ 'empty/': '' }) })).code).toBe('bad_archive');
  });

  it('above a limit is refused by it', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`f${index}.jsonl`, rows('word '.repeat(2000))]),
    );
    const limits = { unpacked_bytes: 100_000, document_bytes: 100_000 };
    const reject = onlyReject(await readFiles({ 'd.archive': pack(files) }, { limits }));
    expect(['bad_archive', 'too_large']).toContain(reject.code);
    expect(reject.message).toContain('100000');
  });
});

describe('a tar archive', () => {
  it('may have more members than one file is allowed', async () => {
    const reject = onlyReject(
      await readFiles({ d: tarOf({ a: 'x', b: 'y', c: 'z' }) }, { limits: { archive_members: 2 } }),
    );
    expect(reject).toMatchObject({ code: 'bad_archive', message: 'more than 2 members' });
  });

  it('that is cut or whose sums are wrong is refused', async () => {
    const packed = tarOf({ 'a.jsonl': rows('a'), 'b.jsonl': rows('b') });
    expect(onlyReject(await readFiles({ d: packed.subarray(0, 700) })).code).toBe('bad_archive');
    const flipped = Buffer.from(packed);
    flipped[1024 + 5] = 0xff;
    expect(onlyReject(await readFiles({ d: flipped })).code).toBe('bad_archive');
  });

  it('in which a file stands where a folder should is refused', async () => {
    const reject = onlyReject(await readFiles({ d: tarOf({ a: 'x', 'a/b': 'y' }) }));
    expect(reject).toMatchObject({ code: 'bad_archive', message: expect.stringContaining('side by side') });
  });

  it('holds the last of two files with one name, and no resource forks', async () => {
    const twice = Buffer.concat([
      tarOf({ 'a.jsonl': rows('old') }).subarray(0, 1024),
      tarOf({ './a.jsonl': rows('new'), '._a.jsonl': 'x' }),
    ]);
    expect(onlyTrajectory(await readFiles({ d: twice })).turns[0]?.spans[0]?.text).toBe('new');
  });

  it('written by tar itself reads the same, with long names and links', async () => {
    const root = folderWith({});
    const long = `${'deep-folder-name/'.repeat(12)}${'n'.repeat(120)}.jsonl`;
    for (const [name, content] of Object.entries({ ...FILES, [long]: rows('long') })) {
      mkdirSync(join(root, 'in', dirname(name)), { recursive: true });
      writeFileSync(join(root, 'in', name), content);
    }
    execFileSync('ln', ['-s', 'a.jsonl', join(root, 'in/runs/link.jsonl')]);
    for (const format of ['gnu', 'pax', 'ustar']) {
      const names = format === 'ustar' ? ['runs', 'notes.txt'] : ['.'];
      try {
        execFileSync('tar', [
          '-C',
          join(root, 'in'),
          `--format=${format}`,
          '-cf',
          join(root, `${format}.tar`),
          ...names,
        ]);
      } catch {
        continue;
      }
      const found = trajectoriesOf(await readAll({ root, path: `${format}.tar` })).map(
        (run) => run.turns[0]?.spans[0]?.text,
      );
      expect([format, found]).toEqual([
        format,
        format === 'ustar' ? ['a1', 'a2', 'b'] : ['long', 'a1', 'a2', 'b'],
      ]);
    }
  });
});

describeWithShared('real logs in an archive', () => {
  it('are those beside it', async () => {
    const names = [
      'kimi_cli_wire_jsonl/subagent_agent-0.jsonl',
      'mle_dojo/random-acts-of-pizza_agent_trajectory.json',
      'mle_dojo/random-acts-of-pizza_env_history.json',
    ];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(sharedFile(`logs/${name}`))]));
    const packed = trajectoriesOf(await readFiles({ 'd.tgz': gzipSync(tarOf(files)) }));
    const plain = [];
    for (const path of names)
      plain.push(...trajectoriesOf(await readAll({ root: sharedFile('logs'), path })));
    expect(packed.map((run) => run.trajectory_id)).toEqual(plain.map((run) => run.trajectory_id));
    expect(packed[1]?.source.sidecars[0]?.path).toBe('d.tgz!mle_dojo/random-acts-of-pizza_env_history.json');
  });
});
