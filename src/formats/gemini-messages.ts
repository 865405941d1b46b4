import { RejectError } from '../logs/reject.js';
import { makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import { fieldPath, listAt, objectOf, requiredString, stringAt } from './fields.js';
import { geminiParts, modelPartSpans, responseTurn, userPartTurns } from './gemini-parts.js';
import { EXIT_FIELD, exitOutcome, printedExit } from './printed-exit.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import type { RecordedOutcome, SessionRun } from './session-run.js';
import { asString, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** Records that the terminal showed and no model saw. */
const NOTICES: ReadonlySet<string> = new Set(['info', 'error', 'warning']);

/** Puts a message of a session file into the run; a reply with the answers to its calls, which stand in it. */
export function readMessage(
  run: SessionRun,
  message: JsonObject,
  at: { path: string; model: string | null },
): void {
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
  const made = new Set(calls.flatMap(({ call }) => asString(call['id']) ?? []));
  // A history that was written again has the calls among the parts as well.
  const others = parts.filter((part) => {
    const call = part['functionCall'];
    return !isObject(call) || !made.has(asString(call['id']) ?? '');
  });
  const said = modelPartSpans(others, fieldPath(path, 'content'), summarySpan);
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
  // A history that was written again holds the answers to all calls of a reply in each of them.
  const answered = id !== null && parts.some((part) => responseId(part) === id);
  const given = answered ? parts.filter((part) => [null, id].includes(responseId(part))) : parts;
  const texts = given.flatMap((part, index) => {
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

function responseId(part: JsonObject): string | null {
  const response = part['functionResponse'];
  return isObject(response) ? asString(response['id']) : null;
}
