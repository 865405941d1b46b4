import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Truncation } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { listAt, requiredString, stringAt } from './fields.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { MAX_LINES } from './sniff.js';
import { callSpan } from './structured-calls.js';

/** What `grok --output-format streaming-json` prints beside pieces of replies, calls and their results. */
const NOTES: ReadonlySet<string> = new Set(['available_commands', 'usage', 'plan', 'end', 'error']);

/** Whether a line is a piece of a reply, a call, the state of one, or the end of such a stream. */
export function isGrokStreamLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  switch (line['type']) {
    case 'text':
    case 'thought':
      return typeof line['data'] === 'string';
    case 'tool_call':
      return hasKeys(line, 'toolCallId', 'toolName');
    case 'tool_call_update':
      return hasKeys(line, 'toolCallId', 'status');
    case 'end':
      return hasKeys(line, 'stopReason', 'sessionId');
    default:
      return false;
  }
}

/**
 * Whether the first lines of a file are such a stream: each is of a known type, and one is of it alone. Pieces of text
 * may be of anything, unless a whole look is full of them.
 */
export function isGrokStream(lines: readonly JsonObject[]): boolean {
  const known = (line: JsonObject): boolean =>
    isGrokStreamLine(line) || NOTES.has(asString(line['type']) ?? '');
  const own = lines.filter(isGrokStreamLine);
  return lines.every(known) && (own.length >= MAX_LINES || own.some((line) => line['type'] !== 'text'));
}

/** How a run ended, by its stop reason in small letters without what parts its words. */
const ENDS: Readonly<Record<string, { termination: Termination; truncated?: Truncation }>> = {
  endturn: { termination: 'submitted' },
  maxtokens: { termination: 'context_limit', truncated: 'length' },
  maxturnrequests: { termination: 'step_limit' },
  maxturns: { termination: 'step_limit' },
  cancelled: { termination: 'cut', truncated: 'aborted' },
  refusal: { termination: 'error', truncated: 'aborted' },
};

const STATUSES: Readonly<Record<string, RecordedOutcome['status']>> = { completed: 'ok', failed: 'error' };

/**
 * One printed run. A reply is what stands between two results: pieces of thought and of text are joined, its calls
 * stand where they were made, and each result answers one by its id.
 *
 * @throws RejectError `not_a_trajectory` where the end tells of calls that this version of the CLI did not print
 */
export function readGrokStream(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const calls = new Map<string, Call>();
  run.flag('system_prompt_absent', 'prompts_absent');
  let end: JsonObject = {};
  let failed = false;
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    switch (requiredString(record, 'type', path)) {
      case 'thought':
        run.continueReply(summarySpan(stringAt(record, 'data', path) ?? ''));
        run.flag(REASONING_SUMMARY);
        return;
      case 'text':
        run.continueReply(contentSpan('text', 'model', stringAt(record, 'data', path) ?? ''));
        return;
      case 'tool_call':
        readCall(run, record, { path, calls });
        return;
      case 'tool_call_update':
        readState(run, record, { path, calls });
        return;
      case 'end':
        end = record;
        return;
      case 'error':
        failed = true;
        run.flag('provider_error');
    }
  });
  const steps = asNumber(end['num_turns']) ?? 0;
  if (calls.size === 0 && steps > 1) {
    const message = `the stream of ${steps} replies holds none of the calls between them`;
    throw new RejectError('not_a_trajectory', message);
  }
  requireModelTurns(run.turns);
  const reason = (asString(end['stopReason']) ?? '').toLowerCase().replaceAll(/[^a-z]/g, '');
  const ended = ENDS[reason];
  if (ended?.truncated !== undefined) cutLast(run, ended.truncated);
  const termination = failed ? 'error' : ended?.termination;
  const models = isObject(end['modelUsage']) ? Object.keys(end['modelUsage']) : [];
  return run.finish(context, {
    session_id: asString(end['sessionId']),
    scaffold: 'grok',
    model: models.length === 1 ? (models[0] ?? null) : null,
    ...(termination === undefined ? {} : { termination }),
  });
}

/** A call that was printed; its result comes in states, of which a later one may leave out what an earlier one told. */
interface Call {
  readonly name: string;
  text: string;
  done: boolean;
}

interface At {
  readonly path: string;
  readonly calls: Map<string, Call>;
}

function readCall(run: SessionRun, record: JsonObject, { path, calls }: At): void {
  const id = requiredString(record, 'toolCallId', path);
  if (calls.has(id)) return;
  const name = stringAt(record, 'toolName', path) ?? requiredString(record, 'title', path);
  calls.set(id, { name, text: '', done: false });
  run.extendReply(callSpan({ id, name, arguments: record['rawInput'] ?? {} }));
}

function readState(run: SessionRun, record: JsonObject, { path, calls }: At): void {
  const id = requiredString(record, 'toolCallId', path);
  const call = calls.get(id);
  if (call === undefined) throw new RejectError('bad_shape', `${path}: a result of no call: ${id}`);
  const told = resultText(record, path);
  if (told !== '') call.text = told;
  const status = STATUSES[stringAt(record, 'status', path) ?? ''];
  if (status === undefined || call.done) return;
  call.done = true;
  const spans = [contentSpan('observation', 'environment', call.text)];
  run.push(makeTurn('tool', spans, { name: call.name, tool_call_id: id }), { status });
}

/** Texts of a result, else what the tool gave back as a value. */
function resultText(record: JsonObject, path: string): string {
  const texts = (listAt(record, 'content', path) ?? []).flatMap((part) => {
    const content = isObject(part) ? part['content'] : null;
    return isObject(content) ? (asString(content['text']) ?? []) : [];
  });
  if (texts.length > 0) return texts.join('\n');
  const raw = record['rawOutput'] ?? null;
  return asString(raw) ?? (raw === null ? '' : JSON.stringify(raw));
}

function cutLast(run: SessionRun, truncated: Truncation): void {
  const last = run.turns.length - 1;
  const turn = run.turns[last];
  if (turn?.role === 'assistant') run.replace(last, { ...turn, truncated });
}
