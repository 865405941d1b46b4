import type { SplitKindName } from './split-kinds.js';

/** Lengths (in elements) of the arrays of BpeTables. */
export interface BpeTableSizes {
  readonly classes: number;
  readonly byteIds: number;
  readonly merges: number;
  readonly tokenOffsets: number;
  readonly byteLengths: number;
  readonly vocabIndex: number;
  readonly tokenBytes: number;
}

/** What the engine must know beside its arrays. */
export interface BpeSettings {
  readonly kind: SplitKindName;
  /** text is normalised to NFC */
  readonly nfc: boolean;
  /** a word that is a token of the vocabulary is that token, whatever its merges say */
  readonly ignoreMerges: boolean;
}

/** The arrays of a byte-level BPE, all views into one SharedArrayBuffer, so that workers can share them. */
export interface BpeTables {
  readonly settings: BpeSettings;
  readonly sizes: BpeTableSizes;
  readonly buffer: SharedArrayBuffer;
  /** class of every code point, as the scanner of `kind` numbers them */
  readonly classes: Uint8Array;
  /** ids of the 256 single bytes */
  readonly byteIds: Int32Array;
  /** see merge-table.ts */
  readonly merges: Int32Array;
  /** the bytes of id i are tokenBytes[tokenOffsets[i]..tokenOffsets[i + 1]] */
  readonly tokenOffsets: Uint32Array;
  readonly tokenBytes: Uint8Array;
  readonly byteLengths: Uint16Array;
  /** see vocab-index.ts; empty unless `ignoreMerges` */
  readonly vocabIndex: Int32Array;
}

/** Lays the arrays over `buffer`, or over a new one of the right size. */
export function layOutTables(
  settings: BpeSettings,
  sizes: BpeTableSizes,
  buffer: SharedArrayBuffer = new SharedArrayBuffer(bytesOf(sizes)),
): BpeTables {
  let at = 0;
  const take = (bytes: number): number => {
    const start = at;
    at += bytes;
    return start;
  };
  // Wide elements first: every array is aligned.
  return {
    settings,
    sizes,
    buffer,
    merges: new Int32Array(buffer, take(sizes.merges * 4), sizes.merges),
    byteIds: new Int32Array(buffer, take(sizes.byteIds * 4), sizes.byteIds),
    vocabIndex: new Int32Array(buffer, take(sizes.vocabIndex * 4), sizes.vocabIndex),
    tokenOffsets: new Uint32Array(buffer, take(sizes.tokenOffsets * 4), sizes.tokenOffsets),
    byteLengths: new Uint16Array(buffer, take(sizes.byteLengths * 2), sizes.byteLengths),
    classes: new Uint8Array(buffer, take(sizes.classes), sizes.classes),
    tokenBytes: new Uint8Array(buffer, take(sizes.tokenBytes), sizes.tokenBytes),
  };
}

function bytesOf(sizes: BpeTableSizes): number {
  const words = sizes.merges + sizes.byteIds + sizes.vocabIndex + sizes.tokenOffsets;
  return words * 4 + sizes.byteLengths * 2 + sizes.classes + sizes.tokenBytes;
}
