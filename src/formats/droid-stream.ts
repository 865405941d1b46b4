import { contentSpan, makeTurn, turnContent } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { booleanAt, requiredString, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan } from './structured-calls.js';

/** What a stream says of its run. */
interface Head {
  session: string | null;
  model: string | null;
  tools: string | null;
}

const STREAM_TYPES: ReadonlySet<string> = new Set(['tool_call', 'tool_result', 'completion']);

/** A line that only the stream has: a call, a result or the end, each with the id of the session or of the call. */
export function isDroidStreamLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  const type = asString(line['type']) ?? '';
  if (STREAM_TYPES.has(type)) {
    return hasKeys(line, 'toolCallId') || hasKeys(line, 'toolName') || hasKeys(line, 'finalText');
  }
  if (!hasKeys(line, 'session_id') && !hasKeys(line, 'sessionId')) return false;
  return type === 'message' && typeof line['role'] === 'string' && typeof line['text'] === 'string';
}

/** The events of `droid exec --output-format stream-json`: a reply is its message and the calls that follow it. */
export function readDroidStream(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const head: Head = { session: null, model: null, tools: null };
  let ended = false;
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    head.session ??= asId(record['session_id']) ?? asId(record['sessionId']);
    switch (asString(record['type'])) {
      case 'system':
        head.model ??= asString(record['model']) ?? asString(record['modelId']);
        if (Array.isArray(record['tools'])) head.tools ??= JSON.stringify(record['tools']);
        return;
      case 'message':
        readMessage(run, record, path);
        return;
      case 'tool_call':
        readCall(run, record, path);
        return;
      case 'tool_result':
        readResult(run, record, path);
        return;
      case 'completion':
        ended = true;
        readCompletion(run, record, path);
        return;
      case 'error':
        run.flag('provider_error');
        return;
      default:
    }
  });
  requireModelTurns(run.turns);
  return run.finish(context, {
    session_id: head.session,
    scaffold: 'droid',
    model: head.model,
    tools: head.tools,
    ...(ended ? { termination: 'submitted' as const } : {}),
  });
}

function readMessage(run: SessionRun, record: JsonObject, path: string): void {
  // A delta is a piece of a message that is written whole after it.
  if (record['subtype'] === 'delta') {
    run.flag('deltas_left_out');
    return;
  }
  const text = stringAt(record, 'text', path) ?? stringAt(record, 'content', path) ?? '';
  const timestamp = timeOf(record);
  const role = requiredString(record, 'role', path);
  if (role === 'assistant') run.push(makeTurn('assistant', actionSpans(text, []), { timestamp }));
  else if (role === 'system')
    run.push(makeTurn('system', [contentSpan('prompt', 'environment', text)], { timestamp }));
  else run.push(makeTurn('user', userSpans(text), { timestamp }));
}

function readCall(run: SessionRun, record: JsonObject, path: string): void {
  const call = callSpan({
    id: callId(record),
    name:
      stringAt(record, 'toolName', path) ??
      stringAt(record, 'name', path) ??
      requiredString(record, 'toolId', path),
    arguments: record['parameters'] ?? record['input'],
  });
  run.extendReply(call, timeOf(record));
}

function readResult(run: SessionRun, record: JsonObject, path: string): void {
  const value = record['value'] ?? record['result'] ?? record['error'] ?? '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const turn: Turn = makeTurn('tool', [contentSpan('observation', 'environment', text)], {
    name: stringAt(record, 'toolName', path),
    tool_call_id: callId(record),
    timestamp: timeOf(record),
  });
  const failed = booleanAt(record, 'isError', path) ?? booleanAt(record, 'is_error', path);
  const exit_code = exitCode(value) ?? exitCode(record);
  const outcome: RecordedOutcome = {
    ...(failed === null ? {} : { status: failed ? ('error' as const) : ('ok' as const) }),
    ...(exit_code === null
      ? {}
      : { exit_code, status: exit_code === 0 ? ('ok' as const) : ('error' as const) }),
  };
  run.push(turn, outcome);
}

/** The final text repeats the last message; where no message holds it, it is the reply itself. */
function readCompletion(run: SessionRun, record: JsonObject, path: string): void {
  const text = stringAt(record, 'finalText', path) ?? '';
  const last = run.turns.findLast((turn) => turn.role === 'assistant');
  if (text === '' || (last !== undefined && turnContent(last).trim() === text.trim())) return;
  run.flag('final_text_without_message');
  run.push(makeTurn('assistant', actionSpans(text, []), { timestamp: timeOf(record) }));
}

function callId(record: JsonObject): string | null {
  return asId(record['toolCallId']) ?? asId(record['tool_call_id']) ?? asId(record['id']);
}

/** Times are ISO strings or Unix milliseconds. */
function timeOf(record: JsonObject): string | null {
  const time = record['timestamp'];
  if (typeof time === 'number' && Number.isFinite(time) && Math.abs(time) < 8e15)
    return new Date(time).toISOString();
  return asString(time);
}

function exitCode(value: unknown): number | null {
  const code = isObject(value) ? (value['exitCode'] ?? value['exit_code']) : null;
  return Number.isSafeInteger(code) ? Number(code) : null;
}
