import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api';

export type JsonCell =
  | null
  | boolean
  | number
  | string
  | readonly JsonCell[]
  | { readonly [key: string]: JsonCell };

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Digits that a double holds whatever they are. */
const DOUBLE_DIGITS = 15;

/** `2026-01-31 10:00:00.5` as ISO 8601 writes it. */
const iso = (text: string): string => text.replace(/^(\S+) (\d)/, '$1T$2');

/** `...+00` of a time in UTC as `Z`; infinities have no zone. */
const zulu = (text: string): string => iso(text).replace(/\+00(?::?00)?$/, 'Z');

/**
 * A value of DuckDB as JSON: whole numbers and decimals as numbers where a double holds them exactly, else as text;
 * NaN and infinities as text; times as ISO 8601; a map as a list of keys with values; what else JSON lacks (blobs,
 * intervals, UUIDs) as DuckDB writes it.
 */
export function jsonCell(value: DuckDBValue): JsonCell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint')
    return value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : String(value);
  if (value instanceof DuckDBDecimalValue) {
    const digits = String(value.value).replace('-', '').length;
    return digits <= DOUBLE_DIGITS ? Number(value.toString()) : value.toString();
  }
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonCell);
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, jsonCell(entry)]));
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map((entry) => ({ key: jsonCell(entry.key), value: jsonCell(entry.value) }));
  }
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return jsonCell(value.value);
  if (value instanceof DuckDBTimestampTZValue) return zulu(value.toString());
  if (isTimestamp(value)) return iso(value.toString());
  return String(value);
}

function isTimestamp(value: object): boolean {
  return (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue
  );
}

/** A value as one text, null for NULL: whole numbers and decimals with all their digits, lists and structs as JSON. */
export function textCell(value: DuckDBValue): string | null {
  if (value === null) return null;
  if (typeof value === 'bigint' || value instanceof DuckDBDecimalValue) return value.toString();
  const cell = jsonCell(value);
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
