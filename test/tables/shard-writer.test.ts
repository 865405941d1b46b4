import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { featuresOf } from '../../src/tables/features.js';
import { expectedSchema } from '../../src/tables/parquet-schema.js';
import { readFooter } from '../../src/tables/read-shard.js';
import { openShardWriter, type ShardOptions } from '../../src/tables/shard-writer.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { ALL_TYPES } from './all-types.js';
import { duckRows } from './duck.js';
import { temporaryFolder } from './temporary.js';

const folder = temporaryFolder();
type AllTypes = typeof ALL_TYPES;

const rowOf = (i: number, tokens = 10) => ({
  id: `r${i}`,
  s: i % 3 === 0 ? null : `text ${i}`,
  j: '{}',
  b: i % 2 === 0,
  i32: i,
  i64: 2 ** 40 + i,
  f64: i / 10,
  ids: Int32Array.from({ length: tokens }, (_, k) => (k * 7919 + i) % 151_000),
  li32: null,
  li8: new Uint8Array(tokens),
  lf32: [null, 0.5],
  lf64: [],
  ls: ['x'],
});

async function write(
  name: string,
  rows: Iterable<ReturnType<typeof rowOf>>,
  options: Partial<ShardOptions<AllTypes>> = {},
) {
  const path = join(folder, `${name}.parquet`);
  const writer = await openShardWriter({ path, spec: ALL_TYPES, metadata: { plan_id: 'p' }, ...options });
  for (const row of rows) await writer.append(row);
  return { path, sums: await writer.close() };
}

function* rows(count: number, tokens?: number) {
  for (let i = 0; i < count; i++) yield rowOf(i, tokens);
}

