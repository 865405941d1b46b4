import { RejectError } from '../logs/reject.js';
import { makeTurn, turnContent } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Role, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { contentParts, environmentSpans } from './content-parts.js';
import { fieldPath, listAt, objectOf, requiredString, wrongType } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { memberText } from './json-slice.js';
import { rawTrajectory } from './raw-trajectory.js';
import { detectRows, readRows } from './row-lists.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { answerTurn, inferredOutcome, requireModelTurns, shellExecutions } from './shell-executions.js';
import { textCallMarks } from './text-calls.js';

/** Who speaks; the names differ between data sets. */
const SPEAKERS: Readonly<Record<string, Role | 'call'>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  bot: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  function_call: 'call',
  tool_call: 'call',
  observation: 'tool',
  tool: 'tool',
  tool_response: 'tool',
  function_response: 'tool',
  function: 'tool',
};

export const sharegpt: FormatAdapter = {
  name: 'sharegpt',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'ShareGPT conversations, as training sets write them',
    recognised_by: 'lines, or a list, of rows with conversations of from and value',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns; status from the feedback',
    reasoning: 'think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'keys of a row beside conversations, system, tools, id and model; of a message beside from, value, weight and loss',
      'which model wrote a reply, unless the row names one',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, isRow, {
    confidence: 'certain',
    reason: 'rows with conversations of from and value',
  });
}

function isRow(value: unknown): boolean {
  return (
    isObject(value) && asArray(value['conversations']).some((message) => hasKeys(message, 'from', 'value'))
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return readRows(input, context, (value, path) => [readRow(objectOf(value, path), context)]);
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const messages = listAt(row, 'conversations', '') ?? [];
  if (messages.length === 0) throw new RejectError('no_turns', 'an empty conversation');
  const system = asString(row['system']);
  const turns: Turn[] = system === null || system === '' ? [] : [promptTurn('system', system)];
  messages.forEach((value, index) => {
    turns.push(
      messageTurn(objectOf(value, `conversations[${index}]`), `conversations[${index}]`, turns.at(-1)),
    );
  });
  requireModelTurns(turns);
  const executions = shellExecutions(turns, context, (call) => {
    const feedback_turn = answerTurn(turns, { call_turn: call.call_turn, id: null });
    const feedback = feedback_turn === null ? undefined : turns[feedback_turn];
    return inferredOutcome(feedback === undefined ? null : turnContent(feedback), { feedback_turn });
  });
  const scored = scoredCalls(turns, executions, context);
  const last = turns.at(-1);
  const answered = last?.role === 'assistant' && !last.spans.some((span) => span.call !== null);
  return rawTrajectory(
    { turns, executions },
    {
      submissions: scored.submissions,
      session_id: asId(row['id']) ?? asId(row['conversation_id']),
      model: asString(row['model']),
      tools: toolsOf(row['tools']),
      termination: answered ? 'submitted' : 'unknown',
      flags: scored.flags,
    },
  );
}

function messageTurn(message: JsonObject, path: string, before: Turn | undefined): Turn {
  const from = requiredString(message, 'from', path);
  const speaker = SPEAKERS[from.toLowerCase()];
  if (speaker === undefined)
    throw wrongType(fieldPath(path, 'from'), `a known speaker (not "${from}")`, from);
  const text = contentParts(message['value'], fieldPath(path, 'value'))
    .map((part) => part.text)
    .join('');
  const weight = weightOf(message);
  if (speaker === 'call') return makeTurn('assistant', [callOf(text)], { weight });
  if (speaker === 'assistant')
    return makeTurn('assistant', actionSpans(text, textCallMarks(text)), { weight });
  if (speaker === 'tool') return makeTurn('tool', environmentSpans('observation', [{ kind: 'text', text }]));
  // Without a speaker of their own, tools answer as the human.
  const answers = speaker === 'user' && (before?.spans.some((span) => span.call !== null) ?? false);
  return answers
    ? makeTurn('user', environmentSpans('observation', [{ kind: 'text', text }]))
    : promptTurn(speaker, text);
}

function promptTurn(role: Role, text: string): Turn {
  return makeTurn(role, environmentSpans('prompt', [{ kind: 'text', text }]));
}

/** `{"name", "arguments"}` as the whole of a message. */
function callOf(text: string): Span {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  const name = isObject(parsed) ? asString(parsed['name']) : null;
  const base = { origin: 'model', text, inline: true, model: null } as const;
  if (name === null) return { ...base, kind: 'malformed_call', call: null };
  const args = memberText(text, 'arguments') ?? '{}';
  return {
    ...base,
    kind: 'tool_call',
    call: { id: null, name, arguments: args, arguments_were_object: false },
  };
}

/** What the row itself excludes from training. */
function weightOf(message: JsonObject): number {
  const weight = message['weight'];
  const loss = message['loss'];
  if (typeof weight === 'number') return weight;
  return loss === false || loss === 0 ? 0 : 1;
}

/** Definitions as JSON: a list, or a string that holds one. */
function toolsOf(tools: unknown): string | null {
  if (Array.isArray(tools)) return tools.length === 0 ? null : JSON.stringify(tools);
  if (typeof tools !== 'string' || tools.trim() === '') return null;
  try {
    JSON.parse(tools);
    return tools;
  } catch {
    throw new RejectError('bad_shape', 'tools: a string that is not JSON');
  }
}
