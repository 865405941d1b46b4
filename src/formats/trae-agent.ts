import { RejectError } from '../logs/reject.js';
import type { Truncation } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { fieldPath, listAt, listOf, objectAt, objectOf, requiredString, stringAt } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { readPiece } from './pieces.js';
import { asArray, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const traeAgent: FormatAdapter = {
  name: 'trae-agent',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Trae Agent: trajectory_*.json',
    recognised_by: 'an object with llm_interactions, of input_messages and a response, and agent_steps',
    scores: 'none; `success` says that the agent called its task done, and is no verdict',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'none: it is not recorded',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'thinking, and definitions of tools beside their names',
      'arguments are objects: the text that the model wrote is not recorded',
      'reflections that the harness wrote as replies are environment (flag harness_reply)',
      'token counts; steps beside what the interactions hold, but for the results of the last calls',
    ],
  },
  detect,
  read,
};

const LOG = 'llm_interactions';

function detect(sniff: Sniff): Detection | null {
  if (!hasKeys(sniff.json, LOG, 'agent_steps')) return null;
  const known = asArray(sniff.json[LOG]).some((one) => hasKeys(one, 'input_messages', 'response'));
  return known ? { confidence: 'certain', reason: 'a trajectory of Trae Agent', unit: 'document' } : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const runs: LoggedMessage[][] = [];
  listOf(document[LOG], LOG).forEach((value, index) => {
    const path = `${LOG}[${index}]`;
    const interaction = objectOf(value, path);
    const shown = listOf(interaction['input_messages'], `${path}.input_messages`).map((message, at) =>
      inputMessage(message, `${path}.input_messages[${at}]`),
    );
    const open = runs.at(-1);
    if (open === undefined || (shown[0]?.role === 'system' && !continues(shown, open))) runs.push(shown);
    else open.push(...(shown[0]?.role === 'system' ? shown.slice(open.length) : shown));
    runs.at(-1)?.push(replyOf(interaction, path));
  });
  runs.at(-1)?.push(...lastResults(document));
  return runs.flatMap((messages, index) =>
    readPiece(context, `run ${index}`, () => [
      readRun(messages, document, { context, last: index === runs.length - 1 }),
    ]),
  );
}

/** Each interaction holds what is new in it; one that repeats the context up to here goes on from there. */
function continues(shown: readonly LoggedMessage[], open: readonly LoggedMessage[]): boolean {
  return (
    shown.length > open.length &&
    open.every((message, index) => {
      const other = shown[index];
      return message.role === other?.role && (index > 1 || sameContent(message, other));
    })
  );
}

function sameContent(one: LoggedMessage, other: LoggedMessage): boolean {
  return JSON.stringify(one.content) === JSON.stringify(other.content);
}

function readRun(
  messages: readonly LoggedMessage[],
  document: JsonObject,
  at: { readonly context: ReadContext; readonly last: boolean },
): RawTrajectory {
  const steps = asNumber(document['max_steps']);
  const run = messagesRun(
    { messages, cutReply: (text, origin) => actionSpans(text, [], origin) },
    at.context,
    {
      scaffold: 'trae-agent',
      model: asString(document['model']),
      turn_budget: steps !== null && steps > 0 ? steps : null,
      ...(at.last ? endOf(document) : {}),
      flags: messages.some(({ role }) => role === 'system') ? [] : ['system_prompt_absent'],
    },
  );
  requireModelTurns(run.turns);
  return run;
}

function endOf(document: JsonObject): Partial<RawTrajectory> {
  if (document['success'] === true) return { termination: 'submitted' };
  const told = asString(document['final_result']) ?? '';
  if (/exceeded maximum steps/.test(told)) return { termination: 'step_limit' };
  // A reply without calls ends no run: the harness asks to go on until the task is called done.
  const step = asArray(document['agent_steps']).at(-1);
  const failed = isObject(step) && (asString(step['error']) ?? '') !== '';
  return document['success'] === false ? { termination: failed ? 'error' : 'cut' } : {};
}

function inputMessage(value: unknown, path: string): LoggedMessage {
  const message = objectOf(value, path);
  const role = requiredString(message, 'role', path);
  const result = objectAt(message, 'tool_result', path);
  if (result !== null)
    return { role: 'user', path, content: [resultBlock(result, fieldPath(path, 'tool_result'))] };
  const content = stringAt(message, 'content', path) ?? '';
  if (role === 'system' || role === 'user') return { role, path, content };
  if (role !== 'assistant') {
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
  const call = objectAt(message, 'tool_call', path);
  const blocks = call === null ? content : [callBlock(call, fieldPath(path, 'tool_call'))];
  return { role, path, content: blocks, origin: 'environment', flags: ['harness_reply'] };
}

/** Why clients say that a reply ended early: those of chats, of OpenAI's Responses and of Google. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'length',
  max_tokens: 'length',
  incomplete: 'length',
  content_filter: 'aborted',
  failed: 'aborted',
  cancelled: 'aborted',
  safety: 'aborted',
  recitation: 'aborted',
  malformed_function_call: 'aborted',
};

function replyOf(interaction: JsonObject, path: string): LoggedMessage {
  const at = fieldPath(path, 'response');
  const response = objectOf(interaction['response'], at);
  const text = stringAt(response, 'content', at) ?? '';
  const calls = (listAt(response, 'tool_calls', at) ?? []).map((call, index) =>
    callBlock(call, `${at}.tool_calls[${index}]`),
  );
  const stop = asString(response['finish_reason']);
  return {
    role: 'assistant',
    path: at,
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls],
    model: asString(interaction['model']) ?? asString(response['model']),
    stop,
    truncated: TRUNCATIONS[stop?.toLowerCase() ?? ''] ?? null,
    timestamp: asString(interaction['timestamp']),
  };
}

function callBlock(value: unknown, path: string): JsonObject {
  const call = objectOf(value, path);
  const name = requiredString(call, 'name', path);
  return { type: 'tool_use', id: call['call_id'], name, input: call['arguments'] ?? {} };
}

/** A result as the clients of Trae Agent write it for the model. */
function resultBlock(value: unknown, path: string): JsonObject {
  const result = objectOf(value, path);
  const text = stringAt(result, 'result', path) ?? '';
  const error = stringAt(result, 'error', path) ?? '';
  const parts = [
    ...(text === '' ? [] : [text]),
    ...(error === '' ? [] : [`Tool call failed with error:\n${error}`]),
  ];
  return {
    type: 'tool_result',
    tool_use_id: result['call_id'],
    content: parts.join('\n').trim(),
    is_error: result['success'] === false,
  };
}

/** Results of the calls of the last reply, which no later interaction shows. */
function lastResults(document: JsonObject): LoggedMessage[] {
  const interaction = asArray(document[LOG]).at(-1);
  const response = isObject(interaction) ? interaction['response'] : null;
  const calls = new Set(
    asArray(isObject(response) ? response['tool_calls'] : null).flatMap((call) =>
      isObject(call) ? [call['call_id']] : [],
    ),
  );
  const step = asArray(document['agent_steps']).at(-1);
  return asArray(isObject(step) ? step['tool_results'] : null).flatMap((value, index): LoggedMessage[] => {
    if (!isObject(value) || !calls.has(value['call_id'])) return [];
    const path = `agent_steps[-1].tool_results[${index}]`;
    return [{ role: 'user', path, content: [resultBlock(value, path)] }];
  });
}
