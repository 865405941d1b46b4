/**
 * What a piece of a rendered conversation is. Mask policies are tables over these parts (tokens/mask-policy.ts).
 *
 * - `header`: what opens a turn and the generation prompt provides (`<|im_start|>assistant\n`), also where the log keeps
 *   the end of it, a `<think>`, in the turn's own content
 * - `reasoning`, `text`, `tool_call`: the words of an assistant turn; `text` as glue is what frames plain text, such
 *   as the channel that harmony opens for it
 * - `think_frame`: think tags and their newlines around recorded reasoning
 * - `call_frame`: tool-call tags and framing around a structured call
 * - `marked_header`: what the generation prompt provides, but a template marks as the model's with a generation block
 * - `empty_think`: an empty think block that the template invents
 * - `stop`: the stop token of an assistant turn; where a template prints none, the token that opens the next message
 * - `separator`: what follows the stop token (a newline, or an end of text that the template marks as the model's)
 * - `context`: everything that no model wrote: system, user, tool turns and all their framing
 */
export const SEGMENT_PARTS = [
  'header',
  'marked_header',
  'reasoning',
  'text',
  'tool_call',
  'think_frame',
  'call_frame',
  'empty_think',
  'stop',
  'separator',
  'context',
] as const;

export type SegmentPart = (typeof SEGMENT_PARTS)[number];

/** A piece of the rendering, in order; all pieces joined are the rendering. */
export interface Segment {
  readonly text: string;
  readonly part: SegmentPart;
  /** index of the turn in the trajectory, -1 for what belongs to none */
  readonly turn: number;
  /** index of the span in that turn which the piece carries or, for think and call frames, frames; else -1 */
  readonly span: number;
  /** template glue: special tokens in it are special; in everything else they are plain text */
  readonly glue: boolean;
}

/** A rendering of some turns of a trajectory. */
export interface Rendering {
  readonly segments: readonly Segment[];
  /** assistant turns of which the template left out recorded reasoning or text */
  readonly stripped_reasoning: readonly number[];
  /**
   * assistant turns behind another turn of the model that the template prints as its continuation: without the opening that
   * its generation prompt would give them
   */
  readonly continued: readonly number[];
}
