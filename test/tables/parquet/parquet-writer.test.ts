import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { expectedSchema } from '../../../src/tables/parquet-schema.js';
import { readFooter } from '../../../src/tables/read-shard.js';
import type { AnyRow, TableSpec } from '../../../src/tables/table-spec.js';
import { ALL_TYPES } from '../all-types.js';
import { rowsOf } from '../arbitraries.js';
import { duckRows, plain } from '../duck.js';
import { temporaryFolder } from '../temporary.js';
import { pageHeaders } from './page-headers.js';
import { READERS, writeTable } from './readers.js';

const folder = temporaryFolder();
let files = 0;
const nextPath = (): string => join(folder, `${files++}.parquet`);

/** Two zeros are one value, and DuckDB's and Arrow's JavaScript drop a byte order mark at the start of a text. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^\uFEFF/, '');
  if (Object.is(value, -0)) return 0;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(comparable);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]));
}

async function expectReadAlike(path: string, rows: readonly AnyRow[]): Promise<void> {
  const expected = rows.map((row) => comparable(plain(row)));
  const text = JSON.stringify(expected);
  for (const [name, read] of Object.entries(READERS)) {
    const found = (await read(path)).map(comparable);
    // millions of values are compared as a text; where it differs, the difference is shown
    if (JSON.stringify(found) !== text) expect(found, name).toEqual(expected);
    expect(found).toHaveLength(expected.length);
  }
}

/** A generator of numbers below 2^32 that is the same for equal seeds. */
function random(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Lists and texts that may hold nulls everywhere. */
const WITH_NULLS = {
  name: 'with_nulls',
  doc: 'Lists of every type with elements that are null.',
  key: null,
  token_column: null,
  columns: [
    { name: 's', type: 'string', nullable: true, doc: 's' },
    { name: 'i32', type: 'int32', nullable: true, doc: 'i32' },
    ...(['int32', 'int8', 'float32', 'float64', 'string'] as const).map((type) => ({
      name: type,
      type: `list<${type}>` as const,
      nullable: true,
      nullable_elements: true,
      doc: type,
    })),
  ],
} as const satisfies TableSpec;

type Shape = Readonly<
  Record<'seed' | 'rows' | 'length' | 'different' | 'run' | 'nulls' | 'perGroup', number>
>;

/** Sizes at which dictionaries, widths of indices and pages change. */
const shape: fc.Arbitrary<Shape> = fc.record({
  seed: fc.integer({ min: 1 }),
  rows: fc.constantFrom(1, 3, 17, 60),
  length: fc.constantFrom(0, 1, 9, 300, 2500),
  different: fc.constantFrom(1, 2, 3, 17, 255, 256, 257, 300, 100_000),
  run: fc.constantFrom(1, 2, 7, 8, 40),
  nulls: fc.constantFrom(0, 0, 0.02, 0.5),
  perGroup: fc.constantFrom(1, 16, 100),
});

function tableOf({ seed, rows, length, different, run, nulls }: Shape): AnyRow[] {
  const next = random(seed);
  const isNull = (): boolean => next() < nulls * 2 ** 32;
  const listOf = (item: (k: number) => unknown): unknown[] | null => {
    if (isNull()) return null;
    const items: unknown[] = [];
    const size = next() % (length + 1);
    while (items.length < size) {
      const k = next() % different;
      for (let i = next() % run; i >= 0 && items.length < size; i--) items.push(isNull() ? null : item(k));
    }
    return items;
  };
  const text = (k: number): string => `${'é'.repeat(k % 200)}${k}`;
  return Array.from({ length: rows }, () => ({
    s: isNull() ? null : text(next() % different),
    i32: isNull() ? null : (next() % different) - 1,
    int32: listOf((k) => k),
    int8: listOf((k) => (k % 256) - 128),
    float32: listOf((k) => k / 8),
    float64: listOf((k) => k / 10),
    string: listOf((k) => (k % 5 === 0 ? '' : `text ${k}`)),
  }));
}

const chunked = (rows: readonly AnyRow[], size: number): AnyRow[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));

