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
  while (i < size) {
    // Four bytes at a time as long as none of them is escaped: most are not.
    for (; i + 4 <= size; i += 4, n += 4) {
      const word = scratchView.getInt32(i, true);
      if (hasEscape(word)) break;
      view.setInt32(n, word, true);
    }
    for (const end = Math.min(i + 4, size); i < end; i++) {
      const byte = scratch[i] as number;
      const letter = ESCAPES[byte] as number;
      if (letter === 0) {
        bytes[n++] = byte;
        continue;
      }
      bytes[n++] = BACKSLASH;
      if (letter !== 1) bytes[n++] = letter;
      else for (const digit of `u00${byte.toString(16).padStart(2, '0')}`) bytes[n++] = digit.charCodeAt(0);
    }
  }
  out.length = n;
}

/** Whether one of the four bytes is below 0x20, a quote or a backslash. */
function hasEscape(word: number): boolean {
  const quotes = word ^ QUOTES;
  const backslashes = word ^ BACKSLASHES;
  const found =
    ((word - BLANKS) & ~word) | ((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes);
  return (found & TOP_BITS) !== 0;
}

function writeAsIs(text: string, out: Growable<Uint8Array>): void {
  const bytes = out.reserve(text.length * MOST_BYTES_A_UNIT);
  out.length += utf8.encodeInto(text, bytes.subarray(out.length)).written;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
