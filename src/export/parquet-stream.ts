import { type RecordBatch, Table, tableToIPC } from 'apache-arrow';

/** Names the writer in the footer; pinned, because it is part of the bytes. */
const CREATED_BY = 'trajmill';

/** No row group is cut by rows: each batch is one already. */
const NO_ROW_LIMIT = 2 ** 31 - 1;

/** Values that the encoder takes at a time; larger than the library's default, which costs a tenth of the time. */
const WRITE_BATCH = 16_384;

/** Takes record batches, one a row group, and gives the bytes of a Parquet file as they arise. */
export interface ParquetStream {
  /** Resolves once the encoder has taken the batch and asks for more, so that one batch at most waits. */
  write(batch: RecordBatch): Promise<void>;
  /** No more batches; the footer follows. At least one batch, of no rows if need be, must have been written. */
  end(): Promise<void>;
}

/** Hands the next batch over when the encoder asks for it. */
class BatchSource {
  readonly stream: ReadableStream<unknown>;
  #controller: ReadableStreamDefaultController<unknown> | null = null;
  #asked: () => void = () => {};
  #request: Promise<void>;
  #settle: (() => void) | null = null;

  constructor() {
    this.#request = this.#nextRequest();
    this.stream = new ReadableStream<unknown>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#asked();
          return new Promise<void>((resolve) => {
            this.#settle = resolve;
          });
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Resolves when the encoder asks for a batch. */
  asked(): Promise<void> {
    return this.#request;
  }

  give(batch: unknown): void {
    this.#request = this.#nextRequest();
    this.#controller?.enqueue(batch);
    this.#settle?.();
  }

  close(): void {
    this.#controller?.close();
    this.#controller = null;
    this.#settle?.();
  }

  #nextRequest(): Promise<void> {
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }
}

/**
 * Opens a Parquet encoder for batches of any type, nested ones too, whose output goes to `sink` piece by piece; the
 * flat tables of a corpus have a writer of their own. The library gives no way to end a row group, so a limit of one
 * byte does: every batch after the first finds the group full and starts the next.
 */
export async function openParquetStream(sink: (bytes: Uint8Array) => Promise<void>): Promise<ParquetStream> {
  // loaded when first needed: exports in other formats do not pay for it
  const wasm = await import('parquet-wasm/node');
  const properties = new wasm.WriterPropertiesBuilder()
    // at level 1, the library's fixed default
    .setCompression(wasm.Compression.ZSTD)
    .setDictionaryEnabled(false)
    .setStatisticsEnabled(wasm.EnabledStatistics.None)
    .setWriteBatchSize(WRITE_BATCH)
    .setMaxRowGroupSize(NO_ROW_LIMIT)
    .setMaxRowGroupBytes(1)
    .setCreatedBy(CREATED_BY)
    .build();
  const source = new BatchSource();

  const drained = (async () => {
    const output: ReadableStream<Uint8Array> = await wasm.transformParquetStream(source.stream, properties);
    // leaving the loop by an error of the sink cancels the output
    for await (const bytes of output) await sink(bytes);
  })();
  // the failure is thrown where somebody waits; until then it is not unhandled
  drained.catch(() => {});

  const askedOrFailed = () => Promise.race([source.asked(), drained]);

  return {
    async write(batch) {
      await askedOrFailed();
      const table = wasm.Table.fromIPCStream(tableToIPC(new Table([batch]), 'stream'));
      const [first] = table.recordBatches();
      table.free();
      source.give(first);
      await askedOrFailed();
    },
    async end() {
      await askedOrFailed();
      source.close();
      await drained;
    },
  };
}
