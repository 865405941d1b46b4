import type { PackedColumn, PackedTable } from './data.js';

/** The rows of a table; each also holds what `constants` holds. */
export function unpackTable<T>(
  { n, columns }: PackedTable,
  constants: Readonly<Record<string, unknown>> = {},
): T[] {
  const fixed = Object.entries(constants).map(([name, value]) => [name, () => value] as const);
  const readers = [
    ...Object.entries(columns).map(([name, column]) => [name, reader(column)] as const),
    ...fixed,
  ];
  const rows: Record<string, unknown>[] = [];
  for (let i = 0; i < n; i++) {
    const row: Record<string, unknown> = {};
    for (const [name, valueAt] of readers) row[name] = valueAt(i);
    rows.push(row);
  }
  return rows as T[];
}

function reader(column: PackedColumn): (i: number) => unknown {
  if ('all' in column) return () => column.all;
  if ('of' in column) return (i) => column.of[column.at[i] ?? 0];
  return (i) => column[i] ?? null;
}
