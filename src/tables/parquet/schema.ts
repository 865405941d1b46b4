import { type DataType, type Field, List, type Schema } from 'apache-arrow';
import { bool, i8, i32, struct, type ThriftValue, text } from './thrift.js';

const REPETITION = { optional: 1, repeated: 2 } as const;
const CONVERTED = { utf8: 0, list: 3, int8: 15 } as const;
const LOGICAL = {
  string: struct({ 1: struct({}) }),
  list: struct({ 3: struct({}) }),
  int8: struct({ 10: struct({ 1: i8(8), 2: bool(true) }) }),
} as const;

/** How a single value of an Arrow type is stored and, where that does not say it, what it means. */
interface Storage {
  readonly physical: number;
  readonly converted?: number;
  readonly logical?: ThriftValue;
}

const STORAGE: Readonly<Record<string, Storage>> = {
  Bool: { physical: 0 },
  Int8: { physical: 1, converted: CONVERTED.int8, logical: LOGICAL.int8 },
  Int32: { physical: 1 },
  Int64: { physical: 2 },
  Float32: { physical: 4 },
  Float64: { physical: 5 },
  Utf8: { physical: 6, converted: CONVERTED.utf8, logical: LOGICAL.string },
};

/** Where the values of a column lie in the file. Every field and every element is optional. */
export interface Leaf {
  readonly path: readonly string[];
  readonly physical: number;
  readonly isList: boolean;
}

/** The type of a column's single values. */
const valueType = (type: DataType): DataType => (type instanceof List ? type.valueType : type);

function storageOf(type: DataType): Storage {
  const storage = STORAGE[String(type)];
  if (storage === undefined) throw new RangeError(`no Parquet column holds ${String(type)}`);
  return storage;
}

export function leafOf({ name, type }: Field): Leaf {
  const isList = type instanceof List;
  const path = isList ? [name, 'list', 'element'] : [name];
  return { path, physical: storageOf(valueType(type)).physical, isList };
}

function valueElement(name: string, type: DataType): ThriftValue {
  const { physical, converted, logical } = storageOf(type);
  return struct({
    1: i32(physical),
    3: i32(REPETITION.optional),
    4: text(name),
    6: converted === undefined ? undefined : i32(converted),
    10: logical,
  });
}

/** A list is three nested elements, in the one form that every reader knows. */
function columnElements({ name, type }: Field): ThriftValue[] {
  if (!(type instanceof List)) return [valueElement(name, type)];
  const outer = struct({
    3: i32(REPETITION.optional),
    4: text(name),
    5: i32(1),
    6: i32(CONVERTED.list),
    10: LOGICAL.list,
  });
  const middle = struct({ 3: i32(REPETITION.repeated), 4: text('list'), 5: i32(1) });
  return [outer, middle, valueElement('element', type.valueType)];
}

/** Schema elements of a footer, depth first. Throws RangeError for types of which no table is made. */
export function schemaElements({ fields }: Schema): ThriftValue[] {
  const root = struct({ 4: text('schema'), 5: i32(fields.length) });
  return [root, ...fields.flatMap(columnElements)];
}
