import { RejectError } from '../logs/reject.js';
import { makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { CHAT_ROLES } from './chat-roles.js';
import { assistantSpans, contentParts, environmentSpans, partsText } from './content-parts.js';
import { listAt, listOf, objectAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { actionSpans } from './inline-calls.js';
import { ReplyAnswers } from './reply-answers.js';
import { readRows } from './row-lists.js';
import { scoredCalls } from './scored-calls.js';
import { asBoolean, asString, firstId, isObject, type JsonObject } from './shape.js';
import { type CallOutcome, callKind, inferredOutcome, shellExecutions } from './shell-executions.js';
import { callSpan, toolCallSpans } from './structured-calls.js';
import { textCallMarks } from './text-calls.js';

/** Where a message names the chat that it belongs to, for messages that stand in lines of their own. */
const CHAT_KEYS = ['session_id', 'conversation_id', 'chat_id', 'thread_id', 'trajectory_id'] as const;

/** Fields of a message that are read; any other that holds something is named in a flag. */
const MESSAGE_KEYS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'name',
  'reasoning_content',
  'reasoning',
  'thinking',
  'weight',
  'finish_reason',
  'timestamp',
  ...CHAT_KEYS,
]);

const REASONING_KEYS = ['reasoning_content', 'reasoning', 'thinking'] as const;

/** Why generation stopped, where it was not the model's choice. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'aborted',
  error: 'error',
};

/** Openings of user messages that are tool feedback in chats which lack a tool role. */
const FEEDBACK_OPENING =
  /^\s*(?:observation:|<tool_response>|<returncode>|<tool_result|<function_results?>|<output>|execution result of \[)/i;

const EXIT_CODE = /<returncode>(-?\d+)<\/returncode>|\[The command completed with exit code (-?\d+)\.\]/g;

/** Calls that hand in the answer. */
const FINAL_TOOLS: ReadonlySet<string> = new Set(['submit', 'finish', 'final_answer', 'answer']);

export const openaiMessages: FormatAdapter = {
  name: 'openai-messages',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Chat messages in the shape of the OpenAI API: JSON lines of rows, one row, or the messages of one chat as a bare list or a line each',
    recognised_by:
      'rows with `messages` of known roles, or a list or lines of objects with role and content that no other format claims',
    scores: 'none; `resolved` where the row has it',
    executions:
      'only where the pipeline names tools or command patterns; status from a traceback in the feedback',
    reasoning: 'reasoning_content, reasoning or thinking; think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'fields of a message that are not read are named in the flag unread_message_keys',
      'fields of a row beside messages, tools, ids, model, resolved and finish_reason, also under `metadata`',
      'names of function definitions under the old key `functions` become tools',
      'pictures and other media: a placeholder stands for a picture, other media refuse the row',
    ],
  },
  detect,
  sessionOf,
  read,
};

function sessionOf(record: unknown): SessionMark | null {
  return isObject(record) ? { session: firstId([record], CHAT_KEYS) } : null;
}

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some(isRow)) {
    return { confidence: 'likely', reason: 'JSON lines with messages', unit: 'line' };
  }
  if (isMessageLines(sniff.lines)) {
    return { confidence: 'likely', reason: 'a message of one chat a line', unit: 'lines' };
  }
  if (isRow(sniff.json)) return { confidence: 'likely', reason: 'an object with messages', unit: 'document' };
  if (isMessages(sniff.json)) return { confidence: 'likely', reason: 'a list of messages', unit: 'document' };
  if (Array.isArray(sniff.json) && sniff.json.length > 0 && sniff.json.every(isRow)) {
    return { confidence: 'likely', reason: 'a list of rows with messages', unit: 'document' };
  }
  return null;
}

function isRow(value: unknown): boolean {
  return isObject(value) && isMessages(value['messages']);
}

/** Lines that are the messages of one chat, with a reply among them: a line alone may be any record with a role. */
function isMessageLines(lines: readonly unknown[]): boolean {
  return (
    lines.length > 1 &&
    lines.every(isMessage) &&
    lines.some((line) => isObject(line) && line['role'] === 'assistant')
  );
}

function isMessage(line: unknown): boolean {
  if (!isObject(line) || !Object.hasOwn(CHAT_ROLES, asString(line['role']) ?? '')) return false;
  return Object.hasOwn(line, 'content') || Array.isArray(line['tool_calls']);
}

