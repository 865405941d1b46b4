/** A number of a JSON text, kept as written: JSON.parse would lose 1.0, big integers and exponents. */
export interface JsonNumber {
  readonly lexeme: string;
}

/** A JSON value that keeps what Python's json keeps: the order of keys and the form of numbers. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const LONE_SURROGATE = /\p{Surrogate}/u;
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  // json.loads takes these words, which json.dumps writes
  ...['NaN', 'Infinity', '-Infinity'].map((lexeme) => [lexeme, { lexeme }] as const),
]);
const MAX_DEPTH = 500;

/** Reads a JSON text, and NaN and Infinity in it, as Python's json does. A repeated key keeps its first place and its last value, as a Python dict does. Throws SyntaxError. */
export function readJson(text: string): JsonValue {
  const reader = new JsonReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} at ${this.at}`);
    this.skipSpace();
    const first = this.text[this.at];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.unexpected();
    this.at = NUMBER.lastIndex;
    return { lexeme: match[0] };
  }

  end(): void {
    this.skipSpace();
    if (this.at < this.text.length) throw this.unexpected();
  }

  private object(depth: number): JsonObject {
    const object = new Map<string, JsonValue>();
    this.at++;
    this.skipSpace();
    if (this.take('}')) return object;
    for (;;) {
      this.skipSpace();
      const key = this.string();
      this.skipSpace();
      if (!this.take(':')) throw this.unexpected();
      object.set(key, this.value(depth + 1));
      this.skipSpace();
      if (this.take('}')) return object;
      if (!this.take(',')) throw this.unexpected();
    }
  }

  private array(depth: number): JsonValue[] {
    const array: JsonValue[] = [];
    this.at++;
    this.skipSpace();
    if (this.take(']')) return array;
    for (;;) {
      array.push(this.value(depth + 1));
      this.skipSpace();
      if (this.take(']')) return array;
      if (!this.take(',')) throw this.unexpected();
    }
  }

  private string(): string {
    if (this.text[this.at] !== '"') throw this.unexpected();
    let end = this.at + 1;
    for (;;) {
      end = this.text.indexOf('"', end);
      if (end < 0) throw this.unexpected();
      let backslashes = 0;
      while (this.text[end - 1 - backslashes] === '\\') backslashes++;
      if (backslashes % 2 === 0) break;
      end++;
    }
    const literal = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    return JSON.parse(literal) as string;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`unexpected ${JSON.stringify(this.text[this.at] ?? 'end')} at ${this.at}`);
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isJsonNumber(value: JsonValue | undefined): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'lexeme' in value;
}

export interface PythonJsonOptions {
  /** spaces per level, or null for one line */
  readonly indent?: number | null;
}

/** json.dumps(value, ensure_ascii=False), which is what `tojson` means in a chat template. */
export function toPythonJson(value: JsonValue, options: PythonJsonOptions = {}): string {
  const indent = options.indent ?? null;
  return write(value, indent, '\n');
}

function write(value: JsonValue, indent: number | null, newline: string): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'string') return pythonJsonString(value);
  if (isJsonNumber(value)) return pythonNumber(value.lexeme);
  const inner = indent === null ? '' : newline + ' '.repeat(indent);
  const parts: string[] = [];
  let brackets = '[]';
  if (isJsonObject(value)) {
    brackets = '{}';
    for (const [key, item] of value) parts.push(`${pythonJsonString(key)}: ${write(item, indent, inner)}`);
  } else {
    for (const item of value) parts.push(write(item, indent, inner));
  }
  if (parts.length === 0) return brackets;
  if (indent === null) return `${brackets[0]}${parts.join(', ')}${brackets[1]}`;
  return `${brackets[0]}${inner}${parts.join(`,${inner}`)}${newline}${brackets[1]}`;
}

/** A JSON string as Python writes it: only quotes, backslashes and control characters are escaped. */
export function pythonJsonString(text: string): string {
  // JSON.stringify differs in one point: it escapes lone surrogates, which Python leaves as they are.
  const quoted = JSON.stringify(text);
  return !LONE_SURROGATE.test(text)
    ? quoted
    : quoted.replace(/\\(\\|u(d[89a-f][0-9a-f]{2}))/g, (whole, _escape, unit: string | undefined) =>
        unit === undefined ? whole : String.fromCharCode(Number.parseInt(unit, 16)),
      );
}

/** A number as Python prints what it read: integers digit by digit, everything else as repr(float). */
export function pythonNumber(lexeme: string): string {
  if (/^-?\d+$/.test(lexeme)) return lexeme === '-0' ? '0' : lexeme;
  return pythonFloat(Number(lexeme));
}

/** A float in Python's JSON: as repr(float), but NaN and Infinity in the words of JavaScript. */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return pythonFloatText(value);
}

/** repr(float): shortest digits, an exponent below 1e-4 and from 1e16 on, always a point or an exponent. */
export function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e');
    const digits = exponent.slice(1).padStart(2, '0');
    return `${mantissa}e${exponent[0]}${digits}`;
  }
  const sign = Object.is(value, -0) ? '-' : '';
  const text = sign + String(value);
  return text.includes('.') ? text : `${text}.0`;
}
