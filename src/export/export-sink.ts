import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Schema } from 'apache-arrow';
import { createBatchBuilder, tokensOf } from '../tables/batch-builder.js';
import { HashedFile } from '../tables/hashed-file.js';
import type { AnyRow, TableSpec } from '../tables/table-spec.js';
import { ArrowStreamFile } from './arrow-stream-file.js';
import { JsonLinesFile } from './json-lines-file.js';
import { createNestedBatch } from './nested-batch.js';
import { ParquetFile } from './parquet-file.js';

/** A file that an export wrote; `path` is relative to the export. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Takes rows one after the other and cuts them into files. */
export interface RowFile {
  append(row: AnyRow): Promise<void>;
  close(): Promise<void>;
}

/** Row groups and record batches stay small: trainers hold one in memory, and share them out between ranks. */
const GROUP: Readonly<Record<'rows' | 'tokens' | 'bytes', number>> = {
  rows: 256,
  tokens: 2_000_000,
  bytes: 64 * 2 ** 20,
};

/** A part holds at most so many tokens, so that list offsets stay far below 32 bits. */
const PART_TOKENS = 200_000_000;

interface BatchFile {
  write(batch: ReturnType<ReturnType<typeof createNestedBatch>['flush']>): Promise<void>;
  close(): Promise<Omit<WrittenFile, 'path'>>;
}

interface Batches {
  readonly rows: number;
  readonly tokens: number;
  readonly bytes: number;
  append(row: AnyRow): void;
  flush(): Parameters<BatchFile['write']>[0];
}

/** A folder of an export: opens files in it and remembers what was written. */
export class ExportSink {
  readonly #root: string;
  readonly #folder: string;
  readonly #open: Set<HashedFile>;
  readonly files: WrittenFile[];

  constructor(
    root: string,
    folder = '',
    shared: Pick<ExportSink, 'files'> & { open?: Set<HashedFile> } = { files: [] },
  ) {
    this.#root = root;
    this.#folder = folder;
    this.files = shared.files;
    this.#open = shared.open ?? new Set();
  }

  /** A folder below, whose files count here too. */
  folder(name: string): ExportSink {
    return new ExportSink(this.#root, join(this.#folder, name), { files: this.files, open: this.#open });
  }

  /** Closes and removes the files that are still open: the export has failed. */
  async abandon(): Promise<void> {
    for (const file of this.#open) await file.discard();
    this.#open.clear();
  }

  /** Parquet files `<name>-00000<ending>`, of flat columns. */
  parquetParts(
    spec: TableSpec,
    { name = 'part', ending = '.parquet', rows = GROUP.rows, partTokens = PART_TOKENS } = {},
  ): RowFile {
    return new PartedFile({
      batches: createBatchBuilder(spec) as unknown as Batches,
      tokens: (row) => tokensOf(spec, row),
      groupRows: rows,
      partTokens,
      open: (index) => this.#parquet(`${name}-${digits(index)}${ending}`),
    });
  }

  /** Parquet files `<name>-00000.parquet` of an Arrow schema with nested columns. */
  nestedParquetParts(schema: Schema, { name = 'part' } = {}): RowFile {
    return new PartedFile({
      batches: createNestedBatch(schema),
      tokens: () => 0,
      groupRows: GROUP.rows,
      partTokens: PART_TOKENS,
      open: (index) => this.#parquet(`${name}-${digits(index)}.parquet`),
    });
  }

  /** Arrow IPC stream files of flat columns. */
  arrowParts(
    spec: TableSpec,
    name: (index: number) => string,
    { rows = GROUP.rows, partTokens = PART_TOKENS } = {},
  ): RowFile {
    return new PartedFile({
      batches: createBatchBuilder(spec) as unknown as Batches,
      tokens: (row) => tokensOf(spec, row),
      groupRows: rows,
      partTokens,
      open: async (index) => {
        const { file, done } = await this.raw(name(index));
        const stream = new ArrowStreamFile(file);
        return { write: (batch) => stream.write(batch), close: async () => done(await stream.close()) };
      },
    });
  }

  async jsonLines(name: string): Promise<JsonLinesFile> {
    const { file, done } = await this.raw(name);
    return new JsonLinesFile(file, done);
  }

  /** A file of bytes; `done` must be told its sha256 when it is closed. */
  async raw(
    name: string,
  ): Promise<{ file: HashedFile; done: (sha256: string) => Omit<WrittenFile, 'path'> }> {
    const path = join(this.#folder, name);
    await mkdir(dirname(join(this.#root, path)), { recursive: true });
    const file = await HashedFile.create(join(this.#root, path));
    this.#open.add(file);
    const done = (sha256: string): WrittenFile => {
      this.#open.delete(file);
      const written = { path: path.replaceAll('\\', '/'), bytes: file.bytes, sha256 };
      this.files.push(written);
      return written;
    };
    return { file, done };
  }

  async text(name: string, text: string): Promise<void> {
    const { file, done } = await this.raw(name);
    await file.write(Buffer.from(text, 'utf8'));
    done(await file.close());
  }

  async #parquet(name: string): Promise<BatchFile> {
    const { file, done } = await this.raw(name);
    const parquet = new ParquetFile(file);
    return { write: (batch) => parquet.write(batch), close: async () => done(await parquet.close()) };
  }
}

const digits = (n: number): string => String(n).padStart(5, '0');

interface PartedOptions {
  readonly batches: Batches;
  readonly tokens: (row: AnyRow) => number;
  readonly groupRows: number;
  readonly partTokens: number;
  readonly open: (index: number) => Promise<BatchFile>;
}

/** Rows to batches, batches to files: a batch is a row group, and a file ends at a batch. */
class PartedFile implements RowFile {
  readonly #options: PartedOptions;
  #file: BatchFile | null = null;
  #parts = 0;
  #tokens = 0;

  constructor(options: PartedOptions) {
    this.#options = options;
  }

  async append(row: AnyRow): Promise<void> {
    const { batches, tokens, groupRows } = this.#options;
    if (batches.rows > 0 && batches.tokens + tokens(row) > GROUP.tokens) await this.#cut();
    batches.append(row);
    if (batches.rows >= groupRows || batches.bytes >= GROUP.bytes) await this.#cut();
  }

  async close(): Promise<void> {
    if (this.#options.batches.rows > 0 || this.#parts === 0) await this.#cut();
    await this.#file?.close();
    this.#file = null;
  }

  async #cut(): Promise<void> {
    const { batches, open, partTokens } = this.#options;
    if (this.#file !== null && this.#tokens + batches.tokens > partTokens) {
      await this.#file.close();
      this.#file = null;
    }
    if (this.#file === null) {
      this.#file = await open(this.#parts++);
      this.#tokens = 0;
    }
    this.#tokens += batches.tokens;
    await this.#file.write(batches.flush());
  }
}
