import type { BitReader } from './bzip2-bits.js';
import { RejectError } from './reject.js';

const MAX_CODE_BITS = 20;
/** Symbols that one table of codes is used for, before the next selector. */
const GROUP_SYMBOLS = 50;
const MAX_GROUPS = 6;
const OUTPUT_BYTES = 256 * 1024;

/** Prefix codes as canonical tables: the last code of each length, left-aligned, and where its symbols lie. */
interface CodeTable {
  readonly shortest: number;
  /** by length: one more than the last code of it, as a number of MAX_CODE_BITS bits */
  readonly limits: Int32Array;
  /** by length: what to subtract from a code of it to get its place among the symbols */
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

/**
 * One block, behind its mark and sum, in pieces: a few bytes can unfold to 45 MB.
 *
 * @throws RejectError `bad_compression` where it is damaged, cut, or its content does not have the stated sum
 */
export function* readBlock(bits: BitReader, block: { bytes: number; sum: number }): Generator<Buffer> {
  if (bits.read(1) === 1) throw damaged('a block of bzip2 before 0.9.5');
  const origin = bits.read(24);
  const alphabet = readAlphabet(bits);
  const groups = bits.read(3);
  if (groups < 2 || groups > MAX_GROUPS) throw damaged('its number of code tables');
  const selectors = readSelectors(bits, groups);
  const tables = Array.from({ length: groups }, () => readTable(bits, alphabet.length + 2));
  const sorted = readSorted(bits, { alphabet, selectors, tables, bytes: block.bytes });
  bits.assertInside();
  if (origin >= sorted.length) throw damaged('where its text begins');
  let sum = 0xffffffff;
  for (const piece of unfold(followOrder(sorted), origin)) {
    sum = addToSum(sum, piece);
    yield piece;
  }
  if (~sum >>> 0 !== block.sum) throw damaged('the sum of a block does not agree');
}

function damaged(what: string): RejectError {
  return new RejectError('bad_compression', `bzip2: damaged, ${what}`);
}

/** The bytes that occur, in order, out of two levels of sixteen marks. */
function readAlphabet(bits: BitReader): Uint8Array {
  const used = bits.read(16);
  const found: number[] = [];
  for (let row = 0; row < 16; row++) {
    if (((used >>> (15 - row)) & 1) === 0) continue;
    const marks = bits.read(16);
    for (let at = 0; at < 16; at++) if (((marks >>> (15 - at)) & 1) === 1) found.push(row * 16 + at);
  }
  if (found.length === 0) throw damaged('no byte occurs in it');
  return Uint8Array.from(found);
}

/** Which table codes each group of symbols: places in a list whose head is the table that was used last. */
function readSelectors(bits: BitReader, groups: number): Uint8Array {
  const count = bits.read(15);
  if (count === 0) throw damaged('no selector');
  const recent = Array.from({ length: groups }, (_, table) => table);
  const selectors = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    let place = 0;
    while (bits.read(1) === 1) {
      if (++place >= groups) throw damaged('a selector');
    }
    const [table = 0] = recent.splice(place, 1);
    recent.unshift(table);
    selectors[at] = table;
  }
  return selectors;
}

