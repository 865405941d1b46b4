import { ODD_NUMBER } from './json-spelling.js';
import { endOfString } from './json-strings.js';

/** What strict JSON allows and a reader loses without a word. */
export type JsonOddity = 'duplicate_keys' | 'big_integers' | 'lone_surrogates';

export interface JsonSurvey {
  /** nested deeper than the limit; what else is odd was then not looked for to the end */
  readonly too_deep: boolean;
  readonly oddities: readonly JsonOddity[];
  /** writing the value again may give other numbers, or keys in another order */
  readonly respelled: boolean;
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
        if (depth === maxDepth) return { too_deep: true, oddities: [...oddities], respelled: false };
        for (const child of item) if (isWorthwhile(child, surrogates)) next.push(child);
      } else if (typeof item === 'object' && item !== null) {
        if (depth === maxDepth) return { too_deep: true, oddities: [...oddities], respelled: false };
        for (const key of Object.keys(item)) {
          const child: unknown = item[key as keyof typeof item];
          keys++;
          if (surrogates && LONE_SURROGATE.test(key)) oddities.add('lone_surrogates');
          if (isWorthwhile(child, surrogates)) next.push(child);
        }
      }
    }
    level = next;
  }
  const written = surveyText(text);
  if (written.keys > keys) oddities.add('duplicate_keys');
  const respelled = written.respelled || written.keys > keys;
  return { too_deep: false, oddities: [...oddities].sort(), respelled };
}

function isWorthwhile(value: unknown, surrogates: boolean): boolean {
  return typeof value === 'object'
    ? value !== null
    : typeof value === 'number' || (surrogates && typeof value === 'string');
}

const COLON = 0x3a;

/** In text that is JSON: the strings that a colon follows, and whether writing it again may change it. */
function surveyText(text: string): { keys: number; respelled: boolean } {
  let keys = 0;
  let respelled = false;
  let from = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    respelled ||= isOdd(text, from, at);
    const start = at;
    at = endOfString(text, at);
    from = at;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    if (code === COLON) {
      keys++;
      // keys that look like places of a list come out first
      respelled ||= isDigit(text.charCodeAt(start + 1)) && isDigit(text.charCodeAt(from - 2));
    }
  }
  return { keys, respelled: respelled || isOdd(text, from, text.length) };
}

/** Shorter stretches between strings hold no number that could be. */
const SHORTEST_ODD = 4;

function isOdd(text: string, from: number, to: number): boolean {
  return to - from >= SHORTEST_ODD && ODD_NUMBER.test(text.slice(from, to));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
