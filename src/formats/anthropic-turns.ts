import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Origin, Span } from '../trajectory/span.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import { blocksOf, isResultBlock, promptSpans, replyBlocks, resultBlock } from './anthropic-blocks.js';
import { asString, type JsonObject } from './shape.js';

/** A message in the shape of the Anthropic API, with what its log says of it. */
export interface LoggedMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: unknown;
  /** place in the log, for faults */
  readonly path: string;
  /** id of the API message: parts of one message share it */
  readonly id?: string | null;
  readonly model?: string | null;
  readonly stop?: unknown;
  /** where the log says in other words that the reply was not completed */
  readonly truncated?: Truncation | null;
  readonly timestamp?: string | null;
  /** of what an assistant message says: `environment` for copied or harness text */
  readonly origin?: Origin;
  readonly flags?: readonly string[];
  /** how text of a user message is cut into spans, where that is not one prompt */
  readonly cut?: (text: string) => Span[];
  /** what the log keeps beside the tool results of this message */
  readonly beside?: unknown;
  /** it stands in no context, so that another answer to the same call goes before its own */
  readonly stray?: boolean;
  /** no message, but a note that the harness cleared the results of these calls out of the context */
  readonly clears?: readonly string[];
}

/** What the model sees in the place of a result that the harness cleared. */
const CLEARED_RESULT = '[Old tool result content cleared]';

/** What a log says of the answer to a call. */
export interface CallAnswer {
  readonly turn: number;
  readonly is_error: boolean | null;
  readonly beside: unknown;
  readonly stray: boolean;
}

export interface MessageTurns {
  readonly turns: Turn[];
  /** for each message the turns that it became or joined */
  readonly turnsOf: readonly (readonly number[])[];
  /** by call id */
  readonly answers: ReadonlyMap<string, CallAnswer>;
  /** assistant turns for which the log says why they stopped */
  readonly stopped: ReadonlySet<number>;
}

/** Why generation stopped, where it was not the model's choice. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'aborted',
};

export function stopTruncation(reason: unknown): Truncation | null {
  const name = asString(reason) ?? '';
  return Object.hasOwn(TRUNCATIONS, name) ? (TRUNCATIONS[name] ?? null) : null;
}

/**
 * Turns of a conversation. Parts of one API message (same id) become one assistant turn where its first part stands;
 * each tool result is a tool turn of its own, what else a user message says a user turn after them. Spans name
 * the model of their message.
 */
export function messageTurns(
  messages: readonly LoggedMessage[],
  options: { readonly cutReply?: (text: string, origin: Origin) => Span[] } = {},
): MessageTurns {
  const state: State = {
    turns: [],
    answers: new Map(),
    names: new Map(),
    open: new Map(),
    stopped: new Set(),
    cutReply: options.cutReply ?? ((text, origin) => [contentSpan('text', origin, text)]),
  };
  const turnsOf = messages.map((message) => {
    if (message.clears !== undefined) return addCleared(message.clears, message, state);
    return message.role === 'assistant' ? [addReply(message, state)] : addInput(message, state);
  });
  return { turns: state.turns, turnsOf, answers: state.answers, stopped: state.stopped };
}

interface State {
  readonly turns: Turn[];
  readonly answers: Map<string, CallAnswer>;
  /** tool names by call id */
  readonly names: Map<string, string>;
  /** by the id of an API message */
  readonly open: Map<string, OpenMessage>;
  readonly stopped: Set<number>;
  readonly cutReply: (text: string, origin: Origin) => Span[];
}

/** The turn of an API message and the blocks that it holds, as JSON. */
interface OpenMessage {
  readonly turn: number;
  readonly blocks: string[];
  readonly known: Set<string>;
}

/** A turn for each result as the model sees it from now on; the result itself stays where it was. */
function addCleared(calls: readonly string[], message: LoggedMessage, state: State): number[] {
  const { timestamp = null } = message;
  return calls
    .filter((call) => state.answers.has(call))
    .map((call) => {
      const rest = { name: state.names.get(call) ?? null, tool_call_id: call, timestamp };
      const spans = [contentSpan('observation', 'environment', CLEARED_RESULT)];
      return state.turns.push(makeTurn('tool', spans, { ...rest, flags: ['cleared_result'] })) - 1;
    });
}

