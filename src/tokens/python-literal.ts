const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs;
const CONSTANTS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  inf: 'Infinity',
  nan: 'NaN',
};
const CONSTANT = new RegExp(`\\b(?:${Object.keys(CONSTANTS).join('|')})\\b`, 'g');
const ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4})|(.))/gs;
const SIGNS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * The JSON text of a list or dict as Python prints it (`['a', True, None]`), which some templates print in place of
 * JSON. What is no such literal gives a text that is no JSON either, or one of another value.
 */
export function jsonOfPythonLiteral(text: string): string {
  let json = '';
  let done = 0;
  for (const match of text.matchAll(STRING)) {
    json += outside(text.slice(done, match.index)) + JSON.stringify(unescaped(match[0].slice(1, -1)));
    done = match.index + match[0].length;
  }
  return json + outside(text.slice(done));
}

function outside(text: string): string {
  return text.replace(CONSTANT, (name) => CONSTANTS[name] ?? name);
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, x?: string, u?: string, U?: string, sign = '') => {
    const hex = x ?? u ?? U;
    return hex === undefined ? (SIGNS[sign] ?? sign) : String.fromCodePoint(Number.parseInt(hex, 16));
  });
}
