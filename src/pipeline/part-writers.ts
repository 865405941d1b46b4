import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openShardWriter, type ShardWriter } from '../tables/shard-writer.js';
import { type NewTableRow, TABLES, type TableName } from '../tables/table-specs.js';
import type { Part } from './completion.js';
import { makeFolder } from './make-folder.js';
import type { RunFolder } from './run-folder.js';

interface OpenPart {
  readonly table: TableName;
  readonly split: string;
  readonly path: string;
  readonly writer: ShardWriter;
}

/** The Parquet parts of one attempt at a task: one file for each table and split, opened when first needed. */
export class PartWriters {
  readonly #folder: RunFolder;
  readonly #attempt: string;
  readonly #options: {
    tables: readonly TableName[];
    metadata: Readonly<Record<string, string>>;
    rowGroup: { maxRows: number; maxTokens: number };
  };
  readonly #parts = new Map<string, OpenPart>();

  constructor(
    folder: RunFolder,
    attempt: string,
    options: {
      tables: readonly TableName[];
      metadata: Readonly<Record<string, string>>;
      rowGroup: { maxRows: number; maxTokens: number };
    },
  ) {
    this.#folder = folder;
    this.#attempt = attempt;
    this.#options = options;
    makeFolder(join(folder.staging, attempt));
  }

  wants(table: TableName): boolean {
    return this.#options.tables.includes(table);
  }

  /** Appends a row; values are copied, so arrays may be reused. Rows of tables that are not asked for are dropped. */
  async append<T extends TableName>(table: T, split: string, row: NewTableRow<T>): Promise<void> {
    if (!this.wants(table)) return;
    const key = `${table}.${split}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      const path = `staging/${this.#attempt}/${key}.parquet`;
      const writer = await openShardWriter({
        path: join(this.#folder.dir, path),
        spec: TABLES[table],
        metadata: this.#options.metadata,
        rowGroup: this.#options.rowGroup,
      });
      part = { table, split, path, writer };
      this.#parts.set(key, part);
    }
    await part.writer.append(row);
  }

  /** Closes every part and gives their sums, in order of table and split. */
  async close(): Promise<Part[]> {
    const parts: Part[] = [];
    const keys = [...this.#parts.keys()].sort();
    for (const key of keys) {
      const part = this.#parts.get(key);
      if (part === undefined) continue;
      const sums = await part.writer.close();
      parts.push({ path: part.path, table: part.table, split: part.split, ...sums });
    }
    return parts;
  }

  /** Drops everything that this attempt wrote. */
  async abort(): Promise<void> {
    for (const part of this.#parts.values()) await part.writer.abort();
    rmSync(join(this.#folder.staging, this.#attempt), { recursive: true, force: true });
  }
}
