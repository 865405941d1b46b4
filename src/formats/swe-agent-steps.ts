import { objectOf, stringAt } from './fields.js';
import { asNumber } from './shape.js';

/** One entry of `trajectory`: what was sampled and what it led to. */
export interface Step {
  readonly action: string;
  readonly response: string;
  readonly reasoning: string | null;
  readonly observation: string;
  readonly seconds: number | null;
}

export interface Reply {
  readonly action: string | null;
  readonly content: string;
}

export function readSteps(list: readonly unknown[]): Step[] {
  return list.map((value, index) => {
    const path = `trajectory[${index}]`;
    const step = objectOf(value, path);
    const seconds = asNumber(step['execution_time']);
    return {
      action: stringAt(step, 'action', path) ?? '',
      response: stringAt(step, 'response', path) ?? '',
      reasoning: stringAt(step, 'reasoning_content', path),
      observation: stringAt(step, 'observation', path) ?? '',
      // Steps that never reached the shell carry 0.
      seconds: seconds === null || seconds === 0 ? null : seconds,
    };
  });
}

/**
 * The step of every reply in `history`. Replies that were refused and asked for again stand in `trajectory` only, so
 * that steps may be skipped; with equal counts reply and step go by position.
 */
export function alignSteps(replies: readonly Reply[], steps: readonly Step[]): (Step | null)[] {
  if (replies.length === steps.length) {
    return replies.map((reply, index) => {
      const step = steps[index];
      return step !== undefined && sameAction(step, reply) ? step : null;
    });
  }
  let next = 0;
  return replies.map((reply) => {
    const found = steps.findIndex(
      (step, index) => index >= next && sameAction(step, reply) && step.response === reply.content,
    );
    if (found < 0) return null;
    next = found + 1;
    return steps[found] ?? null;
  });
}

/** Whether the history holds another text than the model wrote: someone changed it afterwards. */
export function isEdited(reply: Reply, step: Step | null): boolean {
  return step !== null && step.response.trim() !== '' && step.response.trim() !== reply.content.trim();
}

function sameAction(step: Step, reply: Reply): boolean {
  return step.action === (reply.action ?? '');
}
