/**
 * Functions that may stand in FROM. Everything else there reads files, turns logging on or runs text as SQL; new ones
 * of a later DuckDB are refused until they are listed.
 */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_keywords',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'generate_series',
  'histogram',
  'histogram_values',
  'json_each',
  'json_tree',
  'pragma_table_info',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
]);