/** A list with a message of a known role; an unknown role beside it is a matter of reading. */
function isMessages(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  const roles = value.map((message) => (isObject(message) ? asString(message['role']) : null));
  return roles.every((role) => role !== null) && roles.some((role) => Object.hasOwn(CHAT_ROLES, role ?? ''));
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (Array.isArray(input) && input.some(isRow)) {
    return readRows(input, context, (row, path) => readRow(objectOf(row, path), context));
  }
  if (!Array.isArray(input)) return readRow(objectOf(input, 'row'), context);
  return readRow({ session_id: firstId(input.filter(isObject), CHAT_KEYS), messages: input }, context);
}

function readRow(row: JsonObject, context: ReadContext): readonly RawTrajectory[] {
  const messages = listOf(row['messages'], 'messages');
  if (messages.length === 0) throw new RejectError('no_turns', 'an empty list of messages');
  const metadata = isObject(row['metadata']) ? row['metadata'] : {};
  const unread = new Set<string>();
  const turns: Turn[] = [];
  messages.forEach((value, index) => {
    turns.push(readMessage(objectOf(value, `messages[${index}]`), { index, before: turns.at(-1), unread }));
  });
  const truncation = truncationOf(row['finish_reason'] ?? metadata['finish_reason']);
  if (truncation !== null) truncateLast(turns, truncation);

  const answers = new ReplyAnswers(turns, { isAnswer: isFeedback, shared: true });
  const executions = shellExecutions(turns, context, (call) =>
    callKind(call, context) === 'other' ? null : outcome(turns, answers.turnOf(call)),
  );
  const scored = scoredCalls(turns, executions, context);
  const flags = [...scored.flags];
  if (unread.size > 0) flags.push(`unread_message_keys:${[...unread].sort().slice(0, MAX_NAMED).join(',')}`);
  return [
    {
      session_id: firstId(
        [row, metadata],
        ['session_id', 'traj_id', 'trajectory_id', 'conversation_id', 'uuid', 'id'],
      ),
      parent_session: null,
      group: null,
      task_id: firstId([row, metadata], ['task_id', 'instance_id']),
      task_claims: null,
      scaffold: firstId([row, metadata], ['scaffold']),
      scaffold_version: null,
      model: firstId([row, metadata], ['model', 'model_name']),
      policy_version: null,
      tools: toolsOf(row),
      turns,
      executions,
      submissions: scored.submissions,
      epochs: [{ turns: turns.map((_, index) => index), reason: null }],
      termination: terminationOf(turns),
      turn_budget: null,
      seconds_budget: null,
      resolved: asBoolean(row['resolved']) ?? asBoolean(metadata['resolved']),
      feedback_exposes_test_score: scored.submissions.some(({ scale }) => scale === 'test'),
      flags,
    },
  ];
}

const MAX_NAMED = 8;

function readMessage(
  message: JsonObject,
  at: { index: number; before: Turn | undefined; unread: Set<string> },
): Turn {
  const path = `messages[${at.index}]`;
  const logged = requiredString(message, 'role', path);
  const role = Object.hasOwn(CHAT_ROLES, logged) ? CHAT_ROLES[logged] : undefined;
  if (role === undefined) throw wrongType(`${path}.role`, `a known role (not "${logged}")`, logged);
  for (const key of Object.keys(message)) {
    if (!MESSAGE_KEYS.has(key) && holdsSomething(message[key])) at.unread.add(key);
  }
  const name = stringAt(message, 'name', path);
  const timestamp = asString(message['timestamp']);
  const weight = weightOf(message, path);
  if (role === 'assistant') {
    const spans = replySpans(message, { path, unread: at.unread });
    const truncated = truncationOf(message['finish_reason']);
    return makeTurn('assistant', spans, { name, timestamp, weight, truncated });
  }
  const parts = contentParts(message['content'], `${path}.content`);
  const tool_call_id = stringAt(message, 'tool_call_id', path);
  if (role === 'tool') {
    return makeTurn('tool', environmentSpans('observation', parts), {
      name,
      tool_call_id,
      timestamp,
      weight,
    });
  }
  for (const key of ['tool_calls', 'function_call']) if (holdsSomething(message[key])) at.unread.add(key);
  const kind = role === 'user' && answersCall(at.before, partsText(parts)) ? 'observation' : 'prompt';
  return makeTurn(role, environmentSpans(kind, parts), { name, timestamp, weight });
}

