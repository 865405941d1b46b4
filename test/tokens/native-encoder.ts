import { readFileSync } from 'node:fs';
import { Tokenizer } from 'tokenizers';
import { reserve, type SpecialHandling, type TokenSink } from '../../src/tokens/encoder.js';

/** The reference: the native binding of Hugging Face tokenizers, in both modes of special tokens. */
export class NativeReference {
  readonly #match: Tokenizer;
  readonly #plain: Tokenizer;

  constructor(path: string) {
    const text = readFileSync(path, 'utf8');
    this.#match = Tokenizer.fromString(text);
    this.#plain = Tokenizer.fromString(withoutSpecials(text));
  }

  /** Ids of each text. */
  async encode(texts: readonly string[], special: SpecialHandling): Promise<number[][]> {
    const tokenizer = special === 'match' ? this.#match : this.#plain;
    const encodings = await tokenizer.encodeBatch([...texts], { addSpecialTokens: false });
    return encodings.map((encoding) => encoding.getIds());
  }

  normalize(text: string): string {
    return this.#match.getNormalizer()?.normalizeString(text) ?? text;
  }

  /** An encoder that knows the given texts only. */
  async encoderOf(texts: readonly string[]): Promise<{ encode: RecordedEncode }> {
    const known = { match: new Map<string, number[]>(), plain: new Map<string, number[]>() };
    for (const special of ['match', 'plain'] as const) {
      const all = await this.encode(texts, special);
      for (const [k, text] of texts.entries()) known[special].set(text, all[k] ?? []);
    }
    return {
      encode(text, into, special) {
        const ids = known[special].get(text);
        if (ids === undefined) throw new Error('not a text of this reference');
        reserve(into, ids.length);
        into.ids.set(ids, into.length);
        into.length += ids.length;
        return ids.length;
      },
    };
  }
}

type RecordedEncode = (text: string, into: TokenSink, special: SpecialHandling) => number;

/**
 * The binding has no switch for encoding special tokens as text, so the twin's special tokens get contents that no
 * text holds. Where no special token overlaps another added token, this is the same.
 */
function withoutSpecials(text: string): string {
  const json = JSON.parse(text) as {
    added_tokens: Array<{ content: string; special: boolean; id: number }>;
    model: { vocab: Record<string, number> };
  };
  for (const token of json.added_tokens) {
    if (!token.special) continue;
    const hidden = `\u{10fffd}${token.id}\u{10fffd}`;
    if (json.model.vocab[token.content] === token.id) {
      delete json.model.vocab[token.content];
      json.model.vocab[hidden] = token.id;
    }
    token.content = hidden;
  }
  return JSON.stringify(json);
}
