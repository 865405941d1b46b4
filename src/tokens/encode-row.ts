import { composeStretches } from '../chat/compose.js';
import type { ChatRenderer } from '../chat/renderer.js';
import type { Rendering } from '../chat/segment.js';
import { SpecialFinder } from '../chat/special-tokens.js';
import { TrajmillError } from '../errors.js';
import { RejectError } from '../logs/reject.js';
import { ChunkTrail } from './chunk-trail.js';
import { encodeLayout, sameIds } from './encode-layout.js';
import { EncodedRow } from './encoded-row.js';
import type { Encoder, TokenSink } from './encoder.js';
import { type Layout, layOut } from './layout.js';
import type { MaskOptions } from './mask-options.js';
import { Prover } from './proofs.js';
import { hasOnlyGlueSpecials } from './special-places.js';
import type { RowPlan } from './stretches.js';
import { maskTokens } from './token-mask.js';
import type { IdDifference, MaskProofs, TokenRow } from './token-row.js';
import { markTrained } from './trained-segments.js';
import { decideTurns, type MaskSubject } from './trained-turns.js';

export interface RowEncoderOptions {
  readonly encoder: Encoder;
  readonly renderer: ChatRenderer;
  readonly mask: MaskOptions;
}

export interface RowRequest {
  readonly trajectory: MaskSubject & { readonly tools: string | null };
  readonly plan: Pick<RowPlan, 'indices' | 'trains' | 'preserve' | 'joint'>;
}

/** Throws TrajmillError E_TOKENIZER for a tokenizer whose tokens are not pieces of bytes. */
export function createRowEncoder(options: RowEncoderOptions): RowEncoder {
  return new RowEncoder(options);
}

/**
 * Renders, encodes, masks and proves rows. Buffers are reused: the arrays of a row are views that live until the
 * next call. The whole rendering is encoded as one string; only glue can yield special tokens. Linear in the
 * length of the rendering.
 */
export class RowEncoder {
  readonly #options: RowEncoderOptions;
  readonly #byteLengths: Uint16Array;
  readonly #finder: SpecialFinder;
  readonly #prover: Prover;
  readonly #chunks = new ChunkTrail();
  readonly #sink: TokenSink = { ids: new Int32Array(1 << 16), length: 0, chunks: this.#chunks };
  #mask = new Uint8Array(0);

  constructor(options: RowEncoderOptions) {
    const { encoder } = options;
    if (encoder.byteLengths === null) {
      throw new TrajmillError(
        'E_TOKENIZER',
        'tokens of this tokenizer are not pieces of bytes: masks cannot be proved',
      );
    }
    this.#options = options;
    this.#byteLengths = encoder.byteLengths;
    this.#finder = new SpecialFinder(encoder.specials.keys());
    this.#prover = new Prover({ encoder, mask: options.mask });
  }

  /** Throws RejectError: template_error, truncated_turn, or mask_not_provable where a proof fails. */
  encode({ trajectory, plan }: RowRequest): TokenRow {
    const { encoder, mask } = this.#options;
    const rendering = this.#render(trajectory, plan);
    const { segments } = rendering;
    const decision = decideTurns({ subject: trajectory, rendering, candidates: plan.trains, mask });
    const marks = markTrained(segments, { subject: trajectory, trained: decision.trained, mask });
    const layout = layOut({
      segments,
      encoder,
      finder: this.#finder,
      cutAfterHeaders: mask.boundary === 'sampled',
    });
    const input_ids = encodeLayout(layout, encoder, this.#sink);
    const count = input_ids.length;
    if (this.#mask.length < count) this.#mask = new Uint8Array(Math.max(count, this.#mask.length * 2));
    const { n_trained, straddled_tokens } = maskTokens(input_ids, {
      byteLengths: this.#byteLengths,
      layout,
      marks,
      chunks: this.#chunks.known(),
      into: this.#mask,
    });
    const loss_mask = this.#mask.subarray(0, count);
    const ids_differ_because = this.#differences({ trajectory, plan }, rendering, layout, input_ids);
    const proofs = this.#prover.prove({
      input_ids,
      loss_mask,
      chunks: this.#chunks.known(),
      straddled_tokens,
      ids_differ_because,
      segments,
      layout,
      subject: trajectory,
      trained: decision.trained,
      altered: new Set(rendering.stripped_reasoning),
    });
    refuseUnproved(proofs);
    return new EncodedRow(
      {
        input_ids,
        loss_mask,
        segments,
        n_trained,
        trained_turns: [...decision.trained],
        flags: decision.flags,
        straddled_tokens,
        ids_differ_because,
        proofs,
      },
      { layout, byteLengths: this.#byteLengths },
    );
  }

  #render(
    { turns, tools }: RowRequest['trajectory'],
    { indices, preserve, joint }: RowRequest['plan'],
  ): Rendering {
    const { renderer } = this.#options;
    const input = { turns, indices, tools };
    if (!preserve)
      return joint === null ? renderer.render(input) : composeStretches(renderer, input, [joint]);
    const preserved = renderer.renderPreserving(input);
    if (preserved === null) {
      throw new RejectError('template_not_prefix', `template ${renderer.name} cannot keep earlier reasoning`);
    }
    return preserved;
  }

  /** Why the ids are not those of the template's own rendering, encoded with special tokens found everywhere. */
  #differences(
    { trajectory, plan }: RowRequest,
    rendering: Rendering,
    layout: Layout,
    ids: Int32Array,
  ): IdDifference[] {
    const reasons: IdDifference[] = [];
    if (!hasOnlyGlueSpecials(layout, this.#finder)) reasons.push('special_text');
    if (this.#options.mask.boundary === 'sampled' && this.#differsFromWhole(rendering, ids)) {
      reasons.push('boundary_sampled');
    }
    if (plan.preserve || plan.joint !== null) {
      const { turns, tools } = trajectory;
      const own = this.#options.renderer.render({ turns, indices: plan.indices, tools });
      if (joinSegments(own) !== joinSegments(rendering)) reasons.push(plan.preserve ? 'preserved' : 'split');
    }
    return reasons;
  }

  #differsFromWhole({ segments }: Rendering, ids: Int32Array): boolean {
    const { encoder } = this.#options;
    const layout = layOut({ segments, encoder, finder: this.#finder, cutAfterHeaders: false });
    const whole = encodeLayout(layout, encoder, { ids: new Int32Array(ids.length + 1), length: 0 });
    return !sameIds(whole, ids);
  }
}

function joinSegments({ segments }: Rendering): string {
  let text = '';
  for (const segment of segments) text += segment.text;
  return text;
}

function refuseUnproved(proofs: MaskProofs): void {
  const failed = Object.entries(proofs).filter(([, held]) => held !== true);
  if (failed.length > 0) {
    throw new RejectError('mask_not_provable', `not proved: ${failed.map(([name]) => name).join(', ')}`);
  }
}
