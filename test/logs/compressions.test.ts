import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readChunks, statLog } from '../../src/logs/bytes.js';
import { RejectError } from '../../src/logs/reject.js';

const folder = mkdtempSync(join(tmpdir(), 'trajmill-packed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Module = 'bz2' | 'lzma';

/** Contents with the options of `compress`, packed by one call of Python's modules, which share no code with the readers. */
function pack(items: readonly (readonly [Module, Buffer, string?])[]): Buffer[] {
  const script = [
    'import base64, bz2, json, lzma, sys',
    'for module, content, options in json.load(sys.stdin):',
    '    content = base64.b64decode(content)',
    '    packed = eval(f"{module}.compress(content{options})")',
    '    print(base64.b64encode(packed).decode())',
  ].join('\n');
  const input = JSON.stringify(
    items.map(([module, content, options]) => [module, content.toString('base64'), options ?? '']),
  );
  const { status, stdout } = spawnSync('python3', ['-c', script], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return status === 0
    ? stdout
        .trimEnd()
        .split('\n')
        .map((line) => Buffer.from(line, 'base64'))
    : [];
}

const hasPython =
  pack([
    ['bz2', Buffer.from('x')],
    ['lzma', Buffer.from('x')],
  ]).length === 2;

async function unpack(content: Buffer, unpacked_bytes = 1 << 28): Promise<Buffer> {
  const path = join(folder, 'packed');
  writeFileSync(path, content);
  const pieces: Buffer[] = [];
  for await (const chunk of readChunks(await statLog(path), { unpacked_bytes })) pieces.push(chunk);
  return Buffer.concat(pieces);
}

async function faultOf(content: Buffer, unpacked_bytes?: number): Promise<RejectError> {
  const outcome = await unpack(content, unpacked_bytes).catch((error: unknown) => error);
  if (outcome instanceof RejectError) return outcome;
  throw new Error(`no reject: ${String(outcome).slice(0, 100)}`);
}

/** Bytes without much order, of a size that fills several blocks of the smallest kind. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 12345;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[at] = (state >>> 16) % 97;
  }
  return bytes;
}

const CONTENTS: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('x')],
  ['every byte', Buffer.from(Array.from({ length: 2048 }, (_, at) => at % 256))],
  [
    'runs of every length around those that are counted',
    Buffer.from(
      Array.from({ length: 300 }, (_, length) => String.fromCharCode(97 + (length % 7)).repeat(length)).join(
        '',
      ),
    ),
  ],
  ['several blocks', noise(350_000)],
  ['one long run', Buffer.alloc(3_000_000, 'x')],
  [
    'lines',
    Buffer.from(Array.from({ length: 20_000 }, (_, at) => `{"at": ${at}, "by": ${at * 7919}}\n`).join('')),
  ],
];

const KINDS = [
  ['bzip2', 'bz2', ', 1'],
  ['bzip2', 'bz2', ', 9'],
  ['xz', 'lzma', ''],
  ['xz', 'lzma', ', check=lzma.CHECK_CRC32'],
  ['xz', 'lzma', ', preset=9 | lzma.PRESET_EXTREME'],
] as const;

describe.skipIf(!hasPython)('content that Python packed', () => {
  it.each(KINDS)('as %s by %s.compress(...%s) comes back byte for byte', async (kind, module, options) => {
    const files = pack(CONTENTS.map(([, content]) => [module, content, options]));
    for (const [at, [name, content]] of CONTENTS.entries()) {
      const file = files[at] ?? Buffer.alloc(0);
      const back = await unpack(file);
      expect([name, back.equals(content)]).toEqual([name, true]);
      writeFileSync(join(folder, 'packed'), file);
      expect((await statLog(join(folder, 'packed'))).compression).toBe(kind);
    }
  });

  it.each(KINDS)('in several streams of %s comes back whole', async (_kind, module, options) => {
    const parts = CONTENTS.map(([, content]) => content);
    const file = Buffer.concat(pack(parts.map((content) => [module, content, options])));
    expect((await unpack(file)).equals(Buffer.concat(parts))).toBe(true);
  });

  it('with padding between streams of xz, and garbage behind those of bzip2, is read', async () => {
    const content = Buffer.from('hello');
    const [xz = content, bz2 = content] = pack([
      ['lzma', content],
      ['bz2', content],
    ]);
    expect(String(await unpack(Buffer.concat([xz, Buffer.alloc(8), xz])))).toBe('hellohello');
    expect(String(await unpack(Buffer.concat([bz2, Buffer.from('garbage')])))).toBe('hello');
  });

  it.each(KINDS)('as %s and cut off anywhere never passes for whole', async (_kind, module, options) => {
    const [file = Buffer.alloc(0)] = pack([[module, noise(120_000), options]]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 16, max: file.length - 1 }), async (at) => {
        expect((await faultOf(file.subarray(0, at))).code).toBe('bad_compression');
      }),
      { numRuns: 15 },
    );
  });

  it.each(KINDS)('as %s with a flipped bit never passes for another', async (_kind, module, options) => {
    const content = noise(120_000);
    const [file = content] = pack([[module, content, options]]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 16, max: file.length - 1 }), fc.nat(7), async (at, bit) => {
        const flipped = Buffer.from(file);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        const outcome = await unpack(flipped).catch((error: unknown) => error);
        if (outcome instanceof RejectError) expect(outcome.code).toBe('bad_compression');
        else expect(content.equals(outcome as Buffer)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each(KINDS)(
    'as %s that unfolds beyond the limit is refused by it, at little cost',
    async (_, module, options) => {
      const [bomb = Buffer.alloc(0)] = pack([[module, Buffer.alloc(60_000_000, 'x'), options]]);
      expect(bomb.length).toBeLessThan(50_000);
      const before = process.memoryUsage().arrayBuffers;
      const fault = await faultOf(bomb, 1_000_000);
      expect(fault).toMatchObject({ code: 'too_large', message: expect.stringContaining('1000000') });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
    },
  );

  it('as xz with a check that is not read is refused by name', async () => {
    const [file = Buffer.alloc(0)] = pack([['lzma', Buffer.from('x'), ', check=lzma.CHECK_SHA256']]);
    const fault = await faultOf(file);
    expect(fault).toMatchObject({ code: 'bad_compression', message: expect.stringContaining('check') });
  });

  it('is let go of by a reader that has seen enough, so that the next is not kept waiting', async () => {
    for (const module of ['bz2', 'lzma'] as const) {
      const path = join(folder, module);
      const [file = ''] = pack([[module, noise(400_000), module === 'bz2' ? ', 1' : '']]);
      writeFileSync(path, file);
      for (let round = 0; round < 3; round++) {
        for await (const chunk of readChunks(await statLog(path), { unpacked_bytes: 1 << 28 })) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
      }
    }
  });
});

describe('text that only begins like a compressed file', () => {
  it.each(['BZh9 is a word', 'BZh', '\xfd7z'])('%s is no such file', async (text) => {
    expect(String(await unpack(Buffer.from(text, 'latin1')))).toBe(String(Buffer.from(text, 'latin1')));
  });
});
