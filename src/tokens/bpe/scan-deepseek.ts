import type { ClassTable } from './character-class.js';
import {
  breaksEnd,
  LETTER,
  NEWLINE,
  NUMBER,
  numberEnd,
  OTHER,
  runEnd,
  SPACE,
  spaceEnd,
} from './scan-common.js';
import { classAt, widthOf } from './utf8.js';
import type { WordScanner } from './word-scanner.js';

/** Punctuation and symbols; OTHER (controls, formats, unassigned) belongs to no alternative of its own. */
const PUNCTUATION = 5;
/** The same classes inside the blocks of Han and kana that the second split isolates: number + EAST. */
const EAST = 8;

const BLANK = 0x20;
const MAX_DIGITS = 3;

/**
 * The family of DeepSeek V3: three splits, each inside the pieces of the one before. Numbers `\p{N}{1,3}`; runs of
 * `[U+4E00-U+9FA5 U+3040-U+30FF]+`; then
 * `[ascii punctuation][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
 * where what nothing matches is a word up to the next match.
 */
export const DEEPSEEK_SCANNER: WordScanner = {
  wordEnd,
  numbers: {
    U: LETTER,
    L: LETTER,
    C: LETTER,
    M: LETTER,
    N: NUMBER,
    P: PUNCTUATION,
    S: SPACE,
    R: NEWLINE,
    O: OTHER,
  },
  ranges: [
    [0x4e00, 0x9fa5, EAST + LETTER],
    [0x3040, 0x30ff, EAST + LETTER],
    [0x3040, 0x3040, EAST + OTHER],
    [0x3097, 0x3098, EAST + OTHER],
    [0x309b, 0x309c, EAST + PUNCTUATION],
    [0x30a0, 0x30a0, EAST + PUNCTUATION],
    [0x30fb, 0x30fb, EAST + PUNCTUATION],
  ],
};

function wordEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  const kind = classAt(bytes, at, classes);
  if (kind === NUMBER) return numberEnd(bytes, at, end, classes, MAX_DIGITS);
  if (kind === EAST + OTHER) return eastOtherEnd(bytes, at, end, classes);
  if (kind >= EAST) return runEnd(bytes, at, end, classes, kind);
  const stop = matchEnd(bytes, at, end, classes, kind);
  return stop > at ? stop : unmatchedEnd(bytes, at, end, classes);
}

/** End of the match of the third pattern at `at` within its piece; `at` where nothing matches. */
function matchEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable, kind: number): number {
  const lead = bytes[at] as number;
  const next = at + widthOf(lead);
  if (kind === LETTER) return runEnd(bytes, next, end, classes, LETTER);
  const after = next < end ? classAt(bytes, next, classes) : NUMBER;
  if (kind === PUNCTUATION) {
    if (lead < 0x80 && isAsciiLetter(bytes[next] as number)) return asciiLettersEnd(bytes, next + 1);
    return breaksEnd(bytes, runEnd(bytes, next, end, classes, PUNCTUATION), end);
  }
  if (after === LETTER && kind !== NEWLINE) return runEnd(bytes, next, end, classes, LETTER);
  if (lead === BLANK && after === PUNCTUATION) {
    return breaksEnd(bytes, runEnd(bytes, next, end, classes, PUNCTUATION), end);
  }
  if (kind === OTHER) return at;
  return spaceEnd(bytes, at, pieceEnd(bytes, at, end, classes), classes);
}

/** Characters that nothing matches, up to the next match or the end of the piece. */
function unmatchedEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  let kind = OTHER;
  do {
    i += widthOf(bytes[i] as number);
    if (i >= end) return end;
    kind = classAt(bytes, i, classes);
  } while (kind === OTHER && matchEnd(bytes, i, end, classes, kind) === i);
  return i;
}

/** The same for the unassigned characters of the kana blocks, each of three bytes. */
function eastOtherEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  do {
    i += 3;
    if (i < end && classAt(bytes, i, classes) === EAST + LETTER) {
      return i === at + 3 ? runEnd(bytes, i, end, classes, EAST + LETTER) : i - 3;
    }
  } while (i < end && classAt(bytes, i, classes) === EAST + OTHER);
  return i;
}

/** Where the white space at `at` stops, if the piece ends there (a number or Han follows); else the end of the text. */
function pieceEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  while (i < end) {
    const kind = classAt(bytes, i, classes);
    if (kind === NUMBER || kind >= EAST) return i;
    if (kind !== SPACE && kind !== NEWLINE) return end;
    i += widthOf(bytes[i] as number);
  }
  return end;
}

function isAsciiLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function asciiLettersEnd(bytes: Uint8Array, at: number): number {
  let i = at;
  while (isAsciiLetter(bytes[i] as number)) i++;
  return i;
}
