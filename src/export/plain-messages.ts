import { Field, List, Schema, Struct, Utf8 } from 'apache-arrow';
import type { StoredMessage } from '../chat/messages.js';
import { isJsonText } from '../trajectory/json-text.js';
import { RawJson } from './json-lines-file.js';

type StoredCall = NonNullable<StoredMessage['tool_calls']>[number];

/** A message with OpenAI's fields only, every call's arguments a string of JSON. */
export function plainMessage(message: StoredMessage) {
  const { role, content, reasoning_content, tool_calls, name, tool_call_id } = message;
  return {
    role,
    content,
    reasoning_content,
    tool_calls: tool_calls?.map(({ id, type, function: { name: called, arguments: text } }) => ({
      id,
      type,
      function: { name: called, arguments: text },
    })),
    name,
    tool_call_id,
  };
}

/**
 * The arguments as a template saw them: an object where the log held one, else the string. For readers of JSON
 * lines that keep every row as it is; columnar ones need one type for all.
 */
export function argumentsAsSeen({ function: called, arguments_were_object }: StoredCall): RawJson | string {
  return arguments_were_object === true && isJsonText(called.arguments)
    ? new RawJson(called.arguments)
    : called.arguments;
}

/**
 * A call as text, spaced as Python and the Qwen and Hermes templates write it. The arguments are the object that they
 * spell, or else a string.
 */
export function callText({ function: { name, arguments: text } }: StoredCall): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${isJsonText(text) ? text : JSON.stringify(text)}}`;
}

export const rawTools = (tools: string | null): RawJson | undefined =>
  tools === null ? undefined : new RawJson(tools);

/** Reasoning before the words, in think tags, for readers that know one text field. */
export function withThinkTags({ reasoning_content: reasoning, content }: StoredMessage): string {
  return reasoning === undefined ? content : `<think>\n${reasoning}\n</think>\n\n${content}`;
}

/** A turn as one text: reasoning, words and calls, the calls in the tags of the Qwen and Hermes templates. */
export function withWrittenCalls(message: StoredMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => `<tool_call>\n${callText(call)}\n</tool_call>`);
  const gap = message.content !== '' && calls.length > 0 ? '\n' : '';
  return `${withThinkTags(message)}${gap}${calls.join('\n')}`;
}

const text = (name: string): Field => new Field(name, new Utf8(), true);

const CALL = new Struct([
  text('id'),
  text('type'),
  new Field('function', new Struct([text('name'), text('arguments')]), true),
]);

const MESSAGE = new Struct([
  text('role'),
  text('content'),
  text('reasoning_content'),
  new Field('tool_calls', new List(new Field('element', CALL, true)), true),
  text('name'),
  text('tool_call_id'),
]);

/** Messages as nested columns: one type for every row and part, whatever the first rows hold. */
export const MESSAGES_SCHEMA = new Schema([
  new Field('messages', new List(new Field('element', MESSAGE, true)), true),
  text('tools'),
]);

const nulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, item ?? null])) as T;

/** A row of MESSAGES_SCHEMA: absent fields are null, `tools` is a string of JSON. */
export function messagesRow(messages: readonly StoredMessage[], tools: string | null) {
  const plain = messages.map((message) => {
    const { tool_calls, ...rest } = plainMessage(message);
    return nulls({ ...rest, tool_calls: tool_calls?.map(nulls) });
  });
  return { messages: plain, tools };
}
