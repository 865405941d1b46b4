const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * The text of one member's value in a JSON object, exactly as written, so that numbers, escapes and spacing survive.
 * The text must parse as an object. Null where the key is missing; the last of duplicate keys counts, as in parsing.
 */
export function memberText(object: string, key: string): string | null {
  let found: string | null = null;
  let at = object.indexOf('{') + 1;
  while (at > 0 && at < object.length) {
    const keyStart = object.indexOf('"', at);
    if (keyStart === -1) break;
    const keyEnd = stringEnd(object, keyStart);
    const colon = object.indexOf(':', keyEnd);
    if (colon === -1) break;
    const end = valueEnd(object, colon + 1);
    if (JSON.parse(object.slice(keyStart, keyEnd)) === key) found = object.slice(colon + 1, end).trim();
    at = end + 1;
  }
  return found;
}

/** Position of the comma or closing bracket that ends a member's value. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code)) {
      if (depth === 0) return at;
      depth--;
    } else if (code === 0x2c && depth === 0) return at;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}
