import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Line, readLines, splitLines } from '../../src/logs/lines.js';
import { scanFile } from '../../src/logs/scan.js';

async function collect(lines: AsyncIterable<Line>): Promise<Line[]> {
  const all: Line[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const texts = (lines: readonly Line[]) => lines.map((line) => line.bytes?.toString('utf8') ?? null);

const folder = mkdtempSync(join(tmpdir(), 'trajmill-lines-'));
let files = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileWith(content: Buffer | string): string {
  const path = join(folder, `${files++}.jsonl`);
  writeFileSync(path, content);
  return path;
}

/** Cuts a buffer into chunks of these sizes, over and over. */
function chunked(content: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < content.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(content.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('lines', () => {
  it('carry numbers, places and whether they end', async () => {
    const lines = await collect(splitLines([Buffer.from('a\n\r\n \t\nbé\r\nc')], {}));
    expect(lines.map(({ bytes, ...rest }) => [bytes?.toString(), rest])).toEqual([
      ['a', { number: 1, byte_start: 0, byte_end: 1, terminated: true }],
      ['bé', { number: 4, byte_start: 7, byte_end: 10, terminated: true }],
      ['c', { number: 5, byte_start: 12, byte_end: 13, terminated: false }],
    ]);
  });

  it('do not depend on how the bytes arrive', async () => {
    const part = fc.constantFrom('a', '\n', '\r', '\r\n', 'é', '𝒳', ' ', '{"x":1}', '');
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        async (parts, sizes) => {
          const content = Buffer.from(parts.join(''));
          const whole = await collect(splitLines([content], {}));
          expect(await collect(splitLines(chunked(content, sizes), {}))).toEqual(whole);
          const expected = content
            .toString('utf8')
            .split('\n')
            .map((line, index, all) => (index < all.length - 1 ? line.replace(/\r$/, '') : line))
            .filter((line) => !/^[ \t\r]*$/.test(line));
          expect(texts(whole)).toEqual(expected);
          for (const line of whole) {
            expect(content.subarray(line.byte_start, line.byte_end)).toEqual(line.bytes);
          }
        },
      ),
    );
  });

  it('above the limit are named and never held', async () => {
    const content = Buffer.from(`${'x'.repeat(50)}\nok\n${'y'.repeat(11)}`);
    const lines = await collect(splitLines(chunked(content, [7]), { maxLineBytes: 10 }));
    expect(
      lines.map((line) => [line.number, line.bytes?.toString() ?? null, line.byte_start, line.byte_end]),
    ).toEqual([
      [1, null, 0, 50],
      [2, 'ok', 51, 53],
      [3, null, 54, 65],
    ]);
    const exact = await collect(splitLines([Buffer.from('0123456789\n')], { maxLineBytes: 10 }));
    expect(texts(exact)).toEqual(['0123456789']);
  });

  it('of an empty file or range are none', async () => {
    const path = fileWith('a\n');
    expect(await collect(readLines(fileWith('')))).toEqual([]);
    expect(await collect(readLines(path, { range: { byte_start: 2, byte_end: 2, first_line: 2 } }))).toEqual(
      [],
    );
  });
});

describe('ranges', () => {
  it('cover the file, cut after newlines, and their lines joined are the lines of the file', async () => {
    const line = fc.oneof(fc.constant(''), fc.constant('\r'), fc.string({ maxLength: 30 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 30 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 60 }),
        async (lines, ended, rangeBytes) => {
          const content = Buffer.from(lines.join('\n') + (ended ? '\n' : ''));
          const path = fileWith(content);
          const scan = await scanFile(path, { rangeBytes, splittable: true });
          expect(scan.bytes).toBe(content.length);
          expect(scan.ranges[0]?.byte_start).toBe(0);
          expect(scan.ranges.at(-1)?.byte_end).toBe(content.length);
          const joined: Line[] = [];
          let end = 0;
          for (const range of scan.ranges) {
            expect(range.byte_start).toBe(end);
            if (range.byte_start > 0) expect(content[range.byte_start - 1]).toBe(10);
            end = range.byte_end;
            joined.push(...(await collect(readLines(path, { range }))));
          }
          expect(joined).toEqual(await collect(readLines(path)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lie near the multiples, and a file that cannot be cut is one', async () => {
    const path = fileWith('0123456\n'.repeat(100));
    const scan = await scanFile(path, { rangeBytes: 100, splittable: true });
    expect(scan.ranges.map((range) => [range.byte_start, range.first_line])).toEqual([
      [0, 1],
      [104, 14],
      [200, 26],
      [304, 39],
      [400, 51],
      [504, 64],
      [600, 76],
      [704, 89],
    ]);
    const single = await scanFile(path, { rangeBytes: 100, splittable: false });
    expect(single.ranges).toEqual([{ byte_start: 0, byte_end: 800, first_line: 1 }]);
    expect(single.sha256).toBe(scan.sha256);
  });

  it('of an empty file are one, so that it is reported', async () => {
    const scan = await scanFile(fileWith(''), { rangeBytes: 10, splittable: true });
    expect(scan.ranges).toEqual([{ byte_start: 0, byte_end: 0, first_line: 1 }]);
    expect(scan.sha256).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('skip multiples that one long line covers', async () => {
    const path = fileWith(`${'x'.repeat(350)}\n${'y'.repeat(20)}\n${'z'.repeat(50)}\nend\n`);
    const scan = await scanFile(path, { rangeBytes: 100, splittable: true });
    expect(scan.ranges.map((range) => range.byte_end)).toEqual([351, 423, 427]);
  });
});
