import type { Span } from '../trajectory/span.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { chatRun, ownRun } from './chat-run.js';
import { ownModel } from './model-names.js';
import { isSummary, REASONING_SUMMARY, sendsSummaries } from './reasoning-summary.js';
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
  const chains: { readonly calls: LoggedCall[] }[] = [];
  const root = stem();
  for (const call of calls) {
    let at = root;
    let longest = root.chains.size > 0 ? root : null;
    for (const message of call.input) {
      at = behind(at, message);
      if (at.chains.size > 0) longest = at;
    }
    for (const message of call.reply) at = behind(at, message);
    const chain = longest === null ? chains.length : Math.min(...longest.chains);
    longest?.chains.delete(chain);
    at.chains.add(chain);
    const known = chains[chain];
    if (known === undefined) chains.push({ calls: [call] });
    else known.calls.push(call);
  }
  return chains;
}

/** A place in the tree of all contexts: what was said up to here, and the chains that have come just so far. */
interface Stem {
  readonly next: Map<string, Stem>;
  readonly chains: Set<number>;
}

function stem(): Stem {
  return { next: new Map(), chains: new Set() };
}

function behind(place: Stem, message: JsonObject): Stem {
  const key = messageKey(message);
  const known = place.next.get(key);
  if (known !== undefined) return known;
  const fresh = stem();
  place.next.set(key, fresh);
  return fresh;
}

/** A reply as a later context repeats it, with what it seldom does: why it ended, and the reasoning before it. */
function asWritten(shown: JsonObject, reply: JsonObject): JsonObject {
  const added = ['finish_reason', 'reasoning_content'].filter(
    (key) => (shown[key] ?? null) === null && (reply[key] ?? null) !== null,
  );
  return added.length === 0
    ? shown
    : { ...shown, ...Object.fromEntries(added.map((key) => [key, reply[key]])) };
}

/** The spans of a reply, which name its model; what a provider sends in the place of reasoning no model wrote. */
function replySpans(spans: readonly Span[], model: string | null): Span[] {
  return spans.map((span) =>
    span.kind === 'reasoning' && !span.inline && sendsSummaries(model)
      ? { ...span, origin: 'environment' }
      : { ...span, model },
  );
}

/**
 * The run that a chain logs: the context and reply of its last call. Assistant messages that no call of the chain
 * wrote are history, shown to the model and not generated here, unless the context is known to be the session's own.
 */
export function chainRun(
  chain: CallChain,
  rest: { context: ReadContext; row?: JsonObject; whole?: boolean },
): RawTrajectory {
  const last = chain.calls.at(-1);
  const messages = last === undefined ? [] : [...last.input, ...last.reply];
  const written = new Map<number, LoggedCall>();
  for (const call of chain.calls) {
    call.reply.forEach((reply, offset) => {
      const index = call.input.length + offset;
      const shown = messages[index];
      written.set(index, call);
      if (shown !== undefined) messages[index] = asWritten(shown, reply);
    });
  }
  const tools = chain.calls.find((call) => call.tools.length > 0)?.tools ?? [];
  const run = chatRun({ ...rest.row, messages, ...(tools.length === 0 ? {} : { tools }) }, rest.context);
  const turns = run.turns.map((turn, index) => {
    if (turn.role !== 'assistant') return turn;
    const call = written.get(index);
    if (call === undefined && rest.whole === true) return turn;
    if (call === undefined) {
      const spans = turn.spans.map((span): Span => ({ ...span, origin: 'environment' }));
      return { ...turn, spans, flags: [...turn.flags, 'copied_context'] };
    }
    const spans = replySpans(turn.spans, call.model);
    return { ...turn, spans, timestamp: turn.timestamp ?? call.started_at };
  });
  // Of several models the one that wrote most is the run's: only what it wrote is trained.
  const own = ownModel(turns, run.model);
  const done = ownRun(run, own.turns, rest.context);
  const summarised = turns.some(
    ({ flags, spans }) => !flags.includes('copied_context') && spans.some(isSummary),
  );
  const flags = [...done.flags, ...(summarised ? [REASONING_SUMMARY] : [])];
  return { ...done, model: own.model, flags };
}
