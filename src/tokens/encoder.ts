import type { ChunkTrail } from './chunk-trail.js';
import type { AddedToken } from './tokenizer-json.js';

/** A growing list of ids in a reused typed array. `length` ids are valid. */
export interface TokenSink {
  ids: Int32Array;
  length: number;
  /** filled by engines that keep chunks */
  readonly chunks?: ChunkTrail;
}

/** Makes room for `extra` more ids; doubles, so that appending stays linear. */
export function reserve(sink: TokenSink, extra: number): void {
  const need = sink.length + extra;
  if (need <= sink.ids.length) return;
  const grown = new Int32Array(Math.max(need, sink.ids.length * 2));
  grown.set(sink.ids.subarray(0, sink.length));
  sink.ids = grown;
}

/**
 * `match`: text that looks like a special token is that token (template glue).
 * `plain`: it is encoded as ordinary text (content). Other added tokens are found in both.
 */
export type SpecialHandling = 'match' | 'plain';

export interface EncodeOptions {
  readonly normal?: boolean;
}

/** One interface over tokenizer engines. Ids equal those of the reference `tokenizers` library. */
export interface Encoder {
  /** `bpe` for the project's own engine, else the library's name */
  readonly engine: string;
  /** sha256 (hex) of the tokenizer.json bytes */
  readonly sha256: string;
  /**
   * Appends the ids of `text` and returns how many were added. No BOS or EOS is added. Text that is known to be `normal`,
   * as isNormal says, is not normalised again.
   */
  encode(text: string, into: TokenSink, special: SpecialHandling, options?: EncodeOptions): number;
  /** Whether the text is its own normal form and so is every part of it; may be false where that is not known. */
  isNormal(text: string): boolean;
  /**
   * UTF-8 bytes of the normalised text that each id stands for; the byte end of a token is the running sum.
   * Null where the tokenizer's tokens are not pieces of bytes.
   */
  readonly byteLengths: Uint16Array | null;
  /** Text as the tokenizer normalises it before splitting (NFC for Qwen). */
  normalize(text: string): string;
  /** Every added token of tokenizer.json, special or not. */
  readonly addedTokens: readonly AddedToken[];
  /** Special tokens (marked special in tokenizer.json): content to id. */
  readonly specials: ReadonlyMap<string, number>;
  /** The bytes of one id; of a special or added token those of its content. */
  tokenBytes(id: number): Uint8Array;
}
