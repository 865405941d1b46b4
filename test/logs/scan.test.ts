import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chunkBytes } from '../../src/logs/bytes.js';
import { scanFile } from '../../src/logs/scan.js';
import { temporaryFolder } from '../cli/harness.js';

const MIB = 2 ** 20;

it('a small file costs a small buffer, and a large one no more than one MiB', () => {
  expect(chunkBytes(0)).toBe(64 * 1024);
  expect(chunkBytes(300 * 1024)).toBe(300 * 1024);
  expect(chunkBytes(5000 * MIB)).toBe(MIB);
});

it.each([0, 1, 64 * 1024, MIB, MIB + 1, 3 * MIB + 7])('sums and cuts a file of %i bytes', async (size) => {
  const path = join(temporaryFolder(), 'log');
  // lines of 1,000 bytes, told apart by their bytes
  const bytes = Uint8Array.from({ length: size }, (_, i) => (i % 1000 === 999 ? 10 : 33 + (i % 89)));
  writeFileSync(path, bytes);
  const scan = await scanFile(path, { rangeBytes: 400_000, splittable: true });
  expect(scan).toMatchObject({ bytes: size, sha256: createHash('sha256').update(bytes).digest('hex') });
  expect(scan.ranges[0]?.byte_start).toBe(0);
  expect(scan.ranges.at(-1)?.byte_end).toBe(size);
  for (const [index, { byte_start: start, first_line: line }] of scan.ranges.entries()) {
    if (index > 0) expect(scan.ranges[index - 1]?.byte_end).toBe(start);
    expect(line).toBe(bytes.subarray(0, start).filter((byte) => byte === 10).length + 1);
  }
  expect(scan.ranges).toHaveLength(Math.max(1, Math.ceil(size / 400_000)));
});
