import { contentSpan, makeTurn, reasoningSpan, turnContent } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { fieldPath, listAt, objectAt, objectOf, stringAt } from './fields.js';
import { geminiParts, modelPartSpans, userPartTurns } from './gemini-parts.js';
import type { SessionMark } from './glued-sessions.js';
import { EXIT_FIELD, exitOutcome, printedExit } from './printed-exit.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { lastChain } from './record-chain.js';
import { inherited, type RecordedOutcome, SessionRun } from './session-run.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** User records that a harness wrote: notices of tasks, timers, goals. */
const INJECTED_SUBTYPES: ReadonlySet<string> = new Set([
  'notification',
  'background_task_completed',
  'cron',
  'goal_runtime',
  'agent_retry',
]);

const PROVENANCE_OF_HUMANS = 'real_user';

export const qwenCode: FormatAdapter = {
  name: 'qwen-code',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Qwen Code chat records (JSON lines)',
    recognised_by: 'lines with parentUuid and message.parts, or with parentUuid and systemPayload',
    scores: 'none',
    executions:
      'status of each call where the tool result records it; exit code of a shell command where its text has one',
    reasoning: 'thought parts; of Gemini models they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'messages on branches that a rewind left (flag branches_left_out)',
      'the system prompt and the tool definitions, except of sub-agents that record them',
      'arguments are objects: the text that the model wrote is not recorded',
      'telemetry, slash commands, titles, file snapshots and what the terminal showed (resultDisplay)',
      'token counts and the size of the context window',
      'pictures and files become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (!sniff.lines.some((line) => hasKeys(line, 'parentUuid') && isQwenRecord(line))) return null;
  return {
    confidence: 'certain',
    reason: 'lines with parentUuid and parts or a system payload',
    unit: 'lines',
  };
}

/** The envelope is that of Claude Code; the messages are Google's parts. */
export function isQwenRecord(line: JsonObject): boolean {
  const message = line['message'];
  if (isObject(message) && Array.isArray(message['parts'])) return true;
  return line['type'] === 'system' && isObject(line['systemPayload']);
}

interface Placed {
  readonly record: JsonObject;
  readonly path: string;
}

function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const [id, parent] = [asString(record['uuid']), asString(record['parentUuid'])];
  return { session: asString(record['sessionId']), id, follows: [parent] };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = (Array.isArray(input) ? input : [input]).map((value, index) => ({
    record: objectOf(value, `line ${index + 1}`),
    path: `line ${index + 1}`,
  }));
  const agents = new Map<string | null, Placed[]>();
  for (const placed of records) {
    const agent = stringAt(placed.record, 'agentId', placed.path);
    const list = agents.get(agent) ?? [];
    list.push(placed);
    agents.set(agent, list);
  }
  const runs = [...agents].map(([agent, list]) => readRun(list, agent, context));
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}

function readRun(records: readonly Placed[], agent: string | null, context: ReadContext): RawTrajectory {
  const chain = lastChain(
    records.map(({ record }) => ({
      id: asString(record['uuid']),
      parent: asString(record['parentUuid']),
      message: isObject(record['message']),
    })),
  );
  const run = new SessionRun();
  if (!chain.readable && records.length > 1) run.flag('record_tree_unreadable');
  if (chain.left_out > 0) run.flag('branches_left_out');
  if (chain.gap) run.flag('chain_gap');
  const models = new Set<string>();
  let session: string | null = null;
  let version: string | null = null;
  let parent: string | null = null;
  for (const index of chain.indices) {
    const placed = records[index];
    if (placed === undefined) continue;
    const { record, path } = placed;
    session ??= stringAt(record, 'sessionId', path);
    version ??= stringAt(record, 'version', path);
    const model = stringAt(record, 'model', path);
    if (model !== null) models.add(model);
    const payload = objectAt(record, 'systemPayload', path);
    if (record['subtype'] === 'parent_session') parent = asString(payload?.['parentSessionId']);
    readRecord(run, { record, path, payload, model: [...models][0] ?? null });
  }
  if (agent !== null) run.flag('subagent');
  return run.finish(context, {
    session_id: agent ?? session,
    parent_session: agent === null ? parent : session,
    scaffold: 'qwen-code',
    scaffold_version: version,
    model: [...models][0] ?? null,
  });
}

