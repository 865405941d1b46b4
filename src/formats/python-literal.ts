/** A value as Python's repr writes it: dicts, lists, tuples, strings, numbers, True, False, None; undefined where it is none. */
export function pythonLiteral(text: string): unknown {
  const reader = new LiteralReader(text);
  try {
    const value = reader.value(0);
    return reader.atEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof NotALiteral) return undefined;
    throw error;
  }
}

class NotALiteral extends Error {}

const MAX_DEPTH = 200;
const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  nan: null,
  inf: null,
  '-inf': null,
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\n': '',
};

class LiteralReader {
  private at = 0;

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    this.space();
    return this.at === this.text.length;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NotALiteral();
    this.space();
    const next = this.text[this.at];
    if (next === '{') return this.dict(depth);
    if (next === '[') return this.list(']', depth);
    if (next === '(') return this.list(')', depth);
    if (next === "'" || next === '"') return this.strings();
    return this.word();
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private take(expected: string): boolean {
    this.space();
    if (this.text[this.at] !== expected) return false;
    this.at++;
    return true;
  }

  private dict(depth: number): Record<string, unknown> {
    this.at++;
    const entries: [string, unknown][] = [];
    while (!this.take('}')) {
      const key = this.value(depth + 1);
      if (!this.take(':')) throw new NotALiteral();
      entries.push([String(key), this.value(depth + 1)]);
      if (!this.take(',') && this.text[this.at] !== '}') throw new NotALiteral();
    }
    return Object.fromEntries(entries);
  }

  private list(close: string, depth: number): unknown[] {
    this.at++;
    const items: unknown[] = [];
    while (!this.take(close)) {
      items.push(this.value(depth + 1));
      if (!this.take(',') && this.text[this.at] !== close) throw new NotALiteral();
    }
    return items;
  }

  /** Neighbouring strings are one. */
  private strings(): string {
    let text = '';
    for (;;) {
      this.space();
      const quote = this.text[this.at];
      if (quote !== "'" && quote !== '"') return text;
      text += this.quoted(quote);
    }
  }

  private quoted(quote: string): string {
    const tripled = quote.repeat(3);
    const close = this.text.startsWith(tripled, this.at) ? tripled : quote;
    this.at += close.length;
    let text = '';
    while (!this.text.startsWith(close, this.at)) {
      const char = this.text[this.at];
      if (char === undefined) throw new NotALiteral();
      if (char === '\\') text += this.escape();
      else {
        text += char;
        this.at++;
      }
    }
    this.at += close.length;
    return text;
  }

  private escape(): string {
    const char = this.text[this.at + 1] ?? '';
    const length = { x: 2, u: 4, U: 8 }[char];
    if (length !== undefined) {
      const digits = this.text.slice(this.at + 2, this.at + 2 + length);
      this.at += 2 + length;
      const code = /^[0-9a-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : -1;
      if (code < 0 || code > 0x10ffff) throw new NotALiteral();
      return String.fromCodePoint(code);
    }
    this.at += 2;
    const known = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    if (known !== undefined) return known;
    return char === "'" || char === '"' || char === '\\' ? char : `\\${char}`;
  }

  private word(): unknown {
    const match = /[-+\w.]+/y;
    match.lastIndex = this.at;
    const word = match.exec(this.text)?.[0] ?? '';
    if (word === '') throw new NotALiteral();
    this.at += word.length;
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    const wrapped = /^(?:np\.)?float\d*$/.test(word) && this.take('(');
    if (wrapped) {
      const value = this.value(MAX_DEPTH);
      if (!this.take(')')) throw new NotALiteral();
      return value;
    }
    if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(word)) throw new NotALiteral();
    return Number(word);
  }
}
