import type { RecordBatch, Schema } from 'apache-arrow';
import { ByteWriter } from './byte-writer.js';
import { type WrittenChunk, writeChunk } from './column-chunk.js';
import { type Compression, openCodec } from './compression.js';
import { PageOutput } from './page-output.js';
import { type Leaf, leafOf, schemaElements } from './schema.js';
import { i16, i32, i64, list, struct, type ThriftValue, text } from './thrift.js';

const MAGIC = Buffer.from('PAR1', 'latin1');

/** Names the writer in the footer; pinned, because it is part of the bytes. */
const CREATED_BY = 'trajmill';

export type KeyValue = readonly [key: string, value: string];

export interface ParquetOptions {
  readonly schema: Schema;
  readonly compression: Compression;
  /** columns with their least and greatest value in each row group */
  readonly statistics: ReadonlySet<string>;
  /** key-value pairs of the footer, in their order */
  readonly keys: readonly KeyValue[];
}

/**
 * Writes a Parquet file out of record batches of the schema, one a row group, and holds no more of it than the pages
 * that wait for the sink. Equal batches and options give equal bytes. Calls must be awaited one after the other; the
 * sink must have taken the bytes, which are overwritten, when its promise resolves.
 */
export class ParquetWriter {
  readonly #options: ParquetOptions;
  readonly #leaves: readonly Leaf[];
  readonly #output: PageOutput;
  readonly #body = new ByteWriter();
  readonly #groups: ThriftValue[] = [];
  #rows = 0;

  private constructor(options: ParquetOptions, output: PageOutput) {
    this.#options = options;
    this.#leaves = options.schema.fields.map(leafOf);
    this.#output = output;
    output.put(MAGIC);
  }

  static async open(
    options: ParquetOptions,
    sink: (bytes: Uint8Array) => Promise<void>,
  ): Promise<ParquetWriter> {
    return new ParquetWriter(options, new PageOutput(await openCodec(options.compression), sink));
  }

  /** Writes a row group; a batch of no rows is none. */
  async write(batch: RecordBatch): Promise<void> {
    const rows = batch.numRows;
    if (rows === 0) return;
    const chunks: WrittenChunk[] = [];
    for (const [index, leaf] of this.#leaves.entries()) {
      const data = batch.data.children[index];
      if (data === undefined) throw new RangeError(`the batch has no column ${leaf.path[0] ?? index}`);
      const hasStatistics = this.#options.statistics.has(leaf.path[0] ?? '');
      chunks.push(await writeChunk(this.#output, { leaf, data, hasStatistics, body: this.#body }));
    }
    const sum = (key: 'plain' | 'compressed'): number =>
      chunks.reduce((total, chunk) => total + chunk[key], 0);
    this.#groups.push(
      struct({
        1: list(chunks.map(({ chunk }) => chunk)),
        2: i64(sum('plain')),
        3: i64(rows),
        5: i64(chunks[0]?.start ?? 0),
        6: i64(sum('compressed')),
        7: i16(this.#groups.length),
      }),
    );
    this.#rows += rows;
  }

  /** Writes the footer; nothing follows it. */
  async end(): Promise<void> {
    const { schema, keys } = this.#options;
    // as the types say: without it readers may not take the bounds of texts
    const order = struct({ 1: struct({}) });
    const footer = new ByteWriter();
    struct({
      1: i32(1),
      2: list(schemaElements(schema)),
      3: i64(this.#rows),
      4: list(this.#groups),
      5: list(keys.map(([key, value]) => struct({ 1: text(key), 2: text(value) }))),
      6: text(CREATED_BY),
      7: list(this.#leaves.map(() => order)),
    }).write(footer);
    footer.uint32(footer.length);
    footer.put(MAGIC);
    this.#output.put(footer.written);
    await this.#output.flush();
  }
}
