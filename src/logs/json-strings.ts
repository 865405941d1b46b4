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
