import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { isCodexEvent, isCodexSetup, readCodexEvents } from './codex-events.js';
import { objectAt, objectOf, requiredString, stringAt } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { exitOutcome } from './printed-exit.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan } from './structured-calls.js';

export const codexExec: FormatAdapter = {
  name: 'codex-exec',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'What `codex exec --json` prints (JSON lines)',
    recognised_by:
      'a line of type thread.started, items in lines of type item.completed, or events with an id beside a typed msg (before 0.44)',
    scores: 'none',
    executions:
      'status of each item, exit code of a command; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'summaries, kept as environment text (flag reasoning_summary); raw reasoning only in events before 0.44 that show it',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions are not recorded, nor are times; prompt and model only before 0.44 (flag prompts_absent)',
      'calls are told, not logged: their JSON is made from the command, the changed files or the query (flag text_rebuilt)',
      'what a patch changed in its files is not recorded: the call is environment text, never trained',
      'plans (todo_list), notices and token counts',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const known = sniff.lines.some(
    (line) =>
      (hasKeys(line, 'thread_id') && line['type'] === 'thread.started') ||
      (hasKeys(line, 'item') && line['type'] === 'item.completed' && isObject(line['item'])),
  );
  if (known) return { confidence: 'certain', reason: 'events of codex exec', unit: 'lines' };
  if (!sniff.lines.some(isCodexEvent)) return null;
  return { confidence: 'certain', reason: 'events of an early codex exec', unit: 'lines' };
}

/** A thread that is resumed begins with its id again; before threads had names, each began with its setup. */
function sessionOf(record: unknown): SessionMark | null {
  if (isCodexSetup(record)) return { opens: true };
  if (!isObject(record) || record['type'] !== 'thread.started') return null;
  return { opens: true, session: asString(record['thread_id']) };
}

/** How an error begins after which the same request is sent again. */
const RETRIED = /^Reconnecting\.\.\. \d+\/\d+/;

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = Array.isArray(input) ? input : [input];
  if (records.some(isCodexEvent)) {
    const early = readCodexEvents(
      records.map((value, index) => objectOf(value, `line ${index + 1}`)),
      context,
    );
    requireModelTurns(early.turns);
    return [early];
  }
  const run = new SessionRun();
  run.flag('system_prompt_absent', 'prompts_absent', 'text_rebuilt');
  const items = new Map<string, { item: JsonObject; path: string }>();
  let session: string | null = null;
  let ended: 'submitted' | 'error' | null = null;
  let turn = 0;
  records.forEach((value, index) => {
    const path = `line ${index + 1}`;
    const record = objectOf(value, path);
    const type = requiredString(record, 'type', path);
    session ??= asString(record['thread_id']);
    if (type === 'turn.started') {
      turn++;
      ended = null;
    }
    if (type === 'turn.completed') ended = 'submitted';
    // An error that is tried again is no end.
    const retried = RETRIED.test(asString(record['message']) ?? '');
    if (type === 'turn.failed' || (type === 'error' && !retried)) ended = 'error';
    const item = objectAt(record, 'item', path);
    if (item === null) return;
    // An item is written when it starts and again when it ends; ids begin anew with each turn of a resumed thread.
    const id = `${turn} ${requiredString(item, 'id', `${path}.item`)}`;
    items.set(id, { item, path: `${path}.item` });
  });
  for (const [id, { item, path }] of items) readItem(run, item, { id: id.replace(' ', '-'), path });
  if (items.size === 0) throw new RejectError('no_turns', 'no item among the events');
  requireModelTurns(run.turns);
  return [
    run.finish(context, {
      session_id: session,
      scaffold: 'codex',
      ...(ended === null ? { termination: 'cut' as const } : { termination: ended }),
    }),
  ];
}

function readItem(run: SessionRun, item: JsonObject, at: { id: string; path: string }): void {
  const { path } = at;
  const type = requiredString(item, item['type'] === undefined ? 'item_type' : 'type', path);
  const text = stringAt(item, 'text', path) ?? '';
  if (type === 'agent_message' || type === 'assistant_message') {
    if (text !== '') run.extendReply(contentSpan('text', 'model', text));
    return;
  }
  if (type === 'reasoning') {
    if (text === '') return;
    run.flag(REASONING_SUMMARY);
    run.extendReply(summarySpan(text));
    return;
  }
  const told = CALLS[type]?.(item);
  if (told === undefined) return;
  const span = callSpan({ id: at.id, name: told.name, arguments: told.arguments });
  run.extendReply(told.abridged === true ? { ...span, origin: 'environment' } : span);
  if (item['status'] === 'in_progress') return;
  const turn = makeTurn('tool', [contentSpan('observation', 'environment', told.result)], {
    name: told.name,
    tool_call_id: at.id,
  });
  const code = asNumber(item['exit_code']);
  run.push(turn, exitOutcome(Number.isSafeInteger(code) ? code : null, statusOf(item)));
}

interface ToldCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly result: string;
  /** most of what the model wrote is missing, so that nobody should learn to write this */
  readonly abridged?: boolean;
}

const CALLS: Readonly<Record<string, (item: JsonObject) => ToldCall>> = {
  command_execution: (item) => ({
    name: 'shell',
    arguments: { command: item['command'] ?? '' },
    result: asString(item['aggregated_output']) ?? '',
  }),
  file_change: (item) => ({
    name: 'apply_patch',
    arguments: { changes: item['changes'] ?? [] },
    result: asString(item['status']) ?? '',
    abridged: true,
  }),
  mcp_tool_call: (item) => ({
    name: `${asString(item['server']) ?? 'mcp'}__${asString(item['tool']) ?? 'tool'}`,
    arguments: item['arguments'] ?? {},
    result: JSON.stringify(item['error'] ?? item['result'] ?? null),
  }),
  web_search: (item) => ({ name: 'web_search', arguments: { query: item['query'] ?? '' }, result: '' }),
};

const STATUSES: Readonly<Record<string, RecordedOutcome['status']>> = { completed: 'ok', failed: 'error' };

function statusOf(item: JsonObject): RecordedOutcome {
  const status = STATUSES[asString(item['status']) ?? ''];
  return status === undefined ? {} : { status };
}
