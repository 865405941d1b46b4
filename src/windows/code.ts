/**
 * A program as far as repeats are concerned: without blank lines, whole-line comments, trailing blanks and carriage
 * returns. Arguments of a call in JSON count by their values: white space, the order of keys and escapes mean
 * nothing, numbers stand as they are written. Null stays null: unknown code equals nothing.
 */
export function normaliseCode(code: string | null): string | null {
  if (code === null) return null;
  return (
    canonicalArguments(code) ??
    code
      .split(/\r\n|\r|\n/)
      .map((line) => line.trimEnd())
      .filter((line) => line !== '' && !/^\s*#/.test(line))
      .join('\n')
  );
}

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Before numbers that are kept as text; a string of a call has no such beginning. */
const NUMBER_MARK = '\u0000';

/** A JSON object or list in one form; null for anything else. */
function canonicalArguments(code: string): string | null {
  if (!/^\s*[{[]/.test(code)) return null;
  try {
    JSON.parse(code);
    // 1 and 1.0, or integers beyond 2^53, would be one number each after parsing
    const marked = code.replace(JSON_TOKENS, (token) =>
      token.startsWith('"') ? token : JSON.stringify(NUMBER_MARK + token),
    );
    return JSON.stringify(sorted(JSON.parse(marked)));
  } catch {
    return null;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // a list of pairs keeps keys such as __proto__ and those that look like numbers in their order
  return entries.map(([key, item]) => ({ key, value: sorted(item) }));
}
