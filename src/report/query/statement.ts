import type { DuckDBConnection } from '@duckdb/node-api';
import { characterOffset, mistakeLine, placeOf, SqlMistake } from './sql-mistake.js';
import { TABLE_FUNCTIONS } from './table-functions.js';

/** DuckDB's own parse of a text, as its json extension prints it. */
type Parsed =
  | { readonly error: false; readonly statements: readonly unknown[] }
  | {
      readonly error: true;
      readonly error_type: string;
      readonly error_message: string;
      readonly position?: string;
    };

async function parse(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($sql::VARCHAR)', { sql });
  return JSON.parse(String(reader.value(0, 0))) as Parsed;
}

/**
 * The text of the one SELECT that `sql` holds, without what follows it. DuckDB parses it but binds nothing. Throws
 * SqlMistake for anything but one SELECT (VALUES, FROM, DESCRIBE, SUMMARIZE and SHOW are SELECTs to DuckDB), and for
 * functions in FROM that are not listed.
 */
export async function oneSelect(connection: DuckDBConnection, sql: string): Promise<string> {
  if (sql.includes('\0')) throw new SqlMistake('SQL holds a NUL character');
  const parsed = await parse(connection, sql);
  if (parsed.error) throw new SqlMistake(parseFault(parsed, sql));
  const { statements } = parsed;
  if (statements.length !== 1) {
    throw new SqlMistake(
      statements.length === 0
        ? 'no SQL statement: expected one SELECT'
        : `${statements.length} statements: expected one SELECT`,
    );
  }
  for (const name of functionsInFrom(statements)) {
    if (!TABLE_FUNCTIONS.has(name.toLowerCase())) {
      throw new SqlMistake(
        `function ${name} is not available in FROM: a query reads the tables of the corpus only`,
      );
    }
  }
  return withoutEnd(connection, sql, statements);
}

function parseFault(fault: Parsed & { error: true }, sql: string): string {
  const { error_type, error_message, position } = fault;
  if (error_type === 'not implemented') {
    return 'only one SELECT is answered: nothing is written, set, attached or loaded (PIVOT needs its values named: ON x IN (...))';
  }
  const line = mistakeLine(`${error_type === 'parser' ? 'Parser Error' : error_type}: ${error_message}`, sql);
  return position === undefined ? line : `${placeOf(sql, characterOffset(sql, Number(position)))}: ${line}`;
}

function* functionsInFrom(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && node.type === 'TABLE_FUNCTION' && 'function' in node) {
    const { function: call } = node as { function: { function_name?: unknown } };
    yield String(call.function_name);
  }
  for (const value of Object.values(node)) yield* functionsInFrom(value);
}

/**
 * Without semicolons at the end, so that it can stand in brackets. A semicolon is one if nothing but comments follows
 * it and the parse of what stands before is that of the whole.
 */
async function withoutEnd(
  connection: DuckDBConnection,
  sql: string,
  whole: readonly unknown[],
): Promise<string> {
  for (let end = sql.indexOf(';'); end !== -1; end = sql.indexOf(';', end + 1)) {
    const rest = await parse(connection, sql.slice(end + 1));
    if (rest.error || rest.statements.length > 0) continue;
    const before = await parse(connection, sql.slice(0, end));
    if (!before.error && JSON.stringify(before.statements) === JSON.stringify(whole))
      return sql.slice(0, end);
  }
  return sql;
}
