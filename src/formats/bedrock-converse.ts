import { RejectError } from '../logs/reject.js';
import { contentSpan } from '../trajectory/build.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { fieldPath, listOf, objectOf, requiredString, stringAt } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { readRows } from './row-lists.js';
import { asArray, asBoolean, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const bedrockConverse: FormatAdapter = {
  name: 'bedrock-converse',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Messages of the Converse API of Amazon Bedrock, as Strands agents keep them: a chat, rows or a message a line',
    recognised_by: 'messages whose content has parts of toolUse, toolResult or reasoningContent',
    scores: 'none; `resolved` where the row has it',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'reasoningText of reasoningContent; absent where it is redacted (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tools, unless the row has them (system, toolConfig)',
      'arguments are objects: the text that the model wrote is not recorded',
      'cache points, marks of guards and sources of citations; pictures, documents and videos become placeholders',
      'results that are JSON, and search results, stand as their JSON text',
      'replies and calls that Strands wrote itself are environment: direct calls of a program (flag harness_reply), and what stands in the place of a call that was cut off',
    ],
  },
  detect,
  read,
};

const TELLING = ['toolUse', 'toolResult', 'reasoningContent'] as const;

function detect(sniff: Sniff): Detection | null {
  const found = (reason: string, unit: 'line' | 'lines' | 'document'): Detection => ({
    confidence: 'certain',
    reason,
    unit,
  });
  const { json, lines } = sniff;
  if (lines.some(isRow)) return found('rows with messages of the Converse API', 'line');
  // Not certain, so that lines which are lists are a chat each.
  if (lines.length > 1 && isMessages(lines.map(bareMessage)))
    return { ...found('a message of the Converse API a line', 'lines'), confidence: 'likely' };
  if (isRow(json) || (Array.isArray(json) && json.length > 0 && json.every(isRow)))
    return found('rows with messages of the Converse API', 'document');
  return Array.isArray(json) && isMessages(json.map(bareMessage))
    ? found('messages of the Converse API', 'document')
    : null;
}

function isRow(value: unknown): boolean {
  return isObject(value) && isMessages(asArray(value['messages']).map(bareMessage));
}

/** Strands keeps each message with its place in the session around it. */
function bareMessage(value: unknown): unknown {
  return isObject(value) && isObject(value['message']) && !hasKeys(value, 'role') ? value['message'] : value;
}

function isMessages(items: readonly unknown[]): boolean {
  return (
    items.every((item) => hasKeys(item, 'role') && Array.isArray(item['content'])) &&
    items.some((item) => partsOf(item).some((part) => TELLING.some((key) => isObject(part[key]))))
  );
}

function partsOf(message: unknown): JsonObject[] {
  return (isObject(message) ? asArray(message['content']) : []).filter(isObject);
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (Array.isArray(input) && input.some(isRow)) {
    return readRows(input, context, (row, path) => [readRow(objectOf(row, path), context)]);
  }
  return [readRow(Array.isArray(input) ? { messages: input } : objectOf(input, 'row'), context)];
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const system = systemOf(row);
  const logged = listOf(row['messages'], 'messages').map((value, index) => {
    const path = `messages[${index}]`;
    return converseMessage(objectOf(bareMessage(value), path), path);
  });
  const messages = logged.map((message, index) => harnessReply(message, logged[index - 1]) ?? message);
  const tools = toolsOf(row);
  const run = messagesRun(
    {
      messages:
        system === null ? messages : [{ role: 'system', content: system, path: 'system' }, ...messages],
      cutReply: (text, origin) =>
        HARNESS_WORDS.test(text) ? [contentSpan('text', 'environment', text)] : actionSpans(text, [], origin),
    },
    context,
    {
      session_id: firstId([row], ['session_id', 'sessionId', 'conversation_id', 'id', 'requestId']),
      task_id: firstId([row], ['task_id', 'instance_id']),
      model: asString(row['model']) ?? asString(row['modelId']),
      tools: tools.length > 0 ? JSON.stringify(tools) : null,
      resolved: asBoolean(row['resolved']),
      flags: system === null ? ['system_prompt_absent'] : [],
    },
  );
  requireModelTurns(run.turns);
  return run;
}

/** What Strands writes over a call that the limit of tokens cut off, and over a reply that a guard refused. */
const CUT_CALL =
  /^The selected tool .+'s tool use was incomplete due to maximum token limits being reached\.$/s;
const HARNESS_WORDS = new RegExp(`${CUT_CALL.source}|^\\[Assistant output redacted\\.\\]$`, 's');

