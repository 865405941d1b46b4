import type { ByteWriter } from './byte-writer.js';
import type { Places } from './column-shape.js';
import {
  type DictionaryValues,
  dictionaryLimit,
  ENCODING,
  type PlainValues,
  type ValueRange,
} from './column-values.js';
import { indexedValues } from './dictionary-values.js';

/** Longer texts are no bounds to skip row groups by, and no entries of a dictionary. */
const LONGEST = 256;

/** UTF-8 texts: where each begins and ends among the bytes. */
interface Texts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

class TextValues implements PlainValues {
  readonly encoding = ENCODING.plain;
  readonly #texts: Texts;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#texts.starts.length;
  }

  /** Nulls between the texts take no bytes. */
  bytes(from: number, to: number): number {
    const { starts, ends } = this.#texts;
    return to === from ? 0 : (to - from) * 4 + (ends[to - 1] ?? 0) - (starts[from] ?? 0);
  }

  write(from: number, to: number, out: ByteWriter): void {
    for (let i = from; i < to; i++) {
      const text = this.#text(i);
      out.uint32(text.length);
      out.put(text);
    }
  }

  range(): ValueRange | null {
    if (this.count === 0) return null;
    let least = this.#text(0);
    let greatest = least;
    for (let i = 1; i < this.count; i++) {
      const text = this.#text(i);
      if (Buffer.compare(text, least) < 0) least = text;
      if (Buffer.compare(text, greatest) > 0) greatest = text;
    }
    return Math.max(least.length, greatest.length) > LONGEST ? null : { least, greatest };
  }

  dictionary(): DictionaryValues | null {
    const limit = dictionaryLimit(this);
    if (limit === 0) return null;
    const table = new TextTable(limit);
    const indices = new Uint16Array(this.count);
    const first: number[] = [];
    for (let i = 0; i < indices.length; i++) {
      const text = this.#text(i);
      if (text.length > LONGEST) return null;
      const index = table.indexOf(text);
      if (index === limit) return null;
      if (index === first.length) first.push(i);
      indices[i] = index;
    }
    return indexedValues(indices, new TextValues(textsAt(this.#texts, Int32Array.from(first))));
  }

  #text(index: number): Uint8Array {
    const { bytes, starts, ends } = this.#texts;
    return bytes.subarray(starts[index], ends[index]);
  }
}

/** A hash table of texts, by which each different one gets the next number. At most a quarter of it is taken. */
class TextTable {
  /** by slot: 0, or the number and 1 */
  readonly #slots: Int32Array;
  readonly #texts: Uint8Array[] = [];

  constructor(limit: number) {
    this.#slots = new Int32Array(2 ** (34 - Math.clz32(limit)));
  }

  /** The number of a text, which is added where it is new. */
  indexOf(text: Uint8Array): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOf(text) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) {
        this.#slots[slot] = this.#texts.push(text);
        return this.#texts.length - 1;
      }
      if (Buffer.compare(this.#texts[number - 1] ?? text, text) === 0) return number - 1;
    }
  }
}

/** FNV-1a. */
function hashOf(text: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ (text[i] ?? 0), 0x01000193);
  return hash;
}

function textsAt({ bytes, starts, ends }: Texts, places: Int32Array): Texts {
  const at = (items: Int32Array): Int32Array => places.map((place) => items[place] ?? 0);
  return { bytes, starts: at(starts), ends: at(ends) };
}

export function textValues(bytes: Uint8Array, offsets: Int32Array, places: Places): PlainValues {
  const all = { bytes, starts: offsets, ends: offsets.subarray(1) };
  if (places instanceof Int32Array) return new TextValues(textsAt(all, places));
  const { from, to } = places;
  return new TextValues({
    bytes,
    starts: offsets.subarray(from, to),
    ends: offsets.subarray(from + 1, to + 1),
  });
}
