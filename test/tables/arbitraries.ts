import fc from 'fast-check';
import type { ColumnSpec } from '../../src/tables/column.js';
import { elementType } from '../../src/tables/column-check.js';
import type { AnyRow, TableSpec } from '../../src/tables/table-spec.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\0', '😀é', '\u{10FFFF}', 'a\r\n\t"\\', '\uFEFFx', 'e\u0301'),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

const SCALARS: Record<string, fc.Arbitrary<unknown>> = {
  string: text,
  json: fc.json(),
  bool: fc.boolean(),
  int8: fc.integer({ min: -128, max: 127 }),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  float32: fc.float({ noNaN: true, noDefaultInfinity: true }),
  float64: finite,
};

function elementOf(type: string, column: ColumnSpec): fc.Arbitrary<unknown> {
  return column.values === undefined
    ? (SCALARS[type] ?? fc.constant(null))
    : fc.constantFrom(...column.values);
}

function columnValue(column: ColumnSpec): fc.Arbitrary<unknown> {
  const element = elementType(column.type);
  if (element === null) {
    const value = elementOf(column.type, column);
    return column.nullable ? fc.option(value) : value;
  }
  const item = elementOf(element, column);
  const list = fc.array(column.nullable_elements === true ? fc.option(item) : item, { maxLength: 12 });
  return column.nullable ? fc.option(list) : list;
}

/** Rows with every value that the columns allow, extremes included. */
export const rowsOf = (spec: TableSpec): fc.Arbitrary<AnyRow[]> =>
  fc.array(fc.record(Object.fromEntries(spec.columns.map((column) => [column.name, columnValue(column)]))), {
    maxLength: 30,
  });
