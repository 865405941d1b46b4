import type { Growable } from './growable.js';

/** Text is encoded in pieces of this many UTF-16 units, each into the same buffer. */
const PIECE_UNITS = 1 << 14;
const MOST_BYTES_A_UNIT = 3;
const SHORT_UNITS = 32;
/** `\u001f` for one byte */
const MOST_ESCAPED = 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The same byte four times over. */
const ONES = 0x01010101;
const BLANKS = 0x20 * ONES;
const QUOTES = QUOTE * ONES;
const BACKSLASHES = BACKSLASH * ONES;
const TOP_BITS = 0x80 * ONES;

const ESCAPE_LETTERS: ReadonlyArray<readonly [byte: number, letter: string]> = [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
];
/** By byte: 0 stands as it is, 1 as a number, else the letter behind the backslash. */
const ESCAPES = new Uint8Array(256).fill(1, 0, 0x20);
for (const [byte, letter] of ESCAPE_LETTERS) ESCAPES[byte] = letter.charCodeAt(0);

const utf8 = new TextEncoder();
const scratch = new Uint8Array(PIECE_UNITS * MOST_BYTES_A_UNIT);
const scratchView = new DataView(scratch.buffer);

/** Appends UTF-8 JSON to `out`, byte for byte what JSON.stringify makes of a value of plain objects, lists and scalars. */
export function writeJson(value: unknown, out: Growable<Uint8Array>): void {
  if (typeof value === 'string') writeString(value, out);
  else if (Array.isArray(value)) writeList(value, out);
  else if (typeof value === 'object' && value !== null) writeObject(value as Record<string, unknown>, out);
  else writeAscii(JSON.stringify(value) ?? 'null', out);
}

function writeList(list: readonly unknown[], out: Growable<Uint8Array>): void {
  writeAscii('[', out);
  for (let k = 0; k < list.length; k++) {
    if (k > 0) writeAscii(',', out);
    writeJson(list[k], out);
  }
  writeAscii(']', out);
}

function writeObject(object: Readonly<Record<string, unknown>>, out: Growable<Uint8Array>): void {
  let before = '{';
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    writeAscii(before, out);
    writeString(key, out);
    writeAscii(':', out);
    writeJson(value, out);
    before = ',';
  }
  writeAscii(before === '{' ? '{}' : '}', out);
}

function writeAscii(text: string, out: Growable<Uint8Array>): void {
  const bytes = out.reserve(text.length);
  for (let i = 0; i < text.length; i++) bytes[out.length++] = text.charCodeAt(i);
}

function writeString(text: string, out: Growable<Uint8Array>): void {
  if (text.length <= SHORT_UNITS && writePlain(text, out)) return;
  // a lone surrogate has no UTF-8: JSON.stringify escapes it
  if (!text.isWellFormed()) {
    writeAsIs(JSON.stringify(text), out);
    return;
  }
  writeAscii('"', out);
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE_UNITS, text.length);
    if (to < text.length && isLowSurrogate(text.charCodeAt(to))) to--;
    escapePiece(from === 0 && to === text.length ? text : text.slice(from, to), out);
    from = to;
  }
  writeAscii('"', out);
}

/** Keys and names, for which a call into the engine would cost more than the text; false where it is not plain ASCII. */
function writePlain(text: string, out: Growable<Uint8Array>): boolean {
  const bytes = out.reserve(text.length + 2);
  let n = out.length;
  bytes[n++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || ESCAPES[unit] !== 0) return false;
    bytes[n++] = unit;
  }
  bytes[n++] = QUOTE;
  out.length = n;
  return true;
}

function escapePiece(piece: string, out: Growable<Uint8Array>): void {
  const size = utf8.encodeInto(piece, scratch).written;
  const bytes = out.reserve(size * MOST_ESCAPED);
  const { view } = out;
  let n = out.length;
  let i = 0;
  // Four bytes at a time; the bytes behind the first that is escaped are written over. Most need no escape.
  for (; i + 4 <= size; ) {
    const word = scratchView.getInt32(i, true);
    view.setInt32(n, word, true);
    const found = escapesOf(word);
    if (found === 0) {
      i += 4;
      n += 4;
      continue;
    }
    const plain = (31 - Math.clz32(found & -found)) >> 3;
    i += plain;
    n = escapeByte(scratch[i++] as number, bytes, n + plain);
  }
  for (; i < size; i++) {
    const byte = scratch[i] as number;
    if (ESCAPES[byte] === 0) bytes[n++] = byte;
    else n = escapeByte(byte, bytes, n);
  }
  out.length = n;
}

/** Writes the escape of a byte at `n`; returns the place behind it. */
function escapeByte(byte: number, bytes: Uint8Array, n: number): number {
  const letter = ESCAPES[byte] as number;
  bytes[n] = BACKSLASH;
  if (letter !== 1) {
    bytes[n + 1] = letter;
    return n + 2;
  }
  const digits = `u00${byte.toString(16).padStart(2, '0')}`;
  for (let k = 0; k < digits.length; k++) bytes[n + 1 + k] = digits.charCodeAt(k);
  return n + 1 + digits.length;
}

/**
 * Of four bytes the lowest bit set is the top one of the first byte below 0x20 or a quote or a backslash; 0 where there is
 * none. Bits above the lowest may be set by a borrow.
 */
function escapesOf(word: number): number {
  const quotes = word ^ QUOTES;
  const backslashes = word ^ BACKSLASHES;
  const found =
    ((word - BLANKS) & ~word) | ((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes);
  return found & TOP_BITS;
}

function writeAsIs(text: string, out: Growable<Uint8Array>): void {
  const bytes = out.reserve(text.length * MOST_BYTES_A_UNIT);
  out.length += utf8.encodeInto(text, bytes.subarray(out.length)).written;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
