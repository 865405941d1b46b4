import { endOfSpace, endOfString } from './json-strings.js';

/**
 * What parsing loses of how a value was written: the point of 1.0, digits beyond 2^53, the order of keys that look like
 * numbers, and all but the last of duplicate keys. Templates that print an object print these, so they are kept beside
 * the values that have them.
 */
const SOURCES = new WeakMap<object, Source>();

interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Between two strings: some number may read otherwise when it is written again. */
export const ODD_NUMBER = /\.0+(?!\d)|[eE]\+?\d|0[eE]-|[eE]-0+(?!\d)|(?<![\d.])\d{16}|-0(?![.\d])/;

const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const INDEX_KEY = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Remembers the text of every object and list in a parsed value that would be written otherwise, as a reader sees it: a
 * number has another type or value, keys stand in another order, or a key was there twice. `text` must be what the
 * value was parsed from.
 */
export function noteSpelling(value: unknown, text: string): void {
  new SpellingReader(text).read(value);
}

/** The JSON of a parsed value without spaces: numbers and keys as they were written, where that was noted. */
export function spelledJson(value: unknown): string {
  const source = typeof value === 'object' && value !== null ? SOURCES.get(value) : undefined;
  return source === undefined ? JSON.stringify(value) : compact(source);
}

/** The text of a value without the spaces between its tokens, strings in their shortest form. */
function compact({ text, start, end }: Source): string {
  let out = '';
  let at = start;
  while (at < end) {
    const quote = text.indexOf('"', at);
    const stop = quote === -1 || quote > end ? end : quote;
    out += text.slice(at, stop).replace(/[ \t\n\r]+/g, '');
    if (stop === end) break;
    at = endOfString(text, stop);
    out += JSON.stringify(JSON.parse(text.slice(stop, at)));
  }
  return out;
}

/** Walks a text beside the value that was parsed from it. */
class SpellingReader {
  #at = 0;

  constructor(private readonly text: string) {}

  /** The value that begins here; whether it is written as JSON.stringify would. `parsed` is undefined where another took its place. */
  read(parsed: unknown): boolean {
    this.#skipSpace();
    const start = this.#at;
    const first = this.text[start];
    if (first === '"') {
      this.#at = endOfString(this.text, start);
      return true;
    }
    if (first !== '{' && first !== '[') return this.#scalar();
    this.#at++;
    const kept = first === '{' ? this.#members(parsed) : this.#items(parsed);
    if (typeof parsed === 'object' && parsed !== null) {
      // of duplicate keys the first was taken for the last, whose value this is
      if (kept) SOURCES.delete(parsed);
      else SOURCES.set(parsed, { text: this.text, start, end: this.#at });
    }
    return kept;
  }

  #scalar(): boolean {
    NUMBER.lastIndex = this.#at;
    const lexeme = NUMBER.exec(this.text)?.[0];
    if (lexeme !== undefined) {
      this.#at += lexeme.length;
      return !isRespelled(lexeme);
    }
    // true, false or null
    this.#at += this.text[this.#at] === 'f' ? 5 : 4;
    return true;
  }

  #members(parsed: unknown): boolean {
    const object = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<string, unknown>;
    const keys: string[] = [];
    let kept = true;
    let indices = false;
    while (this.#next('}')) {
      const end = endOfString(this.text, this.#at);
      const key = readString(this.text.slice(this.#at, end));
      this.#at = end;
      this.#skipSpace();
      this.#at++;
      keys.push(key);
      indices ||= INDEX_KEY.test(key);
      if (!this.read(Object.hasOwn(object, key) ? object[key] : undefined)) kept = false;
    }
    // Fewer in the object: a key was there twice. (Where the object is another's, that one is read later and counts.)
    if (Object.keys(object).length < keys.length) return false;
    return kept && !(indices && Object.keys(object).some((key, index) => key !== keys[index]));
  }

  #items(parsed: unknown): boolean {
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
    let kept = true;
    for (let index = 0; this.#next(']'); index++) if (!this.read(list[index])) kept = false;
    return kept;
  }

  /** Goes to the next member or item; false behind the closing bracket. */
  #next(closing: string): boolean {
    this.#skipSpace();
    if (this.text[this.#at] === ',') {
      this.#at++;
      this.#skipSpace();
    }
    if (this.text[this.#at] !== closing) return true;
    this.#at++;
    return false;
  }

  #skipSpace(): void {
    this.#at = endOfSpace(this.text, this.#at);
  }
}

/** The value of a string that is written in quotes. */
function readString(written: string): string {
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
}

/** Whether a number has another value or type when JavaScript writes it: whole numbers lose their point and exponent. */
function isRespelled(lexeme: string): boolean {
  const value = Number(lexeme);
  if (/^-?\d+$/.test(lexeme)) return String(value) !== lexeme;
  return !Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 1e21);
}
