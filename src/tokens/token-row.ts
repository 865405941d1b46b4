/** Why ids may differ from the tokenizer's own rendering of the template (mask proof 5). */
export const ID_DIFFERENCES = ['special_text', 'boundary_sampled', 'split', 'preserved'] as const;
export type IdDifference = (typeof ID_DIFFERENCES)[number];

/** A tokenised stretch of a conversation. Arrays are views that live until the next row is encoded. */
export interface TokenRow {
  readonly input_ids: Int32Array;
  /** 0 or 1 per id, same length; index i speaks of token i (unshifted) */
  readonly loss_mask: Uint8Array;
  /** trajectory turn of each token, -1 for what belongs to none; same length */
  readonly turn_of_token: Int32Array;
  readonly n_trained: number;
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
