import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Compression } from '../../src/tables/parquet/compression.js';
import { openShardWriter } from '../../src/tables/shard-writer.js';
import { ALL_TYPES } from './all-types.js';
import { plain } from './duck.js';
import { temporaryFolder } from './temporary.js';

interface Cursor {
  next(): Promise<Record<string, unknown> | null>;
}
interface Reader {
  getCursor(): Cursor;
  close(): Promise<void>;
}
const parquet = createRequire(import.meta.url)('parquetjs-lite') as {
  ParquetReader: { openFile(path: string): Promise<Reader> };
};

const folder = temporaryFolder();

const FULL = {
  id: 'é😀',
  s: '',
  j: '[]',
  b: false,
  i32: -7,
  i64: 2 ** 40,
  f64: 0.1,
  ids: [1, 2, 3],
  li32: [-1],
  li8: [0, 1],
  lf32: [0.5, null],
  lf64: [0.1],
  ls: ['', 'x', null],
};
const NULL = { s: null, j: null, b: null, i32: null, i64: null, f64: null };
const ROWS = [
  FULL,
  { ...FULL, ...NULL, id: 'null', ids: [], li32: null, li8: [], lf32: null, lf64: [], ls: null },
  { ...FULL, id: 'last', b: true, ids: [9] },
];

async function write(
  compression: Compression,
  rows: readonly (typeof ROWS)[number][] = ROWS,
): Promise<string> {
  const path = join(folder, `${compression}-${rows.length}.parquet`);
  const writer = await openShardWriter({
    path,
    spec: ALL_TYPES,
    metadata: {},
    compression,
    rowGroup: { maxRows: 2 },
  });
  for (const row of rows) await writer.append(row);
  await writer.close();
  return path;
}

/** Its view of a list: the two levels below the column as they stand, absent where null, without `list` where empty. */
function listOf(value: unknown): unknown {
  const { list = [] } = value as { list?: { element?: unknown }[] };
  return list.map(({ element }) => element ?? null);
}

const asRow = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    ALL_TYPES.columns.map(({ name, type }) => {
      const value = plain(row[name]);
      return [name, type.startsWith('list<') && value !== null ? listOf(value) : value];
    }),
  );

describe('parquetjs-lite, a third reader', () => {
  test('reads a snappy shard whole, lists, nulls and empty lists included', async () => {
    const reader = await parquet.ParquetReader.openFile(await write('snappy'));
    const cursor = reader.getCursor();
    const rows: unknown[] = [];
    for (let row = await cursor.next(); row !== null; row = await cursor.next()) rows.push(asRow(row));
    await reader.close();
    expect(rows).toEqual(ROWS);
  });

  test('says so where it meets a dictionary', async () => {
    const rows = [{ ...FULL, ids: Array.from({ length: 2000 }, (_, i) => i % 10) }];
    const reader = await parquet.ParquetReader.openFile(await write('snappy', rows));
    await expect(reader.getCursor().next()).rejects.toEqual('invalid encoding: RLE_DICTIONARY');
    await reader.close();
  });

  test('cannot read zstd, the default of our shards', async () => {
    const reader = await parquet.ParquetReader.openFile(await write('zstd'));
    await expect(reader.getCursor().next()).rejects.toEqual('invalid compression method: ZSTD');
    await reader.close();
  });
});
