import { MapRow, StructRow, Vector } from 'apache-arrow';

/**
 * A value of a columnar file as JSON. A struct has every field of its type, filled with nulls where a row has none of
 * it: nulls in structs are taken for absent. Whole numbers of 64 bits beyond 2^53 become strings.
 */
export function plainValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  }
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Vector) return Array.from(value, plainValue);
  if (value instanceof StructRow || value instanceof MapRow) return plainFields(value.toJSON());
  if (value instanceof Map) return plainFields(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(plainValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, plainValue);
  return plainFields(value as Record<string, unknown>);
}

function plainFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present = Object.entries(fields).flatMap(([name, value]) => {
    const plain = plainValue(value);
    return plain === null ? [] : [[name, plain] as const];
  });
  return Object.fromEntries(present);
}
