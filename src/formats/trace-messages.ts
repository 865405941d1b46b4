import { parseJsonText } from '../logs/json.js';
import { asArray, asId, asString, isObject, type JsonObject } from './shape.js';

/**
 * Messages as tracing tools log them, in the shapes of many client libraries (OpenAI chat and Responses, Anthropic blocks,
 * LangChain, OpenTelemetry parts, Gemini contents), as messages of the OpenAI API. Definitions of tools that stand among the
 * messages are given apart. What has no known shape becomes a user message with its JSON.
 */
export function traceMessages(value: unknown): { messages: JsonObject[]; tools: unknown[] } {
  const tools: unknown[] = [];
  const messages = joinItems(listOfMessages(unpacked(value)).flatMap((item) => oneMessage(item, tools)));
  return { messages, tools };
}

/** The messages of a reply: of a chat completion or Responses object, a LangChain result, or as they stand. */
export function replyMessages(value: unknown): JsonObject[] {
  const output = unpacked(value);
  if (isObject(output)) {
    const [choice] = asArray(output['choices']);
    if (isObject(choice))
      return traceMessages([withFinish(choice['message'], choice['finish_reason'])]).messages;
    if (output['type'] === 'message' && output['stop_reason'] !== undefined) {
      return asReply(traceMessages([withFinish(output, output['stop_reason'])]).messages);
    }
    if (Array.isArray(output['output'])) return asReply(traceMessages(output['output']).messages);
    const [first] = asArray(output['generations']).flat();
    if (isObject(first)) return asReply(traceMessages([first['message'] ?? first['text'] ?? '']).messages);
    if (isObject(output['message'])) return asReply(traceMessages([output['message']]).messages);
    if (output['candidates'] !== undefined) {
      const [candidate] = asArray(output['candidates']);
      return isObject(candidate) ? asReply(traceMessages([candidate['content']]).messages) : [];
    }
  }
  if (typeof output === 'string') return output === '' ? [] : [{ role: 'assistant', content: output }];
  return asReply(traceMessages(output).messages);
}

/** A key by which two messages are the same text and calls, whatever their shape. */
export function messageKey(message: JsonObject): string {
  const calls = asArray(message['tool_calls']).map((call) => {
    const target = isObject(call) && isObject(call['function']) ? call['function'] : call;
    return isObject(target) ? [target['name'], canonical(target['arguments'])] : null;
  });
  return JSON.stringify([message['role'], plainText(message['content']), calls]);
}

function asReply(messages: readonly JsonObject[]): JsonObject[] {
  return messages.map((message) => ({ ...message, role: 'assistant' }));
}

function withFinish(message: unknown, reason: unknown): unknown {
  return isObject(message) && typeof reason === 'string' ? { ...message, finish_reason: reason } : message;
}

