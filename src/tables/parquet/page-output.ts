import { ByteWriter } from './byte-writer.js';
import type { Codec } from './compression.js';
import { i32, struct, type ThriftValue } from './thrift.js';

/** Pages wait until they are as many bytes together. */
const PIECE = 2 ** 18;

/** The bytes of a Parquet file on their way out: pages are compressed as they come and leave in larger pieces. */
export class PageOutput {
  readonly #codec: Codec;
  readonly #sink: (bytes: Uint8Array) => Promise<void>;
  readonly #waiting = new ByteWriter();
  #gone = 0;

  constructor(codec: Codec, sink: (bytes: Uint8Array) => Promise<void>) {
    this.#codec = codec;
    this.#sink = sink;
  }

  get codec(): number {
    return this.#codec.id;
  }

  /** Where the next byte will stand in the file. */
  get position(): number {
    return this.#gone + this.#waiting.length;
  }

  put(bytes: Uint8Array): void {
    this.#waiting.put(bytes);
  }

  /** Compresses a page and puts it behind its header; `fields` are those of the header beside the sizes. */
  async page(
    type: number,
    body: Uint8Array,
    fields: Readonly<Record<number, ThriftValue>>,
  ): Promise<PageSizes> {
    const compressed = this.#codec.compress(body);
    const start = this.position;
    const sizes = { 1: i32(type), 2: i32(body.length), 3: i32(compressed.length) };
    struct({ ...sizes, ...fields }).write(this.#waiting);
    const header = this.position - start;
    this.put(compressed);
    if (this.#waiting.length >= PIECE) await this.flush();
    return { start, plain: header + body.length, compressed: header + compressed.length };
  }

  async flush(): Promise<void> {
    await this.#sink(this.#waiting.written);
    this.#gone += this.#waiting.length;
    this.#waiting.clear();
  }
}

/** Where a page begins in the file, and its bytes with the header, before and after compression. */
export interface PageSizes {
  readonly start: number;
  readonly plain: number;
  readonly compressed: number;
}
