import { SPLIT_KINDS, type SplitKindName } from '../../src/tokens/bpe/split-kinds.js';
import { BYTE_CHARACTERS } from '../../src/tokens/byte-alphabet.js';
import type { TokenizerFile } from '../../src/tokens/tokenizer-file.js';
import { type AddedToken, parseTokenizer } from '../../src/tokens/tokenizer-json.js';

type AddedTokenFlags = Partial<Omit<AddedToken, 'id' | 'content'>>;

export interface SmallTokenizer {
  readonly added?: ReadonlyArray<readonly [content: string, flags?: AddedTokenFlags]>;
  readonly merges?: ReadonlyArray<readonly [string, string]>;
  readonly normalizer?: unknown;
  readonly kind?: SplitKindName;
  readonly preTokenizer?: unknown;
  readonly model?: Record<string, unknown>;
}

/** The text of a byte-level tokenizer.json with the 256 bytes (id = byte), given merges, and added tokens from 1000 on. */
export function smallTokenizer(options: SmallTokenizer = {}): string {
  const vocab: Record<string, number> = {};
  for (const [id, character] of BYTE_CHARACTERS.entries()) vocab[character] = id;
  for (const [k, [left, right]] of (options.merges ?? []).entries()) vocab[left + right] ??= 256 + k;
  for (let id = Object.keys(vocab).length; id < 1000; id++) vocab[`unused${id}`] = id;
  const splits = SPLIT_KINDS[options.kind ?? 'qwen2'].patterns.map((Regex) => ({
    type: 'Split',
    pattern: { Regex },
    behavior: 'Isolated',
    invert: false,
  }));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: (options.added ?? []).map(([content, flags], k) => ({
      id: 1000 + k,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: false,
      ...flags,
    })),
    normalizer: options.normalizer ?? null,
    pre_tokenizer: options.preTokenizer ?? { type: 'Sequence', pretokenizers: [...splits, byteLevel] },
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', vocab, merges: options.merges ?? [], ...options.model },
  });
}

/** A tokenizer.json that lies in no file. */
export function tokenizerFile(text: string): TokenizerFile {
  return {
    path: 'small/tokenizer.json',
    sha256: 'f'.repeat(64),
    json: parseTokenizer(text, 'small/tokenizer.json'),
  };
}
