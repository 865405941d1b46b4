import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';

/**
 * How a session ended, by its last turn that is part of the exchange: a complete reply without a call ends it, an
 * unanswered call, result or human prompt leaves it cut. What the harness wrote after the end (commands, notices) does not
 * count.
 */
export function sessionEnd(turns: readonly Turn[]): Termination {
  const last = turns.findLast(isExchange);
  if (last === undefined) return 'unknown';
  if (last.role !== 'assistant') return 'cut';
  if (last.flags.includes('api_error')) return 'error';
  if (last.truncated === 'length') return 'context_limit';
  if (last.truncated !== null) return last.truncated === 'error' ? 'error' : 'cut';
  return asksForResult(last) ? 'cut' : 'submitted';
}

/** Whether a reply waits for an answer: what it says behind a call that the provider ran itself ends it all the same. */
export function asksForResult({ spans, flags }: Turn): boolean {
  const isCall = (span: Span): boolean => span.call !== null || span.kind === 'malformed_call';
  const ran = flags.includes('server_tool') || spans.some(({ kind }) => kind === 'observation');
  if (!ran) return spans.some(isCall);
  const last = spans.findLast(({ origin }) => origin === 'model');
  return last !== undefined && isCall(last);
}

function isExchange(turn: Turn): boolean {
  if (turn.role !== 'user') return turn.role !== 'system';
  return turn.flags.includes('interrupted') || turn.spans.some((span) => span.kind !== 'observation');
}

/**
 * A reply that the user broke off, as the interruption right after it shows, was not completed, unless it is among those
 * for which the log has a stop reason. Interruptions of a tool stand after its result and leave the reply whole.
 */
export function markInterrupted(
  turns: Turn[],
  indices: readonly number[],
  stopped: ReadonlySet<number>,
): void {
  indices.forEach((index, position) => {
    const turn = turns[index];
    const before = indices[position - 1] ?? -1;
    const reply = turns[before];
    if (!turn?.flags.includes('interrupted') || turn.role !== 'user' || reply?.role !== 'assistant') return;
    if (reply.truncated === null && !stopped.has(before)) turns[before] = { ...reply, truncated: 'aborted' };
  });
}
