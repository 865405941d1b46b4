import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import type { TableSpec } from './table-spec.js';
import { SCHEMA_VERSION, TABLES, type TableName } from './table-specs.js';

/** A JSON value, as far as schemas need it. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const JSON_SCALARS: Record<string, JsonObject> = {
  string: { type: 'string' },
  json: { type: 'string', contentMediaType: 'application/json' },
  bool: { type: 'boolean' },
  int8: { type: 'integer', minimum: -128, maximum: 127 },
  int32: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  int64: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  float32: { type: 'number' },
  float64: { type: 'number' },
};

function valueSchema(
  type: string,
  options: { readonly values: readonly string[] | undefined; readonly nullable: boolean },
): JsonObject {
  const base = JSON_SCALARS[type] ?? {};
  const { values, nullable } = options;
  return {
    ...base,
    ...(nullable ? { type: [base['type'] ?? 'string', 'null'] } : {}),
    ...(values === undefined ? {} : { enum: nullable ? [...values, null] : [...values] }),
  };
}

function columnSchema(column: ColumnSpec): JsonObject {
  const element = elementType(column.type);
  const description = column.doc;
  if (element === null) {
    return { ...valueSchema(column.type, { values: column.values, nullable: column.nullable }), description };
  }
  return {
    type: column.nullable ? ['array', 'null'] : 'array',
    items: valueSchema(element, { values: column.values, nullable: column.nullable_elements === true }),
    description,
  };
}

/** JSON Schema (draft 2020-12) of a row of a table, as a reader that gives JSON shows it. */
export function rowJsonSchema(spec: TableSpec): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: spec.name,
    description: spec.doc,
    type: 'object',
    properties: Object.fromEntries(spec.columns.map((column) => [column.name, columnSchema(column)])),
    required: spec.columns.map(({ name }) => name),
    additionalProperties: false,
  };
}

export interface TableDescription {
  readonly table: string;
  readonly doc: string;
  readonly schema_version: number;
  readonly key: string | null;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
    readonly nullable_elements: boolean;
    readonly values: readonly string[] | null;
    readonly doc: string;
  }[];
}

/** A table as plain data, for `trajmill schema`. */
export function describeTable(name: TableName): TableDescription {
  const spec: TableSpec = TABLES[name];
  return {
    table: spec.name,
    doc: spec.doc,
    schema_version: SCHEMA_VERSION,
    key: spec.key,
    columns: spec.columns.map((column) => ({
      name: column.name,
      type: column.type,
      nullable: column.nullable,
      nullable_elements: column.nullable_elements === true,
      values: column.values ?? null,
      doc: column.doc,
    })),
  };
}
