import type { PackedColumn, PackedTable } from '../../browser/report/data.js';

/**
 * Rows as columns, each in the shorter of its forms. What the reader gets back equals what was given, as far as JSON
 * can say it.
 */
export function packTable<T>(rows: readonly T[], names: readonly (keyof T & string)[]): PackedTable {
  const columns = names.map((name) => [name, packColumn(rows.map((row) => row[name]))] as const);
  return { n: rows.length, columns: Object.fromEntries(columns) };
}

function packColumn(values: readonly unknown[]): PackedColumn {
  const places = new Map<unknown, number>();
  const of: unknown[] = [];
  const at = values.map((value) => {
    // lists are equal where their JSON is
    const key = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, of.length);
    of.push(value);
    return of.length - 1;
  });
  if (of.length === 1) return { all: of[0] };
  // small numbers are as short as their places
  const isShort = values.every((value) => Number.isInteger(value));
  return isShort || 2 * of.length > values.length ? values : { of, at };
}
