import type { ByteWriter } from './byte-writer.js';
import { type DictionaryValues, ENCODING, type EncodableValues } from './column-values.js';
import { HybridEncoder, writePackedWords } from './hybrid-encoder.js';

/** Bits that indices below a number take; a width of 0 exists, but few readers were ever tried with it. */
const bitsFor = (size: number): number => Math.max(1, 32 - Math.clz32(size - 1));

/**
 * Indices that come in runs. Methods of a class and no closures: those would be compiled anew for each column chunk.
 */
export interface IndexRuns {
  readonly count: number;
  indexAt(at: number): number;
  /** end, at most `to`, of a run of equal indices */
  runEnd(at: number, to: number): number;
}

/** Values by their indices in a dictionary, two bytes an index as far as pages are cut: readers hold all values. */
abstract class Indices implements DictionaryValues {
  readonly encoding = ENCODING.rleDictionary;
  readonly dictionary: EncodableValues;
  readonly count: number;

  constructor(count: number, dictionary: EncodableValues) {
    this.count = count;
    this.dictionary = dictionary;
  }

  bytes(from: number, to: number): number {
    return (to - from) * 2;
  }

  abstract write(from: number, to: number, out: ByteWriter): void;
}

class RunValues extends Indices {
  readonly #runs: IndexRuns;

  constructor(runs: IndexRuns, dictionary: EncodableValues) {
    super(runs.count, dictionary);
    this.#runs = runs;
  }

  write(from: number, to: number, out: ByteWriter): void {
    const runs = this.#runs;
    const width = bitsFor(this.dictionary.count);
    out.byte(width);
    const encoder = new HybridEncoder(width, out);
    for (let at = from; at < to; ) {
      const end = runs.runEnd(at, to);
      encoder.run(runs.indexAt(at), end - at);
      at = end;
    }
    encoder.finish();
  }
}

/** Of a large dictionary, two bytes an index: bytes that lie alike compress better than the fewest bits. */
class WordValues extends Indices {
  readonly #indices: Uint16Array;

  constructor(indices: Uint16Array, dictionary: EncodableValues) {
    super(indices.length, dictionary);
    this.#indices = indices;
  }

  write(from: number, to: number, out: ByteWriter): void {
    out.byte(16);
    writePackedWords(this.#indices.subarray(from, to), out);
  }
}

class WordRuns implements IndexRuns {
  readonly #indices: Uint16Array;

  constructor(indices: Uint16Array) {
    this.#indices = indices;
  }

  get count(): number {
    return this.#indices.length;
  }

  indexAt(at: number): number {
    return this.#indices[at] ?? 0;
  }

  runEnd(at: number, to: number): number {
    const indices = this.#indices;
    const index = indices[at];
    let end = at + 1;
    while (end < to && indices[end] === index) end++;
    return end;
  }
}

/** Values of a dictionary of at most 256, as runs. */
export function runIndices(runs: IndexRuns, dictionary: EncodableValues): DictionaryValues {
  return new RunValues(runs, dictionary);
}

/** Values by their indices in a dictionary. */
export function indexedValues(indices: Uint16Array, dictionary: EncodableValues): DictionaryValues {
  if (dictionary.count > 256) return new WordValues(indices, dictionary);
  return new RunValues(new WordRuns(indices), dictionary);
}
