import type { ClassTable } from './character-class.js';
import { contractionEnd, LETTER, NEWLINE, NUMBER, numberEnd, OTHER, SPACE, spaceEnd } from './scan-common.js';
import { classAt, widthOf } from './utf8.js';
import type { WordScanner } from './word-scanner.js';

/** Upper and title case; LETTER is a letter without case, which the pattern takes on both sides. */
const UPPER = 5;
const LOWER = 6;
/** Marks go with letters of either case, and with punctuation. */
const MARK = 7;

const BLANK = 0x20;
const MAX_DIGITS = 3;

/**
 * The family of o200k (GPT-4o, gpt-oss). With U = [\p{Lu}\p{Lt}], W = \p{Ll}, X = [\p{Lm}\p{Lo}\p{M}]:
 * `[^\r\n\p{L}\p{N}]?[UX]*[WX]+(?i:'s|..)?|[^\r\n\p{L}\p{N}]?[UX]+[WX]*(?i:'s|..)?|\p{N}{1,3}|
 * ` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 */
export const O200K_SCANNER: WordScanner = {
  wordEnd,
  numbers: {
    U: UPPER,
    L: LOWER,
    C: LETTER,
    M: MARK,
    N: NUMBER,
    P: OTHER,
    S: SPACE,
    R: NEWLINE,
    O: OTHER,
  },
};

function wordEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  const lead = bytes[at] as number;
  const kind = classAt(bytes, at, classes);
  const next = at + widthOf(lead);
  if (kind === NUMBER) return numberEnd(bytes, at, end, classes, MAX_DIGITS);
  if (kind === UPPER || kind === LOWER || kind === LETTER) return lettersEnd(bytes, at, end, classes);
  if (kind === MARK) return markedEnd(bytes, at, end, classes);
  if (kind !== NEWLINE) {
    const stop = lettersEnd(bytes, next, end, classes);
    if (stop > next) return stop;
    if (kind === OTHER || (lead === BLANK && next < end && classAt(bytes, next, classes) === OTHER)) {
      return trailEnd(bytes, next, end, classes);
    }
  }
  return spaceEnd(bytes, at, end, classes);
}

/**
 * The letters at `at` with their contraction; `at` where there are none. Either alternative of the pattern:
 * `[UX]*[WX]+` takes capitals, then small letters; where no small letter follows it gives back all after the
 * last X of the capitals. With no X either, the capitals alone are the second alternative.
 */
function lettersEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  let afterCaseless = -1;
  let kind = OTHER;
  while (i < end) {
    kind = classAt(bytes, i, classes);
    if (kind !== UPPER && kind !== LETTER && kind !== MARK) break;
    i += widthOf(bytes[i] as number);
    if (kind !== UPPER) afterCaseless = i;
  }
  if (i < end && kind === LOWER) {
    while (i < end) {
      kind = classAt(bytes, i, classes);
      if (kind !== LOWER && kind !== LETTER && kind !== MARK) break;
      i += widthOf(bytes[i] as number);
    }
    return contractionEnd(bytes, i);
  }
  if (afterCaseless >= 0) return contractionEnd(bytes, afterCaseless);
  return i > at ? contractionEnd(bytes, i) : at;
}

/**
 * A word that begins with a mark. The mark may be the character before the letters, if the first alternative
 * can match after it; else it is itself the last X.
 */
function markedEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  const next = at + widthOf(bytes[at] as number);
  let i = next;
  while (i < end && classAt(bytes, i, classes) === UPPER) i += widthOf(bytes[i] as number);
  const kind = i < end ? classAt(bytes, i, classes) : OTHER;
  const goesOn = kind === LOWER || kind === LETTER || kind === MARK;
  return goesOn ? lettersEnd(bytes, next, end, classes) : contractionEnd(bytes, next);
}

/** `[^\s\p{L}\p{N}]+[\r\n/]*` from within it. */
function trailEnd(bytes: Uint8Array, at: number, end: number, classes: ClassTable): number {
  let i = at;
  while (i < end) {
    const kind = classAt(bytes, i, classes);
    if (kind !== OTHER && kind !== MARK) break;
    i += widthOf(bytes[i] as number);
  }
  while (i < end && (bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x2f)) i++;
  return i;
}
