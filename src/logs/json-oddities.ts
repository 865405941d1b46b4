/** What strict JSON allows and a reader loses without a word. */
export type JsonOddity = 'duplicate_keys' | 'big_integers' | 'lone_surrogates';

export interface JsonSurvey {
  /** nested deeper than the limit; what else is odd was then not looked for to the end */
  readonly too_deep: boolean;
  readonly oddities: readonly JsonOddity[];
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** A float such as 1e300 is no rounded integer: only whole numbers that are written out can be. */
const LONG_NUMBER = /(?<![\d.eE+])\d{16,}(?![\d.eE])/;

/**
 * Walks a parsed value level by level: parsing itself takes any depth, but what walks it later may recurse. Of
 * duplicate keys the last counts, integers beyond 2^53 are rounded, and half a surrogate pair cannot be written as UTF-8.
 */
export function surveyJson(value: unknown, text: string, maxDepth: number): JsonSurvey {
  const oddities = new Set<JsonOddity>();
  // A half pair can only come out of an escape: decoding leaves none.
  const surrogates = ESCAPED_SURROGATE.test(text);
  const longNumbers = LONG_NUMBER.test(text);
  let keys = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string') {
        if (surrogates && LONE_SURROGATE.test(item)) oddities.add('lone_surrogates');
      } else if (typeof item === 'number') {
        if (longNumbers && Number.isInteger(item) && !Number.isSafeInteger(item)) {
          oddities.add('big_integers');
        }
      } else if (Array.isArray(item)) {
        if (depth === maxDepth) return { too_deep: true, oddities: [...oddities] };
        for (const child of item) if (isWorthwhile(child, surrogates)) next.push(child);
      } else if (typeof item === 'object' && item !== null) {
        if (depth === maxDepth) return { too_deep: true, oddities: [...oddities] };
        for (const [key, child] of Object.entries(item)) {
          keys++;
          if (surrogates && LONE_SURROGATE.test(key)) oddities.add('lone_surrogates');
          if (isWorthwhile(child, surrogates)) next.push(child);
        }
      }
    }
    level = next;
  }
  if (keysWritten(text) > keys) oddities.add('duplicate_keys');
  return { too_deep: false, oddities: [...oddities].sort() };
}

function isWorthwhile(value: unknown, surrogates: boolean): boolean {
  return typeof value === 'object'
    ? value !== null
    : typeof value === 'number' || (surrogates && typeof value === 'string');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Strings that a colon follows, in text that is JSON. */
function keysWritten(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = endOfString(text, at);
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    if (code === COLON) keys++;
  }
  return keys;
}

/** Position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0 && text.charCodeAt(quote) === QUOTE) return quote + 1;
  }
  return text.length;
}
