import type { ColumnSpec } from './column.js';
import type { JsonValue } from './json-value.js';

/** One table as data: what it holds, how it is keyed, and its columns in file order. */
export interface TableSpec {
  readonly name: string;
  /** one sentence: what a row is */
  readonly doc: string;
  /** column whose value is unique in the corpus; null where no column is */
  readonly key: string | null;
  /** list column whose length counts as the row's tokens; null for tables without tokens */
  readonly token_column: string | null;
  readonly columns: readonly ColumnSpec[];
}

/** What the writer takes and the reader gives for a column type; token lists are typed arrays. */
interface ValueOfType {
  string: string;
  json: string;
  bool: boolean;
  int32: number;
  /** a safe integer */
  int64: number;
  float64: number;
  'list<int32>': Int32Array | readonly number[];
  'list<int8>': Int8Array | Uint8Array | readonly number[];
  'list<float32>': Float32Array | readonly number[];
  'list<float64>': Float64Array | readonly number[];
  'list<string>': readonly string[];
}

type ListWithNulls<T> = T extends readonly (infer E)[] ? readonly (E | null)[] : T;

type ElementsOf<C extends ColumnSpec, T> = C extends { readonly nullable_elements: true }
  ? ListWithNulls<T>
  : T;

type Narrowed<C extends ColumnSpec, T> = C extends { readonly values: readonly (infer V)[] }
  ? T extends string
    ? V
    : T extends readonly string[]
      ? readonly V[]
      : T
  : T;

type ValueOf<C extends ColumnSpec> =
  | ElementsOf<C, Narrowed<C, ValueOfType[C['type']]>>
  | (C['nullable'] extends false ? never : null);

/** The row of a table: one field a column, snake_case as in the file. */
export type RowOf<S extends TableSpec> = {
  readonly [C in S['columns'][number] as C['name']]: ValueOf<C>;
};

/** A row to be written: JSON need not be a string yet. */
export type NewRowOf<S extends TableSpec> = {
  readonly [C in S['columns'][number] as C['name']]:
    | ValueOf<C>
    | (C['type'] extends 'json' ? JsonValue : never);
};

/** A row whose table is known only at run time. */
export type AnyRow = Readonly<Record<string, unknown>>;
