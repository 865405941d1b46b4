import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { blocksOf } from './anthropic-blocks.js';
import { replyBlocks, userBlockTurns } from './content-blocks.js';
import { objectAt, objectOf, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';
import { isoMillis } from './times.js';

/** Providers that send a summary of the reasoning in its place. */
const SUMMARISES = /gpt|gemini|grok|\bo\d/i;

/** Whether records are what `cursor-agent --output-format stream-json` prints, which opens as Claude Code's stream does. */
export function isCursorStream(records: readonly unknown[]): boolean {
  return records.some(
    (record) =>
      (hasKeys(record, 'tool_call', 'call_id') && record['type'] === 'tool_call') ||
      (hasKeys(record, 'apiKeySource', 'subtype') &&
        record['subtype'] === 'init' &&
        !hasKeys(record, 'tools')),
  );
}

/** A reply is what stands between two results: thinking, text, calls; pieces of it that are printed again as a whole count once. */
export function readCursorStream(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const state: State = { run, model: null, called: new Set(), thought: '', said: '' };
  let session: string | null = null;
  run.flag('system_prompt_absent');
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    session ??= asString(record['session_id']);
    if (record['subtype'] === 'init') state.model ??= asString(record['model']);
    const read = READERS[asString(record['type']) ?? ''];
    read?.(state, record, path);
  });
  closeThought(state);
  return run.finish(context, { session_id: session, scaffold: 'cursor', model: state.model });
}

interface State {
  readonly run: SessionRun;
  model: string | null;
  readonly called: Set<string>;
  /** thinking that is still being streamed */
  thought: string;
  /** text of the reply that is still being streamed */
  said: string;
}

const READERS: Readonly<Record<string, (state: State, record: JsonObject, path: string) => void>> = {
  user: readUser,
  assistant: readReply,
  thinking: readThinking,
  tool_call: readCall,
  result: readResult,
};

function readUser(state: State, record: JsonObject, path: string): void {
  closeThought(state);
  state.said = '';
  const at = `${path}.message.content`;
  const blocks = blocksOf(objectOf(record['message'], `${path}.message`)['content'], at);
  for (const { turn } of userBlockTurns(blocks, { path: at, timestamp: null, textSpans: userSpans }))
    state.run.push(turn);
}

function readThinking(state: State, record: JsonObject, path: string): void {
  state.thought += stringAt(record, 'text', path) ?? '';
  if (record['subtype'] === 'completed') closeThought(state);
}

function closeThought(state: State): void {
  const { thought, model, run } = state;
  state.thought = '';
  if (thought === '') return;
  const summary = SUMMARISES.test(model ?? '');
  if (summary) run.flag(REASONING_SUMMARY);
  extend(run, [summary ? summarySpan(thought) : reasoningSpan(thought)], null);
}

function readReply(state: State, record: JsonObject, path: string): void {
  closeThought(state);
  const at = `${path}.message.content`;
  const blocks = blocksOf(objectOf(record['message'], `${path}.message`)['content'], at);
  const text = blocks.map((block) => asString(block['text']) ?? '').join('');
  if (text !== '' && text === state.said) return;
  state.said += text;
  const { spans } = replyBlocks(blocks, at, (piece) => actionSpans(piece, []));
  extend(state.run, spans, isoMillis(record['timestamp_ms']));
}

/** Puts spans into the reply that is open, text behind text as one; a result or a prompt before it opens a new one. */
function extend(run: SessionRun, spans: readonly Span[], timestamp: string | null): void {
  if (run.turns.at(-1)?.role !== 'assistant') {
    run.push(makeTurn('assistant', [...spans], { timestamp }));
    return;
  }
  for (const span of spans) {
    if (span.kind === 'text') run.continueReply(span);
    else run.extendReply(span);
  }
}

/** A call stands under its own key (`readToolCall`), with what it was given and how it ended. */
function readCall(state: State, record: JsonObject, path: string): void {
  closeThought(state);
  state.said = '';
  const [key = '', value] = Object.entries(objectAt(record, 'tool_call', path) ?? {})[0] ?? [];
  const body = isObject(value) ? value : {};
  const id = stringAt(record, 'call_id', path);
  const name = asString(body['name']) ?? key.replace(/ToolCall$/, '');
  if (name === '') return;
  if (id === null || !state.called.has(id)) {
    const call = callSpan({ id, name, arguments: body['args'] ?? body['arguments'] ?? {} });
    extend(state.run, [call], isoMillis(record['timestamp_ms']));
  }
  if (id !== null) state.called.add(id);
  if (record['subtype'] !== 'completed') return;
  const result = body['result'];
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
  const turn = makeTurn(
    'tool',
    [contentSpan('observation', 'environment', result === undefined ? '' : text)],
    {
      name,
      tool_call_id: id,
      timestamp: isoMillis(record['timestamp_ms']),
    },
  );
  state.run.push(turn, isObject(result) ? outcomeOf(result) : null);
}

function outcomeOf(result: JsonObject): RecordedOutcome {
  const ended = result['success'];
  const failed = result['failure'] ?? result['error'] ?? result['rejected'] ?? result['timeout'];
  const code = [ended, failed].map((part) => (isObject(part) ? asNumber(part['exitCode']) : null));
  const exit_code = code.find((each) => Number.isSafeInteger(each)) ?? null;
  const status = failed !== undefined || (exit_code ?? 0) !== 0 ? 'error' : 'ok';
  return ended === undefined && failed === undefined ? {} : { status, exit_code };
}

function readResult(state: State, record: JsonObject): void {
  closeThought(state);
  if (record['is_error'] === true) state.run.flag('provider_error');
}
