import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ReadRequest } from '../../src/formats/reader.js';
import { turnContent } from '../../src/trajectory/build.js';
import { tarOf } from './pack.js';
import { readFiles } from './read-all.js';

const row = (content: string, rest = '') =>
  `{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ${content}}]${rest}}`;
const rows = (...lines: (string | Buffer)[]) =>
  Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));

interface Case {
  readonly name: string;
  readonly file: Buffer;
  readonly rest?: Partial<ReadRequest>;
  /** the outcome of each record: `read`, with flags, or a code */
  readonly outcome: readonly string[];
}

const nested = (depth: number) => `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** One line of docs/reading.md each. */
const CASES: readonly Case[] = [
  { name: 'no bytes', file: Buffer.alloc(0), outcome: ['empty_file'] },
  { name: 'blank lines only', file: Buffer.from('\n \r\n'), outcome: ['empty_file'] },
  { name: 'compressed nothing', file: gzipSync(''), outcome: ['empty_file'] },
  {
    name: 'a Git LFS pointer',
    file: Buffer.from('version https://git-lfs.github.com/spec/v1\n'),
    outcome: ['lfs_pointer'],
  },
  { name: 'a byte order mark', file: rows(`\uFEFF${row('"a"')}`, row('"b"')), outcome: ['read bom', 'read'] },
  {
    name: 'CRLF line ends',
    file: Buffer.from(`${row('"a"')}\r\n${row('"b"')}\r\n`),
    outcome: ['read', 'read'],
  },
  {
    name: 'bare NaN and Infinity',
    file: rows(row('"a"', ', "x": NaN'), row('"b"', ', "x": -Infinity')),
    outcome: ['read bare_nan', 'read bare_nan'],
  },
  {
    name: 'invalid UTF-8',
    file: rows(
      row('"a"'),
      Buffer.concat([Buffer.from(row('"')).subarray(0, -2), Buffer.from([0xff]), Buffer.from('"}]}')]),
    ),
    outcome: ['read', 'read invalid_utf8'],
  },
  {
    name: 'a lone surrogate',
    file: rows(row('"a"'), row('"\\ud83d"')),
    outcome: ['read', 'read lone_surrogates'],
  },
  {
    name: 'a duplicate key',
    file: rows(row('"a"'), row('"b"', ', "id": 1, "id": 2')),
    outcome: ['read', 'read duplicate_keys'],
  },
  {
    name: 'a whole number beyond 2^53',
    file: rows(row('"a"'), row('"b"', ', "x": 9007199254740993')),
    outcome: ['read', 'read big_integers'],
  },
  {
    name: 'a __proto__ key',
    file: rows(row('"a"'), row('"b"', ', "__proto__": {"role": "x"}')),
    outcome: ['read', 'read'],
  },
  { name: 'an escaped NUL', file: rows(row('"a"'), row('"b\\u0000c"')), outcome: ['read', 'read'] },
  { name: 'a raw NUL in a line', file: rows(row('"a"'), row('"b\0c"')), outcome: ['read', 'invalid_json'] },
  { name: 'NUL bytes in what is no JSON', file: Buffer.from('ab\0cd'), outcome: ['binary_file'] },
  {
    name: 'a broken line among rows',
    file: rows(row('"a"'), '{"messages": [', row('"b"')),
    outcome: ['read', 'invalid_json', 'read'],
  },
  {
    name: 'a torn last line',
    file: Buffer.from(`${row('"a"')}\n{"messages": [{"ro`),
    outcome: ['read', 'torn_line'],
  },
  {
    name: 'a line above the limit',
    file: rows(row('"a"'), row(`"${'x'.repeat(5000)}"`), row('"b"')),
    rest: { limits: { line_bytes: 1000 } },
    outcome: ['read', 'too_large', 'read'],
  },
  {
    name: 'a document above the limit',
    file: Buffer.from(JSON.stringify([{ role: 'user', content: 'x'.repeat(5000) }], null, 1)),
    rest: { limits: { document_bytes: 1000, head_bytes: 500 } },
    outcome: ['too_large'],
  },
  {
    name: '10,000 levels of nesting in a document',
    file: Buffer.from(nested(10_000)),
    outcome: ['too_deep'],
  },
  {
    name: '10,000 levels of nesting in a line',
    file: rows(row('"a"'), row('"b"', `, "x": ${nested(10_000)}`), row('"c"')),
    outcome: ['read', 'too_deep', 'read'],
  },
  { name: 'a damaged gzip stream', file: gzipSync(row('"a"')).subarray(0, 30), outcome: ['bad_compression'] },
  {
    name: 'a compressed bomb',
    file: gzipSync(Buffer.alloc(3_000_000, 'x')),
    rest: { limits: { unpacked_bytes: 1_000_000 } },
    outcome: ['too_large'],
  },
  {
    name: 'an archive bomb',
    file: gzipSync(tarOf({ a: Buffer.alloc(3_000_000, 'x') })),
    rest: { limits: { unpacked_bytes: 1_000_000 } },
    outcome: ['too_large'],
  },
  {
    name: 'a path that leads out of an archive',
    file: tarOf({ '../a.jsonl': row('"a"') }),
    outcome: ['bad_archive'],
  },
  { name: 'an archive inside an archive', file: tarOf({ a: tarOf({ b: 'x' }) }), outcome: ['bad_archive'] },
  { name: 'a cut archive', file: tarOf({ a: row('"a"') }).subarray(0, 600), outcome: ['bad_archive'] },
  { name: 'a cut xz stream', file: Buffer.from('\xfd7zXZ\x00', 'latin1'), outcome: ['bad_compression'] },
  { name: 'a cut bzip2 stream', file: Buffer.from('BZh91AY&SY', 'latin1'), outcome: ['bad_compression'] },
  { name: 'UTF-16 text', file: Buffer.from('\uFEFF{"a": 1}', 'utf16le'), outcome: ['binary_file'] },
];

const OWN_FLAGS = new Set([
  'bom',
  'bare_nan',
  'invalid_utf8',
  'lone_surrogates',
  'duplicate_keys',
  'big_integers',
]);

it.each(CASES)('$name has a defined outcome', async ({ file, rest, outcome }) => {
  const results = await readFiles({ file }, rest);
  const found = results.map((result) => {
    if (result.kind === 'reject') return result.reject.code;
    if (result.kind === 'sidecar') return 'sidecar';
    return ['read', ...result.trajectory.flags.filter((flag) => OWN_FLAGS.has(flag))].join(' ');
  });
  expect(found).toEqual(outcome);
});

it('keeps what is readable: NUL, replaced bytes and half pairs stand where they stood', async () => {
  const texts = async (content: string | Buffer) => {
    const [, result] = await readFiles({ file: rows(row('"a"'), content) });
    return result?.kind === 'trajectory' ? result.trajectory.turns.map(turnContent)[1] : null;
  };
  expect(await texts(row('"b\\u0000c"'))).toBe('b\0c');
  expect(await texts(row('"\\ud83d!"'))).toBe('\ud83d!');
  expect(await texts(row('"x", "content": "y"'))).toBe('y');
});

it('docs/reading.md lists every case', () => {
  const docs = readFileSync(fileURLToPath(new URL('../../docs/reading.md', import.meta.url)), 'utf8');
  for (const { name, outcome } of CASES) {
    const line = docs.split('\n').find((candidate) => candidate.startsWith(`| ${name} |`));
    expect([name, line !== undefined]).toEqual([name, true]);
    const codes = outcome.flatMap((each) => each.split(' ')).filter((word) => word !== 'read');
    for (const code of codes) expect([name, line]).toEqual([name, expect.stringContaining(`\`${code}\``)]);
  }
});