function addReply(message: LoggedMessage, state: State): number {
  const turn = joinReply(message, state);
  if ((message.stop ?? null) !== null) state.stopped.add(turn);
  return turn;
}

function joinReply(message: LoggedMessage, state: State): number {
  const { turns } = state;
  const origin = message.origin ?? 'model';
  const blocks = blocksOf(message.content, `${message.path}.content`);
  const id = message.id ?? null;
  const known = id === null ? undefined : state.open.get(id);
  const fresh = known === undefined ? blocks : newBlocks(blocks, known);
  const { spans, flags } = replyBlocks(fresh, {
    path: `${message.path}.content`,
    origin,
    cut: (text) => state.cutReply(text, origin),
  });
  const own = spans.map((span) =>
    span.origin === 'model' ? { ...span, model: message.model ?? null } : span,
  );
  for (const { call } of own) if (call !== null && call.id !== null) state.names.set(call.id, call.name);
  const truncated = stopTruncation(message.stop) ?? message.truncated ?? null;
  const added = [...(message.flags ?? []), ...flags];
  const before = known === undefined ? undefined : turns[known.turn];
  if (known !== undefined && before !== undefined) {
    keepBlocks(known, fresh);
    // A reply of the run's own, so that its spans may grow where they stand.
    for (const span of own) before.spans.push(span);
    turns[known.turn] = {
      ...before,
      truncated: truncated ?? before.truncated,
      flags: [...new Set([...before.flags, ...added])],
    };
    return known.turn;
  }
  turns.push(
    makeTurn('assistant', own, {
      truncated,
      timestamp: message.timestamp ?? null,
      flags: [...new Set(added)],
    }),
  );
  const turn = turns.length - 1;
  if (id !== null) {
    const open: OpenMessage = { turn, blocks: [], known: new Set() };
    keepBlocks(open, fresh);
    state.open.set(id, open);
  }
  return turn;
}

function keepBlocks(message: OpenMessage, blocks: readonly JsonObject[]): void {
  for (const block of blocks) {
    const text = JSON.stringify(block);
    message.blocks.push(text);
    message.known.add(text);
  }
}

/** The blocks that a message does not hold yet: some logs write each block once, others all of them again. */
function newBlocks(blocks: readonly JsonObject[], open: OpenMessage): readonly JsonObject[] {
  const { blocks: known } = open;
  const texts = blocks.map((block) => JSON.stringify(block));
  if (texts.length >= known.length && known.every((text, index) => text === texts[index])) {
    return blocks.slice(known.length);
  }
  return blocks.filter((block, index) => block['type'] === 'text' || !open.known.has(texts[index] ?? ''));
}

function addInput(message: LoggedMessage, state: State): number[] {
  const { turns } = state;
  const added: number[] = [];
  const timestamp = message.timestamp ?? null;
  const cut = message.cut ?? ((text: string) => [contentSpan('prompt', 'environment', text)]);
  const blocks = blocksOf(message.content, `${message.path}.content`);
  const spans: Span[] = [];
  blocks.forEach((block, index) => {
    const path = `${message.path}.content[${index}]`;
    if (!isResultBlock(block)) {
      spans.push(...promptSpans(block, path, cut));
      return;
    }
    const result = resultBlock(block, path);
    const { call_id } = result;
    const name = call_id === null ? null : (state.names.get(call_id) ?? null);
    const turn = turns.push(makeTurn('tool', result.spans, { name, tool_call_id: call_id, timestamp })) - 1;
    added.push(turn);
    if (call_id === null) return;
    const known = state.answers.get(call_id);
    const stray = message.stray === true;
    if (known === undefined || (known.stray && !stray)) {
      state.answers.set(call_id, { turn, is_error: result.is_error, beside: message.beside, stray });
    }
  });
  if (spans.length > 0 || blocks.length === 0) {
    const own = spans.length > 0 ? spans : [contentSpan('prompt', 'environment', '')];
    const role = message.role === 'system' ? 'system' : 'user';
    added.push(turns.push(makeTurn(role, own, { timestamp, flags: [...(message.flags ?? [])] })) - 1);
  }
  return added;
}
