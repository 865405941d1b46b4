import type { CharacterClass, ClassTable } from './character-class.js';

/**
 * The byte where the word that starts at `at` ends. `end` is the end of the text (zero bytes follow it), `at` a
 * start of a character before `end`.
 */
export type WordEnd = (bytes: Uint8Array, at: number, end: number, classes: ClassTable) => number;

/** How a family of pre-tokenizers cuts text into words, as a scanner instead of a regular expression. */
export interface WordScanner {
  readonly wordEnd: WordEnd;
  /** the numbers by which the scanner knows the character classes */
  readonly numbers: Readonly<Record<CharacterClass, number>>;
  /** ranges of code points (inclusive) with a number of their own, in the order in which they apply */
  readonly ranges?: ReadonlyArray<readonly [first: number, last: number, number: number]>;
}
