import type { Span } from '../trajectory/span.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { chatRun } from './chat-run.js';
import type { JsonObject } from './shape.js';
import { messageKey } from './trace-messages.js';

/** One call of a model: the whole context that it was shown, and its reply. */
export interface LoggedCall {
  readonly input: readonly JsonObject[];
  readonly reply: readonly JsonObject[];
  readonly tools: readonly unknown[];
  readonly model: string | null;
  readonly started_at: string | null;
}

/** Calls of which each is shown the context and reply of the one before. */
export interface CallChain {
  readonly calls: readonly LoggedCall[];
}

/**
 * Chains of calls, in order of their first call: each call repeats all that came before, so that the last of a chain
 * holds the whole run. A call whose context continues no other begins a chain of its own.
 */
export function callChains(calls: readonly LoggedCall[]): CallChain[] {
  const chains: { calls: LoggedCall[]; keys: string[] }[] = [];
  for (const call of calls) {
    const input = call.input.map(messageKey);
    const longest = chains
      .filter(
        (chain) =>
          chain.keys.length <= input.length && chain.keys.every((key, index) => key === input[index]),
      )
      .reduce<(typeof chains)[number] | null>(
        (best, chain) => (best === null || chain.keys.length > best.keys.length ? chain : best),
        null,
      );
    const keys = [...input, ...call.reply.map(messageKey)];
    if (longest === null) chains.push({ calls: [call], keys });
    else {
      longest.calls.push(call);
      longest.keys = keys;
    }
  }
  return chains;
}

/**
 * The run that a chain logs: the context and reply of its last call. Assistant messages that no call of the chain
 * wrote are history, shown to the model and not generated here.
 */
export function chainRun(chain: CallChain, rest: { context: ReadContext; row?: JsonObject }): RawTrajectory {
  const last = chain.calls.at(-1);
  const messages = last === undefined ? [] : [...last.input, ...last.reply];
  const written = new Map<number, LoggedCall>();
  for (const call of chain.calls) {
    call.reply.forEach((_, offset) => {
      written.set(call.input.length + offset, call);
    });
  }
  const tools = chain.calls.find((call) => call.tools.length > 0)?.tools ?? [];
  const models = new Set(chain.calls.flatMap((call) => call.model ?? []));
  const run = chatRun({ ...rest.row, messages, ...(tools.length === 0 ? {} : { tools }) }, rest.context);
  const turns = run.turns.map((turn, index) => {
    if (turn.role !== 'assistant') return turn;
    const call = written.get(index);
    if (call === undefined) {
      const spans = turn.spans.map((span): Span => ({ ...span, origin: 'environment' }));
      return { ...turn, spans, flags: [...turn.flags, 'copied_context'] };
    }
    const spans =
      models.size > 1 ? turn.spans.map((span): Span => ({ ...span, model: call.model })) : turn.spans;
    return { ...turn, spans, timestamp: turn.timestamp ?? call.started_at };
  });
  const [model] = models;
  return { ...run, turns, model: run.model ?? (models.size === 1 ? (model ?? null) : null) };
}
