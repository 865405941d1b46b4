import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnType } from '../../tables/column.js';
import type { AnyRow, TableSpec } from '../../tables/table-spec.js';
import { TABLES } from '../../tables/table-specs.js';
import type { QueryCorpus } from './query-corpus.js';
import { REJECTS_VIEW, SIDE_VIEWS } from './side-views.js';

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'VARCHAR',
  json: 'VARCHAR',
  bool: 'BOOLEAN',
  int32: 'INTEGER',
  int64: 'BIGINT',
  float64: 'DOUBLE',
  'list<int32>': 'INTEGER[]',
  'list<int8>': 'TINYINT[]',
  'list<float32>': 'FLOAT[]',
  'list<float64>': 'DOUBLE[]',
  'list<string>': 'VARCHAR[]',
};

export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A path of which no character is a wildcard. */
const literalPath = (path: string): string => path.replace(/[[*?]/g, '[$&]');

function shardPaths({ corpus, manifest }: QueryCorpus, table: string): string[] {
  return manifest.files.filter((file) => file.table === table).map(({ path }) => join(corpus, path));
}

/** Files that the views read, as DuckDB is told to allow them: the path and the pattern that means it alone. */
export function readablePaths(source: QueryCorpus): string[] {
  const shards = Object.keys(TABLES).flatMap((table) => shardPaths(source, table));
  const paths = source.rejects === null ? shards : [...shards, source.rejects];
  return [...new Set(paths.flatMap((path) => [path, literalPath(path)]))];
}

/** Makes a view of every table and of what lies beside them. Throws where a file cannot be read. */
export async function createViews(connection: DuckDBConnection, source: QueryCorpus): Promise<void> {
  for (const spec of Object.values(TABLES)) {
    const paths = shardPaths(source, spec.name).map((path) => sqlText(literalPath(path)));
    await connection.run(
      paths.length === 0
        ? emptyView(spec)
        : createView(spec, `SELECT * FROM read_parquet([${paths.join(', ')}])`),
    );
  }
  await connection.run(source.rejects === null ? emptyView(REJECTS_VIEW) : rejectsView(source.rejects));
  for (const { spec, rows } of SIDE_VIEWS) await createRows(connection, spec, rows(source));
}

const createView = ({ name }: TableSpec, select: string): string =>
  `CREATE VIEW ${sqlName(name)} AS ${select}`;

function emptyView(spec: TableSpec): string {
  const columns = spec.columns.map(({ name, type }) => `NULL::${SQL_TYPES[type]} AS ${sqlName(name)}`);
  return createView(spec, `SELECT ${columns.join(', ')} WHERE false`);
}

function rejectsView(path: string): string {
  const columns = REJECTS_VIEW.columns.map(
    ({ name, type }) => `${sqlName(name)}: ${sqlText(SQL_TYPES[type])}`,
  );
  return createView(
    REJECTS_VIEW,
    `SELECT * FROM read_json(${sqlText(literalPath(path))}, format = 'newline_delimited', columns = {${columns.join(', ')}})`,
  );
}

/** A table in memory; its rows are handed over as one JSON parameter, never as text of the statement. */
async function createRows(
  connection: DuckDBConnection,
  spec: TableSpec,
  rows: readonly AnyRow[],
): Promise<void> {
  if (rows.length === 0) {
    await connection.run(emptyView(spec));
    return;
  }
  const shape = JSON.stringify([
    Object.fromEntries(spec.columns.map(({ name, type }) => [name, jsonShape(type)])),
  ]);
  await connection.run(
    `CREATE TABLE ${sqlName(spec.name)} AS SELECT unnest(from_json($rows, ${sqlText(shape)}), max_depth := 2)`,
    { rows: JSON.stringify(rows) },
  );
}

const jsonShape = (type: ColumnType): string | string[] =>
  type === 'list<string>' ? ['VARCHAR'] : SQL_TYPES[type];
