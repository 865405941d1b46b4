import { isPythonPrintable } from './python-printable.js';

const SIGNS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** Characters that no version of Python prints as they are: controls, formats, private ones and white space. */
const NEVER_PRINTED = /[\p{Cc}\p{Cf}\p{Co}\p{Z}]/u;

/** Text whose repr hangs on the version of Python, or that cannot be stored. */
export class ReprFault extends Error {}

/**
 * repr(str) as Python 3.11 and later print it. Throws ReprFault for half a surrogate pair, and for a character that Unicode
 * has had only since its version 14: later Pythons print it as it is, and earlier ones escape it.
 */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let shown = '';
  for (const sign of text) {
    const codePoint = sign.codePointAt(0) ?? 0;
    if (sign === quote) shown += `\\${sign}`;
    else if (SIGNS[sign] !== undefined) shown += SIGNS[sign];
    else shown += isPythonPrintable(codePoint) ? sign : escaped(sign, codePoint);
  }
  return quote + shown + quote;
}

function escaped(sign: string, codePoint: number): string {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
    throw new ReprFault('half a surrogate pair in a list or dict cannot be stored as Python prints it');
  }
  const hex = codePoint.toString(16);
  if (!NEVER_PRINTED.test(sign)) {
    throw new ReprFault(`how Python prints U+${hex.toUpperCase()} in a list or dict hangs on its version`);
  }
  if (codePoint < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
