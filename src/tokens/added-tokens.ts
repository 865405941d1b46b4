import type { SpecialHandling } from './encoder.js';
import type { AddedToken } from './tokenizer-json.js';

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  token: AddedToken | null;
}

// The word characters of the `regex` crate (UTS 18), which `single_word` asks about.
const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';
const ENDS_WITH_WORD = new RegExp(`${WORD}$`, 'u');
const STARTS_WITH_WORD = new RegExp(`^${WORD}`, 'u');
const SPACE = /\p{White_Space}/u;

/**
 * Finds added tokens in text: the leftmost, of those the longest, never overlapping; a token marked
 * `single_word` only between non-words; `lstrip` and `rstrip` take the white space beside the token. With
 * `plain`, text that looks like a special token is passed over as one piece.
 *
 * The matches of the last call stand in `starts`, `ends` (UTF-16 units) and `ids`, up to the count returned.
 */
export class AddedTokenFinder {
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  ids = new Int32Array(64);
  readonly #root: TrieNode = { next: new Map(), token: null };
  readonly #first: string | null;
  readonly #firstOf: RegExp;
  readonly size: number;

  /** `contents` gives the text to look for, where it is not the token's own (a normalised one). */
  constructor(tokens: readonly AddedToken[], contents: (token: AddedToken) => string = (t) => t.content) {
    const firsts = new Set<string>();
    let size = 0;
    for (const token of tokens) {
      const content = contents(token);
      if (content === '') continue;
      firsts.add(content.charAt(0));
      this.#insert(content, token);
      size++;
    }
    this.size = size;
    this.#first = firsts.size === 1 ? ([...firsts][0] ?? null) : null;
    const units = [...firsts].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    this.#firstOf = new RegExp(`[${units.join('')}]`, 'g');
  }

  find(text: string, special: SpecialHandling): number {
    if (this.size === 0) return 0;
    let count = 0;
    let done = 0;
    for (let at = this.#nextStart(text, 0); at >= 0; ) {
      const token = this.#longestAt(text, at);
      if (token === null) {
        at = this.#nextStart(text, at + 1);
        continue;
      }
      const stop = at + this.#matched;
      if (!(token.special && special === 'plain') && !(token.single_word && touchesWord(text, at, stop))) {
        const start = token.lstrip ? Math.max(spaceBefore(text, at), done) : at;
        const end = token.rstrip ? spaceAfter(text, stop) : stop;
        this.#store(count++, start, end, token.id);
        done = end;
      }
      at = this.#nextStart(text, stop);
    }
    return count;
  }

  /** length of the match that #longestAt found last */
  #matched = 0;

  #longestAt(text: string, at: number): AddedToken | null {
    let node: TrieNode | undefined = this.#root;
    let best: AddedToken | null = null;
    for (let i = at; i < text.length; i++) {
      node = node.next.get(text.charCodeAt(i));
      if (node === undefined) break;
      if (node.token !== null) {
        best = node.token;
        this.#matched = i + 1 - at;
      }
    }
    return best;
  }

  #nextStart(text: string, from: number): number {
    if (this.#first !== null) return text.indexOf(this.#first, from);
    this.#firstOf.lastIndex = from;
    return this.#firstOf.exec(text)?.index ?? -1;
  }

  #insert(content: string, token: AddedToken): void {
    let node = this.#root;
    for (let i = 0; i < content.length; i++) {
      const unit = content.charCodeAt(i);
      let next = node.next.get(unit);
      if (next === undefined) {
        next = { next: new Map(), token: null };
        node.next.set(unit, next);
      }
      node = next;
    }
    node.token = token;
  }

  #store(index: number, start: number, end: number, id: number): void {
    if (index === this.ids.length) {
      this.starts = doubled(this.starts);
      this.ends = doubled(this.ends);
      this.ids = doubled(this.ids);
    }
    this.starts[index] = start;
    this.ends[index] = end;
    this.ids[index] = id;
  }
}

function touchesWord(text: string, start: number, stop: number): boolean {
  return (
    ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) ||
    STARTS_WITH_WORD.test(text.slice(stop, stop + 2))
  );
}

function spaceBefore(text: string, start: number): number {
  let at = start;
  while (at > 0 && SPACE.test(text.charAt(at - 1))) at--;
  return at;
}

function spaceAfter(text: string, stop: number): number {
  let at = stop;
  while (at < text.length && SPACE.test(text.charAt(at))) at++;
  return at;
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
}
