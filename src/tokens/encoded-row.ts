import type { Layout } from './layout.js';
import { placeTokens } from './token-places.js';
import type { TokenRow } from './token-row.js';

/**
 * A row as it was encoded. Most rows are never asked where their tokens lie, so that is found when it is asked for. A
 * class, since an object that brings a getter of its own has a shape of its own, which outlives it and all it refers to.
 */
export class EncodedRow implements TokenRow {
  readonly input_ids: TokenRow['input_ids'];
  readonly loss_mask: TokenRow['loss_mask'];
  readonly segments: TokenRow['segments'];
  readonly n_trained: number;
  readonly trained_turns: TokenRow['trained_turns'];
  readonly flags: TokenRow['flags'];
  readonly straddled_tokens: number;
  readonly ids_differ_because: TokenRow['ids_differ_because'];
  readonly proofs: TokenRow['proofs'];
  readonly #layout: Layout;
  readonly #byteLengths: Uint16Array;
  #places: Int32Array | null = null;

  constructor(
    row: Omit<TokenRow, 'segment_of_token'>,
    { layout, byteLengths }: { readonly layout: Layout; readonly byteLengths: Uint16Array },
  ) {
    this.input_ids = row.input_ids;
    this.loss_mask = row.loss_mask;
    this.segments = row.segments;
    this.n_trained = row.n_trained;
    this.trained_turns = row.trained_turns;
    this.flags = row.flags;
    this.straddled_tokens = row.straddled_tokens;
    this.ids_differ_because = row.ids_differ_because;
    this.proofs = row.proofs;
    this.#layout = layout;
    this.#byteLengths = byteLengths;
  }

  get segment_of_token(): Int32Array {
    this.#places ??= placeTokens(this.input_ids, this.#byteLengths, this.#layout);
    return this.#places;
  }
}
