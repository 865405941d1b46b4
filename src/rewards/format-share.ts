import { turnContent } from '../trajectory/build.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';

/**
 * The format term of SandMLE: the share (0 to 1) of the model's turns that think before they act. `used` asks for
 * `<think>...</think>` anywhere (the paper), `opening` for a thought that opens the turn and is not blank (the
 * released code). Reasoning that the log keeps in a field of its own stands before the content and counts as a
 * thought. A run without model turns has share 0.
 */
export function formatShare(trajectory: Trajectory, reading: 'used' | 'opening'): number {
  const turns = trajectory.turns.filter(
    (turn) => turn.role === 'assistant' && turn.spans.some((span) => span.origin === 'model'),
  );
  if (turns.length === 0) return 0;
  const thinks = reading === 'used' ? usesThought : opensWithThought;
  return turns.filter(thinks).length / turns.length;
}

function usesThought(turn: Turn): boolean {
  return hasReasoningField(turn) || /<think>[\s\S]*?<\/think>/.test(turnContent(turn));
}

function opensWithThought(turn: Turn): boolean {
  if (hasReasoningField(turn)) return true;
  const thought = /^\s*<think>([\s\S]*?)<\/think>/.exec(turnContent(turn))?.[1];
  return thought !== undefined && thought.trim() !== '';
}

function hasReasoningField(turn: Turn): boolean {
  return turn.spans.some((span) => span.kind === 'reasoning' && !span.inline && span.text.trim() !== '');
}
