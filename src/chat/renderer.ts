import type { Turn } from '../trajectory/turn.js';
import type { Rendering } from './segment.js';

export interface RenderInput {
  /** all turns of the trajectory; segment.turn indexes this list */
  readonly turns: readonly Turn[];
  /** indices of the turns to render, in order */
  readonly indices: readonly number[];
  /** JSON list of tool definitions, or null */
  readonly tools: string | null;
}

/** How to treat a template that rewrites earlier turns (SEMANTICS section 4). */
export const STRATEGIES = ['follow', 'preserve', 'split', 'reject'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** A chat template made executable. Throws RejectError('template_error') on messages it refuses. */
export interface ChatRenderer {
  readonly name: string;
  /** sha256 (hex) of the template text */
  readonly sha256: string;
  /** the whole conversation as the template renders it at once */
  render(input: RenderInput): Rendering;
  /** the same with the reasoning of every turn kept, where the template can be told to; null where not */
  renderPreserving(input: RenderInput): Rendering | null;
  /**
   * Positions in `indices` before which the model's view of earlier turns changed: rendering the prefix up to
   * there is no prefix of rendering more. `split` makes one row per stretch between breaks. A break before a turn
   * of the model is made by that turn itself (harmony drops the reasoning before calls once there is an answer).
   */
  breaks(input: RenderInput): readonly number[];
}
