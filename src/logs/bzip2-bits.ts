import { RejectError } from './reject.js';

/** Bits of a buffer, the highest of each byte first. Beyond the end come zeros, until `assertInside` is asked. */
export class BitReader {
  readonly #bytes: Buffer;
  #next = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Buffer, skipBits: number) {
    this.#bytes = bytes;
    this.read(skipBits);
  }

  /** Bits that were taken so far. */
  get position(): number {
    return this.#next * 8 - this.#count;
  }

  /** At most 24 bits as a number. */
  read(bits: number): number {
    const value = this.peek(bits);
    this.#count -= bits;
    return value;
  }

  read32(): number {
    return this.read(16) * 0x10000 + this.read(16);
  }

  /** The next bits, at most 24, which stay where they are. */
  peek(bits: number): number {
    while (this.#count < bits) {
      this.#held = (this.#held << 8) | (this.#bytes[this.#next++] ?? 0);
      this.#count += 8;
    }
    return (this.#held >>> (this.#count - bits)) & ((1 << bits) - 1);
  }

  skip(bits: number): void {
    this.#count -= bits;
  }

  /** @throws RejectError `bad_compression` where more was taken than there is */
  assertInside(): void {
    if (this.position > this.#bytes.length * 8) {
      throw new RejectError('bad_compression', 'bzip2: the stream is cut off');
    }
  }
}
