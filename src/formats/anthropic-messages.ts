import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { inputSpans } from './claude-inputs.js';
import { fieldPath, listOf, objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { asArray, asBoolean, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** Blocks that only the Anthropic API has. */
const OWN_BLOCKS: ReadonlySet<string> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'mcp_tool_use',
]);

export const anthropicMessages: FormatAdapter = {
  name: 'anthropic-messages',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Messages in the shape of the Anthropic API: JSON lines of rows, one row, or the messages of one chat as a bare list or a line each',
    recognised_by:
      'messages with tool_use, tool_result or thinking blocks, or a system field beside messages of user and assistant',
    scores: 'none; `resolved` where the row has it',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'thinking blocks and think tags; absent where only their signature is logged (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'arguments are objects: the text that the model wrote is not recorded',
      'fields of a row beside messages, system, tools, model, stop_reason, ids and resolved',
      'pictures and documents become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some(isRow))
    return { confidence: 'likely', reason: 'JSON lines with Anthropic messages', unit: 'line' };
  if (sniff.lines.length > 1 && holdsOwnBlock(sniff.lines))
    return { confidence: 'likely', reason: 'an Anthropic message a line', unit: 'lines' };
  if (isRow(sniff.json))
    return { confidence: 'likely', reason: 'an object with Anthropic messages', unit: 'document' };
  if (holdsOwnBlock(sniff.json))
    return { confidence: 'likely', reason: 'a list of Anthropic messages', unit: 'document' };
  return null;
}

function isRow(value: unknown): boolean {
  if (!hasKeys(value, 'messages')) return false;
  const { messages } = value as { messages?: unknown };
  if (holdsOwnBlock(messages)) return true;
  const items = asArray(messages);
  const roles = items.every(
    (item) => isObject(item) && (item['role'] === 'user' || item['role'] === 'assistant'),
  );
  const { system } = value as { system?: unknown };
  return items.length > 0 && roles && (typeof system === 'string' || Array.isArray(system));
}

function holdsOwnBlock(messages: unknown): boolean {
  const items = asArray(messages);
  if (!items.every((item) => hasKeys(item, 'role', 'content'))) return false;
  return items.some((item) =>
    asArray((item as JsonObject)['content']).some(
      (block) => isObject(block) && OWN_BLOCKS.has(asString(block['type']) ?? ''),
    ),
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const row: JsonObject = Array.isArray(input) ? { messages: input } : objectOf(input, 'row');
  const messages = listOf(row['messages'], 'messages').map((value, index) => {
    const path = `messages[${index}]`;
    return readMessage(objectOf(value, path), path);
  });
  if (messages.length === 0) throw new RejectError('no_turns', 'an empty list of messages');
  const system = row['system'] ?? null;
  const opening: LoggedMessage[] =
    system === null ? [] : [{ role: 'system', content: system, path: 'system' }];
  const last = messages.at(-1);
  if (last?.role === 'assistant' && (last.stop ?? null) === null && row['stop_reason'] !== undefined) {
    messages[messages.length - 1] = { ...last, stop: row['stop_reason'] };
  }
  const metadata = isObject(row['metadata']) ? row['metadata'] : {};
  const run = messagesRun(
    {
      messages: [...opening, ...messages],
      cutReply: (text, origin) => actionSpans(text, [], origin),
    },
    context,
    {
      session_id: firstId(
        [row, metadata],
        ['session_id', 'traj_id', 'trajectory_id', 'conversation_id', 'uuid', 'id'],
      ),
      task_id: firstId([row, metadata], ['task_id', 'instance_id']),
      model: asString(row['model']) ?? asString(metadata['model']),
      tools: Array.isArray(row['tools']) && row['tools'].length > 0 ? JSON.stringify(row['tools']) : null,
      resolved: asBoolean(row['resolved']) ?? asBoolean(metadata['resolved']),
    },
  );
  requireModelTurns(run.turns);
  return [run];
}

function readMessage(message: JsonObject, path: string): LoggedMessage {
  const role = requiredString(message, 'role', path);
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
  return {
    role,
    content: message['content'],
    path,
    id: asString(message['id']),
    model: asString(message['model']),
    stop: message['stop_reason'],
    timestamp: asString(message['timestamp']),
    cut: (text) => inputSpans(text, { human: true }),
  };
}
