import { type ParsedJson, parseJsonText, type TextFlag } from './json.js';
import { endOfSpace, endOfString } from './json-strings.js';
import { RejectError } from './reject.js';

const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const QUOTE = 0x22;

/**
 * Two or more objects or lists that stand one behind the other, each over as many lines as it takes, as printers of JSON
 * lines leave them; null for any other text.
 */
export function parseJsonSequence(text: string, options: { maxDepth?: number } = {}): ParsedJson | null {
  const values: unknown[] = [];
  const flags = new Set<TextFlag>();
  for (let at = endOfSpace(text, 0); at < text.length; at = endOfSpace(text, at)) {
    const end = endOfValue(text, at);
    if (end === null) return null;
    try {
      const parsed = parseJsonText(text.slice(at, end), options);
      values.push(parsed.value);
      for (const flag of parsed.flags) flags.add(flag);
    } catch (error) {
      if (error instanceof RejectError) return null;
      throw error;
    }
    at = end;
  }
  return values.length < 2 ? null : { value: values, flags: [...flags] };
}

/** Position behind the object or list that opens at `start`; null where none opens or it never closes. */
function endOfValue(text: string, start: number): number | null {
  if (!OPENING.has(text.charCodeAt(start))) return null;
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    at++;
    if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code) && --depth === 0) return at;
  }
  return null;
}
