import type { SegmentPart } from '../chat/segment.js';

/** Which parts of a trained assistant turn count in the loss. */
export type MaskPolicy = Readonly<Record<SegmentPart, boolean>>;

/** What the model samples: its words, the frames around them, the stop token. All of it is trained in every policy. */
const SAMPLED = {
  reasoning: true,
  text: true,
  tool_call: true,
  think_frame: true,
  call_frame: true,
  context: false,
  header: false,
  marked_header: false,
  stop: true,
  separator: false,
  empty_think: false,
} as const satisfies MaskPolicy;

/** The turn as the template renders it, behind its header. */
const AS_RENDERED = { ...SAMPLED, separator: true, empty_think: true } as const;

const WITH_HEADER = { ...AS_RENDERED, header: true, marked_header: true } as const;

/**
 * The parts that each trainer trains for the same messages. `sampled` is what the model samples; the others
 * reproduce the trainer of that name. An empty think block exists only where the template makes one, so that
 * "as rendered" is true here. A header that stands in a generation block of the template is trained by those that train
 * headers, and by TRL, which alone follows the blocks.
 */
export const MASK_POLICIES = {
  sampled: SAMPLED,
  trl: { ...AS_RENDERED, marked_header: true },
  verl: AS_RENDERED,
  slime: AS_RENDERED,
  'llama-factory': AS_RENDERED,
  axolotl: SAMPLED,
  tinker: SAMPLED,
  'nemo-rl': WITH_HEADER,
  rllm: WITH_HEADER,
} as const satisfies Record<string, MaskPolicy>;

export type MaskPolicyName = keyof typeof MASK_POLICIES;

export const MASK_POLICY_NAMES = Object.keys(MASK_POLICIES) as [MaskPolicyName, ...MaskPolicyName[]];
