import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { inputSpans } from './claude-inputs.js';
import { listOf, objectOf } from './fields.js';
import { gooseMessage, holdsCallBlock, isHidden, isSeen } from './goose-blocks.js';
import { joinedReplies, piecedMessages } from './goose-replies.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { sendsSummaries } from './reasoning-summary.js';
import { asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const goose: FormatAdapter = {
  name: 'goose',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Goose: session files (JSON lines), `goose session export --format json`, and `goose run --output-format json` or stream-json',
    recognised_by: 'messages with created and content, among them toolRequest, or under a working_dir',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'thinking and reasoning blocks; absent where they are redacted or empty (flag reasoning_hidden); of models of OpenAI and Google, where the session names one, they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions are not recorded; nor is the model but in later exports',
      'arguments are objects: the text that the model wrote is not recorded',
      'where a reply ends, as its calls are messages of their own: calls belong together by their thinking and by when their answers were begun',
      'what Goose says in the place of a reply (limits, errors, interruptions, the output of a recipe) is told by its words, and is environment (flag harness_reply)',
      'a call that could not be parsed is not recorded: its reply is context, never trained (turn flag reply_not_recorded), as is one that Goose rewrote to draw a json-render block',
      'calls in whose place Goose later put a sentence: they stand where they were made (flag context_edited)',
      'what is shown to people alone: texts and results for the user, notifications, errors, confirmations',
      'a compaction marks all before it as unseen: the context after it is taken to begin with its summary (flag compacted_context_assumed)',
      'token counts, costs, recipes and state of extensions',
      'pictures and documents become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const session = sniff.json;
  if (
    hasKeys(session, 'conversation') &&
    (hasKeys(session, 'working_dir') || isTold(session['conversation']))
  )
    return isMessageList(session['conversation'])
      ? { confidence: 'certain', reason: 'an exported Goose session', unit: 'document' }
      : null;
  if (isMessageList(session, 'messages') && isTold((session as JsonObject)['messages']))
    return { confidence: 'certain', reason: 'the messages of a Goose run', unit: 'document' };
  const told = sniff.lines.some((line) => hasKeys(line, 'working_dir', 'message_count'));
  const messages = sniff.lines.flatMap((line) => messageOf(line) ?? []);
  if (messages.length === 0 || !(told || messages.some(holdsCallBlock))) return null;
  return { confidence: 'certain', reason: 'lines of a Goose session', unit: 'lines' };
}

function isMessageList(value: unknown, key?: string): boolean {
  const list = key === undefined ? value : isObject(value) ? value[key] : null;
  return Array.isArray(list) && list.length > 0 && list.every(isMessage);
}

function isTold(list: unknown): boolean {
  return Array.isArray(list) && list.some(holdsCallBlock);
}

function isMessage(value: unknown): boolean {
  return hasKeys(value, 'role', 'created', 'content') && asNumber(value['created']) !== null;
}

/** The message of a line: bare, as session files have it, or under the `message` of a stream. */
function messageOf(line: unknown): JsonObject | null {
  const message = isObject(line) && line['type'] === 'message' ? line['message'] : line;
  return isMessage(message) ? (message as JsonObject) : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const lines: readonly unknown[] | null = Array.isArray(input) ? input : null;
  const header = lines === null ? input : lines.find((line) => hasKeys(line, 'working_dir'));
  const facts = objectOf(header ?? {}, 'session');
  const records =
    lines?.flatMap<JsonObject>((line) => messageOf(line) ?? []) ??
    listOf(facts['conversation'] ?? facts['messages'], 'conversation').map((value, index) =>
      objectOf(value, `conversation[${index}]`),
    );
  const seen = contextsOf(piecedMessages(records));
  const model = modelOf(facts);
  const restarts = new Set(seen.restarts);
  const messages: LoggedMessage[] = joinedReplies(
    seen.records.map((message, index) =>
      gooseMessage(message, `messages[${index}]`, {
        summary: restarts.has(index),
        summarises: sendsSummaries(model),
      }),
    ),
    seen.records,
  );
  const run = messagesRun(
    {
      messages: messages.map((message) =>
        message.role === 'user' ? { ...message, cut: (text) => inputSpans(text, { human: true }) } : message,
      ),
      restarts: seen.restarts,
      cutReply: (text, origin) => actionSpans(text, [], origin),
    },
    context,
    {
      session_id: asId(facts['id']),
      scaffold: 'goose',
      model,
      flags: [
        'system_prompt_absent',
        ...(seen.restarts.length > 0 ? ['compacted_context_assumed'] : []),
        ...(seen.edited ? ['context_edited'] : []),
      ],
    },
  );
  requireModelTurns(run.turns);
  return [run];
}

function modelOf(session: JsonObject): string | null {
  const config = isObject(session['model_config']) ? session['model_config'] : {};
  return asString(config['model_name']);
}

/**
 * The messages that a model was shown, and where a new context began: at a summary, behind which Goose tells the model in
 * a reply of its own to go on. What lies behind the last of these and is out of the sight of the model was never in it,
 * but for calls and results, in whose place Goose puts a sentence once there are many.
 */
function contextsOf(records: readonly JsonObject[]): {
  readonly records: readonly JsonObject[];
  readonly restarts: readonly number[];
  readonly edited: boolean;
} {
  const begins = records.flatMap((message, index) => {
    const next = records[index + 1];
    if (index === 0 || next === undefined || !isHidden(message) || !isHidden(next)) return [];
    return message['role'] === 'user' && next['role'] === 'assistant' ? [index] : [];
  });
  const last = begins.at(-1) ?? 0;
  const taken = (message: JsonObject, index: number): boolean =>
    index >= last && !isSeen(message) && holdsCallBlock(message);
  const kept = records
    .map((message, index) => ({ message, index }))
    .filter(({ message, index }) => index < last || isSeen(message) || taken(message, index));
  const places = new Map(kept.map(({ index }, place) => [index, place]));
  return {
    records: kept.map(({ message }) => message),
    restarts: begins.flatMap((begin) => places.get(begin) ?? []),
    edited: records.some(taken),
  };
}
