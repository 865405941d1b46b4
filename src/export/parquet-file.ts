import type { RecordBatch } from 'apache-arrow';
import type { HashedFile } from '../tables/hashed-file.js';
import { openParquetStream, type ParquetStream } from './parquet-stream.js';

/**
 * A Parquet file whose row groups are the batches that it is given. It has no `huggingface` key: versions of
 * `datasets` disagree on how lists are named there, and all of them infer the same from the Arrow schema.
 */
export class ParquetFile {
  readonly #file: HashedFile;
  #stream: ParquetStream | null = null;

  constructor(file: HashedFile) {
    this.#file = file;
  }

  async write(batch: RecordBatch): Promise<void> {
    this.#stream ??= await openParquetStream((bytes) => this.#file.write(bytes));
    await this.#stream.write(batch);
  }

  /** Ends the file; gives its sha256. At least one batch must have been written. */
  async close(): Promise<string> {
    await this.#stream?.end();
    return this.#file.close();
  }
}
