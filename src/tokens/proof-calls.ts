import { isJsonArray, isJsonObject, type JsonValue, readJson, toPythonJson } from '../chat/python-json.js';
import type { Span, ToolCall } from '../trajectory/span.js';
import { jsonOfPythonLiteral } from './python-literal.js';
import { escapedEnd, type SpanWords } from './span-words.js';

/**
 * Whether texts of a rendering are a call, in order and complete: its name, then its arguments as the log has them,
 * as JSON, or key by key as some templates print them. Numbers and constants between keys may be missing from the
 * texts, since they hold no words; characters that the template escapes stand in its frames between them.
 */
export function isCallOf({ call }: Span, words: SpanWords): boolean {
  const { texts } = words;
  if (call === null) return false;
  if (call.name === '') return areArguments(call, words, 0);
  if (texts[0] !== call.name) return false;
  // Some formats name the tool in the header of the call and again in its body.
  return areArguments(call, words, 1) || (texts[1] === call.name && areArguments(call, words, 2));
}

/** Whether the words from `first` on are the arguments. */
function areArguments(call: ToolCall, words: SpanWords, first: number): boolean {
  const rest = words.texts.slice(first);
  if (rest.length <= 1 && !call.arguments_were_object && (rest[0] ?? '') === call.arguments) return true;
  const value = parsed(call.arguments);
  if (value === undefined) return false;
  if (rest.length === 1 && sameJson(rest[0] ?? '', value)) return true;
  if (!isJsonObject(value)) return false;
  return [false, true].some((sorted) => new Reader(words, { first, sorted }).readsAll(value));
}

function parsed(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function sameJson(text: string, value: JsonValue): boolean {
  const other = parsed(text) ?? parsed(jsonOfPythonLiteral(text));
  return other !== undefined && toPythonJson(other) === toPythonJson(value);
}

/** Follows a value through texts. */
class Reader {
  readonly #words: SpanWords;
  readonly #sorted: boolean;
  #at: number;

  constructor(words: SpanWords, { first, sorted }: { first: number; sorted: boolean }) {
    this.#words = words;
    this.#sorted = sorted;
    this.#at = first;
  }

  readsAll(value: JsonValue): boolean {
    return this.#readsMembers(value) && this.#at === this.#words.texts.length;
  }

  #readsMembers(value: JsonValue): boolean {
    if (isJsonArray(value)) return value.every((item) => this.#reads(item));
    if (!isJsonObject(value)) return true;
    const entries = [...value];
    // As Jinja's dictsort: by key, letters of both cases alike.
    if (this.#sorted) entries.sort(([one], [other]) => order(one.toLowerCase(), other.toLowerCase()));
    return entries.every(([key, item]) => this.#takes(key) && this.#reads(item));
  }

  #reads(value: JsonValue): boolean {
    if (typeof value === 'string') return this.#takes(value);
    const next = this.#words.texts[this.#at];
    if (isJsonArray(value) || isJsonObject(value)) {
      if (next !== undefined && sameJson(next, value)) {
        this.#at++;
        return true;
      }
      return this.#readsMembers(value);
    }
    return true;
  }

  /** An empty text leaves nothing behind. */
  #takes(text: string): boolean {
    if (text === '') return true;
    const end = this.#words.texts[this.#at] === text ? this.#at + 1 : escapedEnd(this.#words, this.#at, text);
    if (end < 0) return false;
    this.#at = end;
    return true;
  }
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
