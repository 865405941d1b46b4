import type { SchemaElement } from 'hyparquet';
import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import type { TableSpec } from './table-spec.js';

/** Physical type and annotation of a value in Parquet. */
const PARQUET_SCALARS: Record<string, readonly [type: string, converted: string | null]> = {
  string: ['BYTE_ARRAY', 'UTF8'],
  json: ['BYTE_ARRAY', 'UTF8'],
  bool: ['BOOLEAN', null],
  int8: ['INT32', 'INT_8'],
  int32: ['INT32', null],
  int64: ['INT64', null],
  float32: ['FLOAT', null],
  float64: ['DOUBLE', null],
};

const element = (name: string, repetition: string, annotation: string): string =>
  `${repetition} ${annotation} ${name}`;

function scalar(name: string, type: string): string {
  const [physical, converted] = PARQUET_SCALARS[type] ?? [type, null];
  return element(name, 'OPTIONAL', converted === null ? physical : `${physical}(${converted})`);
}

/** Schema elements of one column, one line each: a list is three nested ones, the innermost named `element`. */
function columnLines(column: ColumnSpec): string[] {
  const inner = elementType(column.type);
  if (inner === null) return [scalar(column.name, column.type)];
  return [
    element(column.name, 'OPTIONAL', 'group(LIST)'),
    element('list', 'REPEATED', 'group'),
    scalar('element', inner),
  ];
}

/** The Parquet schema that every shard of a table has, in a form that can be compared and printed. */
export const expectedSchema = (spec: TableSpec): string[] => spec.columns.flatMap(columnLines);

/** The schema that a file has, in the same form. */
export function actualSchema(elements: readonly SchemaElement[]): string[] {
  return elements.slice(1).map((each) => {
    const kind = each.num_children === undefined ? (each.type ?? 'unknown') : 'group';
    const converted = each.converted_type === undefined ? '' : `(${each.converted_type})`;
    return element(each.name, each.repetition_type ?? 'unknown', `${kind}${converted}`);
  });
}

/** The first difference between two schemas, or null where they are equal. */
export function schemaDifference(actual: readonly string[], expected: readonly string[]): string | null {
  const length = Math.max(actual.length, expected.length);
  for (let i = 0; i < length; i++) {
    if (actual[i] !== expected[i]) {
      return `schema element ${i} is "${actual[i] ?? 'absent'}", expected "${expected[i] ?? 'absent'}"`;
    }
  }
  return null;
}