describe('ParquetWriter', () => {
  test('is read alike by three readers, whatever the rows, nulls and row groups', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(ALL_TYPES), fc.integer({ min: 1, max: 12 }), async (rows, size) => {
        const path = nextPath();
        await writeTable({ path, spec: ALL_TYPES, groups: chunked(rows, size) });
        await expectReadAlike(path, rows);
      }),
      { numRuns: 25 },
    );
  });

  test('is read alike where lists are long, values repeat and any of them may be null', async () => {
    const codec = fc.constantFrom('zstd', 'snappy', 'none');
    await fc.assert(
      fc.asyncProperty(shape, codec, async (each, compression) => {
        const rows = tableOf(each);
        const path = nextPath();
        await writeTable({ path, spec: WITH_NULLS, groups: chunked(rows, each.perGroup), compression });
        await expectReadAlike(path, rows);
      }),
      { numRuns: 40 },
    );
  });

  test('holds extremes of every type', async () => {
    const bounds = [
      [-(2 ** 31), -Number.MAX_SAFE_INTEGER, -1.7976931348623157e308, -128],
      [2 ** 31 - 1, Number.MAX_SAFE_INTEGER, 5e-324, 127],
    ] as const;
    const rows = bounds.map(([i32, i64, f64, i8], i) => ({
      ...{ id: `${i}`, s: '\u{10FFFF}', j: '""', b: i === 0, i32, i64, f64, ids: [i32], li32: [i32, 0] },
      ...{ li8: [i8], lf32: [Math.fround(3.4e38), 1.401298464324817e-45], lf64: [f64], ls: ['\0'] },
    }));
    const path = nextPath();
    await writeTable({ path, spec: ALL_TYPES, groups: [rows] });
    await expectReadAlike(path, rows);
  });

  test('cuts pages at rows, at a MiB of values, and gives a larger row a page of its own', async () => {
    // too many different ids and texts for a dictionary
    const lengths = [100_000, 100_000, 100_000, 300_000, 10, 0, 20_000];
    const next = random(7);
    const rows = lengths.map((length, i) => ({
      ...{ s: 'x'.repeat(2 * length), i32: i, int8: null, float32: null, float64: null },
      string: Array.from({ length: 100 }, (_, k) => `text ${k} of ${i}`),
      int32: Int32Array.from({ length }, () => next() % 400_000),
    }));
    const path = nextPath();
    const file = await writeTable({ path, spec: WITH_NULLS, groups: [rows] });
    const pages = pageHeaders(file).filter(({ column }) => column === 'int32');
    // a list without elements is one level
    expect(pages.map(({ values }) => values)).toEqual([200_000, 100_000, 300_000, 20_011]);
    const strings = pageHeaders(file).filter(({ column }) => column === 'string');
    expect(strings.map(({ type, encoding }) => [type, encoding])).toEqual([['data', 0]]);
    const texts = pageHeaders(file).filter(({ column }) => column === 's');
    expect(texts.map(({ values }) => values)).toEqual([3, 4]);
    for (const { size } of texts) expect(size).toBeLessThan(2 ** 20 + 64);
    await expectReadAlike(path, rows);
  });

  test('takes token ids by a dictionary of 16 bits and masks by runs of one bit', async () => {
    const next = random(3);
    const texts = Array.from({ length: 40 }, (_, i) => ['a', 'b'.repeat(200), ''][i % 3]);
    const rows = Array.from({ length: 6 }, () => {
      const int32 = Int32Array.from({ length: 100_003 }, () => Math.floor((next() / 2 ** 32) ** 4 * 30_000));
      return {
        ...{ s: 'same', i32: null, float32: [0.5], float64: null, string: texts },
        int32,
        int8: Int8Array.from(int32, (_, i) => (i % 1000 < 400 ? 1 : 0)),
      };
    });
    const path = nextPath();
    const file = await writeTable({ path, spec: WITH_NULLS, groups: [rows] });
    const pages = pageHeaders(file);
    const dataPages = (name: string) =>
      pages.filter(({ column, type }) => column === name && type === 'data');
    const ids = dataPages('int32');
    expect(ids.map(({ encoding, values }) => [encoding, values])).toEqual([
      [8, 500_015],
      [8, 100_003],
    ]);
    for (const { size, values } of ids) expect(size).toBeLessThan(values * 2 + 100);
    expect(dataPages('int8').map(({ encoding, values }) => [encoding, values])).toEqual([
      [8, 500_015],
      [8, 100_003],
    ]);
    for (const { size } of dataPages('int8')) expect(size).toBeLessThan(6000);
    // a dictionary of so little would cost more than it saves
    for (const name of ['s', 'float32']) expect(dataPages(name).map(({ encoding }) => encoding)).toEqual([0]);
    expect(pages.filter(({ column }) => column === 'string')).toMatchObject([
      { type: 'dictionary', encoding: 0, values: 3 },
      { type: 'data', encoding: 8, values: 240 },
    ]);
    await expectReadAlike(path, rows);
  });

  test('has a footer on which two readers agree, with the schema of the table', async () => {
    const rows = tableOf({ seed: 5, rows: 40, length: 300, different: 3, run: 2, nulls: 0.1, perGroup: 20 });
    const path = nextPath();
    await writeTable({ path, spec: WITH_NULLS, groups: chunked(rows, 20) });
    const bytes = readFileSync(path);
    const footer = parquetMetadata(Uint8Array.from(bytes).buffer);
    expect((await readFooter(path)).schema).toEqual(expectedSchema(WITH_NULLS));
    expect(footer).toMatchObject({ version: 1, num_rows: 40n, created_by: 'trajmill' });
    expect(footer.key_value_metadata).toEqual([{ key: 'k', value: 'v' }]);

    const schema = await duckRows(`SELECT name, type, logical_type FROM parquet_schema('${path}')`);
    expect(schema.map(({ name }) => name)).toEqual(footer.schema.map(({ name }) => name));
    expect(schema.map(({ type }) => type)).toEqual(footer.schema.map(({ type }) => type ?? null));
    const kinds = ['STRING', 'LIST', 'INTEGER'];
    const logical = footer.schema.map(({ logical_type: type }) => kinds.indexOf(type?.type ?? ''));
    const duckKinds = ['StringType', 'ListType', 'IntType'];
    expect(
      schema.map(({ logical_type: type }) => duckKinds.indexOf(String(type).split('(')[0] ?? '')),
    ).toEqual(logical);
    expect(new Set(logical)).toEqual(new Set([-1, 0, 1, 2]));

    const chunks = await duckRows(
      `SELECT * FROM parquet_metadata('${path}') ORDER BY row_group_id, column_id`,
    );
    const columns = footer.row_groups.flatMap((group) => group.columns.map(({ meta_data: chunk }) => chunk));
    expect(chunks).toHaveLength(2 * WITH_NULLS.columns.length);
    for (const [i, chunk] of chunks.entries()) {
      const other = columns[i];
      expect({
        path: String(chunk['path_in_schema']).split(', '),
        type: chunk['type'],
        codec: chunk['compression'],
        values: chunk['num_values'],
        plain: chunk['total_uncompressed_size'],
        compressed: chunk['total_compressed_size'],
        nulls: chunk['stats_null_count'],
      }).toEqual({
        path: other?.path_in_schema,
        type: other?.type,
        codec: other?.codec,
        values: other?.num_values,
        plain: other?.total_uncompressed_size,
        compressed: other?.total_compressed_size,
        nulls: other?.statistics?.null_count ?? null,
      });
    }
  });

  test('writes no row group for a batch without rows', async () => {
    const path = nextPath();
    const file = await writeTable({ path, spec: ALL_TYPES, groups: [[], []] });
    expect(parquetMetadata(Uint8Array.from(file).buffer)).toMatchObject({ num_rows: 0n, row_groups: [] });
    await expectReadAlike(path, []);
  });

  test.each(['zstd', 'snappy', 'none'] as const)(
    'gives equal bytes for equal rows with %s, whatever was written before',
    async (compression) => {
      const options = { seed: 11, rows: 60, length: 2500, different: 300, run: 3, nulls: 0.02, perGroup: 16 };
      const write = (seed: number) =>
        writeTable({
          path: nextPath(),
          spec: WITH_NULLS,
          groups: chunked(tableOf({ ...options, seed }), options.perGroup),
          compression,
        });
      const first = await write(11);
      await write(12);
      expect((await write(11)).equals(first)).toBe(true);
    },
  );
});
