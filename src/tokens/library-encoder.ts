import { Tokenizer } from '@huggingface/tokenizers';
import { AddedTokenSplitter } from './added-token-splitter.js';
import { toNfc } from './bpe/nfc.js';
import {
  type EncodeOptions,
  type Encoder,
  reserve,
  type SpecialHandling,
  type TokenSink,
} from './encoder.js';
import { unsupportedByLibrary } from './library-support.js';
import { byteLengthsOf, bytesOfId, layOutTokenBytes, specialIds, type TokenBytes } from './token-bytes.js';
import type { TokenizerFile } from './tokenizer-file.js';
import type { AddedToken } from './tokenizer-json.js';

// The library folds ASCII letters only; the reference also takes U+017F for an s.
const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const CONTRACTIONS_SPELT = "(?:'[sS\\u017F]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";

// The library's own copy of this pattern takes the white space of JavaScript, not of Unicode.
const GPT2_WORDS = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// The reference sees text as UTF-8, where a lone surrogate is the replacement character.
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Encodes with @huggingface/tokenizers: its normaliser, pre-tokenizer and model. The search for added tokens is
 * ours, since the library does not know `single_word` and cannot leave special tokens unmatched. Its character classes
 * are those of Node's Unicode version.
 */
export class LibraryEncoder implements Encoder {
  readonly engine = '@huggingface/tokenizers';
  readonly sha256: string;
  /** the tokenizer.json that was read */
  readonly path: string;
  readonly byteLengths: Uint16Array | null;
  readonly specials: ReadonlyMap<string, number>;
  readonly addedTokens: readonly AddedToken[];
  readonly #library: Tokenizer;
  readonly #splitter: AddedTokenSplitter;
  readonly #bytes: TokenBytes;
  readonly #nfcOnly: boolean;
  readonly #encodeWords = (text: string, into: TokenSink, section: number): void =>
    this.#encodePiece(text, into, section);

  /** Throws an Error that names the part of the tokenizer which the library does not know or gets wrong. */
  constructor(file: TokenizerFile) {
    const { addedTokens } = file.json;
    this.addedTokens = addedTokens;
    this.sha256 = file.sha256;
    this.path = file.path;
    this.#library = openLibrary(file);
    this.#nfcOnly = file.json.normalizer?.type === 'NFC';
    this.#splitter = new AddedTokenSplitter(addedTokens, (text) => this.normalize(text));
    this.#bytes = layOutTokenBytes(file.json);
    this.byteLengths = byteLengthsOf(this.#bytes);
    this.specials = specialIds(addedTokens);
  }

  normalize(text: string): string {
    const wellFormed = text.replace(LONE_SURROGATE, '\ufffd');
    if (this.#nfcOnly) return toNfc(wellFormed);
    return this.#library.normalizer?.normalize(wellFormed) ?? wellFormed;
  }

  tokenBytes(id: number): Uint8Array {
    return bytesOfId(this.#bytes, id);
  }

  /** Of other normalizers than NFC a part of a normal text may be changed: a strip changes what begins with a blank. */
  isNormal(text: string): boolean {
    return this.#nfcOnly && this.normalize(text) === text;
  }

  encode(text: string, into: TokenSink, special: SpecialHandling, options?: EncodeOptions): number {
    const before = into.length;
    this.#splitter.encode(text, into, { special, normal: options?.normal === true }, this.#encodeWords);
    return into.length - before;
  }

  #encodePiece(text: string, into: TokenSink, section: number): void {
    const { pre_tokenizer: splitter, model } = this.#library;
    if (model === null) return;
    const words = splitter === null ? [text] : splitter.pre_tokenize(text, { section_index: section });
    const tokens = model(words);
    reserve(into, tokens.length);
    for (const token of tokens) {
      const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
      if (id !== undefined) into.ids[into.length++] = id;
    }
  }
}

function openLibrary(file: TokenizerFile): Tokenizer {
  const unsupported = unsupportedByLibrary(file.json);
  if (unsupported !== null) throw new Error(unsupported);
  const raw: Record<string, unknown> = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
  };
  Object.assign(raw, file.json.raw, { added_tokens: [] });
  raw['pre_tokenizer'] = spellPatterns(raw['pre_tokenizer']);
  return new Tokenizer(raw, {});
}

/** A pre-tokenizer whose patterns the library's engine reads as the reference reads the original ones. */
function spellPatterns(stage: unknown): unknown {
  return JSON.parse(JSON.stringify(stage), (key, value: unknown) => {
    if (key === 'Regex' && typeof value === 'string')
      return value.replaceAll(CONTRACTIONS, CONTRACTIONS_SPELT);
    const { type, use_regex: usesPattern = true } = (value ?? {}) as { type?: unknown; use_regex?: unknown };
    if (type !== 'ByteLevel' || usesPattern === false) return value;
    return {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: GPT2_WORDS }, behavior: 'Isolated', invert: false },
        { ...(value as object), use_regex: false },
      ],
    };
  });
}
