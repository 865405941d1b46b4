/** Finds special tokens in text: the leftmost, and of those the longest, as tokenizers do. */
export class SpecialFinder {
  readonly #pattern: RegExp | null;
  /** what all of them begin with: a plain search for it is many times faster than the pattern */
  readonly #prefix: string;
  /**
   * Whether one can stand across the edge of another: then a text that is cut at special tokens does not hold the same ones
   * as its pieces.
   */
  readonly mayOverlap: boolean;

  constructor(specials: Iterable<string>) {
    const texts = [...specials].filter((text) => text !== '').sort((a, b) => b.length - a.length);
    this.#prefix = commonPrefix(texts);
    this.mayOverlap = mayOverlap(texts, this.#prefix);
    this.#pattern = texts.length === 0 ? null : new RegExp(texts.map(escapePattern).join('|'), 'y');
  }

  /** Calls `found` with offset and text of each. */
  each(text: string, found: (offset: number, special: string) => void): void {
    const pattern = this.#pattern;
    if (pattern === null) return;
    for (let at = text.indexOf(this.#prefix); at >= 0 && at < text.length; ) {
      pattern.lastIndex = at;
      let end = at + 1;
      if (pattern.test(text)) {
        end = pattern.lastIndex;
        found(at, text.slice(at, end));
      }
      at = text.indexOf(this.#prefix, end);
    }
  }

  /** The special token that stands at `offset`, null where none does. */
  at(text: string, offset: number): string | null {
    const pattern = this.#pattern;
    if (pattern === null) return null;
    pattern.lastIndex = offset;
    return pattern.exec(text)?.[0] ?? null;
  }

  /** The last special token of a text. */
  last(text: string): { readonly offset: number; readonly special: string } | null {
    let last: { offset: number; special: string } | null = null;
    this.each(text, (offset, special) => {
      last = { offset, special };
    });
    return last;
  }
}

function commonPrefix([first = '', ...rest]: readonly string[]): string {
  let length = first.length;
  for (const text of rest) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** `prefix` is what all begin with, so that where one begins inside another, the prefix or a part of it stands there. */
function mayOverlap(texts: readonly string[], prefix: string): boolean {
  if (prefix === '') return texts.length > 0;
  return texts.some((text) => {
    if (text.includes(prefix, 1)) return true;
    for (let length = 1; length < prefix.length; length++) {
      if (text.endsWith(prefix.slice(0, length))) return true;
    }
    return texts.some((other) => other !== text && other.startsWith(text));
  });
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
