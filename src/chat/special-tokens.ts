/** Finds special tokens in text: the leftmost, and of those the longest, as tokenizers do. */
export class SpecialFinder {
  readonly #pattern: RegExp | null;
  /** what all of them begin with: a plain search for it is many times faster than the pattern */
  readonly #prefix: string;

  constructor(specials: Iterable<string>) {
    const texts = [...specials].filter((text) => text !== '').sort((a, b) => b.length - a.length);
    this.#prefix = commonPrefix(texts);
    this.#pattern = texts.length === 0 ? null : new RegExp(texts.map(escapePattern).join('|'), 'y');
  }

  /** Calls `found` with offset and text of each. */
  each(text: string, found: (offset: number, special: string) => void): void {
    const pattern = this.#pattern;
    if (pattern === null) return;
    for (let at = text.indexOf(this.#prefix); at >= 0 && at < text.length; ) {
      pattern.lastIndex = at;
      const special = pattern.exec(text)?.[0];
      if (special !== undefined) found(at, special);
      at = text.indexOf(this.#prefix, at + (special?.length ?? 1));
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

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