/** JSON that was logged as a string. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJsonText(value).value;
  } catch {
    return value;
  }
}

function listOfMessages(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.length === 1 && Array.isArray(value[0]) ? value[0] : value;
  if (!isObject(value)) return [value];
  for (const key of ['messages', 'input', 'contents', 'prompt']) {
    if (value[key] !== undefined && value[key] !== null) {
      const nested = unpacked(value[key]);
      return Array.isArray(nested) ? listOfMessages(nested) : [nested];
    }
  }
  return [value];
}

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  HumanMessageChunk: 'user',
  user: 'user',
  ai: 'assistant',
  AIMessageChunk: 'assistant',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

function oneMessage(value: unknown, tools: unknown[]): JsonObject[] {
  const item = unpacked(value);
  if (typeof item === 'string') return [{ role: 'user', content: item }];
  if (!isObject(item))
    return item === null || item === undefined ? [] : [{ role: 'user', content: JSON.stringify(item) }];
  if (isObject(item['kwargs']))
    return oneMessage({ ...item['kwargs'], type: item['kwargs']['type'] ?? lcType(item['id']) }, tools);
  if (isObject(item['data']) && item['content'] === undefined)
    return oneMessage({ ...item['data'], type: item['type'] }, tools);
  if (item['type'] === 'function' && isObject(item['function'])) {
    tools.push(item);
    return [];
  }
  if (item['role'] === 'tool' && isObject(item['content']) && item['content']['type'] === 'function') {
    tools.push(item['content']);
    return [];
  }
  switch (item['type']) {
    case 'function_call':
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: [callOf(item['call_id'] ?? item['id'], item)],
          item: true,
        },
      ];
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: asId(item['call_id']), content: textOf(item['output']) }];
    case 'reasoning': {
      const text = asArray(item['content'])
        .map((part) => (isObject(part) ? (asString(part['text']) ?? '') : ''))
        .join('');
      return text === '' ? [] : [{ role: 'assistant', content: null, reasoning_content: text, item: true }];
    }
  }
  const role = ROLES[asString(item['role']) ?? asString(item['type']) ?? ''];
  if (role === undefined) return [{ role: 'user', content: JSON.stringify(item) }];
  if (Array.isArray(item['parts'])) return partsMessages(role, item);
  if (asArray(item['content']).some(isAnthropicBlock)) {
    return blockMessages(item).flatMap((message) => oneMessage(message, tools));
  }
  const kwargs = isObject(item['additional_kwargs']) ? item['additional_kwargs'] : {};
  // LangChain keeps what it parsed, what it could not, and the raw calls of some providers, which hold both as written.
  const parsed = [...asArray(item['tool_calls']), ...asArray(item['invalid_tool_calls'])];
  const calls = firstFilled(kwargs['tool_calls'], parsed).map((call) => normalCall(call));
  return [
    {
      role,
      content: role === 'assistant' ? replyContent(item['content']) : contentOf(item['content']),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(role === 'tool' ? { tool_call_id: asId(item['tool_call_id']) ?? null } : {}),
      ...(asString(item['name']) === null ? {} : { name: item['name'] }),
      ...(asString(item['reasoning_content']) === null
        ? {}
        : { reasoning_content: item['reasoning_content'] }),
      ...(asString(item['finish_reason']) === null ? {} : { finish_reason: item['finish_reason'] }),
      // A Responses item of one reply, told by its parts: it may be joined with the next.
      ...(item['type'] === 'message' ? { item: true } : {}),
    },
  ];
}

const ANTHROPIC_BLOCKS: ReadonlySet<string> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]);

function isAnthropicBlock(part: unknown): boolean {
  return isObject(part) && ANTHROPIC_BLOCKS.has(asString(part['type']) ?? '');
}

/** A message of Anthropic blocks as those of OpenAI's API: results stand before what else a message of the user holds. */
function blockMessages(item: JsonObject): JsonObject[] {
  const blocks = asArray(item['content']).filter(isObject);
  const of = (type: string): JsonObject[] => blocks.filter((block) => block['type'] === type);
  const results = of('tool_result').map((block) => ({
    role: 'tool',
    tool_call_id: asId(block['tool_use_id']),
    content: plainText(block['content']),
  }));
  const content = asArray(item['content']).filter((part) => !isAnthropicBlock(part));
  const calls = of('tool_use').map((block) =>
    callOf(block['id'], { name: block['name'], arguments: block['input'] }),
  );
  const reasoning = of('thinking')
    .map((block) => asString(block['thinking']) ?? '')
    .join('');
  const rest = {
    ...item,
    content: content.length === 0 ? null : content,
    tool_calls: firstFilled(item['tool_calls'], calls),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  };
  const answersAlone = results.length > 0 && content.length === 0;
  return [...results, ...(answersAlone ? [] : [rest])];
}

/** LangChain serialises the class of a message as the end of a path. */
function lcType(id: unknown): string {
  const name = asString(asArray(id).at(-1)) ?? '';
  return name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}

