import { type ByteWriter, bytesOf } from './byte-writer.js';
import type { Places } from './column-shape.js';
import {
  type DictionaryValues,
  dictionaryLimit,
  ENCODING,
  type PlainValues,
  type ValueRange,
} from './column-values.js';
import { indexedValues } from './dictionary-values.js';

/** Numbers as Parquet stores them. */
export type NumberArray = Int32Array | BigInt64Array | Float32Array | Float64Array;

/** Integers from 0 up to here may stand in a dictionary: ids of any vocabulary, masks, counts. */
const MOST = 2 ** 19;

/** By item: its index and 1 while a dictionary is made, else 0. A megabyte, which is dear to have anew each time. */
const known = new Uint16Array(MOST);

/** The items at some places, in memory of their own only where nulls lie between them. */
export function itemsAt<A extends NumberArray | Int8Array>(items: A, places: Places): A {
  if (!(places instanceof Int32Array)) return items.subarray(places.from, places.to) as A;
  const kept = new (items.constructor as new (length: number) => A)(places.length);
  for (let i = 0; i < places.length; i++) kept[i] = items[places[i] ?? 0] ?? 0;
  return kept;
}

/**
 * Indices and different items, in the order in which these come first; null where there are more than the limit or
 * one that no dictionary may hold.
 */
function indexed(items: Int32Array, limit: number): [Uint16Array, Int32Array] | null {
  const indices = new Uint16Array(items.length);
  const different = new Int32Array(limit);
  let size = 0;
  let i = 0;
  for (; i < items.length; i++) {
    const item = items[i] ?? 0;
    const next = known[item];
    if (next === undefined) break;
    if (next > 0) {
      indices[i] = next - 1;
    } else {
      if (size === limit) break;
      different[size] = item;
      indices[i] = size++;
      known[item] = size;
    }
  }
  for (let k = 0; k < size; k++) known[different[k] as number] = 0;
  return i < items.length ? null : [indices, different.subarray(0, size)];
}

/** Numbers are written as they lie in memory, which is little-endian wherever Node runs. */
class NumberValues implements PlainValues {
  readonly encoding = ENCODING.plain;
  readonly #items: NumberArray;

  constructor(items: NumberArray) {
    this.#items = items;
  }

  get count(): number {
    return this.#items.length;
  }

  bytes(from: number, to: number): number {
    return (to - from) * this.#items.BYTES_PER_ELEMENT;
  }

  write(from: number, to: number, out: ByteWriter): void {
    out.put(bytesOf(this.#items.subarray(from, to)));
  }

  range(): ValueRange | null {
    const items = this.#items;
    let [least, greatest] = [items[0], items[0]];
    if (least === undefined || greatest === undefined) return null;
    for (const item of items) {
      if (Number.isNaN(item)) return null;
      if (item < least) least = item;
      if (item > greatest) greatest = item;
    }
    return { least: this.#plain(least, -0), greatest: this.#plain(greatest, 0) };
  }

  /** Of 32-bit integers only: others repeat too rarely. */
  dictionary(): DictionaryValues | null {
    const limit = dictionaryLimit(this);
    if (limit === 0 || !(this.#items instanceof Int32Array)) return null;
    const found = indexed(this.#items, limit);
    return found === null ? null : indexedValues(found[0], new NumberValues(found[1]));
  }

  /** One item in the plain encoding. Of the two zeros that compare as equal, the format wants the outer one. */
  #plain(item: number | bigint, zero: number): Uint8Array {
    const one = this.#items.slice(0, 1);
    one[0] = one instanceof Float32Array || one instanceof Float64Array ? (item === 0 ? zero : item) : item;
    return bytesOf(one);
  }
}

export const numberValues = (items: NumberArray): PlainValues => new NumberValues(items);
