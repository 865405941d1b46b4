import { posix } from 'node:path';
import { RejectError } from '../logs/reject.js';
import { contentSpan } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import type { CallAnswer, LoggedMessage } from './anthropic-turns.js';
import { claudeOutcome } from './claude-outcomes.js';
import { clineCallMarks, clineCut, isClineText } from './cline-inputs.js';
import { fieldPath, listOf, objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { asArray, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { type CallOutcome, inferredOutcome, requireModelTurns, type ShellCall } from './shell-executions.js';
import { isoMillis } from './times.js';

const HISTORY = 'api_conversation_history.json';
const COMPLETION = 'attempt_completion';
const TRUNCATED = /\[NOTE\] Some previous conversation history with the user has been removed/;

export const cline: FormatAdapter = {
  name: 'cline',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Cline tasks and their kin: api_conversation_history.json',
    recognised_by:
      'a list of messages with modelInfo, or whose user texts are `[tool for …] Result:` and <environment_details>',
    scores: 'none',
    executions:
      'calls and the text of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'thinking blocks; absent where only their signature is logged (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions are not recorded',
      'results are texts of user messages without ids: what answers a call is told by the order',
      'arguments of structured calls are objects: the text that the model wrote is not recorded',
      'metrics; ui_messages.json, which repeats the conversation with costs, and task_metadata.json',
      'what Cline cut out of a long context is not recorded (flag context_truncated)',
      'what Cline wrote at the end of a reply that it broke off, or in the place of an empty one, is environment',
      'pictures become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isUiLog(sniff.json)) return { confidence: 'certain', reason: 'the messages of a Cline window' };
  if (hasKeys(sniff.json, 'files_in_context', 'model_usage')) {
    return { confidence: 'certain', reason: 'the metadata of a Cline task' };
  }
  const items = asArray(sniff.json).filter((item) => !isThought(item));
  if (items.length === 0 || !items.every((item) => hasKeys(item, 'role', 'content'))) return null;
  if (items.some((item) => hasKeys(item, 'modelInfo'))) {
    return { confidence: 'certain', reason: 'a list of messages with modelInfo' };
  }
  const texts = items.flatMap((item) => (isObject(item) && item['role'] === 'user' ? blockTexts(item) : []));
  if (!texts.some(isClineText)) return null;
  return { confidence: 'likely', reason: 'user messages as Cline writes them' };
}

/** What Cline puts at the end of a reply that it broke off, and in the place of one that was empty. */
const INTERRUPTED =
  /\[Response interrupted by (?:user|API Error|user feedback|a tool use result\.[^\]]*)\]\s*$/;
const NO_REPLY = 'Failure: I did not provide a response.';

/** A record of its own for the reasoning before a reply, as Roo Code keeps it where the provider encrypts it. */
function isThought(item: unknown): boolean {
  return (
    isObject(item) &&
    item['type'] === 'reasoning' &&
    (hasKeys(item, 'encrypted_content') || hasKeys(item, 'summary'))
  );
}

function isUiLog(value: unknown): boolean {
  const items = asArray(value);
  const known = (item: unknown) =>
    hasKeys(item, 'ts', 'type') &&
    (item['type'] === 'say' || item['type'] === 'ask') &&
    hasKeys(item, item['type']);
  return items.length > 0 && items.every(known);
}

function blockTexts(message: JsonObject): string[] {
  const { content } = message as { content?: unknown };
  if (typeof content === 'string') return [content];
  return asArray(content).flatMap((block) => {
    const text = isObject(block) ? asString(block['text']) : null;
    return text === null ? [] : [text];
  });
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (!Array.isArray(input) || isUiLog(input)) {
    if (context.siblings.names.includes(HISTORY)) return { sidecar_of: HISTORY };
    throw new RejectError('sidecar_without_primary', `${HISTORY} is not beside it`);
  }
  const items = listOf(input, 'list')
    .filter((item) => !isThought(item))
    .map((value, index) => objectOf(value, `[${index}]`));
  const hidden = items.length < input.length;
  const structured = items.some((item) => holdsCall(item));
  const messages = items.map((item, index) =>
    readMessage(item, { path: `[${index}]`, before: items[index - 1] }),
  );
  // Roo Code puts a summary in the place of everything before it.
  const restarts = items.flatMap((item, index) => (isSummary(item) ? [index] : []));
  const truncated = items.some((item) => blockTexts(item).some((text) => TRUNCATED.test(text)));
  const run = messagesRun(
    {
      messages,
      restarts,
      cutReply: (text, origin) => {
        const mark = text.search(INTERRUPTED);
        const own = mark === -1 ? text : text.slice(0, mark).trimEnd();
        const spans = actionSpans(own, structured ? [] : clineCallMarks(own), origin);
        return own === text ? spans : [...spans, contentSpan('text', 'environment', text.slice(own.length))];
      },
      outcome,
    },
    context,
    {
      session_id: taskId(context),
      scaffold: 'cline',
      flags: [
        'system_prompt_absent',
        ...(hidden ? ['reasoning_hidden'] : []),
        ...(truncated ? ['context_truncated'] : []),
        ...(restarts.length > 0 ? ['compacted_context_assumed'] : []),
      ],
    },
  );
  requireModelTurns(run.turns);
  return [{ ...run, termination: handsIn(run.turns) ? 'submitted' : run.termination }];
}

function holdsCall(message: JsonObject | undefined): boolean {
  return asArray(message?.['content']).some((block) => isObject(block) && block['type'] === 'tool_use');
}

function isSummary(message: JsonObject): boolean {
  return message['isSummary'] === true;
}

function readMessage(item: JsonObject, at: { path: string; before: JsonObject | undefined }): LoggedMessage {
  const { path, before } = at;
  const role = requiredString(item, 'role', path);
  const timestamp = isoMillis(item['ts']);
  const { content } = item as { content?: unknown };
  if (isSummary(item) && (role === 'assistant' || role === 'user')) {
    const cut = (text: string) => [contentSpan('observation', 'environment', text)];
    return { role: 'user', content: spokenBlocks(content), path, timestamp, flags: ['compact_summary'], cut };
  }
  if (role === 'assistant') {
    const info = isObject(item['modelInfo']) ? item['modelInfo'] : {};
    const model = asString(info['modelId']);
    const texts = blockTexts(item);
    const truncated = texts.some((text) => INTERRUPTED.test(text)) ? ('aborted' as const) : null;
    const made = texts.length === 1 && texts[0] === NO_REPLY && !holdsCall(item);
    const harness = made ? { origin: 'environment' as const, flags: ['harness_reply'] } : {};
    return { role, content, path, timestamp, model, stop: item['stop_reason'], truncated, ...harness };
  }
  if (role !== 'user')
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  return { role, content, path, timestamp, cut: clineCut(holdsCall(before)) };
}

/** A summary without the reasoning that led to it, which no context holds. */
function spokenBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter((block) => !isObject(block) || block['type'] === 'text');
}

/** By id where there is a result block; else the feedback right after the reply answers its calls. */
function outcome(
  turns: readonly Turn[],
  answers: ReadonlyMap<string, CallAnswer>,
  call: ShellCall,
): CallOutcome | null {
  if (call.id !== null && answers.has(call.id)) return claudeOutcome(turns, answers, call);
  const next = turns[call.call_turn + 1];
  const answered = next?.spans.some((span) => span.kind === 'observation') ?? false;
  if (next === undefined || !answered || next.role === 'assistant') return { feedback_turn: null };
  return inferredOutcome(next.spans.map((span) => span.text).join(''), { feedback_turn: call.call_turn + 1 });
}

/** Whether the last reply hands the work in. */
function handsIn(turns: readonly Turn[]): boolean {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  const after = turns.slice(last + 1);
  const asked = after.some((turn) => turn.spans.some((span) => span.kind === 'prompt'));
  return !asked && (turns[last]?.spans.some((span) => span.call?.name === COMPLETION) ?? false);
}

/** Cline keeps each task in a folder that bears its id, a time in milliseconds. */
function taskId(context: ReadContext): string | null {
  const folder = posix.basename(posix.dirname(context.place.path));
  return /^\d{13}$/.test(folder) ? asId(folder) : null;
}
