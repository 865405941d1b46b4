import { type Data, makeData, RecordBatch, type Schema, Struct } from 'apache-arrow';
import { TrajmillError } from '../errors.js';
import { arrowSchema } from './arrow-schema.js';
import { type ColumnBuilder, createColumnBuilder } from './column-builder.js';
import { columnProblem } from './column-check.js';
import type { AnyRow, RowOf, TableSpec } from './table-spec.js';

/** Collects rows of one table on typed arrays. */
export interface BatchBuilder<Row> {
  /** rows, tokens and Arrow bytes since the last flush */
  readonly rows: number;
  readonly tokens: number;
  readonly bytes: number;
  /**
   * Copies a row. Throws TrajmillError E_INTERNAL, naming table.column, for a value that the column may not
   * hold (null, NaN, out of range); nothing of such a row is kept.
   */
  append(row: Row): void;
  /** The rows so far as a record batch of its own memory; the builder starts anew. */
  flush(): RecordBatch;
  /** Nobody reads the batch that was flushed any more: its memory may be written again. */
  reuse(): void;
}

/** Tokens of a row: the length of the table's token column, 0 for tables without. */
export function tokensOf(spec: TableSpec, row: AnyRow): number {
  if (spec.token_column === null) return 0;
  const value = row[spec.token_column];
  return Array.isArray(value) || ArrayBuffer.isView(value)
    ? (value as ArrayLike<unknown> & object).length
    : 0;
}

function checkRow(spec: TableSpec, row: AnyRow): void {
  for (const column of spec.columns) {
    const problem = columnProblem(column, row[column.name]);
    if (problem !== null) {
      throw new TrajmillError('E_INTERNAL', problem, { place: `${spec.name}.${column.name}` });
    }
  }
}

class TypedBatchBuilder implements BatchBuilder<AnyRow> {
  readonly #spec: TableSpec;
  readonly #schema: Schema;
  readonly #columns: readonly { readonly name: string; readonly builder: ColumnBuilder }[];
  #rows = 0;
  #tokens = 0;

  constructor(spec: TableSpec) {
    this.#spec = spec;
    this.#schema = arrowSchema(spec);
    this.#columns = spec.columns.map((column) => ({
      name: column.name,
      builder: createColumnBuilder(column),
    }));
  }

  get rows(): number {
    return this.#rows;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get bytes(): number {
    return this.#columns.reduce((sum, { builder }) => sum + builder.bytes, 0);
  }

  append(row: AnyRow): void {
    checkRow(this.#spec, row);
    for (const { name, builder } of this.#columns) builder.append(row[name]);
    this.#rows++;
    this.#tokens += tokensOf(this.#spec, row);
  }

  flush(): RecordBatch {
    const children: Data[] = this.#columns.map(({ builder }) => builder.take());
    const type = new Struct(this.#schema.fields);
    const data = makeData({ type, length: this.#rows, nullCount: 0, children });
    this.#rows = 0;
    this.#tokens = 0;
    return new RecordBatch(this.#schema, data);
  }

  reuse(): void {
    for (const { builder } of this.#columns) builder.reuse();
  }
}

export function createBatchBuilder<S extends TableSpec>(spec: S): BatchBuilder<RowOf<S>> {
  return new TypedBatchBuilder(spec);
}
