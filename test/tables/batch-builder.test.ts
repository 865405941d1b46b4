import type { RecordBatch } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { createBatchBuilder } from '../../src/tables/batch-builder.js';
import type { AnyRow, TableSpec } from '../../src/tables/table-spec.js';
import { ALL_TYPES } from './all-types.js';
import { rowsOf } from './arbitraries.js';
import { plain } from './duck.js';

const spec: TableSpec = ALL_TYPES;
const ROW: AnyRow = { id: 'a', ids: Int32Array.of(1, 2) };

const shown = (batch: RecordBatch): string =>
  JSON.stringify(batch.toArray(), (_, value) => (typeof value === 'bigint' ? String(value) : value));

function errorOf(row: AnyRow): TrajmillError {
  try {
    createBatchBuilder(spec).append(row as never);
  } catch (error) {
    if (error instanceof TrajmillError) return error;
    throw error;
  }
  throw new Error('the row was taken');
}

describe('createBatchBuilder', () => {
  test.each([
    ['id', null, 'must not be null'],
    ['id', undefined, 'must not be null'],
    ['ids', null, 'must not be null'],
    ['id', 7, 'must be a string, is 7'],
    ['b', 1, 'must be true or false, is 1'],
    ['i32', 2 ** 31, 'must be an integer of 32 bits, is 2147483648'],
    ['i32', 0.5, 'must be an integer of 32 bits, is 0.5'],
    ['i64', 2 ** 53, 'must be a safe integer, is 9007199254740992'],
    ['f64', Number.NaN, 'must be a finite number, is NaN'],
    ['f64', Number.POSITIVE_INFINITY, 'must be a finite number, is Infinity'],
    ['f64', '1', 'must be a finite number, is "1"'],
    ['li32', [1, null], 'element 1 must be an integer of 32 bits, is null'],
    ['li32', 'abc', 'must be a list, is "abc"'],
    ['li8', Uint8Array.of(0, 128), 'element 1 must be an integer of 8 bits, is 128'],
    ['lf32', [1e39], 'element 0 must be a finite number of 32 bits, is 1e+39'],
    ['lf64', Float64Array.of(0, Number.NaN), 'element 1 must be a finite number, is NaN'],
    ['ls', [3], 'element 0 must be a string, is 3'],
  ])('refuses in %s the value %s', (name, value, message) => {
    const error = errorOf({ ...ROW, [name]: value });
    expect(error.code).toBe('E_INTERNAL');
    expect(error.message).toBe(`all_types.${name}: ${message}`);
  });

  test('refuses a value outside the list of a column', () => {
    const narrow: TableSpec = {
      ...spec,
      columns: [{ name: 'id', type: 'string', nullable: false, doc: '', values: ['x', 'y'] }],
    };
    expect(() => createBatchBuilder(narrow).append({ id: 'z' } as never)).toThrow(
      'all_types.id: must be one of x, y, is "z"',
    );
  });

  test('keeps nothing of a row that it refuses', () => {
    const builder = createBatchBuilder(spec);
    builder.append(ROW as never);
    expect(() => builder.append({ ...ROW, id: 'b', ls: [1] } as never)).toThrow(TrajmillError);
    builder.append({ ...ROW, id: 'c' } as never);
    expect([builder.rows, builder.tokens]).toEqual([2, 4]);
    const batch = builder.flush();
    expect(batch.toArray().map((row) => row?.['id'])).toEqual(['a', 'c']);
    expect(batch.getChild('ids')?.get(1)?.toArray()).toEqual(Int32Array.of(1, 2));
  });

  test('copies what it takes: arrays may be reused at once', () => {
    const builder = createBatchBuilder(spec);
    const ids = Int32Array.of(1, 2, 3);
    builder.append({ id: 'a', ids: ids.subarray(0, 2) } as never);
    ids.fill(9);
    builder.append({ id: 'b', ids } as never);
    const batch = builder.flush();
    builder.append({ id: 'c', ids: Int32Array.of(7, 7, 7, 7, 7) } as never);
    expect([0, 1].map((i) => plain(batch.getChild('ids')?.get(i)?.toArray()))).toEqual([
      [1, 2],
      [9, 9, 9],
    ]);
  });

  test('writes into the memory of a batch again once it is told that nobody reads it, and never before', () => {
    fc.assert(
      fc.property(fc.array(rowsOf(spec), { minLength: 3, maxLength: 5 }), fc.boolean(), (groups, late) => {
        const builder = createBatchBuilder(spec);
        const anew = createBatchBuilder(spec);
        for (const rows of groups) {
          // as a shard does whose next row comes while the last rows are written
          const [first, ...others] = rows;
          if (late && first !== undefined) builder.append(first as never);
          builder.reuse();
          for (const row of late ? others : rows) builder.append(row as never);
          for (const row of rows) anew.append(row as never);
          expect(shown(builder.flush())).toEqual(shown(anew.flush()));
        }
      }),
      { numRuns: 60 },
    );
    const builder = createBatchBuilder(spec);
    const idsOf = (id: string) => {
      builder.append({ id, ids: Int32Array.of(1, 2) } as never);
      return builder.flush().getChild('ids')?.data[0]?.children[0]?.values as Int32Array;
    };
    const [a, b] = [idsOf('a'), idsOf('b')];
    expect(b.buffer).not.toBe(a.buffer);
    builder.reuse();
    expect(idsOf('c').buffer).toBe(a.buffer);
    expect(idsOf('d').buffer).not.toBe(a.buffer);
  });

  test('makes plain Arrow types: every field nullable, list children named element, 32-bit offsets', () => {
    const { schema } = createBatchBuilder(spec).flush();
    expect(schema.fields.map((field) => `${field.name} ${String(field.type)}`)).toEqual([
      'id Utf8',
      's Utf8',
      'j Utf8',
      'b Bool',
      'i32 Int32',
      'i64 Int64',
      'f64 Float64',
      'ids List<Int32>',
      'li32 List<Int32>',
      'li8 List<Int8>',
      'lf32 List<Float32>',
      'lf64 List<Float64>',
      'ls List<Utf8>',
    ]);
    const children = schema.fields.flatMap((field) => field.type.children ?? []);
    expect([...schema.fields, ...children].every((field) => field.nullable)).toBe(true);
    expect(new Set(children.map((field) => field.name))).toEqual(new Set(['element']));
  });

  test('counts rows and tokens, and starts anew after a flush', () => {
    fc.assert(
      fc.property(rowsOf(spec), (rows) => {
        const builder = createBatchBuilder(spec);
        for (let round = 0; round < 2; round++) {
          for (const row of rows) builder.append(row as never);
          const tokens = rows.reduce((n, row) => n + (row['ids'] as unknown[]).length, 0);
          expect([builder.rows, builder.tokens]).toEqual([rows.length, tokens]);
          const batch = builder.flush();
          expect(batch.numRows).toBe(rows.length);
          expect(batch.toArray().map((row) => row?.['i32'])).toEqual(rows.map((row) => row['i32']));
          expect([builder.rows, builder.tokens, builder.bytes]).toEqual([0, 0, 0]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
