const BACKSLASH = 0x5c;

/** Position after the closing quote of the JSON string that opens at `start`, or the end of the text where it never closes. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (quote - 1 - backslashes > start && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) {
      backslashes++;
    }
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Position of the first character from `start` on that is no space of JSON. */
export function endOfSpace(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