/** Parts of OpenTelemetry and Gemini: text, calls and results of calls. */
function partsMessages(role: string, item: JsonObject): JsonObject[] {
  const texts: string[] = [];
  const calls: JsonObject[] = [];
  const results: JsonObject[] = [];
  for (const part of asArray(item['parts'])) {
    if (!isObject(part)) continue;
    const call = isObject(part['functionCall']) ? part['functionCall'] : null;
    const response = isObject(part['functionResponse']) ? part['functionResponse'] : null;
    if (part['type'] === 'tool_call') calls.push(callOf(part['id'], part));
    else if (call !== null) calls.push(callOf(call['id'], { name: call['name'], arguments: call['args'] }));
    else if (part['type'] === 'tool_call_response') {
      results.push({
        role: 'tool',
        tool_call_id: asId(part['id']),
        content: textOf(part['result'] ?? part['response']),
      });
    } else if (response !== null)
      results.push({ role: 'tool', name: response['name'], content: textOf(response['response']) });
    else texts.push(asString(part['content']) ?? asString(part['text']) ?? JSON.stringify(part));
  }
  const finish = asString(item['finish_reason']);
  const said = texts.length > 0 || calls.length > 0;
  const message = {
    role,
    content: texts.join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(finish === null ? {} : { finish_reason: finish }),
  };
  return [...(said ? [message] : []), ...results];
}

function normalCall(call: unknown): JsonObject {
  if (!isObject(call)) return callOf(null, { name: 'unknown', arguments: call });
  const target = isObject(call['function']) ? call['function'] : call;
  return callOf(call['id'], { name: target['name'], arguments: target['arguments'] ?? target['args'] });
}

function callOf(id: unknown, call: JsonObject): JsonObject {
  return {
    id: asId(id),
    type: 'function',
    function: { name: asString(call['name']) ?? 'unknown', arguments: call['arguments'] ?? {} },
  };
}

/** Items of one reply in the Responses API stand side by side: they become one message. */
function joinItems(messages: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const { item, ...message } of messages) {
    const last = joined.at(-1);
    if (
      item === true &&
      last !== undefined &&
      last['role'] === 'assistant' &&
      last['open'] === true &&
      message['role'] === 'assistant'
    ) {
      const content = `${plainText(last['content'])}${plainText(message['content'])}`;
      const calls = [...asArray(last['tool_calls']), ...asArray(message['tool_calls'])];
      const reasoning = `${asString(last['reasoning_content']) ?? ''}${asString(message['reasoning_content']) ?? ''}`;
      joined[joined.length - 1] = {
        ...last,
        ...message,
        content,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        open: true,
      };
    } else joined.push({ ...message, ...(item === true ? { open: true } : {}) });
  }
  return joined.map(({ open: _open, ...message }) => message);
}

function firstFilled(...lists: readonly unknown[]): readonly unknown[] {
  return lists.map(asArray).find((list) => list.length > 0) ?? [];
}

const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);

/** Content as text, or as parts where it holds media. */
function contentOf(content: unknown): unknown {
  if (content === null || content === undefined || typeof content === 'string') return content ?? null;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const known = content.every(
    (part) =>
      typeof part === 'string' ||
      (isObject(part) &&
        (TEXT_PARTS.has(asString(part['type']) ?? '') || asString(part['type'])?.includes('image'))),
  );
  return known ? content : JSON.stringify(content);
}

/** Parts of a reply that repeat its calls, or tell of reasoning that no one can say is the model's own text. */
const ASIDE: ReadonlySet<string> = new Set(['tool_call', 'invalid_tool_call', 'function_call', 'reasoning']);

/** Content of a reply: of unknown parts no text is made, which the model did not write; they refuse the chat. */
function replyContent(content: unknown): unknown {
  if (!Array.isArray(content)) return contentOf(content);
  const said = content.filter((part) => !isObject(part) || !ASIDE.has(asString(part['type']) ?? ''));
  return said.length === 0 && content.length > 0 ? null : said;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function plainText(content: unknown): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((part) => (isObject(part) ? (asString(part['text']) ?? '') : String(part))).join('');
}

function canonical(value: unknown): unknown {
  const parsed = unpacked(value ?? {});
  return sorted(parsed);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
