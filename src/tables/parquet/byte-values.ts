import { type ByteWriter, bytesOf } from './byte-writer.js';
import {
  type DictionaryValues,
  dictionaryLimit,
  ENCODING,
  type PlainValues,
  type ValueRange,
} from './column-values.js';
import { type IndexRuns, runIndices } from './dictionary-values.js';
import { numberValues } from './number-values.js';

/** Runs of equal items of 8 bits. */
class ByteRuns implements IndexRuns {
  /** index by item, from -128 on */
  readonly indices = new Uint16Array(256);
  readonly #items: Int8Array;
  readonly #words: Int32Array;

  constructor(items: Int8Array) {
    // words can only be seen where they are aligned
    this.#items = items.byteOffset % 4 === 0 ? items : items.slice();
    this.#words = new Int32Array(this.#items.buffer, this.#items.byteOffset, items.length >> 2);
  }

  get count(): number {
    return this.#items.length;
  }

  indexAt(at: number): number {
    return this.indices[(this.#items[at] ?? 0) + 128] ?? 0;
  }

  /** Four items a step. */
  runEnd(from: number, to: number): number {
    const items = this.#items;
    const words = this.#words;
    const item = items[from] ?? 0;
    let i = from + 1;
    for (; i % 4 !== 0; i++) if (i >= to || items[i] !== item) return i;
    const word = Math.imul(item & 0xff, 0x01010101);
    let at = i >> 2;
    const last = to >> 2;
    while (at < last && words[at] === word) at++;
    i = at * 4;
    while (i < to && items[i] === item) i++;
    return i;
  }
}

/** Integers of 8 bits: masks, which come in long runs. Parquet stores them in 32 bits. */
class ByteValues implements PlainValues {
  readonly encoding = ENCODING.plain;
  readonly #items: Int8Array;

  constructor(items: Int8Array) {
    this.#items = items;
  }

  get count(): number {
    return this.#items.length;
  }

  bytes(from: number, to: number): number {
    return (to - from) * 4;
  }

  write(from: number, to: number, out: ByteWriter): void {
    out.put(bytesOf(new Int32Array(this.#items.subarray(from, to))));
  }

  range(): ValueRange | null {
    return numberValues(new Int32Array(this.#items)).range();
  }

  dictionary(): DictionaryValues | null {
    const limit = dictionaryLimit(this);
    const items = this.#items;
    const runs = new ByteRuns(items);
    const different: number[] = [];
    const known = new Uint8Array(256);
    for (let i = 0; i < items.length; i = runs.runEnd(i, items.length)) {
      const item = items[i] ?? 0;
      if (known[item + 128] === 1) continue;
      if (different.length === limit) return null;
      known[item + 128] = 1;
      runs.indices[item + 128] = different.push(item) - 1;
    }
    return runIndices(runs, numberValues(Int32Array.from(different)));
  }
}

export const byteValues = (items: Int8Array): PlainValues => new ByteValues(items);
