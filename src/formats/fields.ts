import { RejectError } from '../logs/reject.js';
import { isObject, type JsonObject } from './shape.js';

/**
 * Strict readers of untyped JSON, for fields that a format defines: missing and null are absent, a value of another
 * type refuses the record as bad_shape and names the field.
 */
export function objectOf(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
  return value;
}

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(path, 'a list', value);
  return value;
}

export function objectAt(parent: JsonObject, key: string, path: string): JsonObject | null {
  const value = parent[key] ?? null;
  return value === null ? null : objectOf(value, fieldPath(path, key));
}

export function listAt(parent: JsonObject, key: string, path: string): readonly unknown[] | null {
  const value = parent[key] ?? null;
  return value === null ? null : listOf(value, fieldPath(path, key));
}

export function stringAt(parent: JsonObject, key: string, path: string): string | null {
  const value = parent[key] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw wrongType(fieldPath(path, key), 'a string', value);
}

export function booleanAt(parent: JsonObject, key: string, path: string): boolean | null {
  const value = parent[key] ?? null;
  if (value === null || typeof value === 'boolean') return value;
  throw wrongType(fieldPath(path, key), 'true or false', value);
}

const MAX_TOKEN_ID = 0x7fffffff;

/** A list of whole numbers; null where it is missing or empty, since logs write an empty list for "not recorded". */
export function integersAt(parent: JsonObject, key: string, path: string): number[] | null {
  return (
    filled(parent, key, path)?.map((value, index) => {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      throw wrongType(`${fieldPath(path, key)}[${index}]`, 'a whole number', value);
    }) ?? null
  );
}

/** A list of token ids, which fit the int32 columns of the tables; null where it is missing or empty. */
export function tokenIdsAt(parent: JsonObject, key: string, path: string): number[] | null {
  const ids = integersAt(parent, key, path);
  const wrong = ids?.findIndex((id) => id < 0 || id > MAX_TOKEN_ID) ?? -1;
  if (wrong === -1) return ids;
  throw wrongType(`${fieldPath(path, key)}[${wrong}]`, `a token id from 0 to ${MAX_TOKEN_ID}`, ids?.[wrong]);
}

/** A list of numbers, null for each that is null or not finite; null as a whole where it is missing or empty. */
export function numbersAt(parent: JsonObject, key: string, path: string): (number | null)[] | null {
  return (
    filled(parent, key, path)?.map((value, index) => {
      if (value === null) return null;
      if (typeof value === 'number') return Number.isFinite(value) ? value : null;
      throw wrongType(`${fieldPath(path, key)}[${index}]`, 'a number', value);
    }) ?? null
  );
}

function filled(parent: JsonObject, key: string, path: string): readonly unknown[] | null {
  const list = listAt(parent, key, path);
  return list === null || list.length === 0 ? null : list;
}

/** A required string. */
export function requiredString(parent: JsonObject, key: string, path: string): string {
  const value = stringAt(parent, key, path);
  if (value === null) throw wrongType(fieldPath(path, key), 'a string', null);
  return value;
}

export function fieldPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

export function wrongType(path: string, expected: string, value: unknown): RejectError {
  return new RejectError('bad_shape', `${path}: expected ${expected}, found ${typeName(value)}`);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
