import type { Rendering, Segment } from '../chat/segment.js';
import { SpecialFinder } from '../chat/special-tokens.js';
import { TrajmillError } from '../errors.js';
import { encodeLayout } from '../tokens/encode-layout.js';
import type { RowEncoderOptions } from '../tokens/encode-row.js';
import { layOut } from '../tokens/layout.js';
import { MASK_POLICIES, type MaskPolicyName } from '../tokens/mask-policy.js';
import { maskTokens } from '../tokens/token-mask.js';
import { placeTokens } from '../tokens/token-places.js';

/** A rendering as tokens, with a mask and the place of each token. */
export interface TrainedTokens {
  readonly ids: Int32Array;
  /** 0 or 1 per id, of token i itself */
  readonly mask: ArrayLike<number>;
  /** index into segments of each token's first byte */
  readonly segment: Int32Array;
  readonly segments: readonly Segment[];
}

/** What a trainer that renders messages itself trains of a conversation. */
export interface TrainerRule {
  readonly policy: MaskPolicyName;
  /** turns that it trains, as positions in the conversation */
  readonly turns: ReadonlySet<number>;
}

/**
 * Encodes a rendering and masks it as a trainer does: the parts of its policy in every turn that it trains, whoever
 * wrote the words and whether or not they were cut short.
 */
export function trainerTokens(
  { segments }: Rendering,
  { policy, turns }: TrainerRule,
  { encoder, mask }: RowEncoderOptions,
): TrainedTokens {
  const { byteLengths } = encoder;
  if (byteLengths === null)
    throw new TrajmillError('E_TOKENIZER', 'tokens of this tokenizer are not pieces of bytes');
  const parts = MASK_POLICIES[policy];
  const marks = Uint8Array.from(segments, ({ turn, part }) => (turns.has(turn) && parts[part] ? 1 : 0));
  const finder = new SpecialFinder(encoder.specials.keys());
  const layout = layOut({ segments, encoder, finder, cutAfterHeaders: mask.boundary === 'sampled' });
  const ids = encodeLayout(layout, encoder, { ids: new Int32Array(1024), length: 0 });
  const into = new Uint8Array(ids.length);
  maskTokens(ids, { byteLengths, layout, marks, into });
  return { ids, mask: into, segment: placeTokens(ids, byteLengths, layout), segments };
}
