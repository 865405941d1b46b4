import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { PolicyTokens, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun, ownRun } from './chat-run.js';
import { objectAt, objectOf } from './fields.js';
import { policyTokens } from './policy-tokens.js';
import { detectRows, readRows } from './row-lists.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

const TOKEN_KEYS = {
  prompt_ids: 'prompt_ids',
  response_ids: 'completion_ids',
  logprobs: 'completion_logprobs',
} as const;

const STOPS: Readonly<Record<string, Termination>> = {
  max_turns_reached: 'step_limit',
  timeout_reached: 'time_limit',
  prompt_too_long: 'context_limit',
  has_error: 'error',
};

export const verifiers: FormatAdapter = {
  name: 'verifiers',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Rollouts of the verifiers library: prompt, completion and reward a row',
    recognised_by:
      'rows with prompt and completion as messages, or as texts beside an example_id, and a reward',
    scores:
      'none; the reward of the rubric stands as a flag `reward:<value>`, since it may pay for form as well',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning: 'reasoning_content, or think tags',
    token_ids: 'of each step in `trajectory`, where recorded',
    logprobs: 'of each step in `trajectory`, where recorded',
    loss: [
      'answer, info and metrics of the rubric, advantages and timing',
      'contexts of steps that do not repeat the one before',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, isRow, {
    confidence: 'certain',
    reason: 'rows with prompt, completion and reward',
  });
}

function isRow(value: unknown): boolean {
  if (!hasKeys(value, 'prompt', 'completion', 'reward')) return false;
  const { prompt, completion } = value;
  const chat = (part: unknown): boolean => asArray(part).some((message) => hasKeys(message, 'role'));
  if (typeof prompt !== 'string' && !chat(prompt)) return false;
  // Environments of base models complete a text; a rollout that failed at once has no reply.
  const text = typeof completion === 'string' && hasKeys(value, 'example_id');
  return text || chat(completion) || (Array.isArray(completion) && completion.length === 0);
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return readRows(input, context, (value, path) => [readRow(objectOf(value, path), context)]);
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const prompt = messagesOf(row['prompt'], 'user');
  const completion = messagesOf(row['completion'], 'assistant');
  if (completion.length === 0) throw new RejectError('no_model_turns', 'an empty completion');
  const run = chatRun({ messages: [...prompt, ...completion], tools: toolsOf(row) }, context);
  const tokens = stepTokens(row);
  const replies = run.turns.flatMap((turn, index) =>
    turn.role === 'assistant' && index >= prompt.length ? [index] : [],
  );
  const flags = new Set<string>();
  if (tokens.length > 0 && tokens.length !== replies.length) flags.add('steps_do_not_match_replies');
  const truncated = row['is_truncated'] === true;
  const turns = run.turns.map((turn, index): Turn => {
    if (turn.role !== 'assistant') return turn;
    const reply = replies.indexOf(index);
    // Replies in the prompt are examples or history.
    if (reply === -1) {
      return {
        ...turn,
        spans: turn.spans.map((span): Span => ({ ...span, origin: 'environment' })),
        flags: ['copied_context'],
      };
    }
    const step = tokens.length === replies.length ? tokens[reply] : undefined;
    const last = reply === replies.length - 1;
    const cut = (truncated && last) || step?.truncated === true;
    return {
      ...turn,
      policy: step?.policy ?? null,
      truncated: cut ? 'length' : turn.truncated,
      flags: [...turn.flags, ...(step?.flags ?? [])],
    };
  });
  const own = ownRun(run, turns, context);
  for (const flag of own.flags) flags.add(flag);
  const reward = asNumber(row['reward']);
  if (reward !== null) flags.add(`reward:${reward}`);
  const example = asId(row['example_id']);
  const task = asString(row['task']);
  const stop = asString(row['stop_condition']) ?? '';
  return {
    ...own,
    session_id: asId(row['trajectory_id']) ?? asId(row['id']),
    group: example === null ? null : `${task ?? 'verifiers'}/${example}`,
    task_id: task === null || task === '' || task === 'default' ? run.task_id : task,
    scaffold: 'verifiers',
    termination:
      terminationOf({ stop, truncated, failed: (row['error'] ?? null) !== null }) ?? run.termination,
    flags: [...flags],
  };
}

function terminationOf(end: { stop: string; truncated: boolean; failed: boolean }): Termination | null {
  if (Object.hasOwn(STOPS, end.stop)) return STOPS[end.stop] ?? null;
  if (end.failed) return 'error';
  return end.truncated ? 'context_limit' : null;
}

/** Messages, also of a text that stands for a single one. */
function messagesOf(value: unknown, role: 'user' | 'assistant'): unknown[] {
  if (typeof value === 'string') return value === '' ? [] : [{ role, content: value }];
  return asArray(value).map(unpackedCalls);
}

/** Saved rows hold each call as JSON in a string. */
function unpackedCalls(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message['tool_calls'])) return message;
  return { ...message, tool_calls: message['tool_calls'].map(unpackedCall) };
}

function unpackedCall(call: unknown): unknown {
  return typeof call === 'string' ? parseJsonText(call).value : call;
}

/** Tools in the shape of OpenAI, under the keys of older versions, or as the library itself defines them. */
function toolsOf(row: JsonObject): unknown {
  const info = isObject(row['info']) ? row['info'] : {};
  const known = row['oai_tools'] ?? info['oai_tools'] ?? row['tools'] ?? null;
  if (known !== null || !Array.isArray(row['tool_defs'])) return known;
  return row['tool_defs'].map((definition) =>
    hasKeys(definition, 'function') ? definition : { type: 'function', function: definition },
  );
}

interface StepTokens {
  readonly policy: PolicyTokens | null;
  readonly truncated: boolean;
  readonly flags: readonly string[];
}

/** Tokens of the calls of the model, one step each. */
function stepTokens(row: JsonObject): StepTokens[] {
  return asArray(row['trajectory']).map((value, index) => {
    const path = `trajectory[${index}]`;
    const tokens = objectAt(objectOf(value, path), 'tokens', path);
    if (tokens === null) return { policy: null, truncated: false, flags: [] };
    const read = policyTokens(tokens, { path: `${path}.tokens`, keys: TOKEN_KEYS });
    return { ...read, truncated: tokens['is_truncated'] === true };
  });
}
