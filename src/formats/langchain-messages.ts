import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun } from './chat-run.js';
import { asArray, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { traceMessages } from './trace-messages.js';

export const langchainMessages: FormatAdapter = {
  name: 'langchain-messages',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Messages of LangChain and states of LangGraph: one JSON, a list, or a message a line',
    recognised_by:
      'messages of type human, ai, tool and system with content instead of a role, bare, under data, or as constructors',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning: 'none: whether a reasoning part is a summary is not recorded',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'usage, response metadata beside the model, artifacts of tools',
      'arguments are objects where the raw call of the provider is not kept: the text that the model wrote is not recorded',
      'other values of a state than its messages; checkpoints before the one that is given',
      'a reply with parts of unknown types refuses the log',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isChat(sniff.json)) {
    return { confidence: 'certain', reason: 'messages of LangChain', unit: 'document' };
  }
  if (sniff.lines.length > 1 && isChat(sniff.lines)) {
    return { confidence: 'certain', reason: 'a message of LangChain a line', unit: 'lines' };
  }
  if (!sniff.lines.some(isChat)) return null;
  return { confidence: 'certain', reason: 'lines with messages of LangChain', unit: 'line' };
}

const CLASS = /^(?:Human|AI|System|Tool|Function)Message(?:Chunk)?$/;
const TYPES: ReadonlySet<string> = new Set([
  'human',
  'ai',
  'system',
  'tool',
  'function',
  'AIMessageChunk',
  'HumanMessageChunk',
]);

/** Messages alone, of an object, or of the values of a state; one of a model or a person is among them. */
function messagesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  const state = isObject(value['values']) ? value['values'] : value;
  return asArray(state['messages']);
}

function isChat(value: unknown): boolean {
  const messages = messagesOf(value);
  const spoken = messages.some((message) =>
    ['human', 'ai', 'AIMessageChunk'].includes(typeOf(message) ?? ''),
  );
  return spoken && messages.every((message) => typeOf(message) !== null);
}

/** The type of a message; null for anything else. */
function typeOf(message: unknown): string | null {
  if (!isObject(message) || hasKeys(message, 'role')) return null;
  const name = asString(asArray(message['id']).at(-1)) ?? '';
  if (message['type'] === 'constructor' && isObject(message['kwargs']) && CLASS.test(name)) {
    return name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
  }
  const type = asString(message['type']);
  const held = hasKeys(message, 'content') || hasKeys(message['data'], 'content');
  return held && type !== null && TYPES.has(type) ? type : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const state: JsonObject = isObject(input) ? input : {};
  const list = messagesOf(input);
  const row = {
    messages: traceMessages(list).messages,
    session_id: firstId([state], ['session_id', 'thread_id', 'run_id', 'id']),
    model: list.map(modelOf).find((model) => model !== null) ?? null,
  };
  const run = chatRun(row, context);
  requireModelTurns(run.turns);
  return [run];
}

/** The model that a reply names. */
function modelOf(message: unknown): string | null {
  const held = [message, ...['data', 'kwargs'].map((key) => (isObject(message) ? message[key] : null))];
  for (const fields of held) {
    const metadata = isObject(fields) ? fields['response_metadata'] : null;
    if (!isObject(metadata)) continue;
    const model = asString(metadata['model_name']) ?? asString(metadata['model']);
    if (model !== null) return model;
  }
  return null;
}