/** A program that calls a tool of Strands itself leaves a prompt, a call and a closing reply, all written by Strands. */
const DIRECT_PROMPT = /^agent\.tool\.\S+ direct tool call\.\n/;
const DIRECT_REPLY = /^agent\.(?:tool\.)?\S+ was called\.?$/;

function harnessReply(message: Converse, before: Converse | undefined): LoggedMessage | null {
  if (message.role !== 'assistant') return null;
  const isDirect =
    textsOf(message).some((text) => DIRECT_REPLY.test(text)) ||
    (before?.role === 'user' && textsOf(before).some((text) => DIRECT_PROMPT.test(text)));
  if (isDirect) return { ...message, origin: 'environment', flags: ['harness_reply'] };
  return textsOf(message).some((text) => CUT_CALL.test(text)) ? { ...message, truncated: 'length' } : null;
}

function textsOf(message: Converse): string[] {
  return message.content.flatMap((block) =>
    block['type'] === 'text' ? (asString(block['text']) ?? []) : [],
  );
}

function systemOf(row: JsonObject): string | null {
  const system = row['system'] ?? row['system_prompt'];
  if (typeof system === 'string') return system;
  const texts = asArray(system).flatMap((part) => (isObject(part) ? (asString(part['text']) ?? []) : []));
  return texts.length > 0 ? texts.join('\n') : null;
}

/** Tools in the shape of the OpenAI API, which templates print. */
function toolsOf(row: JsonObject): JsonObject[] {
  const config = isObject(row['toolConfig']) ? row['toolConfig'] : {};
  return asArray(config['tools']).flatMap((tool) => {
    const spec = isObject(tool) && isObject(tool['toolSpec']) ? tool['toolSpec'] : null;
    if (spec === null) return [];
    const { inputSchema, ...rest } = spec as { inputSchema?: unknown };
    const parameters = isObject(inputSchema) ? (inputSchema['json'] ?? {}) : {};
    return [{ type: 'function', function: { ...rest, parameters } }];
  });
}

interface Converse extends LoggedMessage {
  readonly content: readonly JsonObject[];
}

function converseMessage(message: JsonObject, path: string): Converse {
  const role = requiredString(message, 'role', path);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
  const content = listOf(message['content'], fieldPath(path, 'content')).flatMap((value, index) => {
    const at = `${path}.content[${index}]`;
    return converseBlock(objectOf(value, at), at);
  });
  return { role, path, content };
}

const MEDIA = ['image', 'document', 'video', 'audio'] as const;

function converseBlock(part: JsonObject, path: string): JsonObject[] {
  const text = stringAt(part, 'text', path);
  if (text !== null) return text === '' ? [] : [{ type: 'text', text }];
  const { toolUse, toolResult, reasoningContent, guardContent, citationsContent } = part as Record<
    string,
    unknown
  >;
  if (isObject(toolUse)) {
    const name = requiredString(toolUse, 'name', `${path}.toolUse`);
    return [{ type: 'tool_use', id: toolUse['toolUseId'], name, input: toolUse['input'] ?? {} }];
  }
  if (isObject(toolResult)) {
    const content = asArray(toolResult['content']).flatMap(resultPart);
    const is_error = toolResult['status'] === 'error';
    return [{ type: 'tool_result', tool_use_id: toolResult['toolUseId'], content, is_error }];
  }
  if (isObject(reasoningContent)) {
    const told = isObject(reasoningContent['reasoningText']) ? reasoningContent['reasoningText'] : {};
    return [{ type: 'thinking', thinking: asString(told['text']) ?? '' }];
  }
  if (MEDIA.some((key) => Object.hasOwn(part, key))) return [{ type: 'image' }];
  if (isObject(citationsContent)) return asArray(citationsContent['content']).flatMap(resultPart);
  if (isObject(guardContent))
    return guardContent['text'] === undefined ? [{ type: 'image' }] : resultPart(guardContent['text']);
  if (Object.hasOwn(part, 'searchResult')) return resultPart(part);
  if (Object.hasOwn(part, 'cachePoint')) return [];
  throw new RejectError(
    'bad_shape',
    `${path}: a part of unknown kind (${Object.keys(part).slice(0, 4).join(', ')})`,
  );
}

function resultPart(part: unknown): JsonObject[] {
  if (!isObject(part)) return [];
  const text = asString(part['text']);
  if (text !== null) return [{ type: 'text', text }];
  if (MEDIA.some((key) => Object.hasOwn(part, key))) return [{ type: 'image' }];
  return [{ type: 'text', text: JSON.stringify(Object.hasOwn(part, 'json') ? part['json'] : part) }];
}
