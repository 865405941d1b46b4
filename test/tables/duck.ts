import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** Rows of a query as plain JavaScript values, by a reader that shares no code with ours. */
export async function duckRows(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection: DuckDBConnection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowObjectsJS() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Typed arrays as lists and big integers as numbers, so that rows of different readers can be compared. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value !== 'object') return value ?? null;
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
