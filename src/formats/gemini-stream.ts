import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { requiredString, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { EXIT_FIELD, exitOutcome, printedExit } from './printed-exit.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** Whether a line opens what `gemini --output-format stream-json` prints, or is a call or a result in it. */
export function isGeminiStreamLine(line: unknown): boolean {
  if (hasKeys(line, 'session_id', 'model') && line['type'] === 'init') return true;
  return hasKeys(line, 'tool_name', 'tool_id', 'parameters') && line['type'] === 'tool_use';
}

const STATUSES: Readonly<Record<string, RecordedOutcome['status']>> = { success: 'ok', error: 'error' };

/** Events in order: pieces of a reply are joined, its calls follow them, and each result answers one by its id. */
export function readGeminiStream(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const names = new Map<string, string>();
  const init = records.find((record) => record['type'] === 'init') ?? {};
  run.flag('system_prompt_absent');
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    const timestamp = stringAt(record, 'timestamp', path);
    if (record['type'] === 'message') readMessage(run, record, { path, timestamp });
    else if (record['type'] === 'tool_use') {
      const id = stringAt(record, 'tool_id', path);
      const name = requiredString(record, 'tool_name', path);
      if (id !== null) names.set(id, name);
      run.extendReply(callSpan({ id, name, arguments: record['parameters'] }), timestamp);
    } else if (record['type'] === 'tool_result') {
      const id = stringAt(record, 'tool_id', path);
      const text = stringAt(record, 'output', path) ?? errorText(record['error']);
      const status = STATUSES[asString(record['status']) ?? ''];
      const turn = makeTurn('tool', [contentSpan('observation', 'environment', text)], {
        name: names.get(id ?? '') ?? null,
        tool_call_id: id,
        timestamp,
      });
      run.push(turn, exitOutcome(printedExit(text, EXIT_FIELD), status === undefined ? {} : { status }));
    } else if (record['type'] === 'error' || record['status'] === 'error') run.flag('provider_error');
  });
  if (run.turns[0]?.role !== 'user') run.flag('prompts_absent');
  return run.finish(context, {
    session_id: asString(init['session_id']),
    scaffold: 'gemini-cli',
    model: asString(init['model']),
  });
}

function readMessage(
  run: SessionRun,
  record: JsonObject,
  at: { path: string; timestamp: string | null },
): void {
  const text = stringAt(record, 'content', at.path) ?? '';
  if (record['role'] === 'user') {
    run.push(makeTurn('user', userSpans(text), { timestamp: at.timestamp }));
    return;
  }
  const span = contentSpan('text', 'model', text);
  const before = run.turns.at(-1)?.spans.at(-1);
  if (before?.kind === 'text' && record['delta'] === true) run.continueReply(span, at.timestamp);
  else run.push(makeTurn('assistant', [span], { timestamp: at.timestamp }));
}

function errorText(error: unknown): string {
  const message = isObject(error) ? asString(error['message']) : asString(error);
  return message ?? (error === undefined ? '' : JSON.stringify(error));
}
