import { type ByteWriter, bytesOf } from './byte-writer.js';

/** Values of a bit-packed run: 63 groups of 8, whose header is one byte. */
const LITERALS = 504;

/** A run shorter than a group is cheaper bit-packed. */
const GROUP = 8;

/**
 * Parquet's hybrid of run lengths and bit packing, for values of 1 to 8 bits. Runs go in as runs: a long one costs
 * as much as a short one. Equal values give equal bytes, however they are divided into calls.
 */
export class HybridEncoder {
  readonly #width: number;
  readonly #out: ByteWriter;
  readonly #literals = new Uint8Array(LITERALS);
  #open = 0;
  #value = 0;
  #count = 0;

  constructor(width: number, out: ByteWriter) {
    this.#width = width;
    this.#out = out;
  }

  run(value: number, count: number): void {
    if (count === 0) return;
    if (value !== this.#value) {
      this.#commit();
      this.#value = value;
    }
    this.#count += count;
  }

  finish(): void {
    this.#commit();
    // readers know how many values there are and ignore what fills the last group
    while (this.#open % GROUP !== 0) this.#literals[this.#open++] = 0;
    this.#pack();
  }

  #commit(): void {
    // bit-packed values come in whole groups, so that an open one takes the start of the run
    const missing = (GROUP - (this.#open % GROUP)) % GROUP;
    this.#literal(Math.min(missing, this.#count));
    if (this.#count >= GROUP) {
      this.#pack();
      this.#out.varint(this.#count * 2);
      this.#out.byte(this.#value);
      this.#count = 0;
    }
    this.#literal(this.#count);
  }

  #literal(count: number): void {
    this.#count -= count;
    for (let i = 0; i < count; i++) {
      if (this.#open === LITERALS) this.#pack();
      this.#literals[this.#open++] = this.#value;
    }
  }

  /** Writes the literals, of whole groups, as one run. */
  #pack(): void {
    if (this.#open === 0) return;
    this.#out.byte(((this.#open / GROUP) << 1) | 1);
    let bits = 0;
    let held = 0;
    for (let i = 0; i < this.#open; i++) {
      bits |= (this.#literals[i] ?? 0) << held;
      held += this.#width;
      for (; held >= 8; held -= 8) {
        this.#out.byte(bits & 0xff);
        bits >>>= 8;
      }
    }
    this.#open = 0;
  }
}

/** Values of 16 bits as one bit-packed run: whole groups of them in the order of their bytes. */
export function writePackedWords(words: Uint16Array, out: ByteWriter): void {
  const groups = Math.ceil(words.length / GROUP);
  out.varint(groups * 2 + 1);
  out.put(bytesOf(words));
  out.zeros((groups * GROUP - words.length) * 2);
}
