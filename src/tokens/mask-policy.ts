import type { SegmentPart } from '../chat/segment.js';

/** Which parts of a trained assistant turn count in the loss. */
export type MaskPolicy = Readonly<Record<SegmentPart, boolean>>;

/** What the model samples itself: its words and the frames around them. The same in every policy. */
const WORDS = {
  reasoning: true,
  text: true,
  tool_call: true,
  think_frame: true,
  call_frame: true,
  context: false,
} as const;

/**
 * The parts that each trainer trains for the same messages. `sampled` is what the model samples; the others
 * reproduce the trainer of that name. An empty think block exists only where the template makes one, so that
 * "as rendered" is true here. A header that stands in a generation block of the template is trained by those that train
 * headers, and by TRL, which alone follows the blocks.
 */
export const MASK_POLICIES = {
  sampled: {
    ...WORDS,
    header: false,
    marked_header: false,
    stop: true,
    separator: false,
    empty_think: false,
  },
  trl: { ...WORDS, header: false, marked_header: true, stop: true, separator: true, empty_think: true },
  verl: { ...WORDS, header: false, marked_header: false, stop: true, separator: true, empty_think: true },
  slime: { ...WORDS, header: false, marked_header: false, stop: true, separator: true, empty_think: true },
  'llama-factory': {
    ...WORDS,
    header: false,
    marked_header: false,
    stop: true,
    separator: true,
    empty_think: true,
  },
  axolotl: {
    ...WORDS,
    header: false,
    marked_header: false,
    stop: true,
    separator: false,
    empty_think: false,
  },
  tinker: { ...WORDS, header: false, marked_header: false, stop: true, separator: false, empty_think: false },
  'nemo-rl': { ...WORDS, header: true, marked_header: true, stop: true, separator: true, empty_think: true },
  rllm: { ...WORDS, header: true, marked_header: true, stop: true, separator: true, empty_think: true },
} as const satisfies Record<string, MaskPolicy>;

export type MaskPolicyName = keyof typeof MASK_POLICIES;

export const MASK_POLICY_NAMES = Object.keys(MASK_POLICIES) as [MaskPolicyName, ...MaskPolicyName[]];
