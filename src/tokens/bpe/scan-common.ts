import type { ClassTable } from './character-class.js';
import { classAt, widthOf } from './utf8.js';

/** Class numbers that the scanners share; numbers above are their own. */
export const OTHER = 0;
export const SPACE = 1;
export const NEWLINE = 2;
export const NUMBER = 3;
export const LETTER = 4;

const APOSTROPHE = 0x27;

/** End of the run of characters of class `wanted` that goes on at `at`. */
export function runEnd(
  bytes: Uint8Array,
  at: number,
  end: number,
  classes: ClassTable,
  wanted: number,
): number {
  let i = at;
  while (i < end) {
    const lead = bytes[i] as number;
    if (lead < 0x80) {
      if (classes[lead] !== wanted) return i;
      i++;
    } else {
      if (classAt(bytes, i, classes) !== wanted) return i;
      i += widthOf(lead);
    }
  }
  return i;
}

/** `\p{N}{1,limit}` whose first number begins at `at`. */
export function numberEnd(
  bytes: Uint8Array,
  at: number,
  end: number,
  classes: ClassTable,
  limit: number,
): number {
  let i = at + widthOf(bytes[at] as number);
  for (let count = 1; count < limit && i < end && classAt(bytes, i, classes) === NUMBER; count++) {
    i += widthOf(bytes[i] as number);
  }
  return i;
}

/**
 * `\s*[\r\n]+|\s+(?!\S)|\s+` from a white-space character at `at`: up to the last line break of the run; else
 * all of it at the end of the text; else all but its last character, which goes with the next word.
 */
export function spaceEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  let last = at;
  let afterBreak = -1;
  while (i < end) {
    const kind = classAt(bytes, i, classes);
    if (kind !== SPACE && kind !== NEWLINE) break;
    last = i;
    i += widthOf(bytes[i] as number);
    if (kind === NEWLINE) afterBreak = i;
  }
  if (afterBreak >= 0) return afterBreak;
  return i >= end || last === at ? i : last;
}

/** End of the line breaks that go on at `at`. */
export function breaksEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && (bytes[i] === 0x0a || bytes[i] === 0x0d)) i++;
  return i;
}

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`: its end, or `at` where it does not match. Ignoring case, U+017F is an s.
 */
export function contractionEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== APOSTROPHE) return at;
  // Zero bytes follow the text, so none of the letters below can lie beyond its end.
  const first = (bytes[at + 1] as number) | 0x20;
  const second = (bytes[at + 2] as number) | 0x20;
  switch (first) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return at + 2;
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? at + 3 : at;
    case 0x6c: // ll
      return second === 0x6c ? at + 3 : at;
    case 0xe5: // the lead byte 0xc5 of U+017F, with the bit of lower case
      return bytes[at + 1] === 0xc5 && bytes[at + 2] === 0xbf ? at + 3 : at;
    default:
      return at;
  }
}
