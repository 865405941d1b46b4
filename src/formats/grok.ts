import { makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { contentParts, environmentSpans } from './content-parts.js';
import { listAt, objectAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { isGrokStream, isGrokStreamLine, readGrokStream } from './grok-stream.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { exitOutcome, printedExit } from './printed-exit.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { SessionRun } from './session-run.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan, toolCallSpans } from './structured-calls.js';

export const grok: FormatAdapter = {
  name: 'grok',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Grok CLI chat history, and what its streaming-json output prints (JSON lines)',
    recognised_by:
      'user lines with synthetic_reason or prompt_index, assistant lines with model_fingerprint; text and thought lines with data, tool_call lines with toolCallId',
    scores: 'none',
    executions:
      'calls and their results; the exit code of a shell command that its result opens with, no times',
    reasoning: 'a summary of reasoning that is otherwise encrypted; kept as environment text, never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the reasoning itself is encrypted: only its summary is kept (flag reasoning_summary)',
      'tool definitions, times and token counts are not recorded',
      'answers of tools that run at the provider are not recorded; their calls are kept as environment text',
      'pictures become placeholders',
      'what a fork has from its parent is told by summary.json alone; it is environment text',
      'the fields of summary.json other than id, parent and model',
      'of a printed stream: prompts and times; results as a client is shown them; early versions print no calls, which is refused where the end counts several replies',
    ],
  },
  detect,
  sessionOf,
  read,
};

/** The first line of a shell command's result. */
const EXIT_HEAD = /^exit: (-?\d+)(?:\n|$)/;

const TYPES: ReadonlySet<string> = new Set([
  'system',
  'user',
  'assistant',
  'reasoning',
  'tool_result',
  'backend_tool_call',
]);

function detect(sniff: Sniff): Detection | null {
  const lines = sniff.lines.filter(isObject);
  if (isGrokStream(lines))
    return { confidence: 'certain', reason: 'the stream of a Grok run', unit: 'lines' };
  if (!lines.every((line) => TYPES.has(asString(line['type']) ?? ''))) return null;
  if (!lines.some(isMarked)) return null;
  return { confidence: 'certain', reason: 'lines of a Grok chat history', unit: 'lines' };
}

/** Fields that no other log with these types has. */
function isMarked(line: JsonObject): boolean {
  if (line['type'] === 'user') return hasKeys(line, 'synthetic_reason') || hasKeys(line, 'prompt_index');
  if (line['type'] === 'assistant') return hasKeys(line, 'model_fingerprint') || hasKeys(line, 'model_id');
  if (line['type'] === 'reasoning') return Array.isArray(line['summary']);
  if (line['type'] === 'tool_result')
    return hasKeys(line, 'tool_call_id', 'content') && !hasKeys(line, 'uuid');
  return line['type'] === 'backend_tool_call';
}

