/** What a rendering shows of a span: its words in order, and the template's frames around and between them. */
export class SpanWords {
  readonly texts: string[] = [];
  /** the frame before each word, and last the one behind them all */
  readonly gaps: string[] = [''];

  word(text: string): void {
    this.texts.push(text);
    this.gaps.push('');
  }

  frame(text: string): void {
    this.gaps[this.gaps.length - 1] += text;
  }
}

/** Characters that some templates print as escapes, since they write calls as code (`run(command='echo \\'a\\'')`). */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/**
 * Where words end that are a text with some of its characters escaped by frames between them, counted from `first`;
 * -1 where they are not. Words and what the escapes stand for are the text, without anything missing.
 */
export function escapedEnd({ texts, gaps }: SpanWords, first: number, text: string): number {
  let word = first;
  let at = 0;
  for (;;) {
    const opens = word === first;
    let escaped = '';
    while (at < text.length && !begins(word, escaped, opens)) {
      const sign = ESCAPES[text.charAt(at)];
      if (sign === undefined) return -1;
      escaped += sign;
      at++;
    }
    if (at === text.length) {
      const gap = gaps[word] ?? '';
      return (opens ? gap.includes(escaped) : gap.startsWith(escaped)) ? word : -1;
    }
    at += texts[word]?.length ?? 0;
    word++;
  }

  /** The frame before a text's first word begins it, and ends with what is escaped of it. */
  function begins(index: number, escaped: string, opens: boolean): boolean {
    const next = texts[index] ?? '';
    const gap = gaps[index] ?? '';
    if (next === '' || !text.startsWith(next, at)) return false;
    return opens ? gap.endsWith(escaped) : gap === escaped;
  }
}
