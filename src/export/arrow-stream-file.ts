import { type RecordBatch, Table, tableToIPC } from 'apache-arrow';
import type { HashedFile } from '../tables/hashed-file.js';

/** Ends an Arrow IPC stream: the continuation marker and a length of 0. */
const END_OF_STREAM = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
const PREFIX = 8;

/** Bytes of the schema message that opens an encapsulated stream: marker, length, metadata, no body. */
function schemaLength(stream: Uint8Array): number {
  return PREFIX + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
}

/** An Arrow IPC stream, batch by batch: every batch is encoded alone, and the schema kept of the first only. */
export class ArrowStreamFile {
  readonly #file: HashedFile;
  #started = false;

  constructor(file: HashedFile) {
    this.#file = file;
  }

  async write(batch: RecordBatch): Promise<void> {
    const stream = tableToIPC(new Table([batch]), 'stream');
    const from = this.#started ? schemaLength(stream) : 0;
    this.#started = true;
    await this.#file.write(stream.subarray(from, stream.length - END_OF_STREAM.length));
  }

  /** Ends the file; gives its sha256. */
  async close(): Promise<string> {
    await this.#file.write(END_OF_STREAM);
    return this.#file.close();
  }
}