/** Lengths of codes, each as its difference to the one before. */
function readTable(bits: BitReader, size: number): CodeTable {
  const lengths = new Uint8Array(size);
  let length = bits.read(5);
  for (let symbol = 0; symbol < size; symbol++) {
    for (;;) {
      if (length < 1 || length > MAX_CODE_BITS) throw damaged('the length of a code');
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return toTable(lengths);
}

function toTable(lengths: Uint8Array): CodeTable {
  const counts = new Int32Array(MAX_CODE_BITS + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const order = Array.from(lengths.keys()).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const limits = new Int32Array(MAX_CODE_BITS + 1);
  const offsets = new Int32Array(MAX_CODE_BITS + 1);
  let code = 0;
  let place = 0;
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    const count = counts[length] ?? 0;
    offsets[length] = code - place;
    code += count;
    place += count;
    limits[length] = code << (MAX_CODE_BITS - length);
    code <<= 1;
  }
  return { shortest: Math.min(...lengths), limits, offsets, symbols: Uint16Array.from(order) };
}

/** Symbols to the block as it was sorted: runs of its most recent byte, or the place of another among the recent ones. */
function readSorted(
  bits: BitReader,
  coded: { alphabet: Uint8Array; selectors: Uint8Array; tables: readonly CodeTable[]; bytes: number },
): Uint32Array {
  const { alphabet, selectors, tables, bytes } = coded;
  const recent = alphabet.slice();
  const end = alphabet.length + 1;
  const sorted = new Uint32Array(bytes);
  let length = 0;
  let runLength = 0;
  let runDigit = 1;
  let left = 0;
  let group = 0;
  let table = tables[0];
  for (;;) {
    if (left === 0) {
      table = tables[selectors[group++] ?? MAX_GROUPS];
      if (table === undefined) throw damaged('more symbols than its selectors are for');
      left = GROUP_SYMBOLS;
    }
    left--;
    const symbol = readSymbol(bits, table);
    if (symbol <= 1) {
      // a run's length in digits 1 and 2, the lowest first
      runLength += runDigit * (symbol + 1);
      runDigit *= 2;
      if (runLength > bytes) throw damaged('a run beyond its size');
      continue;
    }
    if (runLength > 0) {
      if (length + runLength > bytes) throw damaged('more bytes than its size');
      sorted.fill(recent[0] ?? 0, length, length + runLength);
      length += runLength;
      runLength = 0;
      runDigit = 1;
    }
    if (symbol === end) return sorted.subarray(0, length);
    if (length === bytes) throw damaged('more bytes than its size');
    const place = symbol - 1;
    const byte = recent[place] ?? 0;
    // mostly a step or two, for which copyWithin is slow
    for (let at = place; at > 0; at--) recent[at] = recent[at - 1] ?? 0;
    recent[0] = byte;
    sorted[length++] = byte;
  }
}

function readSymbol(bits: BitReader, table: CodeTable | undefined): number {
  if (table === undefined) throw damaged('a table is missing');
  const ahead = bits.peek(MAX_CODE_BITS);
  const { limits, offsets, symbols } = table;
  for (let length = table.shortest; length <= MAX_CODE_BITS; length++) {
    if (ahead >= (limits[length] ?? 0)) continue;
    bits.skip(length);
    const symbol = symbols[(ahead >>> (MAX_CODE_BITS - length)) - (offsets[length] ?? 0)];
    if (symbol === undefined) break;
    return symbol;
  }
  throw damaged('a code that stands for nothing');
}

/** Undoes the sorting: each entry gets its byte and, above it, the place of the byte that follows. */
function followOrder(sorted: Uint32Array): Uint32Array {
  const places = new Uint32Array(256);
  for (const byte of sorted) places[byte] = (places[byte] ?? 0) + 1;
  let before = 0;
  for (let byte = 0; byte < 256; byte++) {
    const count = places[byte] ?? 0;
    places[byte] = before;
    before += count;
  }
  for (let at = 0; at < sorted.length; at++) {
    const byte = (sorted[at] ?? 0) & 0xff;
    const place = places[byte] ?? 0;
    places[byte] = place + 1;
    sorted[place] = (sorted[place] ?? 0) | (at << 8);
  }
  return sorted;
}

/** The text, in order, with the byte behind four equal ones as the count of more of them. */
function* unfold(order: Uint32Array, origin: number): Generator<Buffer> {
  let piece = Buffer.allocUnsafe(OUTPUT_BYTES);
  let filled = 0;
  let place = (order[origin] ?? 0) >>> 8;
  let last = -1;
  let equal = 0;
  for (let left = order.length; left > 0; left--) {
    const entry = order[place] ?? 0;
    const byte = entry & 0xff;
    place = entry >>> 8;
    let repeats = 1;
    if (equal === 4) {
      repeats = byte;
      equal = 0;
    } else if (byte === last) equal++;
    else {
      last = byte;
      equal = 1;
    }
    if (filled + repeats > OUTPUT_BYTES) {
      yield piece.subarray(0, filled);
      piece = Buffer.allocUnsafe(OUTPUT_BYTES);
      filled = 0;
    }
    if (repeats === 1 && equal > 0) piece[filled++] = byte;
    else {
      piece.fill(last, filled, filled + repeats);
      filled += repeats;
      last = -1;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}

const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});

/** CRC-32 with the highest bit first. */
function addToSum(sum: number, bytes: Buffer): number {
  let next = sum;
  for (const byte of bytes) next = (next << 8) ^ (SUMS[((next >>> 24) ^ byte) & 0xff] ?? 0);
  return next;
}
