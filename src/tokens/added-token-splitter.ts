import { AddedTokenFinder } from './added-tokens.js';
import { reserve, type SpecialHandling, type TokenSink } from './encoder.js';
import type { AddedToken } from './tokenizer-json.js';

/** Appends the ids of normalised text without added tokens; `section` counts the pieces that went before it. */
export type WordEncoder = (text: string, into: TokenSink, section: number) => void;

export interface SplitOptions {
  readonly special: SpecialHandling;
  /** the text and its parts are normalised already */
  readonly normal: boolean;
}

/**
 * Cuts text at added tokens as the reference does: first those that are sought in the text as it stands, then,
 * in each piece between them, once it is normalised, those that are sought in normalised text.
 */
export class AddedTokenSplitter {
  readonly #raw: AddedTokenFinder;
  readonly #normalized: AddedTokenFinder;
  readonly #normalize: (text: string) => string;

  constructor(tokens: readonly AddedToken[], normalize: (text: string) => string) {
    this.#normalize = normalize;
    this.#raw = new AddedTokenFinder(tokens.filter((token) => !token.normalized));
    this.#normalized = new AddedTokenFinder(
      tokens.filter((token) => token.normalized),
      (token) => normalize(token.content),
    );
  }

  /** Appends the ids of the added tokens, and through `encodeWords` those of the text between them. */
  encode(text: string, into: TokenSink, options: SplitOptions, encodeWords: WordEncoder): void {
    const found = this.#raw;
    const count = found.find(text, options.special);
    let done = 0;
    let section = 0;
    for (let k = 0; k < count; k++) {
      const start = found.starts[k] as number;
      if (start > done) this.#encodePiece(text.slice(done, start), into, options, encodeWords, section++);
      append(into, found.ids[k] as number);
      section++;
      done = found.ends[k] as number;
    }
    if (done < text.length)
      this.#encodePiece(done === 0 ? text : text.slice(done), into, options, encodeWords, section);
  }

  #encodePiece(
    piece: string,
    into: TokenSink,
    { special, normal }: SplitOptions,
    encodeWords: WordEncoder,
    section: number,
  ): void {
    const text = normal ? piece : this.#normalize(piece);
    const found = this.#normalized;
    const count = found.find(text, special);
    let done = 0;
    for (let k = 0; k < count; k++) {
      const start = found.starts[k] as number;
      if (start > done) encodeWords(text.slice(done, start), into, section);
      append(into, found.ids[k] as number);
      done = found.ends[k] as number;
    }
    if (done < text.length) encodeWords(done === 0 ? text : text.slice(done), into, section);
  }
}

function append(into: TokenSink, id: number): void {
  reserve(into, 1);
  into.ids[into.length++] = id;
}
