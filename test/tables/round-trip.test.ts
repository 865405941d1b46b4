import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readShard } from '../../src/tables/read-shard.js';
import { openShardWriter, type RowGroupLimits } from '../../src/tables/shard-writer.js';
import type { AnyRow, TableSpec } from '../../src/tables/table-spec.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { ALL_TYPES } from './all-types.js';
import { rowsOf } from './arbitraries.js';
import { duckRows, plain } from './duck.js';
import { temporaryFolder } from './temporary.js';

const folder = temporaryFolder();
let files = 0;

async function write(spec: TableSpec, rows: readonly AnyRow[], rowGroup: Partial<RowGroupLimits> = {}) {
  const path = join(folder, `${files++}.parquet`);
  const writer = await openShardWriter<TableSpec>({ path, spec, metadata: { plan_id: 'p' }, rowGroup });
  for (const row of rows) await writer.append(row as never);
  return { path, sums: await writer.close() };
}

async function readBack(path: string, spec: TableSpec): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of readShard(path, spec)) rows.push(plain(row));
  return rows;
}

const queryBack = async (path: string): Promise<unknown[]> =>
  (await duckRows(`SELECT * FROM read_parquet('${path}')`)).map(plain);

/** Applies a change to every leaf. */
function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, change));
  if (value === null || typeof value !== 'object') return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapLeaves(item, change)]));
}

/** -0 and 0 are one value here. */
const sameZero = (row: unknown): unknown => mapLeaves(row, (leaf) => (Object.is(leaf, -0) ? 0 : leaf));

/** DuckDB's JavaScript binding drops a byte order mark at the start of a text. */
const withoutMark = (row: unknown): unknown =>
  mapLeaves(row, (leaf) => (typeof leaf === 'string' ? leaf.replace(/^\uFEFF/, '') : leaf));

const FULL = {
  id: 'r',
  s: 'é😀\u0000 "\n',
  j: '{"a":[1,null]}',
  b: true,
  i32: -(2 ** 31),
  i64: 2 ** 40,
  f64: 0.1,
  ids: Int32Array.of(151643, 0, 2 ** 31 - 1),
  li32: [-1, 5],
  li8: Uint8Array.of(0, 1, 1),
  lf32: [null, 0.5],
  lf64: Float64Array.of(0.1, -1e300),
  ls: ['', 'x', null, '😀'],
};

const EMPTY = { ...FULL, id: '', s: '', j: '""', ids: [], li32: [], li8: [], lf32: [], lf64: [], ls: [] };
const NULL = Object.fromEntries(
  Object.keys(FULL).map((key) => [key, key === 'id' ? 'null' : key === 'ids' ? [] : null]),
);
const LITERALS: readonly AnyRow[] = [
  FULL,
  EMPTY,
  NULL,
  { ...FULL, s: 'no mark \uFEFF', b: false, i64: -Number.MAX_SAFE_INTEGER, i32: 2 ** 31 - 1 },
  NULL,
];

describe('a shard read back', () => {
  test('holds every column type, nulls, empty lists and empty strings, by both readers', async () => {
    const { path, sums } = await write(ALL_TYPES, LITERALS, { maxRows: 2 });
    const expected = LITERALS.map(plain);
    expect(sums).toMatchObject({ rows: 5, row_groups: 3, tokens: 6 });
    expect(await readBack(path, ALL_TYPES)).toEqual(expected);
    expect(await queryBack(path)).toEqual(expected);
  });

  test('gives integer lists as typed arrays and only the columns asked for', async () => {
    const { path } = await write(ALL_TYPES, LITERALS);
    for await (const row of readShard(path, ALL_TYPES, { columns: ['ids', 'li8'] })) {
      expect(Object.keys(row)).toEqual(['ids', 'li8']);
      expect(row.ids).toBeInstanceOf(Int32Array);
      expect(row.li8 === null || row.li8 instanceof Int8Array).toBe(true);
    }
  });

  test('keeps a byte order mark', async () => {
    const { path } = await write(ALL_TYPES, [{ ...FULL, s: '\uFEFFx' }]);
    expect(await readBack(path, ALL_TYPES)).toMatchObject([{ s: '\uFEFFx' }]);
  });

  test('turns a lone surrogate into U+FFFD', async () => {
    const { path } = await write(ALL_TYPES, [{ ...FULL, s: 'a\uD83Db' }]);
    expect(await readBack(path, ALL_TYPES)).toMatchObject([{ s: 'a\uFFFDb' }]);
  });

  test('holds long texts that outgrow their buffers', async () => {
    const rows = [1, 100_000, 3, 70_000].map((n, i) => ({ ...FULL, id: `${i}`, s: 'é€😀x'.repeat(n) }));
    const { path } = await write(ALL_TYPES, rows);
    expect(await queryBack(path)).toEqual(rows.map(plain));
  });

  test.each([ALL_TYPES, ...Object.values(TABLES)])(
    'of table $name equals what was written, whatever the rows and groups',
    async (spec) => {
      await fc.assert(
        fc.asyncProperty(rowsOf(spec), fc.integer({ min: 1, max: 12 }), async (rows, maxRows) => {
          const { path, sums } = await write(spec, rows, { maxRows });
          const expected = rows.map((row) => sameZero(plain(row)));
          expect(sums.rows).toBe(rows.length);
          expect(sums.row_groups).toBe(Math.ceil(rows.length / maxRows));
          expect((await readBack(path, spec)).map(sameZero)).toEqual(expected);
          expect((await queryBack(path)).map(sameZero)).toEqual(expected.map(withoutMark));
        }),
        { numRuns: 15 },
      );
    },
  );
});
