/**
 * A program as far as repeats are concerned: without blank lines, whole-line comments, trailing blanks and carriage
 * returns. Null stays null: unknown code equals nothing.
 */
export function normaliseCode(code: string | null): string | null {
  if (code === null) return null;
  return code
    .split(/\r\n|\r|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s*#/.test(line))
    .join('\n');
}
