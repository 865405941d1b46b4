import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import { IMAGE_PLACEHOLDER } from './content-parts.js';
import { fieldPath, objectAt, requiredString, stringAt } from './fields.js';
import type { OpencodeMessage } from './opencode-tables.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import type { RecordedOutcome } from './session-run.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';
import { isoMillis } from './times.js';

export interface OpencodeTurn {
  readonly turn: Turn;
  readonly outcome: RecordedOutcome | null;
}

/** Parts that only an assistant message has. */
const REPLY_PARTS: ReadonlySet<string> = new Set(['step-start', 'step-finish', 'tool', 'reasoning']);

/** What the model is not shown, or what repeats other parts. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
]);

const ERRORS: Readonly<Record<string, Truncation>> = {
  MessageAbortedError: 'aborted',
  MessageOutputLengthError: 'length',
};

const FINISHES: Readonly<Record<string, Truncation>> = {
  length: 'length',
  'content-filter': 'aborted',
  error: 'error',
};

/** What stands in the place of an old result that the harness cleared. */
const ABORTED = /^Tool execution aborted/;

export function isReply(message: OpencodeMessage): boolean {
  const role = message.data === null ? null : asString(message.data['role']);
  if (role !== null) return role === 'assistant';
  return message.parts.some(({ data }) => REPLY_PARTS.has(asString(data['type']) ?? ''));
}

/** What stands in for a prompt where the user ran a command in the shell of the session. */
const RUN_BY_USER = 'The following tool was executed by the user';

/** Parts that only a reply of the model has. */
const SAMPLED_PARTS: ReadonlySet<string> = new Set(['step-start', 'step-finish', 'text', 'reasoning']);

/**
 * Whether a reply is a call that the harness made for the user (a shell command, a command given to a sub-agent) and no
 * model: it answers such a message and holds neither a step nor words.
 */
export function isHarnessCall(reply: OpencodeMessage, asked: OpencodeMessage | null): boolean {
  const sampled = reply.parts.some(({ data }) => SAMPLED_PARTS.has(asString(data['type']) ?? ''));
  if (asked === null || sampled) return false;
  return asked.parts.some(
    ({ data }) => data['type'] === 'subtask' || (data['type'] === 'text' && data['text'] === RUN_BY_USER),
  );
}

/** A user message: what the harness put into it is an observation. */
export function inputTurn(message: OpencodeMessage): OpencodeTurn | null {
  const spans: Span[] = [];
  for (const { data, path } of message.parts) {
    const type = requiredString(data, 'type', path);
    if (type === 'text') {
      const kind = data['synthetic'] === true ? 'observation' : 'prompt';
      if (data['ignored'] !== true)
        spans.push(contentSpan(kind, 'environment', requiredString(data, 'text', path)));
    } else if (type === 'file') spans.push(contentSpan('image', 'environment', fileText(data)));
    else if (type === 'subtask')
      spans.push(contentSpan('prompt', 'environment', stringAt(data, 'prompt', path) ?? ''));
  }
  if (spans.length === 0) return null;
  return { turn: makeTurn('user', spans, { timestamp: created(message.data) }), outcome: null };
}

/** An assistant message: each step is a reply of the model, followed by the results of its calls. */
export function replyTurns(message: OpencodeMessage): OpencodeTurn[] {
  const steps: Step[] = [];
  const model = message.data === null ? null : asString(message.data['modelID']);
  const timestamp = created(message.data);
  for (const { data, path } of message.parts) {
    const type = requiredString(data, 'type', path);
    if (type === 'step-start' || steps.length === 0)
      steps.push({ spans: [], results: [], started: type === 'step-start', ended: false, finish: null });
    const step = steps.at(-1);
    if (step === undefined || type === 'step-start') continue;
    if (type === 'text' || type === 'reasoning') {
      const text = stringAt(data, 'text', path) ?? '';
      if (text !== '')
        step.spans.push(type === 'text' ? contentSpan('text', 'model', text) : thoughtSpan(data, text));
    } else if (type === 'tool') {
      step.spans.push(toolCall(data, path));
      const result = toolResult(data, path);
      if (result !== null) step.results.push(result);
    } else if (type === 'file') step.spans.push(contentSpan('image', 'environment', fileText(data)));
    else if (type === 'step-finish') {
      step.ended = true;
      step.finish = stringAt(data, 'reason', path);
    } else if (!BOOKKEEPING.has(type)) step.spans.push(contentSpan('image', 'environment', `[${type}]`));
  }
  const last = steps.findLast((step) => step.spans.length > 0);
  return steps.flatMap((step) => {
    if (step.spans.length === 0) return [];
    const own = step.spans.map((span) => (span.origin === 'model' ? { ...span, model } : span));
    const turn = makeTurn('assistant', own, {
      timestamp,
      flags: own.some(isSummary) ? [REASONING_SUMMARY] : [],
      truncated: truncation(step.finish, step === last ? message.data : null) ?? brokenOff(step, steps),
    });
    return [{ turn, outcome: null }, ...step.results];
  });
}

