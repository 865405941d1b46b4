import { readFileSync } from 'node:fs';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readJson,
  toPythonJson,
} from '../../src/chat/python-json.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Span } from '../../src/trajectory/span.js';
import { ROLES, type Turn } from '../../src/trajectory/turn.js';

const folder = new URL('../interop/fixtures/', import.meta.url);

export interface Conversation {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly tools: string | null;
}

export interface Golden {
  readonly template_sha256: string;
  readonly texts: Readonly<Record<string, string | null>>;
}

/** What Python's Jinja2 made of the conversations with the template of a tokenizer package. */
export function readGolden(name: string): Golden {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Golden;
}

/** The conversations of the golden set as turns; objects keep their keys' order and their numbers' form. */
export function goldenConversations(): Conversation[] {
  const list = readJson(readFileSync(new URL('conversations.json', folder), 'utf8'));
  return array(list).map((entry) => {
    const conversation = object(entry);
    const tools = conversation.get('tools');
    return {
      name: string(conversation.get('name')),
      turns: array(conversation.get('messages')).map((message) => turnOfMessage(object(message))),
      tools: tools === undefined ? null : toPythonJson(tools),
    };
  });
}

function turnOfMessage(message: JsonObject): Turn {
  const role = ROLES.find((known) => known === message.get('role'));
  if (role === undefined) throw new Error('golden message without a role');
  const model = role === 'assistant';
  const spans: Span[] = [];
  const reasoning = message.get('reasoning_content');
  if (typeof reasoning === 'string') spans.push(reasoningSpan(reasoning));
  const content = string(message.get('content'));
  if (model) spans.push(contentSpan('text', 'model', content));
  else spans.push(contentSpan(role === 'tool' ? 'observation' : 'prompt', 'environment', content));
  for (const entry of array(message.get('tool_calls') ?? [])) spans.push(callSpan(object(entry)));
  return makeTurn(role, spans, {
    name: text(message.get('name')),
    tool_call_id: text(message.get('tool_call_id')),
  });
}

function callSpan(entry: JsonObject): Span {
  const called = object(entry.get('function'));
  const args = called.get('arguments') ?? null;
  const verbatim = typeof args === 'string' ? args : toPythonJson(args);
  const span = structuredCallSpan({
    id: text(entry.get('id')),
    name: string(called.get('name')),
    arguments: verbatim,
  });
  if (span.call === null || typeof args === 'string') return span;
  return { ...span, call: { ...span.call, arguments_were_object: true } };
}

function array(value: JsonValue | undefined): readonly JsonValue[] {
  if (!isJsonArray(value)) throw new Error('golden set: a list was expected');
  return value;
}

function object(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error('golden set: an object was expected');
  return value;
}

function string(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw new Error('golden set: a string was expected');
  return value;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
