import { makeData, RecordBatch, type Schema, Struct, vectorFromArray } from 'apache-arrow';
import type { AnyRow } from '../tables/table-spec.js';

/** Collects rows of nested columns. Slower than the flat builder, which knows no structs. */
export interface NestedBatch {
  readonly rows: number;
  readonly tokens: number;
  /** characters of the rows as JSON, about the size of the batch */
  readonly bytes: number;
  append(row: AnyRow): void;
  flush(): RecordBatch;
}

export function createNestedBatch(schema: Schema): NestedBatch {
  let rows: AnyRow[] = [];
  let bytes = 0;
  return {
    get rows() {
      return rows.length;
    },
    tokens: 0,
    get bytes() {
      return bytes;
    },
    append(row) {
      rows.push(row);
      bytes += JSON.stringify(row).length;
    },
    flush() {
      const children = schema.fields.map((field) => {
        const [data] = vectorFromArray(
          rows.map((row) => row[field.name] ?? null),
          field.type,
        ).data;
        if (data !== undefined) return data;
        return makeData({ type: field.type, length: 0, nullCount: 0 } as never);
      });
      const type = new Struct(schema.fields);
      const batch = new RecordBatch(schema, makeData({ type, length: rows.length, nullCount: 0, children }));
      rows = [];
      bytes = 0;
      return batch;
    },
  };
}
