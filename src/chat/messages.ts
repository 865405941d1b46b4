import { z } from 'zod';
import { RejectError } from '../logs/reject.js';
import { ORIGINS, SPAN_KINDS, type Span } from '../trajectory/span.js';
import { ROLES, TRUNCATIONS, type Turn } from '../trajectory/turn.js';
import { type ChatCall, toChatMessage } from './message.js';

const FIELDS = ['content', 'reasoning_content', 'tool_calls'] as const;

const storedSpanSchema = z.strictObject({
  kind: z.enum(SPAN_KINDS),
  origin: z.enum(ORIGINS),
  in: z.enum(FIELDS).describe('the field that holds it, each field in order'),
  length: z.int().optional().describe('UTF-16 units of its text; absent for a call'),
  model: z.string().optional().describe("model that wrote it, where it is not the trajectory's"),
});

const storedCallSchema = z.strictObject({
  id: z.string().optional(),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    arguments: z.string().describe('JSON; verbatim where the log held a string'),
  }),
  arguments_were_object: z.literal(true).optional().describe('a template sees an object'),
});

/**
 * A message of the `messages` column: OpenAI's fields, and what a proof of the mask needs besides. A trainer that
 * renders the OpenAI fields with the row's template gets the row's text.
 */
export const storedMessageSchema = z
  .strictObject({
    role: z.enum(ROLES),
    content: z.string(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(storedCallSchema).optional(),
    name: z.string().optional(),
    tool_call_id: z.string().optional(),
    trained: z.boolean().optional().describe('of an assistant message: the row trains it'),
    truncated: z.enum(TRUNCATIONS).optional().describe('why generation stopped early'),
    spans: z
      .array(storedSpanSchema)
      .optional()
      .describe(
        'the spans in order, where they are not the usual: reasoning_content, content and tool_calls of an ' +
          'assistant written by the model, any other content by the environment',
      ),
  })
  .describe('a chat message of a row');

export type StoredMessage = z.infer<typeof storedMessageSchema>;
type StoredSpan = z.infer<typeof storedSpanSchema>;
type StoredCall = z.infer<typeof storedCallSchema>;

/**
 * The chosen turns as chat messages, ready for JSON.stringify. `trained` are the turns that the row trains
 * (TokenRow.trained_turns). Throws RejectError('template_error') like rendering does.
 */
export function toMessages(
  { turns }: { readonly turns: readonly Turn[] },
  indices: readonly number[],
  trained: Iterable<number>,
): StoredMessage[] {
  const chosen = new Set(trained);
  return indices.map((index) => {
    const turn = turns[index];
    if (turn === undefined) throw new RejectError('template_error', `no turn ${index} in the trajectory`);
    return storeTurn(turn, { index, trained: chosen.has(index) });
  });
}

/** Reads the `messages` column back: turn i is message i. Throws RejectError('bad_shape'). */
export function fromMessages(json: string): { turns: Turn[]; trained: Set<number> } {
  let messages: StoredMessage[];
  try {
    messages = z.array(storedMessageSchema).parse(JSON.parse(json));
  } catch (error) {
    throw new RejectError('bad_shape', `stored messages: ${(error as Error).message}`);
  }
  const trained = new Set<number>();
  messages.forEach((message, index) => {
    if (message.trained === true) trained.add(index);
  });
  return { turns: messages.map(restoreTurn), trained };
}

function storeTurn(turn: Turn, { index, trained }: { index: number; trained: boolean }): StoredMessage {
  const { role, name, tool_call_id, content, reasoning, calls } = toChatMessage(turn, index);
  const message: StoredMessage = { role, content: content.text };
  if (reasoning !== null) message.reasoning_content = reasoning.text;
  if (calls.length > 0) message.tool_calls = calls.map(storeCall);
  if (name !== null) message.name = name;
  if (tool_call_id !== null) message.tool_call_id = tool_call_id;
  if (role === 'assistant') message.trained = trained;
  if (turn.truncated !== null) message.truncated = turn.truncated;
  if (!hasUsualSpans(turn, message)) message.spans = turn.spans.map(storeSpan);
  return message;
}

function storeCall({ id, name, arguments: text, is_object }: ChatCall): StoredCall {
  const own = { name, arguments: text };
  const call: StoredCall =
    id === null ? { type: 'function', function: own } : { id, type: 'function', function: own };
  if (is_object) call.arguments_were_object = true;
  return call;
}

function storeSpan(span: Span): StoredSpan {
  const { kind, origin, text, inline, model } = span;
  const field = inline ? 'content' : kind === 'reasoning' ? 'reasoning_content' : 'tool_calls';
  return {
    kind,
    origin,
    in: field,
    ...(field === 'tool_calls' ? {} : { length: text.length }),
    ...(model === null ? {} : { model }),
  };
}

/** The spans that a message has where it lists none. */
function usualSpans(message: StoredMessage): StoredSpan[] {
  if (message.role !== 'assistant') {
    const kind = message.role === 'tool' ? 'observation' : 'prompt';
    return [{ kind, origin: 'environment', in: 'content', length: message.content.length }];
  }
  const spans: StoredSpan[] = [];
  const { content, reasoning_content: reasoning, tool_calls: calls } = message;
  if (reasoning !== undefined) {
    spans.push({ kind: 'reasoning', origin: 'model', in: 'reasoning_content', length: reasoning.length });
  }
  if (content !== '') spans.push({ kind: 'text', origin: 'model', in: 'content', length: content.length });
  for (const _ of calls ?? []) spans.push({ kind: 'tool_call', origin: 'model', in: 'tool_calls' });
  return spans;
}

/**
 * Whether a turn has just the `usualSpans` of its message: said without making them, since nearly every turn has. As many
 * spans, of these kinds in this order, can only fill the fields that they belong to.
 */
function hasUsualSpans({ spans }: Turn, message: StoredMessage): boolean {
  const { role, content, reasoning_content: reasoning, tool_calls: calls } = message;
  if (role !== 'assistant') {
    const kind = role === 'tool' ? 'observation' : 'prompt';
    return spans.length === 1 && isUsual(spans[0], kind, 'environment');
  }
  let next = 0;
  if (reasoning !== undefined && !isUsual(spans[next++], 'reasoning', 'model')) return false;
  if (content !== '' && !isUsual(spans[next++], 'text', 'model')) return false;
  for (const _ of calls ?? []) if (!isUsual(spans[next++], 'tool_call', 'model')) return false;
  return next === spans.length;
}

function isUsual(span: Span | undefined, kind: Span['kind'], origin: Span['origin']): boolean {
  return span !== undefined && span.model === null && span.kind === kind && span.origin === origin;
}

function restoreTurn(message: StoredMessage): Turn {
  const at = { content: 0, reasoning_content: 0, tool_calls: 0 };
  let joint = 0;
  const spans = (message.spans ?? usualSpans(message)).map((stored): Span => {
    const common = { kind: stored.kind, origin: stored.origin, model: stored.model ?? null };
    if (stored.in === 'tool_calls') {
      const call = message.tool_calls?.[at.tool_calls++];
      if (call === undefined)
        throw new RejectError('bad_shape', 'stored messages: a call span without its call');
      const { name, arguments: text } = call.function;
      const arguments_were_object = call.arguments_were_object ?? false;
      return {
        ...common,
        text,
        inline: false,
        call: { id: call.id ?? null, name, arguments: text, arguments_were_object },
      };
    }
    const field = message[stored.in] ?? '';
    // Several reasoning spans are joined by one newline (toChatMessage).
    if (stored.in === 'reasoning_content') at.reasoning_content += joint++ > 0 ? 1 : 0;
    const start = at[stored.in];
    at[stored.in] = start + (stored.length ?? 0);
    return {
      ...common,
      text: field.slice(start, at[stored.in]),
      inline: stored.in === 'content',
      call: null,
    };
  });
  return {
    role: message.role,
    name: message.name ?? null,
    tool_call_id: message.tool_call_id ?? null,
    spans,
    truncated: message.truncated ?? null,
    weight: 1,
    timestamp: null,
    policy: null,
    flags: [],
  };
}
