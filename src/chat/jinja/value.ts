import {
  isJsonArray,
  isJsonNumber,
  type JsonValue,
  pythonFloat,
  pythonFloatText,
  pythonJsonString,
  pythonNumber,
} from '../python-json.js';
import { pythonRepr, ReprFault } from './python-repr.js';
import { Text, type TextSource } from './text.js';

/** A fault of a template or of the messages given to it, as Python would raise it. */
export class TemplateFault extends Error {}

/** A number and how Python's str prints it. */
export class Num {
  constructor(
    readonly value: number,
    readonly isFloat: boolean,
    readonly text: string = isFloat ? pythonFloatText(value) : String(value),
  ) {}
}

/** A missing name or key; `path` names it in messages. */
export class Undefined {
  constructor(readonly path: string) {}
}

/** A dict. That of a message knows its turn, and data where it came from. */
export class Dict extends Map<string, Value> {
  turn = -1;
  origin: TextSource | null = null;
}

/** The mutable object that `namespace()` makes. */
export class Namespace {
  readonly values = new Map<string, Value>();
}

export interface CallArguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  constructor(readonly call: (args: CallArguments) => Value) {}
}

export type Value = null | boolean | Num | Text | Undefined | Dict | Namespace | Callable | readonly Value[];

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function int(value: number): Num {
  return new Num(value, false);
}

/** Data as values; every string of it is traced to `source`. */
export function fromJson(json: JsonValue, source: TextSource): Value {
  if (typeof json === 'string') return Text.of(json, source).transformed(json);
  if (json === null || typeof json === 'boolean') return json;
  if (isJsonNumber(json)) {
    const text = pythonNumber(json.lexeme);
    return /[.einf]/i.test(text)
      ? new Num(Number(json.lexeme), true)
      : new Num(Number(json.lexeme), false, text);
  }
  if (isJsonArray(json)) return json.map((item) => fromJson(item, source));
  const dict = new Dict();
  dict.origin = source;
  for (const [key, item] of json) dict.set(key, fromJson(item, source));
  return dict;
}

export function isTrue(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value === 'boolean') return value;
  if (value instanceof Num) return value.value !== 0;
  if (value instanceof Text) return value.text !== '';
  if (value instanceof Dict) return value.size > 0;
  return isList(value) ? value.length > 0 : true;
}

export function isEqual(one: Value, other: Value): boolean {
  if (one instanceof Text) return other instanceof Text && one.text === other.text;
  if (one instanceof Undefined) return other instanceof Undefined;
  const left = asNumber(one);
  const right = asNumber(other);
  if (left !== null || right !== null) return left === right;
  if (isList(one)) {
    return (
      isList(other) && one.length === other.length && one.every((item, i) => isEqual(item, other[i] ?? null))
    );
  }
  if (one instanceof Dict) {
    if (!(other instanceof Dict) || one.size !== other.size) return false;
    return [...one].every(([key, item]) => other.has(key) && isEqual(item, other.get(key) ?? null));
  }
  return one === other;
}

/** Numbers and booleans as Python's arithmetic takes them; null for anything else. */
export function asNumber(value: Value): number | null {
  if (value instanceof Num) return value.value;
  return typeof value === 'boolean' ? Number(value) : null;
}

/** str(value), which is what an expression prints. */
export function toText(value: Value): Text {
  if (value instanceof Text) return value;
  if (value instanceof Undefined) return new Text('');
  if (value === null) return new Text('None');
  if (typeof value === 'boolean') return new Text(value ? 'True' : 'False');
  if (value instanceof Num) return new Text(value.text);
  if (value instanceof Callable || value instanceof Namespace)
    throw new TemplateFault('a function cannot be printed');
  return sourced(value, repr(value));
}

function repr(value: Value): string {
  if (value instanceof Text) return reprString(value.text);
  if (isList(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Dict) {
    return `{${[...value].map(([key, item]) => `${reprString(key)}: ${repr(item)}`).join(', ')}}`;
  }
  return toText(value).text;
}

function reprString(text: string): string {
  try {
    return pythonRepr(text);
  } catch (error) {
    if (!(error instanceof ReprFault)) throw error;
    throw new TemplateFault(error.message);
  }
}

export interface JsonOptions {
  readonly indent: number | null;
  readonly ensureAscii: boolean;
  readonly separators: readonly [string, string] | null;
  readonly sortKeys: boolean;
}

/** json.dumps as Hugging Face's `tojson` calls it. */
export function toJson(value: Value, options: JsonOptions): Text {
  return sourced(value, writeJson(value, options, '\n'));
}

function writeJson(value: Value, options: JsonOptions, newline: string): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Num) return value.isFloat ? pythonFloat(value.value) : value.text;
  if (value instanceof Text) return jsonString(value.text, options);
  const inner = options.indent === null ? '' : newline + ' '.repeat(options.indent);
  const [comma, colon] = options.separators ?? [options.indent === null ? ', ' : ',', ': '];
  const wrap = (parts: string[], open: string, close: string): string =>
    parts.length === 0
      ? open + close
      : open + inner + parts.join(comma + inner) + (options.indent === null ? '' : newline) + close;
  if (isList(value))
    return wrap(
      value.map((item) => writeJson(item, options, inner)),
      '[',
      ']',
    );
  if (value instanceof Dict) {
    const entries = [...value];
    if (options.sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    const parts = entries.map(
      ([key, item]) => jsonString(key, options) + colon + writeJson(item, options, inner),
    );
    return wrap(parts, '{', '}');
  }
  throw new TemplateFault('tojson of a value that JSON does not have');
}

function jsonString(text: string, { ensureAscii }: JsonOptions): string {
  const quoted = pythonJsonString(text);
  if (!ensureAscii) return quoted;
  return quoted.replace(/[^\0-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text made of a value: data, where any text in the value is. */
function sourced(value: Value, text: string): Text {
  if (value instanceof Text) return value.transformed(text);
  const source = sourceOf(value);
  return source === null ? new Text(text) : Text.of(text, source).transformed(text);
}

function sourceOf(value: Value): TextSource | null {
  if (value instanceof Text) return value.traces[0]?.source ?? null;
  if (value instanceof Dict && value.origin !== null) return value.origin;
  const items = isList(value) ? value : value instanceof Dict ? [...value.values()] : [];
  for (const item of items) {
    const source = sourceOf(item);
    if (source !== null) return source;
  }
  return null;
}
