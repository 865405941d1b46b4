import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectAt, objectOf, requiredString, stringAt } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { wrappedSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { SessionRun } from './session-run.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan } from './structured-calls.js';

/** Steps that no model had before it in this form: they only mark a place. */
const EMPTY_STEPS: ReadonlySet<string> = new Set(['CONVERSATION_HISTORY']);

const MODEL_NAME = /`?Model Selection`?\s+from\s+.+?\s+to\s+([^\n]+?)\.?\s*(?:\n|<|$)/;

export const antigravity: FormatAdapter = {
  name: 'antigravity',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Antigravity CLI transcripts (JSON lines)',
    recognised_by: 'lines with step_index, source and type',
    scores: 'none',
    executions: 'calls and the steps that answer them, status ERROR where a step has it',
    reasoning:
      'thinking, as the transcript shows it; of Gemini, and where no model is named, a summary (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'texts that the transcript itself cut (truncated_fields): replies count as cut, others are flagged truncated_in_log',
      'calls have no ids: the n-th step after a reply answers its n-th call',
      'argument values stand as JSON in strings and are read as what they hold; the text that the model wrote is not recorded',
      'what a checkpoint left of the context before it: the new context begins with its text',
      'the system prompt, tool definitions and token counts are not recorded',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (!sniff.lines.some((line) => hasKeys(line, 'step_index', 'source', 'type'))) return null;
  return { confidence: 'certain', reason: 'lines with step_index and source', unit: 'lines' };
}

/** Steps are counted from the first request on; they name no conversation, but its beginning has a time and words. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const first = record['type'] === 'USER_INPUT' && record['step_index'] === 0;
  const content = asString(record['content']) ?? '';
  const opens = first && content.includes('<USER_REQUEST>');
  const began = opens ? asString(record['created_at']) : null;
  // It is written again when its state changes, and is then no other.
  const session = began === null ? null : `${began} ${content}`;
  return { once: asId(record['step_index']), opens, session };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const run = new SessionRun();
  let model: string | null = null;
  let current: string | null = null;
  for (const { step, path } of lastStates(Array.isArray(input) ? input : [input])) {
    const type = requiredString(step, 'type', path);
    const content = stringAt(step, 'content', path);
    if (type === 'USER_INPUT') current = MODEL_NAME.exec(content ?? '')?.[1]?.trim() ?? current;
    model ??= current;
    readStep(run, { step, type, content, path, model: current });
  }
  requireModelTurns(run.turns);
  const folder = /(?:^|\/)(?:brain\/)?([^/]+)\/\.system_generated\//.exec(context.place.path);
  return [run.finish(context, { session_id: folder?.[1] ?? null, scaffold: 'antigravity', model })];
}

/** A step that was written before it was done is written again: the last state counts, in the place of the first. */
function lastStates(lines: readonly unknown[]): { step: JsonObject; path: string }[] {
  const steps: { step: JsonObject; path: string }[] = [];
  const open = new Map<string, number>();
  lines.forEach((value, index) => {
    const path = `line ${index + 1}`;
    const step = objectOf(value, path);
    if (!hasKeys(step, 'step_index')) return;
    const key = `${asNumber(step['step_index'])} ${asString(step['type'])}`;
    const known = open.get(key);
    const at = known ?? steps.length;
    steps[at] = { step, path };
    if (['DONE', 'ERROR', 'CANCELED'].includes(asString(step['status']) ?? 'DONE')) open.delete(key);
    else open.set(key, at);
  });
  return steps;
}

function readStep(
  run: SessionRun,
  at: { step: JsonObject; type: string; content: string | null; path: string; model: string | null },
): void {
  const { step, type, content, path, model } = at;
  const timestamp = stringAt(step, 'created_at', path);
  const cut = asArray(step['truncated_fields']).length > 0;
  const flags = cut ? ['truncated_in_log'] : [];
  if (cut) run.flag('truncated_in_log');
  if (type === 'PLANNER_RESPONSE') {
    const spans = replySpans(step, { content, path, model });
    if (spans.length === 0) return;
    if (spans.some(isSummary)) run.flag(REASONING_SUMMARY);
    run.push(makeTurn('assistant', spans, { timestamp, flags, truncated: cut ? 'cut' : null }));
    return;
  }
  if (EMPTY_STEPS.has(type) && content === null) return;
  const text = content ?? stringAt(step, 'error', path) ?? '';
  if (type === 'USER_INPUT') {
    run.push(makeTurn('user', wrappedSpans(text, 'USER_REQUEST'), { timestamp, flags }));
    return;
  }
  const observed = [contentSpan('observation', 'environment', text)];
  if (type === 'CHECKPOINT') run.restart([], 'compaction');
  // Steps of source MODEL beside the replies are what the tools gave back.
  if (step['source'] !== 'MODEL') {
    run.push(makeTurn('user', observed, { timestamp, flags, name: type.toLowerCase() }));
    return;
  }
  const failed = step['status'] === 'ERROR';
  run.push(
    makeTurn('tool', observed, { timestamp, flags, name: type.toLowerCase() }),
    failed ? { status: 'error' } : null,
  );
}

/** All that the API of Gemini, which is the default, gives of its thoughts is a summary. */
function thoughtSpan(text: string, model: string | null): Span {
  return model === null || /gemini/i.test(model) ? summarySpan(text) : reasoningSpan(text);
}

function replySpans(
  step: JsonObject,
  at: { content: string | null; path: string; model: string | null },
): Span[] {
  const { content, path, model } = at;
  const thinking = stringAt(step, 'thinking', path);
  const calls = listAt(step, 'tool_calls', path) ?? [];
  return [
    ...(thinking === null || thinking === '' ? [] : [thoughtSpan(thinking, model)]),
    ...(content === null || content === '' ? [] : actionSpans(content, [])),
    ...calls.map((value, index) => {
      const callPath = `${path}.tool_calls[${index}]`;
      const call = objectOf(value, callPath);
      return callSpan({
        id: stringAt(call, 'id', callPath),
        name: requiredString(call, 'name', callPath),
        arguments: decodedArguments(objectAt(call, 'args', callPath) ?? {}),
      });
    }),
  ];
}

/** Each value is JSON in a string; one that is not stays as it is. */
function decodedArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, decoded(value)]));
}

function decoded(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
