/** Bytes that grow as they are written; integers are little-endian, as everywhere in Parquet. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written: a view, good until the next write or clear. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts anew in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.setUint32(this.#length, value);
    this.#length += 4;
  }

  /** Overwrites four bytes that were written before. */
  setUint32(at: number, value: number): void {
    for (let i = 0; i < 4; i++) this.#bytes[at + i] = value >>> (8 * i);
  }

  /** A non-negative safe integer in groups of seven bits, lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  put(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  zeros(count: number): void {
    this.#reserve(count);
    this.#bytes.fill(0, this.#length, this.#length + count);
    this.#length += count;
  }

  #reserve(extra: number): void {
    const need = this.#length + extra;
    if (need <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
    grown.set(this.written);
    this.#bytes = grown;
  }
}

/** The memory of a typed array as bytes. */
export const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
