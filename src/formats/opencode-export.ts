import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { sessionEnd } from './claude-end.js';
import { asOrigin } from './content-parts.js';
import { objectOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { isRunEvent, sessionOfEvents } from './opencode-stream.js';
import {
  exportedSession,
  isExport,
  joinTables,
  type OpencodeMessage,
  type OpencodeSession,
  partsTable,
  tableKind,
} from './opencode-tables.js';
import {
  inputTurn,
  isCleared,
  isHarnessCall,
  isReply,
  type OpencodeTurn,
  replyTurns,
} from './opencode-turns.js';
import { SessionRun } from './session-run.js';
import { settleSession } from './settled-session.js';
import { asId, asString, isObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const opencodeExport: FormatAdapter = {
  name: 'opencode-export',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'opencode: tables of its database as JSON lists (parts, with messages and sessions beside them), one exported session, or the events of `opencode run --format json`',
    recognised_by:
      'rows with session_id, message_id and a JSON string data; info and messages of info and parts; lines of a sessionID and a part',
    scores: 'none',
    executions:
      'state, times and exit codes of tool parts; experiments only if a pipeline names tools or command patterns',
    reasoning: 'reasoning parts; of OpenAI and Google they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompts and tool definitions are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'titles, permissions, snapshots, patches, usage and costs; switches of agent and model (session_messages)',
      'the text of a request for a compaction; its summary is environment',
      'results that were cleared later are shown whole (flag context_edited)',
      'calls that the harness made for the user (shell, commands given to a sub-agent) are environment (flag harness_reply)',
      'prompts, model and errors of the provider in the events of a run (flag prompts_absent)',
      'files and pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

const TABLES = { parts: 'parts', messages: 'messages', sessions: 'sessions', events: 'switches' } as const;

function detect(sniff: Sniff): Detection | null {
  if (isExport(sniff.json)) return { confidence: 'certain', reason: 'an exported opencode session' };
  if (sniff.lines.some(isRunEvent)) {
    return { confidence: 'certain', reason: 'events of an opencode run', unit: 'lines' };
  }
  const kind = tableKind(sniff.json);
  return kind === null ? null : { confidence: 'certain', reason: `opencode's table of ${TABLES[kind]}` };
}

function sessionOf(record: unknown): SessionMark | null {
  if (!isRunEvent(record)) return null;
  const part = record['part'];
  return { session: asId(record['sessionID']), once: isObject(part) ? asId(part['id']) : null };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (Array.isArray(input) && input.some(isRunEvent)) {
    return runs([exportedSession(sessionOfEvents(input))], ['prompts_absent'], context);
  }
  const kind = tableKind(input);
  if (kind === null) return runs([exportedSession(objectOf(input, 'document'))], [], context);
  if (kind !== 'parts') {
    const main = partsTable(context.siblings);
    if (main === null) throw new RejectError('sidecar_without_primary', 'no table of parts beside it');
    return { sidecar_of: main };
  }
  const { sessions, flags } = joinTables(input as readonly unknown[], context.siblings);
  return runs(sessions, flags, context);
}

function runs(
  sessions: readonly OpencodeSession[],
  flags: readonly string[],
  context: ReadContext,
): readonly RawTrajectory[] {
  const parents = startedBy(sessions);
  const known = new Set(sessions.map(({ id }) => id));
  const elsewhere = new Set([...parents].flatMap(([child, parent]) => (known.has(child) ? [] : [parent])));
  const found = sessions.map((session) => readSession(session, { flags, parents, elsewhere, context }));
  if (found.length === 1) requireModelTurns(found[0]?.turns ?? []);
  return found;
}

function readSession(
  session: OpencodeSession,
  at: {
    flags: readonly string[];
    parents: ReadonlyMap<string, string>;
    elsewhere: ReadonlySet<string>;
    context: ReadContext;
  },
): RawTrajectory {
  const { info } = session;
  const run = new SessionRun();
  run.flag('system_prompt_absent', ...at.flags);
  const reverted = revertedFrom(session);
  let compacting = false;
  let asked: OpencodeMessage | null = null;
  session.messages.forEach((message, position) => {
    const live = position < reverted;
    if (live && isCleared(message)) run.flag('context_edited');
    if (live && message.parts.some(({ data }) => data['type'] === 'compaction')) compacting = true;
    if (live && isReply(message) && isSummary(message, compacting)) {
      run.restart([], 'compaction');
      compacting = false;
      for (const { turn } of replyTurns(message)) {
        const spans = asOrigin(turn.spans, 'environment');
        run.push({ ...turn, spans, flags: [...turn.flags, 'compact_summary'] });
      }
      return;
    }
    if (!isReply(message)) asked = message;
    const read = isReply(message)
      ? isHarnessCall(message, asked)
        ? replyTurns(message).map(byHarness)
        : replyTurns(message)
      : [inputTurn(message)];
    for (const one of read) {
      if (one === null) continue;
      if (live) run.push(one.turn, one.outcome);
      else run.aside(one.turn);
    }
  });
  const model = settleSession(run);
  const parent = asId(info['parent_id']) ?? asId(info['parentID']) ?? at.parents.get(session.id) ?? null;
  if (parent !== null) run.flag('subagent');
  if (at.elsewhere.has(session.id)) run.flag('subagents_in_other_files');
  return run.finish(at.context, {
    session_id: session.id,
    parent_session: parent,
    scaffold: 'opencode',
    scaffold_version: asString(info['version']),
    model,
    termination: sessionEnd(run.context.flatMap((index) => run.turns[index] ?? [])),
  });
}

function byHarness({ turn, outcome }: OpencodeTurn): OpencodeTurn {
  if (turn.role !== 'assistant') return { turn, outcome };
  const spans = asOrigin(turn.spans, 'environment');
  return { turn: { ...turn, spans, flags: [...turn.flags, 'harness_reply'] }, outcome };
}

/** The reply to a compaction, as its message says or as the request before it does. */
function isSummary(message: OpencodeMessage, compacting: boolean): boolean {
  return message.data?.['summary'] === true || (compacting && message.data?.['mode'] === 'compaction');
}

/** Position of the first message that was taken back. */
function revertedFrom(session: OpencodeSession): number {
  const { revert } = session.info as { revert?: unknown };
  const parsed = typeof revert === 'string' ? parse(revert) : revert;
  const id = isObject(parsed) ? asString(parsed['messageID']) : null;
  const at = id === null ? -1 : session.messages.findIndex((message) => message.id === id);
  return at < 0 ? session.messages.length : at;
}

/** Sessions that a task of another one started. */
function startedBy(sessions: readonly OpencodeSession[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const session of sessions) {
    for (const { data } of session.messages.flatMap((message) => message.parts)) {
      const { state } = data as { state?: unknown };
      const metadata = isObject(state) ? state['metadata'] : null;
      const child = isObject(metadata) ? asId(metadata['sessionId']) : null;
      if (child !== null && data['tool'] === 'task') parents.set(child, session.id);
    }
  }
  return parents;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