/** A history begins with the system prompt and names no session; a stream ends with what it names. */
function sessionOf(record: unknown): SessionMark | null {
  if (isGrokStreamLine(record)) return { closes: isObject(record) && record['type'] === 'end' };
  return { opens: isObject(record) && record['type'] === 'system' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = Array.isArray(input) ? input : [input];
  if (records.some(isGrokStreamLine)) {
    return [
      readGrokStream(
        records.map((record, index) => objectOf(record, `line ${index + 1}`)),
        context,
      ),
    ];
  }
  const run = new SessionRun();
  const models: string[] = [];
  const summary = summaryOf(context);
  const inheritedLines = asNumber(summary['inherited_prefix_len']) ?? 0;
  records.forEach((value, index) => {
    const path = `line ${index + 1}`;
    const line = objectOf(value, path);
    const model = stringAt(line, 'model_id', path);
    if (model !== null) models.push(model);
    readLine(run, line, { path, model: models[0] ?? null });
    // The session was forked: what its parent said so far is history.
    if (index + 1 === inheritedLines && run.turns.some(({ role }) => role === 'assistant')) {
      run.inherit();
      run.flag('forked_session');
    }
  });
  requireModelTurns(run.turns);
  const parent = asString(summary['parent_session_id']);
  if (parent !== null) run.flag('subagent');
  const info = isObject(summary['info']) ? summary['info'] : {};
  return [
    run.finish(context, {
      session_id: asString(info['id']),
      parent_session: parent,
      scaffold: 'grok',
      model: models[0] ?? asString(summary['current_model_id']),
    }),
  ];
}

function readLine(run: SessionRun, line: JsonObject, at: { path: string; model: string | null }): void {
  const { path } = at;
  const type = requiredString(line, 'type', path);
  switch (type) {
    case 'system':
      run.push(
        makeTurn('system', environmentSpans('prompt', contentParts(line['content'], `${path}.content`))),
      );
      return;
    case 'user':
      readUser(run, line, path);
      return;
    case 'reasoning':
      readReasoning(run, line, path);
      return;
    case 'assistant':
      readReply(run, line, at);
      return;
    case 'tool_result': {
      const parts = [...contentParts(line['content'], `${path}.content`)];
      for (const _ of listAt(line, 'images', path) ?? []) parts.push({ kind: 'image', text: '[image]' });
      const tool_call_id = stringAt(line, 'tool_call_id', path);
      const exit = printedExit(parts[0]?.text ?? '', EXIT_HEAD);
      const turn = makeTurn('tool', environmentSpans('observation', parts), { tool_call_id });
      run.push(turn, exitOutcome(exit, {}));
      return;
    }
    case 'backend_tool_call':
      readBackendCall(run, line, path);
      return;
    default:
      throw wrongType(`${path}.type`, `a known type (not "${type}")`, type);
  }
}

/** What the harness added says so; in the rest of the messages tagged blocks are its own too. */
function readUser(run: SessionRun, line: JsonObject, path: string): void {
  const synthetic = (line['synthetic_reason'] ?? null) !== null;
  const parts = contentParts(line['content'], `${path}.content`);
  const spans = parts.flatMap((part) =>
    part.kind === 'image' || synthetic ? environmentSpans('observation', [part]) : userSpans(part.text),
  );
  // The reply before this prompt was stopped by the user.
  if ((line['prior_turn_interrupt'] ?? null) !== null) abortLast(run);
  run.push(makeTurn('user', spans.length > 0 ? spans : userSpans('')));
}

function abortLast(run: SessionRun): void {
  const last = run.turns.findLastIndex((turn) => turn.role === 'assistant');
  const turn = run.turns[last];
  if (turn !== undefined) run.replace(last, { ...turn, truncated: 'aborted' });
}

/** Reasoning and calls of the provider stand before the reply that they belong to: they open it. */
function readReasoning(run: SessionRun, line: JsonObject, path: string): void {
  const texts = (listAt(line, 'summary', path) ?? []).map((value, index) =>
    stringAt(objectOf(value, `${path}.summary[${index}]`), 'text', `${path}.summary[${index}]`),
  );
  const text = texts.filter((piece) => piece !== null && piece !== '').join('\n\n');
  if (text === '') {
    run.flag('reasoning_hidden');
    return;
  }
  run.flag(REASONING_SUMMARY);
  openReply(run, summarySpan(text));
}

function openReply(run: SessionRun, span: Span): void {
  const last = run.turns.length - 1;
  const before = run.turns[last];
  if (before?.flags.includes(OPENING)) run.replace(last, { ...before, spans: [...before.spans, span] });
  else run.push(makeTurn('assistant', [span], { flags: [OPENING] }));
}

/** Mark of a turn that holds what came before a reply and waits for it. */
const OPENING = 'reply_not_recorded';

function readReply(run: SessionRun, line: JsonObject, at: { path: string; model: string | null }): void {
  const { path } = at;
  const own = asString(line['model_id']);
  const model = own === at.model ? null : own;
  const content = contentParts(line['content'], `${path}.content`);
  const thought = asString(line['reasoning']) ?? '';
  if (thought !== '') run.flag(REASONING_SUMMARY);
  const spans = [
    ...(thought === '' ? [] : [summarySpan(thought)]),
    ...content.flatMap((part) => actionSpans(part.text, [])),
    ...toolCallSpans(listAt(line, 'tool_calls', path) ?? [], `${path}.tool_calls`),
  ].map((span) => ({ ...span, model }));
  const last = run.turns.length - 1;
  const before = run.turns[last];
  if (before?.flags.includes(OPENING)) {
    run.replace(last, { ...before, spans: [...before.spans, ...spans], flags: [] });
  } else run.push(makeTurn('assistant', spans));
}

/** A search that ran at the provider is part of the reply that follows; the words in which the model asked are not kept. */
function readBackendCall(run: SessionRun, line: JsonObject, path: string): void {
  const kind = objectAt(line, 'kind', path) ?? {};
  run.flag('provider_side_calls');
  const call = callSpan({
    id: asString(kind['id']),
    name: asString(kind['tool_type']) ?? 'backend_tool',
    arguments: kind['action'],
  });
  openReply(run, { ...call, origin: 'environment' });
}

function summaryOf(context: ReadContext): JsonObject {
  // Of several sessions in one file the summary beside it is that of one at most.
  const several = context.place.line !== null;
  if (several || !context.siblings.names.includes('summary.json')) return {};
  try {
    const summary: unknown = JSON.parse(context.siblings.readText('summary.json', 'session summary') ?? '');
    return isObject(summary) ? summary : {};
  } catch {
    return {};
  }
}
