import { UNICODE_CLASS_RUNS } from './unicode-classes.js';

/** Letters of the classes in UNICODE_CLASS_RUNS. */
export type CharacterClass = 'U' | 'L' | 'C' | 'M' | 'N' | 'P' | 'S' | 'R' | 'O';

/** One class number per code point, as a scanner numbers the classes. */
export type ClassTable = Uint8Array;

export const CODE_POINTS = 0x110000;

/** Fills `into` (one byte per code point) with `numbers[class]`. */
export function fillClasses(into: ClassTable, numbers: Readonly<Record<CharacterClass, number>>): void {
  let code = 0;
  for (const [, length = '', letter] of UNICODE_CLASS_RUNS.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = code + Number.parseInt(length, 36);
    into.fill(numbers[letter as CharacterClass], code, end);
    code = end;
  }
}