function readRecord(
  run: SessionRun,
  at: { record: JsonObject; path: string; payload: JsonObject | null; model: string | null },
): void {
  const { record, path, payload } = at;
  const subtype = asString(record['subtype']) ?? '';
  if (record['type'] === 'system') {
    if (payload !== null) readPayload(run, { subtype, payload, path: fieldPath(path, 'systemPayload') });
    return;
  }
  const message = objectAt(record, 'message', path);
  if (message === null) return;
  const partsPath = `${path}.message.parts`;
  const parts = geminiParts(message['parts'], partsPath);
  const timestamp = stringAt(record, 'timestamp', path);
  if (message['role'] === 'model') {
    const own = asString(record['model']);
    const model = own === at.model ? null : own;
    const spans = modelPartSpans(parts, partsPath, thoughtsOf(own ?? at.model)).map((span) => ({
      ...span,
      model,
    }));
    if (spans.some(isSummary)) run.flag(REASONING_SUMMARY);
    run.push(makeTurn('assistant', spans, { timestamp }));
    return;
  }
  const provenance = asString(record['provenance']);
  const injected =
    INJECTED_SUBTYPES.has(subtype) ||
    (record['type'] === 'user' && provenance !== null && provenance !== PROVENANCE_OF_HUMANS);
  for (const { turn, response } of userPartTurns(parts, { path: partsPath, timestamp, injected })) {
    run.push(turn, response === null ? null : outcomeOf(record, turnContent(turn)));
  }
}

const STATUSES: Readonly<Record<string, RecordedOutcome['status']>> = { success: 'ok', error: 'error' };

/** A shell command that failed is a successful call to Qwen Code: the exit code in its result tells. */
function outcomeOf(record: JsonObject, answer: string): RecordedOutcome {
  const result = record['toolCallResult'];
  const status = (isObject(result) ? asString(result['status']) : null) ?? '';
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  return exitOutcome(printedExit(answer, EXIT_FIELD), known === undefined ? {} : { status: known });
}

/** Records that change what the model has before it. */
function readPayload(run: SessionRun, at: { subtype: string; payload: JsonObject; path: string }): void {
  const { subtype, payload, path } = at;
  if (subtype === 'chat_compression') {
    const contents = listAt(payload, 'compressedHistory', path) ?? [];
    run.restartWith(contentTurns(contents, fieldPath(path, 'compressedHistory')), 'compaction');
  }
  if (subtype === 'agent_bootstrap') {
    const instruction = payload['systemInstruction'];
    const parts = isObject(instruction) ? instruction['parts'] : instruction;
    const text = geminiParts(parts, fieldPath(path, 'systemInstruction'))
      .map((part) => asString(part['text']) ?? '')
      .join('');
    if (text !== '') run.push(makeTurn('system', [contentSpan('prompt', 'environment', text)]));
    const history = listAt(payload, 'history', path) ?? [];
    for (const turn of contentTurns(history, fieldPath(path, 'history'))) run.push(inherited(turn));
  }
}

function contentTurns(contents: readonly unknown[], path: string): Turn[] {
  return contents.flatMap((value, index) => {
    const content = objectOf(value, `${path}[${index}]`);
    const partsPath = `${path}[${index}].parts`;
    const parts = geminiParts(content['parts'], partsPath);
    if (content['role'] === 'model')
      return [makeTurn('assistant', modelPartSpans(parts, partsPath, reasoningSpan))];
    return userPartTurns(parts, { path: partsPath, timestamp: null }).map(({ turn }) => turn);
  });
}

/** Qwen's own models send their reasoning; Gemini models, which it can use as well, a summary. */
function thoughtsOf(model: string | null): (text: string) => Span {
  return /gemini/i.test(model ?? '') ? summarySpan : reasoningSpan;
}
