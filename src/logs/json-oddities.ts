import { ODD_NUMBER } from './json-spelling.js';
import { endOfSpace, endOfString } from './json-strings.js';

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
/** A float such as 1e300 is no rounded integer: only whole numbers that are written out can be. */
const LONG_NUMBER = /(?<![\d.eE+])\d{16,}(?![\d.eE])/;

/**
 * Walks a parsed value level by level: parsing itself takes any depth, but what walks it later may recurse. Of
 * duplicate keys the last counts, integers beyond 2^53 are rounded, and half a surrogate pair cannot be written as UTF-8.
 */
export function surveyJson(value: unknown, text: string, maxDepth: number): JsonSurvey {
  const seen = surveyValue(value, maxDepth);
  if (seen.too_deep) return { too_deep: true, oddities: [], respelled: false };
  const written = surveyText(text);
  const oddities: JsonOddity[] = [];
  if (seen.unsafe_integers && LONG_NUMBER.test(text)) oddities.push('big_integers');
  if (written.keys > seen.keys) oddities.push('duplicate_keys');
  // A half pair can only come out of an escape: decoding leaves none.
  if (seen.half_pairs && ESCAPED_SURROGATE.test(text)) oddities.push('lone_surrogates');
  return { too_deep: false, oddities, respelled: written.respelled || written.keys > seen.keys };
}

interface ValueSurvey {
  keys: number;
  unsafe_integers: boolean;
  half_pairs: boolean;
  too_deep: boolean;
}

/** What a value may show of an oddity; only where it does the text, which is longer, is asked. */
function surveyValue(value: unknown, maxDepth: number): ValueSurvey {
  const seen: ValueSurvey = { keys: 0, unsafe_integers: false, half_pairs: false, too_deep: false };
  let level: object[] = [];
  surveyItem(value, level, seen);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maxDepth) return { ...seen, too_deep: true };
    const next: object[] = [];
    for (const container of level) {
      if (Array.isArray(container)) for (const item of container) surveyItem(item, next, seen);
      else surveyMembers(container as Readonly<Record<string, unknown>>, next, seen);
    }
    level = next;
  }
  return seen;
}

/** All keys of a parsed object are its own. */
function surveyMembers(object: Readonly<Record<string, unknown>>, next: object[], seen: ValueSurvey): void {
  for (const key in object) {
    seen.keys++;
    if (!key.isWellFormed()) seen.half_pairs = true;
    surveyItem(object[key], next, seen);
  }
}

/** Judges a string or number; an object or list waits in `next` for its level. */
function surveyItem(item: unknown, next: object[], seen: ValueSurvey): void {
  if (typeof item === 'string') {
    if (!item.isWellFormed()) seen.half_pairs = true;
  } else if (typeof item === 'number') {
    if (Number.isInteger(item) && !Number.isSafeInteger(item)) seen.unsafe_integers = true;
  } else if (typeof item === 'object' && item !== null) next.push(item);
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
    from = endOfString(text, at);
    at = endOfSpace(text, from);
    if (text.charCodeAt(at) === COLON) {
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
