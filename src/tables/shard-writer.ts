import { arrowSchema } from './arrow-schema.js';
import { type BatchBuilder, createBatchBuilder, tokensOf } from './batch-builder.js';
import { elementType } from './column-check.js';
import { huggingfaceValue } from './features.js';
import { HashedFile } from './hashed-file.js';
import type { Compression } from './parquet/compression.js';
import { type KeyValue, ParquetWriter } from './parquet/parquet-writer.js';
import type { AnyRow, RowOf, TableSpec } from './table-spec.js';
import { SCHEMA_VERSION } from './table-specs.js';

/** A row group ends before it would exceed one of these; a single larger row is a group of its own. */
export interface RowGroupLimits {
  readonly maxRows: number;
  readonly maxTokens: number;
  /** Arrow bytes; the group ends after the row that reaches it */
  readonly maxBytes: number;
}

export const DEFAULT_ROW_GROUP: RowGroupLimits = {
  maxRows: 1_000,
  maxTokens: 2_000_000,
  maxBytes: 64 * 2 ** 20,
};

export interface ShardSums {
  readonly rows: number;
  /** size of the file */
  readonly bytes: number;
  /** of the file, hex */
  readonly sha256: string;
  readonly row_groups: number;
  readonly tokens: number;
}

/** Writes one Parquet file row by row. Calls must be awaited one after the other. */
export interface ShardWriter<Row = AnyRow> {
  /** Copies the row before it returns its promise. See BatchBuilder.append for what it throws. */
  append(row: Row): Promise<void>;
  /** Writes the rest and the footer, flushes to disk and closes. */
  close(): Promise<ShardSums>;
  /** Closes and removes the file. */
  abort(): Promise<void>;
}

export interface ShardOptions<S extends TableSpec> {
  readonly path: string;
  readonly spec: S;
  /** footer keys beside `huggingface` and `schema_version`: `plan_id` and what else a plan knows */
  readonly metadata: Readonly<Record<string, string>>;
  readonly rowGroup?: Partial<RowGroupLimits>;
  readonly compression?: Compression;
}

/** Footer keys in a fixed order: the table's own, then the caller's by code unit. */
function footerKeys(spec: TableSpec, metadata: Readonly<Record<string, string>>): KeyValue[] {
  const extra = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  return [['huggingface', huggingfaceValue(spec)], ['schema_version', String(SCHEMA_VERSION)], ...extra];
}

/**
 * Builders of shards that were closed. They know how much room a batch needed: those of the next shard grow at once to
 * that, where a new one would double its memory many times.
 */
const idleBuilders = new WeakMap<TableSpec, BatchBuilder<AnyRow>[]>();

const takeBuilder = (spec: TableSpec): BatchBuilder<AnyRow> =>
  idleBuilders.get(spec)?.pop() ?? (createBatchBuilder(spec) as BatchBuilder<AnyRow>);

function giveBack(spec: TableSpec, builder: BatchBuilder<AnyRow>): void {
  const idle = idleBuilders.get(spec) ?? [];
  idleBuilders.set(spec, idle);
  idle.push(builder);
}

class ParquetShardWriter implements ShardWriter<AnyRow> {
  readonly #spec: TableSpec;
  readonly #limits: RowGroupLimits;
  readonly #builder: BatchBuilder<AnyRow>;
  readonly #file: HashedFile;
  readonly #parquet: ParquetWriter;
  #rows = 0;
  #tokens = 0;
  #rowGroups = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ShardOptions<TableSpec>, file: HashedFile, parquet: ParquetWriter) {
    this.#spec = options.spec;
    this.#limits = { ...DEFAULT_ROW_GROUP, ...options.rowGroup };
    this.#builder = takeBuilder(options.spec);
    this.#file = file;
    this.#parquet = parquet;
  }

  async append(row: AnyRow): Promise<void> {
    const overfull = this.#builder.tokens + tokensOf(this.#spec, row) > this.#limits.maxTokens;
    const before = overfull && this.#builder.rows > 0 ? this.#cut() : null;
    try {
      this.#builder.append(row);
    } finally {
      await before;
    }
    const { rows, bytes } = this.#builder;
    if (rows >= this.#limits.maxRows || bytes >= this.#limits.maxBytes) await this.#cut();
  }

  async close(): Promise<ShardSums> {
    if (this.#builder.rows > 0) await this.#cut();
    await this.#writing;
    await this.#parquet.end();
    const sha256 = await this.#file.close();
    giveBack(this.#spec, this.#builder);
    return {
      rows: this.#rows,
      bytes: this.#file.bytes,
      sha256,
      row_groups: this.#rowGroups,
      tokens: this.#tokens,
    };
  }

  async abort(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#file.discard();
  }

  /** Ends the row group: the batch is taken at once and written when those before it are. */
  #cut(): Promise<void> {
    const { rows, tokens } = this.#builder;
    const batch = this.#builder.flush();
    this.#rows += rows;
    this.#tokens += tokens;
    this.#rowGroups++;
    this.#writing = this.#writing.then(() => this.#parquet.write(batch)).then(() => this.#builder.reuse());
    return this.#writing;
  }
}

/** Of lists and of JSON nobody asks for the least and the greatest. */
function withStatistics(spec: TableSpec): ReadonlySet<string> {
  const scalars = spec.columns.filter(({ type }) => elementType(type) === null && type !== 'json');
  return new Set(scalars.map(({ name }) => name));
}

/** Opens a shard for writing; the folder must exist. Equal rows and options give equal bytes. */
export async function openShardWriter<S extends TableSpec>(
  options: ShardOptions<S>,
): Promise<ShardWriter<RowOf<S>>> {
  const { spec, metadata, compression = 'zstd' } = options;
  const file = await HashedFile.create(options.path);
  const parquet = await ParquetWriter.open(
    {
      schema: arrowSchema(spec),
      compression,
      statistics: withStatistics(spec),
      keys: footerKeys(spec, metadata),
    },
    (bytes) => file.write(bytes),
  );
  return new ParquetShardWriter(options, file, parquet);
}