describe('openShardWriter', () => {
  test('tells the least and greatest value of single values in each row group, so that readers can skip it', async () => {
    const { path } = await write('statistics', rows(20), { rowGroup: { maxRows: 10 } });
    const found = await duckRows(
      `SELECT path_in_schema AS name, row_group_id::INT AS grp, stats_min_value AS low, stats_max_value AS high
       FROM parquet_metadata('${path}') WHERE path_in_schema IN ('i32', 's', 'ids, list, element', 'j')
       ORDER BY name, grp`,
    );
    const shown = found.map(({ name, grp, low, high }) => [name, grp, low, high]);
    expect(shown).toEqual([
      ['i32', 0, '0', '9'],
      ['i32', 1, '10', '19'],
      ['ids, list, element', 0, null, null],
      ['ids, list, element', 1, null, null],
      ['j', 0, null, null],
      ['j', 1, null, null],
      ['s', 0, 'text 1', 'text 8'],
      ['s', 1, 'text 10', 'text 19'],
    ]);
  });

  test('gives size and sha256 of the file as it lies on disk', async () => {
    const { path, sums } = await write('sums', rows(25), { rowGroup: { maxRows: 10 } });
    const bytes = readFileSync(path);
    expect(sums).toEqual({
      rows: 25,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      row_groups: 3,
      tokens: 250,
    });
  });

  test('writes equal bytes for equal rows, also after other shards in the same process', async () => {
    const digests = new Set<string>();
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const { sums } = await write(name, rows(40), { rowGroup: { maxRows: 16 } });
      digests.add(sums.sha256);
      await write('between', rows(3), { metadata: { plan_id: name } });
    }
    expect(digests.size).toBe(1);
  });

  test('does not depend on how appends interleave with those of another shard', async () => {
    const alone = await write('alone', rows(60), { rowGroup: { maxRows: 7 } });
    const paths = ['left', 'right'].map((name) => join(folder, `${name}.parquet`));
    const writers = await Promise.all(
      paths.map((path) =>
        openShardWriter({ path, spec: ALL_TYPES, metadata: { plan_id: 'p' }, rowGroup: { maxRows: 7 } }),
      ),
    );
    for (const row of rows(60)) await Promise.all(writers.map((writer) => writer.append(row)));
    const sums = await Promise.all(writers.map((writer) => writer.close()));
    expect(sums).toEqual([alone.sums, alone.sums]);
  });

  test('ends a row group before it would exceed its rows or tokens, and after it reached its bytes', async () => {
    const sizes = async (name: string, rowGroup: ShardOptions<AllTypes>['rowGroup'], tokens: number[]) => {
      const list = tokens.map((n, i) => rowOf(i, n));
      const { path } = await write(name, list, rowGroup === undefined ? {} : { rowGroup });
      return (await readFooter(path)).row_groups;
    };
    expect(await sizes('rows', { maxRows: 2 }, [1, 1, 1, 1, 1])).toEqual([2, 2, 1]);
    expect(await sizes('tokens', { maxTokens: 10 }, [4, 6, 1, 30, 9, 1])).toEqual([2, 1, 1, 2]);
    expect(await sizes('bytes', { maxBytes: 5000 }, [2000, 1, 1, 2000])).toEqual([1, 3]);
    expect(await sizes('default', undefined, Array(1001).fill(1))).toEqual([1000, 1]);
  });

  test('holds one row group at a time: what is flushed leaves memory for the disk', async () => {
    const path = join(folder, 'bounded.parquet');
    const writer = await openShardWriter({
      path,
      spec: ALL_TYPES,
      metadata: {},
      compression: 'none',
      rowGroup: { maxTokens: 500_000 },
    });
    // so many different ids take four bytes each
    const groupBytes = 500_000 * 4;
    for (let i = 0; i < 40; i++) {
      await writer.append(rowOf(i, 100_000));
      const written = readFileSync(path).length;
      // one group is being filled and less than a MiB of pages waits
      expect(written).toBeGreaterThanOrEqual((i + 1) * 400_000 - groupBytes - 2 ** 20);
    }
    expect((await writer.close()).row_groups).toBe(8);
  });

  test('is read by DuckDB as optional columns with lists of element', async () => {
    const { path } = await write('duck', rows(30));
    const schema = await duckRows(
      `SELECT name, type, repetition_type, converted_type FROM parquet_schema('${path}')`,
    );
    expect(schema.slice(1).filter((each) => each['repetition_type'] !== 'OPTIONAL')).toEqual(
      Array(6).fill({ name: 'list', type: null, repetition_type: 'REPEATED', converted_type: null }),
    );
    expect(schema.filter((each) => each['name'] === 'element').map((each) => each['type'])).toEqual([
      'INT32',
      'INT32',
      'INT32',
      'FLOAT',
      'DOUBLE',
      'BYTE_ARRAY',
    ]);
    const chunks = await duckRows(`SELECT path_in_schema, compression FROM parquet_metadata('${path}')`);
    expect(chunks).toHaveLength(ALL_TYPES.columns.length);
    for (const chunk of chunks) expect(chunk).toMatchObject({ compression: 'ZSTD' });
  });

  test('puts the footer keys in a fixed order, huggingface first', async () => {
    const metadata = { z: '1', plan_id: 'p', a: 'ü' };
    const { path } = await write('keys', rows(1), { metadata });
    const keys = await duckRows(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path}')`,
    );
    expect(keys.map((each) => each['key'])).toEqual(['huggingface', 'schema_version', 'a', 'plan_id', 'z']);
    expect(keys.slice(1, 5).map((each) => each['value'])).toEqual(['1', 'ü', 'p', '1']);
    expect(JSON.parse(String(keys[0]?.['value']))).toEqual({ info: { features: featuresOf(ALL_TYPES) } });
  });

  test.each(Object.values(TABLES))(
    'writes $name without rows as a valid file with its schema',
    async (spec) => {
      const path = join(folder, `empty-${spec.name}.parquet`);
      const sums = await (await openShardWriter({ path, spec, metadata: { plan_id: 'p' } })).close();
      expect(sums).toMatchObject({ rows: 0, row_groups: 0, tokens: 0 });
      expect((await readFooter(path)).schema).toEqual(expectedSchema(spec));
      expect(await duckRows(`SELECT * FROM '${path}'`)).toEqual([]);
      const columns = await duckRows(`DESCRIBE SELECT * FROM '${path}'`);
      expect(columns.map((each) => each['column_name'])).toEqual(spec.columns.map(({ name }) => name));
    },
  );

  test.each(['zstd', 'snappy', 'none'] as const)('compresses with %s', async (compression) => {
    const { path } = await write(`codec-${compression}`, rows(3), { compression });
    expect(await duckRows(`SELECT sum(len(ids))::INT AS n FROM '${path}'`)).toEqual([{ n: 30 }]);
  });

  test('goes on after a row that it refused', async () => {
    const path = join(folder, 'refused.parquet');
    const writer = await openShardWriter({
      path,
      spec: ALL_TYPES,
      metadata: {},
      rowGroup: { maxTokens: 15 },
    });
    await writer.append(rowOf(0));
    await expect(writer.append({ ...rowOf(1), f64: Number.NaN })).rejects.toThrow('all_types.f64');
    await writer.append(rowOf(2));
    expect(await writer.close()).toMatchObject({ rows: 2 });
    expect(await duckRows(`SELECT id FROM '${path}'`)).toEqual([{ id: 'r0' }, { id: 'r2' }]);
  });

  test('removes the file on abort, before and after rows were written', async () => {
    for (const count of [0, 3, 50]) {
      const path = join(folder, `abort-${count}.parquet`);
      const writer = await openShardWriter({ path, spec: ALL_TYPES, metadata: {}, rowGroup: { maxRows: 5 } });
      for (const row of rows(count)) await writer.append(row);
      await writer.abort();
      expect(existsSync(path)).toBe(false);
    }
  });

  test('names the place where a file cannot be made', async () => {
    const path = join(folder, 'missing', 'x.parquet');
    await expect(openShardWriter({ path, spec: ALL_TYPES, metadata: {} })).rejects.toMatchObject({
      code: 'E_IO',
      place: path,
    });
  });
});
