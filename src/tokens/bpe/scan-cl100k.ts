import type { ClassTable } from './character-class.js';
import {
  breaksEnd,
  contractionEnd,
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

const APOSTROPHE = 0x27;
const BLANK = 0x20;

/**
 * The family of cl100k, Qwen, Llama 3 and GLM:
 * `(?i:'s|..)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 * `digits` is n; with `marks` the pattern counts \p{M} among the letters.
 */
export function cl100kScanner(options: { readonly digits: number; readonly marks: boolean }): WordScanner {
  const { digits, marks } = options;
  const wordEnd = (bytes: Uint8Array, at: number, end: number, classes: ClassTable): number => {
    const lead = bytes[at] as number;
    const kind = classAt(bytes, at, classes);
    const next = at + widthOf(lead);
    if (kind === LETTER) return runEnd(bytes, next, end, classes, LETTER);
    if (kind === NUMBER) return numberEnd(bytes, at, end, classes, digits);
    if (lead === APOSTROPHE) {
      const stop = contractionEnd(bytes, at);
      if (stop > at) return stop;
    }
    const after = next < end ? classAt(bytes, next, classes) : SPACE;
    if (after === LETTER && kind !== NEWLINE) return runEnd(bytes, next, end, classes, LETTER);
    if (kind === OTHER || (lead === BLANK && after === OTHER)) {
      return breaksEnd(bytes, runEnd(bytes, next, end, classes, OTHER), end);
    }
    return spaceEnd(bytes, at, end, classes);
  };
  const M = marks ? LETTER : OTHER;
  return {
    wordEnd,
    numbers: { U: LETTER, L: LETTER, C: LETTER, M, N: NUMBER, P: OTHER, S: SPACE, R: NEWLINE, O: OTHER },
  };
}
