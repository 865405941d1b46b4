import { type DuckDBResult, DuckDBTypeId, type DuckDBValue, ResultReturnType } from '@duckdb/node-api';
import type { ResultColumn } from '../../browser/query/data.js';

const NUMERIC: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

/** The rows of a SELECT, as they come. */
export class Answer {
  /** a name that comes again is told apart by a number */
  readonly columns: readonly ResultColumn[];
  readonly #result: DuckDBResult;
  readonly #why: () => Promise<Error>;

  /** `why` finds out why rows stopped to come. */
  constructor(result: DuckDBResult, why: () => Promise<Error>) {
    this.#result = result;
    this.#why = why;
    this.columns = result.deduplicatedColumnNames().map((name, index) => ({
      name,
      type: String(result.columnType(index)),
      numeric: NUMERIC.has(result.columnTypeId(index)),
    }));
  }

  /**
   * All rows, in blocks. Throws where they stopped to come before their end: a stream of DuckDB that fails ends like
   * one that is exhausted, and only the kind of its result tells.
   */
  async *blocks(): AsyncGenerator<DuckDBValue[][]> {
    for (;;) {
      const chunk = await this.#result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      yield chunk.getRows();
    }
    if (this.#result.returnType === ResultReturnType.INVALID) throw await this.#why();
  }
}
