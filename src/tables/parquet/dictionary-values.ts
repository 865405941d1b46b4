import type { ByteWriter } from './byte-writer.js';
import { type DictionaryValues, ENCODING, type EncodableValues } from './column-values.js';
import { HybridEncoder, writePackedWords } from './hybrid-encoder.js';

/** Bits that indices below a number take; a width of 0 exists, but few readers were ever tried with it. */
const bitsFor = (size: number): number => Math.max(1, 32 - Math.clz32(size - 1));

/** Bytes of two an index, by which pages are cut whatever their runs: readers hold all of their values. */
const bytes = (from: number, to: number): number => (to - from) * 2;

export interface RunIndices {
  readonly count: number;
  /** of at most 256 values */
  readonly dictionary: EncodableValues;
  readonly indexAt: (at: number) => number;
  /** end, at most `to`, of a run of equal indices */
  readonly runEnd: (at: number, to: number) => number;
}

/** Values of a small dictionary, as runs. */
export function runIndices({ count, dictionary, indexAt, runEnd }: RunIndices): DictionaryValues {
  const width = bitsFor(dictionary.count);
  return {
    count,
    encoding: ENCODING.rleDictionary,
    dictionary,
    bytes,
    write(from, to, out) {
      out.byte(width);
      const encoder = new HybridEncoder(width, out);
      for (let at = from; at < to; ) {
        const end = runEnd(at, to);
        encoder.run(indexAt(at), end - at);
        at = end;
      }
      encoder.finish();
    },
  };
}

/** Values of a large dictionary, two bytes an index: bytes that lie alike compress better than the fewest bits. */
function wordIndices(indices: Uint16Array, dictionary: EncodableValues): DictionaryValues {
  return {
    count: indices.length,
    encoding: ENCODING.rleDictionary,
    dictionary,
    bytes,
    write(from: number, to: number, out: ByteWriter) {
      out.byte(16);
      writePackedWords(indices.subarray(from, to), out);
    },
  };
}

/** Values by their indices in a dictionary. */
export function indexedValues(indices: Uint16Array, dictionary: EncodableValues): DictionaryValues {
  if (dictionary.count > 256) return wordIndices(indices, dictionary);
  return runIndices({
    count: indices.length,
    dictionary,
    indexAt: (at) => indices[at] ?? 0,
    runEnd(at, to) {
      const index = indices[at];
      let end = at + 1;
      while (end < to && indices[end] === index) end++;
      return end;
    },
  });
}
