/**
 * The type of a column: `json` is a string that holds JSON; lists hold no nulls unless said. Every column is
 * written OPTIONAL, so that readers accept the declared features; `nullable: false` is enforced by the writer.
 */
export const COLUMN_TYPES = [
  'string',
  'json',
  'bool',
  'int32',
  'int64',
  'float64',
  'list<int32>',
  'list<int8>',
  'list<float32>',
  'list<float64>',
  'list<string>',
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** One column as data: Arrow schema, Parquet, dataset card, JSON Schema and docs all come from it. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** one sentence with the unit, for docs and schemas */
  readonly doc: string;
  /** the only values that a string (or a string of a list) may take */
  readonly values?: readonly string[];
  /** true where single elements of a list may be null */
  readonly nullable_elements?: boolean;
}
