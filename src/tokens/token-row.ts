import type { Segment } from '../chat/segment.js';

/** Why ids may differ from the tokenizer's own rendering of the template (mask proof 5). */
export const ID_DIFFERENCES = ['special_text', 'boundary_sampled', 'split', 'preserved'] as const;
export type IdDifference = (typeof ID_DIFFERENCES)[number];

/** A tokenised stretch of a conversation. Arrays are views that live until the next row is encoded. */
export interface TokenRow {
  readonly input_ids: Int32Array;
  /** 0 or 1 per id, same length; index i speaks of token i (unshifted) */
  readonly loss_mask: Uint8Array;
  /**
   * index into `segments` of the segment that holds the token's first byte; same length. Turn, span and part
   * of a token are those of its segment, so that windows can be laid over tokens.
   */
  readonly segment_of_token: Int32Array;
  /** the rendering that was encoded, in order */
  readonly segments: readonly Segment[];
  readonly n_trained: number;
  /** trajectory turns of which this row trains something, ascending */
  readonly trained_turns: readonly number[];
  /** what the mask left out and why: empty_turn, stripped_reasoning_masked, ... */
  readonly flags: readonly string[];
  /** tokens that lie across the edge of trained text and so are not trained */
  readonly straddled_tokens: number;
  readonly ids_differ_because: readonly IdDifference[];
  /** the five statements of SEMANTICS section 4, each checked */
  readonly proofs: MaskProofs;
}

/** Result of each proof: true where checked and held. A row with a false one is rejected. */
export interface MaskProofs {
  readonly lengths: boolean;
  readonly trained_text: boolean;
  readonly stop_tokens: boolean;
  readonly no_injected_specials: boolean;
  readonly ids_equal_rendering: boolean;
}