/** Reasoning, then content with what stands in it, then structured calls: the order in which they were generated. */
function replySpans(message: JsonObject, at: { path: string; unread: Set<string> }): Span[] {
  const { path, unread } = at;
  const spans: Span[] = [];
  const reasonings = REASONING_KEYS.filter((key) => holdsSomething(message[key]));
  const reasoning = reasonings.map((key) => asString(message[key])).find((text) => text !== null) ?? null;
  if (reasoning !== null) spans.push(reasoningSpan(reasoning));
  for (const key of reasonings) if (message[key] !== reasoning) unread.add(key);

  const calls = listAt(message, 'tool_calls', path) ?? [];
  const old = objectAt(message, 'function_call', path);
  const structured = calls.length > 0 || old !== null;
  const parts = contentParts(message['content'], `${path}.content`);
  spans.push(...assistantSpans(parts, (text) => actionSpans(text, structured ? [] : textCallMarks(text))));

  spans.push(...toolCallSpans(calls, `${path}.tool_calls`));
  if (old !== null && calls.length === 0) {
    const name = requiredString(old, 'name', `${path}.function_call`);
    spans.push(callSpan({ id: null, name, arguments: old['arguments'] }));
  }
  return spans;
}

/** A user message is feedback where it opens like one after a reply, or answers a call written in text. */
function answersCall(before: Turn | undefined, text: string): boolean {
  if (before?.role !== 'assistant')
    return before !== undefined && isFeedback(before) && FEEDBACK_OPENING.test(text);
  return before.spans.some((span) => span.call !== null && span.inline) || FEEDBACK_OPENING.test(text);
}

function isFeedback(turn: Turn): boolean {
  return turn.spans.some((span) => span.kind === 'observation');
}

/** Training weight; a value that is no number would be trained by mistake, so it refuses the row. */
function weightOf(message: JsonObject, path: string): number {
  const weight = message['weight'] ?? null;
  if (weight === null) return 1;
  if (typeof weight === 'number') return weight;
  throw wrongType(`${path}.weight`, 'a number', weight);
}

function truncationOf(reason: unknown): Truncation | null {
  const name = asString(reason) ?? '';
  return Object.hasOwn(TRUNCATIONS, name) ? (TRUNCATIONS[name] ?? null) : null;
}

function truncateLast(turns: Turn[], truncated: Truncation): void {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  const turn = turns[last];
  if (turn !== undefined) turns[last] = { ...turn, truncated };
}

/** Tool definitions as JSON text: a string stays verbatim if it is JSON. */
function toolsOf(row: JsonObject): string | null {
  const tools = row['tools'] ?? null;
  if (typeof tools === 'string' && tools.trim() !== '') {
    try {
      JSON.parse(tools);
    } catch {
      throw new RejectError('bad_shape', 'tools: a string that is not JSON');
    }
    return tools;
  }
  if (Array.isArray(tools) && tools.length > 0) return JSON.stringify(tools);
  const functions = row['functions'];
  if (!Array.isArray(functions) || functions.length === 0) return null;
  return JSON.stringify(functions.map((definition) => ({ type: 'function', function: definition })));
}

/**
 * Only experiments get a status, and only a clear one: an exit code, a traceback, a limit that struck. A quiet
 * feedback proves nothing.
 */
function outcome(turns: readonly Turn[], feedback_turn: number | null): CallOutcome {
  const feedback = feedback_turn === null ? undefined : turns[feedback_turn];
  if (feedback === undefined) return { feedback_turn };
  const text = feedback.spans.map((span) => span.text).join('');
  const inferred = inferredOutcome(text, { feedback_turn });
  const exit_code = exitCode(text);
  if (inferred.status === 'timeout') return { exit_code, ...inferred };
  if (exit_code !== null) {
    return {
      exit_code,
      ...inferred,
      status: exit_code === 0 ? 'ok' : 'error',
      error_type: inferred.error_type ?? null,
    };
  }
  return inferred.status === 'error' ? inferred : { feedback_turn };
}

/** The last exit code that a scaffold wrote into the feedback. */
function exitCode(text: string): number | null {
  const found = [...text.matchAll(EXIT_CODE)].at(-1);
  return found === undefined ? null : Number(found[1] ?? found[2]);
}

/** A complete last reply without a call, or with one that hands in, ended the run; anything else leaves it open. */
function terminationOf(turns: readonly Turn[]): Termination {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  const reply = turns[last];
  if (reply === undefined) return 'unknown';
  if (reply.truncated === 'length') return 'context_limit';
  if (reply.truncated !== null) return 'error';
  const calls = reply.spans.filter((span) => span.call !== null || span.kind === 'malformed_call');
  const handsIn = calls.some((span) => FINAL_TOOLS.has(span.call?.name ?? ''));
  return handsIn || (calls.length === 0 && last === turns.length - 1) ? 'submitted' : 'unknown';
}

function holdsSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}