/** A part of an assistant message that is one reply of the model. */
interface Step {
  readonly spans: Span[];
  readonly results: OpencodeTurn[];
  readonly started: boolean;
  ended: boolean;
  finish: string | null;
}

/** A step that began and was begun again without an end: its request failed and was sent anew. Some logs have no ends. */
function brokenOff(step: Step, steps: readonly Step[]): Truncation | null {
  const known = steps.some(({ ended }) => ended);
  return known && step.started && !step.ended && step !== steps.at(-1) ? 'error' : null;
}

function truncation(finish: string | null, data: JsonObject | null): Truncation | null {
  const error = data === null ? null : data['error'];
  if (isObject(error)) return ERRORS[asString(error['name']) ?? ''] ?? 'error';
  const reason = finish ?? (data === null ? null : asString(data['finish'])) ?? '';
  return Object.hasOwn(FINISHES, reason) ? (FINISHES[reason] ?? null) : null;
}

function toolCall(data: JsonObject, path: string): Span {
  const state = objectAt(data, 'state', path) ?? {};
  return callSpan({
    id: stringAt(data, 'callID', path),
    name: requiredString(data, 'tool', path),
    arguments: state['input'] ?? state['raw'],
  });
}

/** The result of a call that ended; null while it runs. */
function toolResult(data: JsonObject, path: string): OpencodeTurn | null {
  const statePath = fieldPath(path, 'state');
  const state = objectAt(data, 'state', path) ?? {};
  const status = stringAt(state, 'status', statePath);
  const failed = status === 'error';
  if (status !== 'completed' && !failed) return null;
  const text = stringAt(state, failed ? 'error' : 'output', statePath) ?? '';
  const attachments = Array.isArray(state['attachments']) ? state['attachments'].filter(isObject) : [];
  const time = isObject(state['time']) ? state['time'] : {};
  const [start, end] = [asNumber(time['start']), asNumber(time['end'])];
  const turn = makeTurn(
    'tool',
    [
      contentSpan('observation', 'environment', text),
      ...attachments.map((file) => contentSpan('image', 'environment', fileText(file))),
    ],
    {
      name: stringAt(data, 'tool', path),
      tool_call_id: stringAt(data, 'callID', path),
      timestamp: isoMillis(end),
    },
  );
  const metadata = isObject(state['metadata']) ? state['metadata'] : {};
  const exit_code = asNumber(metadata['exit']);
  const outcome = {
    seconds: start === null || end === null ? null : (end - start) / 1000,
    completed_at: isoMillis(end),
    exit_code: exit_code !== null && Number.isInteger(exit_code) ? exit_code : null,
  };
  if (failed && ABORTED.test(text)) {
    return { turn, outcome: { ...outcome, status: 'infrastructure', error_type: 'aborted' } };
  }
  const bad = failed || (outcome.exit_code ?? 0) !== 0;
  return { turn, outcome: { ...outcome, status: bad ? 'error' : 'ok' } };
}

/** Whether the harness later cleared a result out of the context. */
export function isCleared(message: OpencodeMessage): boolean {
  return message.parts.some(({ data }) => {
    const { state } = data as { state?: unknown };
    return isObject(state) && isObject(state['time']) && asNumber(state['time']['compacted']) !== null;
  });
}

function fileText(data: JsonObject): string {
  const mime = asString(data['mime']) ?? '';
  if (mime.startsWith('image/')) return IMAGE_PLACEHOLDER;
  const name = asString(data['filename']);
  return name === null ? '[file]' : `[file ${name}]`;
}

function created(data: JsonObject | null): string | null {
  const { time } = (data ?? {}) as { time?: unknown };
  return isObject(time) ? isoMillis(time['created']) : null;
}

/** Providers that keep reasoning to themselves mark its summary with what they need to find it again. */
function thoughtSpan(part: JsonObject, text: string): Span {
  const metadata = isObject(part['metadata']) ? part['metadata'] : {};
  const kept = hasKeys(metadata['openai'], 'reasoningEncryptedContent') || isObject(metadata['google']);
  return kept ? summarySpan(text) : reasoningSpan(text);
}
