import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
} from '@duckdb/node-api';
import { Answer } from './answer.js';
import { createViews, readablePaths, sqlText } from './create-views.js';
import type { QueryCorpus } from './query-corpus.js';
import type { QueryLimits, QueryParameters } from './query-job.js';
import { mistakeLine, SqlMistake } from './sql-mistake.js';
import { oneSelect } from './statement.js';

export interface SessionOptions {
  readonly limits: Pick<QueryLimits, 'memory' | 'threads'>;
  /** the one file that may be written, by `writeParquet` */
  readonly out?: string | null;
}

/**
 * DuckDB in memory with the views of a corpus, locked: it reads the files of the manifest and rejects.jsonl, writes at
 * most `out`, loads no extension, keeps nothing on disk, and none of that can be changed by SQL.
 */
export class QuerySession {
  readonly connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  readonly #out: string | null;
  #interrupted = false;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, out: string | null) {
    this.#instance = instance;
    this.connection = connection;
    this.#out = out;
  }

  static async open(source: QueryCorpus, { limits, out = null }: SessionOptions): Promise<QuerySession> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(limits.threads),
      memory_limit: `${limits.memory}MiB`,
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
    });
    const connection = await instance.connect();
    // times with a zone are shown in UTC wherever the question is asked
    DuckDBTimestampTZValue.timezoneOffsetInMinutes = 0;
    await connection.run("SET TimeZone = 'UTC'");
    await createViews(connection, source);
    const paths = [...readablePaths(source), ...(out === null ? [] : [out])].map(sqlText);
    await connection.run(`SET allowed_paths = [${paths.join(', ')}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return new QuerySession(instance, connection, out);
  }

  /** Rows of one SELECT as they come. Throws SqlMistake. */
  async select(sql: string, parameters: QueryParameters): Promise<Answer> {
    const text = await oneSelect(this.connection, sql);
    const prepare = async (): Promise<DuckDBPreparedStatement> => {
      const prepared = await this.connection.prepare(text);
      bindParameters(prepared, parameters);
      return prepared;
    };
    const result = await this.#asked(sql, async () => (await prepare()).stream());
    return new Answer(result, () => this.#whyBroken(sql, prepare));
  }

  /** A stream does not say why it broke off: the same statement does, asked again for all rows at once. */
  async #whyBroken(sql: string, prepare: () => Promise<DuckDBPreparedStatement>): Promise<Error> {
    if (this.#interrupted) return new Error('INTERRUPT Error: Interrupted!');
    try {
      await (await prepare()).run();
    } catch (error) {
      if (error instanceof Error) return faultOf(error, sql);
    }
    return new SqlMistake('the query failed after some of its rows');
  }

  /** Writes the rows of one SELECT into the file that the session was opened with. Returns their number. */
  async writeParquet(sql: string, parameters: QueryParameters): Promise<number> {
    if (this.#out === null) throw new Error('the session may not write');
    const text = await oneSelect(this.connection, sql);
    const target = `${sqlText(this.#out)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`;
    // a mistake is told of the user's own text
    await this.#asked(sql, async () => (await this.connection.prepare(text)).destroySync());
    return this.#asked(sql, async () => {
      const prepared = await this.connection.prepare(`COPY (\n${text}\n) TO ${target}`);
      bindParameters(prepared, parameters);
      const copied = await prepared.runAndReadAll();
      return Number(copied.value(0, 0));
    });
  }

  /** Stops the statement that runs; its promise is rejected. */
  interrupt(): void {
    this.#interrupted = true;
    this.connection.interrupt();
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }

  async #asked<T>(sql: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw error instanceof SqlMistake || !(error instanceof Error) ? error : faultOf(error, sql);
    }
  }
}

/** DuckDB tells of its own limits and of the disk by the same kind of error as of mistakes: they are kept apart by their first word. */
export function faultOf(error: Error, sql: string): Error {
  return /^(INTERRUPT|Out of Memory|IO) Error/.test(error.message)
    ? error
    : new SqlMistake(mistakeLine(error.message, sql));
}

const list = (names: readonly string[]): string => names.map((name) => `$${name}`).join(', ');

function bindParameters(prepared: DuckDBPreparedStatement, parameters: QueryParameters): void {
  const names = Array.from({ length: prepared.parameterCount }, (_, index) =>
    prepared.parameterName(index + 1),
  );
  const missing = names.filter((name) => !Object.hasOwn(parameters, name));
  if (missing.length > 0) throw new SqlMistake(`no value for ${list(missing)}: give it as a parameter`);
  const unknown = Object.keys(parameters).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const known = names.length === 0 ? 'it has none' : `it has ${list(names)}`;
    throw new SqlMistake(`the statement has no parameter ${list(unknown)}: ${known}`);
  }
  for (const name of names) {
    const value = parameters[name] ?? null;
    const index = prepared.parameterIndex(name);
    if (value === null) prepared.bindNull(index);
    else if (typeof value === 'boolean') prepared.bindBoolean(index, value);
    else if (typeof value === 'string') prepared.bindVarchar(index, value);
    else if (Number.isSafeInteger(value)) prepared.bindBigInt(index, BigInt(value));
    else prepared.bindDouble(index, value);
  }
}
