import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import type { AnyRow } from '../../../src/tables/table-spec.js';
import { ALL_TYPES } from '../all-types.js';
import { duckRows } from '../duck.js';
import { temporaryFolder } from '../temporary.js';
import { writeTable } from './readers.js';

const folder = temporaryFolder();
let files = 0;

const EMPTY = {
  ...{ id: 'x', s: null, j: null, b: null, i32: null, i64: null, f64: null, ids: [], li32: null },
  ...{ li8: null, lf32: null, lf64: null, ls: null },
};

/** Least and greatest value and number of nulls of a column in the only row group. */
async function statisticsOf(column: string, values: readonly unknown[]) {
  const rows: AnyRow[] = values.map((value) => ({ ...EMPTY, [column]: value }));
  const path = join(folder, `${files++}.parquet`);
  const file = await writeTable({ path, spec: ALL_TYPES, groups: [rows] });
  const [group] = parquetMetadata(Uint8Array.from(file).buffer).row_groups;
  const chunk = group?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column);
  const { min_value: min, max_value: max, null_count: nulls } = chunk?.meta_data?.statistics ?? {};
  return { path, min, max, nulls: nulls === undefined ? undefined : Number(nulls) };
}

describe('statistics of a row group', () => {
  test.each([
    ['i32', [5, null, -7, 5], -7, 5, 1],
    ['i64', [2 ** 40, -(2 ** 50), null, null], -(2n ** 50n), 2n ** 40n, 2],
    ['f64', [0.5, 1e300, -0.25], -0.25, 1e300, 0],
    ['f64', [-1.5, -3], -3, -1.5, 0],
    ['b', [true, true, null], true, true, 1],
    ['b', [false, true], false, true, 0],
    ['b', [false], false, false, 0],
    ['s', ['b', 'é', 'a', 'Z', null], 'Z', 'é', 1],
    ['s', ['\uFFFD', '😀'], '\uFFFD', '😀', 0],
    ['s', ['', 'ab', 'a'], '', 'ab', 0],
  ])('of %s tell the least and the greatest of %j', async (column, values, min, max, nulls) => {
    expect(await statisticsOf(column, values)).toMatchObject({ min, max, nulls });
  });

  test('tell both zeros from each other, since they compare as equal', async () => {
    for (const zeros of [[0, -0], [-0, 0], [0], [-0]]) {
      const { min, max } = await statisticsOf('f64', zeros);
      expect([min, max]).toEqual([-0, 0]);
    }
  });

  test('count the nulls of a column that holds nothing else and give no bounds', async () => {
    for (const column of ['s', 'i32', 'b', 'f64', 'i64']) {
      expect(await statisticsOf(column, [null, null])).toMatchObject({
        min: undefined,
        max: undefined,
        nulls: 2,
      });
    }
  });

  test('leave out bounds that are long texts', async () => {
    const long = 'x'.repeat(257);
    expect(await statisticsOf('s', ['a', long])).toMatchObject({ min: undefined, max: undefined, nulls: 0 });
    expect(await statisticsOf('s', ['a', long.slice(1)])).toMatchObject({ min: 'a', max: long.slice(1) });
  });

  test('do not exist for lists', async () => {
    expect(await statisticsOf('ids', [[1], [2]])).toMatchObject({ min: undefined, nulls: undefined });
  });

  test('let DuckDB find the rows that a filter asks for', async () => {
    const { path } = await statisticsOf('s', ['b', 'é', 'a', null, 'z'.repeat(300)]);
    for (const [filter, count] of [
      ["s = 'é'", 1],
      ["s > 'b'", 2],
      ['s IS NULL', 1],
      ["s < 'a'", 0],
    ] as const) {
      expect(await duckRows(`SELECT count(*)::INT AS n FROM '${path}' WHERE ${filter}`)).toEqual([
        { n: count },
      ]);
    }
  });
});
