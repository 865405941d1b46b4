/** Finds special tokens in text: the leftmost, and of those the longest, as tokenizers do. */
export class SpecialFinder {
  readonly #pattern: RegExp | null;

  constructor(specials: Iterable<string>) {
    const texts = [...specials].filter((text) => text !== '').sort((a, b) => b.length - a.length);
    this.#pattern = texts.length === 0 ? null : new RegExp(texts.map(escapePattern).join('|'), 'gu');
  }

  /** Calls `found` with offset and text of each. */
  each(text: string, found: (offset: number, special: string) => void): void {
    if (this.#pattern === null) return;
    this.#pattern.lastIndex = 0;
    for (let match = this.#pattern.exec(text); match !== null; match = this.#pattern.exec(text)) {
      found(match.index, match[0]);
    }
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
