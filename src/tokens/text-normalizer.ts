import { AddedTokenFinder } from './added-tokens.js';
import type { Encoder } from './encoder.js';

/** A part of a text that is normalised by itself, in UTF-16 units. */
export interface TextPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly normalize: (text: string) => string;
}

type NormalizingEncoder = Pick<Encoder, 'normalize' | 'isNormal' | 'addedTokens'>;

const asItIs = (text: string): string => text;

/** Of the marks only this composes with a sign: `<`, `=` or `>`, with which added tokens like to end. */
const SIGN_MARK = '\u0338';
const MARK = /\p{M}/u;

/**
 * Normalises as a tokenizer does: added tokens are found first, so that a mark behind one stays a mark of its own
 * (`<think>` and U+0338 do not become `<think≯`).
 */
export class TextNormalizer {
  readonly #encoder: NormalizingEncoder;
  readonly #normalize: (text: string) => string;
  readonly #finder: AddedTokenFinder;

  constructor(encoder: NormalizingEncoder) {
    this.#encoder = encoder;
    this.#normalize = (text) => encoder.normalize(text);
    this.#finder = new AddedTokenFinder(encoder.addedTokens.filter((token) => !token.normalized));
  }

  /** Whether the text, and every part of it, is its own normal form; may be false where that is not known. */
  isNormal(text: string): boolean {
    return this.#encoder.isNormal(text);
  }

  normalize(text: string): string {
    if (!text.includes(SIGN_MARK)) return this.#normalize(text);
    const [first, ...others] = this.parts(text);
    if (first === undefined) return '';
    return others.reduce((whole, part) => whole + this.#normalize(part.text), this.#normalize(first.text));
  }

  /** The parts of a text, in order; mostly it is one, as it is of a `normal` text. */
  parts(text: string, normal = false): TextPart[] {
    if (normal) return [{ text, start: 0, end: text.length, normalize: asItIs }];
    const parts: TextPart[] = [];
    let done = 0;
    const add = (end: number): void => {
      parts.push({ text: text.slice(done, end), start: done, end, normalize: this.#normalize });
      done = end;
    };
    if (text.includes(SIGN_MARK)) {
      const count = this.#finder.find(text, 'plain');
      for (let k = 0; k < count; k++) {
        const end = this.#finder.ends[k] ?? 0;
        if (end > done && MARK.test(text.slice(end, end + 2))) add(end);
      }
    }
    if (done < text.length || parts.length === 0) add(text.length);
    return parts;
  }
}

const NORMALIZERS = new WeakMap<NormalizingEncoder, TextNormalizer>();

/** The normalizer of an encoder; made once. */
export function normalizerOf(encoder: NormalizingEncoder): TextNormalizer {
  const known = NORMALIZERS.get(encoder);
  if (known !== undefined) return known;
  const made = new TextNormalizer(encoder);
  NORMALIZERS.set(encoder, made);
  return made;
}
