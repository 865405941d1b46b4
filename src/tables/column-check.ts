import type { ColumnSpec, ColumnType } from './column.js';
import { JsonValue } from './json-value.js';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

const isInteger = (value: unknown, low: number, high: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;

/** What a single value of each type must be; the text completes "must be". */
const SCALARS: Record<string, { readonly must: string; readonly holds: (value: unknown) => boolean }> = {
  string: { must: 'a string', holds: (value) => typeof value === 'string' },
  json: {
    must: 'a string of JSON',
    holds: (value) => typeof value === 'string' || value instanceof JsonValue,
  },
  bool: { must: 'true or false', holds: (value) => typeof value === 'boolean' },
  int8: { must: 'an integer of 8 bits', holds: (value) => isInteger(value, -128, 127) },
  int32: { must: 'an integer of 32 bits', holds: (value) => isInteger(value, INT32_MIN, INT32_MAX) },
  int64: { must: 'a safe integer', holds: (value) => Number.isSafeInteger(value) },
  float32: {
    must: 'a finite number of 32 bits',
    holds: (value) => typeof value === 'number' && Number.isFinite(Math.fround(value)),
  },
  float64: { must: 'a finite number', holds: (value) => Number.isFinite(value) },
};

/** Typed arrays whose every value is right by construction. */
const SAFE_ARRAYS: Partial<Record<ColumnType, new (length: number) => object>> = {
  'list<int32>': Int32Array,
  'list<int8>': Int8Array,
};

const show = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
};

/** The type of the elements of a list type, or null for single values. */
export function elementType(type: ColumnType): string | null {
  return type.startsWith('list<') ? type.slice('list<'.length, -1) : null;
}

function scalarProblem(type: string, column: ColumnSpec, value: unknown): string | null {
  const rule = SCALARS[type];
  if (rule === undefined || !rule.holds(value)) return `must be ${rule?.must ?? type}, is ${show(value)}`;
  if (column.values !== undefined && !column.values.includes(String(value))) {
    return `must be one of ${column.values.join(', ')}, is ${show(value)}`;
  }
  return null;
}

function listProblem(element: string, column: ColumnSpec, value: unknown): string | null {
  const safe = SAFE_ARRAYS[column.type];
  if (safe !== undefined && value instanceof safe) return null;
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return `must be a list, is ${show(value)}`;
  const list = value as ArrayLike<unknown>;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (item === null && column.nullable_elements === true) continue;
    const problem = scalarProblem(element, column, item);
    if (problem !== null) return `element ${i} ${problem}`;
  }
  return null;
}

/** Why a value may not stand in a column, or null where it may. A missing field counts as null. */
export function columnProblem(column: ColumnSpec, value: unknown): string | null {
  if (value === null || value === undefined) return column.nullable ? null : 'must not be null';
  const element = elementType(column.type);
  return element === null ? scalarProblem(column.type, column, value) : listProblem(element, column, value);
}
