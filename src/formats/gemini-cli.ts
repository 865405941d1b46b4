import { RejectError } from '../logs/reject.js';
import { makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { fieldPath, listAt, listOf, objectOf, requiredString, stringAt } from './fields.js';
import { geminiParts, modelPartSpans, responseTurn, userPartTurns } from './gemini-parts.js';
import { isGeminiStreamLine, readGeminiStream } from './gemini-stream.js';
import { EXIT_FIELD, exitOutcome, printedExit } from './printed-exit.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asArray, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan } from './structured-calls.js';

/** Records that the terminal showed and no model saw. */
const NOTICES: ReadonlySet<string> = new Set(['info', 'error', 'warning']);

/** Sub-agents lie in a folder named by the session that started them. */
const SUBAGENT_PATH = /(?:^|\/)chats\/([^/]+)\/[^/]+\.jsonl$/;

export const geminiCli: FormatAdapter = {
  name: 'gemini-cli',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Gemini CLI: session files, one JSON up to 0.39 and JSON lines from 0.40, bare contents lists, and --output-format stream-json',
    recognised_by:
      'sessionId and projectHash with messages or as a first line; a list of role model|user with parts; lines of type init and tool_use with tool_id',
    scores: 'none',
    executions: 'status of each call; exit code of a shell command where the result text has one',
    reasoning: 'summaries of thoughts, which is all that the API sends, never trained (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the raw thoughts: a session holds summaries of them, kept as environment text (flag reasoning_summary)',
      'the system prompt and the tool definitions are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'what the terminal showed: info, warning and error records, display texts, summaries, token counts',
      'messages that a rewind took back, and earlier states of a message that was written again',
      'pictures and files become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const { json, lines } = sniff;
  if (hasKeys(json, 'sessionId', 'projectHash') && Array.isArray(json['messages'])) {
    return { confidence: 'certain', reason: 'sessionId, projectHash and messages', unit: 'document' };
  }
  if (lines.some((line) => hasKeys(line, 'sessionId', 'projectHash') && !hasKeys(line, 'parentUuid'))) {
    return { confidence: 'certain', reason: 'a line with sessionId and projectHash', unit: 'lines' };
  }
  if (lines.some(isGeminiStreamLine)) {
    return { confidence: 'certain', reason: 'the stream of Gemini CLI', unit: 'lines' };
  }
  if (isContents(json)) {
    return { confidence: 'certain', reason: 'a list of model and user parts', unit: 'document' };
  }
  return null;
}

function isContents(value: unknown): value is readonly JsonObject[] {
  const items = asArray(value);
  return (
    items.some((item) => isObject(item) && item['role'] === 'model') &&
    items.every((item) => isObject(item) && Array.isArray(item['parts']) && isGeminiRole(item['role']))
  );
}

function isGeminiRole(role: unknown): boolean {
  return role === 'user' || role === 'model' || role === 'function';
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (isContents(input)) return [readContents(input, context)];
  if (Array.isArray(input) && input.some(isGeminiStreamLine)) {
    const records = input.map((value, index) => objectOf(value, `line ${index + 1}`));
    const streamed = readGeminiStream(records, context);
    requireModelTurns(streamed.turns);
    return [streamed];
  }
  const session = Array.isArray(input) ? joinLines(input) : objectOf(input, 'document');
  const messages = listOf(session['messages'], 'messages');
  if (messages.length === 0) throw new RejectError('no_turns', 'a session without messages');
  const run = new SessionRun();
  const models: string[] = [];
  messages.forEach((value, index) => {
    const path = `messages[${index}]`;
    const message = objectOf(value, path);
    const model = asString(message['model']);
    if (model !== null) models.push(model);
    readMessage(run, message, { path, model: models[0] ?? null });
  });
  requireModelTurns(run.turns);
  const subagent = session['kind'] === 'subagent';
  if (subagent) run.flag('subagent');
  return [
    run.finish(context, {
      session_id: stringAt(session, 'sessionId', ''),
      parent_session: subagent ? (SUBAGENT_PATH.exec(context.place.path)?.[1] ?? null) : null,
      scaffold: 'gemini-cli',
      model: models[0] ?? null,
    }),
  ];
}

/**
 * The session that lines add up to: the first line and each `$set` are fields of it, a message that is written again
 * takes the place of the earlier one, `$rewindTo` takes back a message and all after it.
 */
function joinLines(lines: readonly unknown[]): JsonObject {
  let session: JsonObject = {};
  const messages = new Map<string, JsonObject>();
  lines.forEach((value, index) => {
    const line = objectOf(value, `line ${index + 1}`);
    const rewind = asString(line['$rewindTo']);
    if (rewind !== null) rewindTo(messages, rewind);
    else if (isObject(line['$set'])) session = { ...session, ...line['$set'] };
    else if (typeof line['id'] === 'string') messages.set(line['id'], line);
    else if (typeof line['type'] === 'string') messages.set(`line ${index + 1}`, line);
    else session = { ...session, ...line };
  });
  const written = asArray(session['messages']);
  return { ...session, messages: written.length > 0 ? written : [...messages.values()] };
}

function rewindTo(messages: Map<string, JsonObject>, id: string): void {
  const ids = [...messages.keys()];
  for (const later of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(later);
}

function readMessage(run: SessionRun, message: JsonObject, at: { path: string; model: string | null }): void {
  const { path } = at;
  const type = requiredString(message, 'type', path);
  const timestamp = stringAt(message, 'timestamp', path);
  const parts = geminiParts(message['content'], fieldPath(path, 'content'));
  if (NOTICES.has(type)) return;
  if (type === 'user') {
    for (const { turn } of userPartTurns(parts, { path: fieldPath(path, 'content'), timestamp }))
      run.push(turn);
    return;
  }
  if (type !== 'gemini') throw new RejectError('bad_shape', `${path}.type: unknown type "${type}"`);
  const own = asString(message['model']);
  const model = own === at.model ? null : own;
  const calls = (listAt(message, 'toolCalls', path) ?? []).map((value, index) => ({
    call: objectOf(value, `${path}.toolCalls[${index}]`),
    path: `${path}.toolCalls[${index}]`,
  }));
  const thoughts = thoughtSpans(message, path);
  const said = modelPartSpans(parts, fieldPath(path, 'content'), summarySpan);
  if ([...thoughts, ...said].some(isSummary)) run.flag(REASONING_SUMMARY);
  const spans: Span[] = [
    ...thoughts,
    ...said,
    ...calls.map(({ call, path: callPath }) =>
      callSpan({
        id: stringAt(call, 'id', callPath),
        name: requiredString(call, 'name', callPath),
        arguments: call['args'],
      }),
    ),
  ];
  run.push(
    makeTurn(
      'assistant',
      spans.map((span) => ({ ...span, model })),
      { timestamp },
    ),
  );
  for (const { call, path: callPath } of calls) pushAnswer(run, call, callPath);
}

/** Thoughts as the interface shows them: a heading and its text. They sum up what the model thought. */
function thoughtSpans(message: JsonObject, path: string): Span[] {
  return (listAt(message, 'thoughts', path) ?? []).flatMap((value, index) => {
    const thoughtPath = `${path}.thoughts[${index}]`;
    const thought = objectOf(value, thoughtPath);
    const subject = stringAt(thought, 'subject', thoughtPath) ?? '';
    const description = stringAt(thought, 'description', thoughtPath) ?? '';
    const text = [subject === '' ? '' : `**${subject}**`, description]
      .filter((piece) => piece !== '')
      .join('\n');
    return text === '' ? [] : [summarySpan(text)];
  });
}

const STATUSES: Readonly<Record<string, RecordedOutcome['status']>> = { success: 'ok', error: 'error' };

/** The answers to a call are recorded inside it; a call that never got one has no feedback. */
function pushAnswer(run: SessionRun, call: JsonObject, path: string): void {
  const timestamp = stringAt(call, 'timestamp', path);
  const parts = geminiParts(call['result'], fieldPath(path, 'result'));
  const status = stringAt(call, 'status', path) ?? '';
  if (status === 'cancelled') run.flag('cancelled_calls');
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const id = stringAt(call, 'id', path);
  const name = stringAt(call, 'name', path);
  const texts = parts.flatMap((part, index) => {
    if (isObject(part['functionResponse'])) {
      const at = { path: `${path}.result[${index}]`, timestamp };
      return responseTurn(part['functionResponse'], at).spans;
    }
    return userPartTurns([part], { path: `${path}.result`, timestamp, injected: true }).flatMap(
      ({ turn }) => turn.spans,
    );
  });
  if (texts.length === 0) return;
  const exit_code = printedExit(texts.map((span) => span.text).join('\n'), EXIT_FIELD);
  const outcome = exitOutcome(exit_code, known === undefined ? {} : { status: known });
  run.push(makeTurn('tool', texts, { name, tool_call_id: id, timestamp }), outcome);
}

/** What the API itself was given: contents with parts, raw thoughts included. */
function readContents(contents: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  contents.forEach((content, index) => {
    const path = `[${index}].parts`;
    const parts = geminiParts(content['parts'], path);
    if (content['role'] !== 'model') {
      for (const { turn } of userPartTurns(parts, { path, timestamp: null })) run.push(turn);
      return;
    }
    const spans = modelPartSpans(parts, path, summarySpan);
    if (spans.some(isSummary)) run.flag(REASONING_SUMMARY);
    run.push(makeTurn('assistant', spans));
  });
  requireModelTurns(run.turns);
  return run.finish(context, { scaffold: 'gemini-cli' });
}
