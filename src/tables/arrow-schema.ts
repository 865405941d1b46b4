import {
  Bool,
  type DataType,
  Field,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  List,
  Schema,
  Utf8,
} from 'apache-arrow';
import type { ColumnSpec, ColumnType } from './column.js';
import { elementType } from './column-check.js';
import type { TableSpec } from './table-spec.js';

/** Plain types only: readers disagree on large_string and large_list. */
const ARROW_SCALARS: Record<string, () => DataType> = {
  string: () => new Utf8(),
  json: () => new Utf8(),
  bool: () => new Bool(),
  int8: () => new Int8(),
  int32: () => new Int32(),
  int64: () => new Int64(),
  float32: () => new Float32(),
  float64: () => new Float64(),
};

/** Arrow type of a single value; int8 and float32 occur in lists only. */
export function scalarType(name: string): DataType {
  const make = ARROW_SCALARS[name];
  if (make === undefined) throw new RangeError(`no Arrow type for ${name}`);
  return make();
}

/** Arrow type of a column type; the child of a list is named `element` and nullable, as Parquet readers expect. */
export function arrowType(type: ColumnType): DataType {
  const element = elementType(type);
  return element === null ? scalarType(type) : new List(new Field('element', scalarType(element), true));
}

/** Every field is nullable: readers of declared features fall back to inference on required ones. */
const arrowField = (column: ColumnSpec): Field => new Field(column.name, arrowType(column.type), true);

export const arrowSchema = (spec: TableSpec): Schema => new Schema(spec.columns.map(arrowField));
