import type { ByteWriter } from './byte-writer.js';

/** Encodings of Parquet by their numbers in the format. */
export const ENCODING = { plain: 0, rle: 3, rleDictionary: 8 } as const;

/** Values of a column chunk without its nulls, encoded range by range. */
export interface EncodableValues {
  readonly count: number;
  readonly encoding: number;
  /** bytes that a range takes, about: what pages are cut by */
  bytes(from: number, to: number): number;
  write(from: number, to: number, out: ByteWriter): void;
}

/** Least and greatest value, as bytes of the plain encoding. */
export interface ValueRange {
  readonly least: Uint8Array;
  readonly greatest: Uint8Array;
}

export interface PlainValues extends EncodableValues {
  /** null where there is none to tell: no values, not a number, too long */
  range(): ValueRange | null;
  /** The same values by a dictionary; null where too few of them are equal to gain by it. */
  dictionary(): DictionaryValues | null;
}

/** Values as their places in a dictionary, in which they stand in the order of their first use. */
export interface DictionaryValues extends EncodableValues {
  readonly dictionary: EncodableValues;
}

/** A dictionary costs a page of its own, which a chunk smaller than this does not win back. */
const LEAST_BYTES = 4096;

/** Indices of at most 16 bits, which stand as whole words, and one to spare for what is not there. */
const MOST_VALUES = 65_535;

/**
 * How many different values a dictionary of a chunk may have; 0 where none is worth while. Counting stops at this
 * limit, which therefore bounds what is lost on values that turn out to differ.
 */
export function dictionaryLimit(values: EncodableValues): number {
  const { count } = values;
  if (values.bytes(0, count) < LEAST_BYTES) return 0;
  return Math.min(MOST_VALUES, count >> 2);
}
