import { posix } from 'node:path';
import { RejectError } from '../logs/reject.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { type LoggedMessage, messageTurns } from './anthropic-turns.js';
import { markInterrupted, sessionEnd } from './claude-end.js';
import { sessionEpochs } from './claude-epochs.js';
import { isLostAttachment, recordMessage } from './claude-messages.js';
import { claudeOutcome } from './claude-outcomes.js';
import { clearedContext, type SessionRecord, sessionRecords } from './claude-records.js';
import { followThread, splitThreads, type Thread } from './claude-threads.js';
import { listOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { mostUsedModel, withoutOwnModel } from './model-names.js';
import { rawTrajectory } from './raw-trajectory.js';
import { thinkingFlags } from './reasoning-summary.js';
import { scoredCalls } from './scored-calls.js';
import { asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { shellExecutions } from './shell-executions.js';

const META_SUFFIX = '.meta.json';

/** Line types that only Claude Code writes, for sessions which hold nothing else. */
const OWN_TYPES: ReadonlySet<string> = new Set(['summary', 'file-history-snapshot', 'queue-operation']);

export const claudeCodeSession: FormatAdapter = {
  name: 'claude-code-session',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Claude Code sessions and their sub-agents (JSON lines), 1.0 to 2.1',
    recognised_by:
      'lines with sessionId and uuid or parentUuid, without Gemini parts; summaries and snapshots alone',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'thinking blocks; absent where only their signature is logged (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'rewound branches are turns outside of every context, counted in the flag rewound_turns',
      'progress records repeat what sub-agents write in their own files',
      'replies that the harness made itself (synthetic model, API errors, "(no content)") are environment',
      'the request for a compaction and the reply to it are not recorded, only its summary, which is environment',
      'attachments without their words (flag attachments_lost), hook output, toolUseResult, snapshots, titles, usage',
      'summary lines without uuid speak of other sessions',
      'what stood in the place of cleared results is not recorded: the words that Claude Code uses stand there, in a context of their own; results that were cleared without a note of which are shown whole (flag context_edited)',
      'pictures and documents become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isAgentNote(sniff.json)) {
    return { confidence: 'certain', reason: 'the description of a sub-agent', unit: 'document' };
  }
  if (sniff.lines.some(isGeminiLine)) return null;
  if (sniff.lines.some(isSessionLine))
    return { confidence: 'certain', reason: 'lines of a Claude Code session' };
  const known = sniff.lines.filter(
    (line) => isObject(line) && OWN_TYPES.has(asString(line['type']) ?? '') && isOwnLine(line),
  );
  if (known.length === 0) return null;
  return { confidence: 'certain', reason: 'lines that only Claude Code writes' };
}

function isSessionLine(line: unknown): boolean {
  if (!hasKeys(line, 'sessionId', 'type') || typeof line['type'] !== 'string') return false;
  return Object.hasOwn(line, 'parentUuid') || Object.hasOwn(line, 'uuid');
}

function isOwnLine(line: JsonObject): boolean {
  return hasKeys(line, 'leafUuid') || hasKeys(line, 'snapshot') || hasKeys(line, 'operation', 'sessionId');
}

/** Qwen Code writes the same envelope around messages of Gemini's shape. */
function isGeminiLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  const message = line['message'];
  return (isObject(message) && Array.isArray(message['parts'])) || isObject(line['systemPayload']);
}

/** The flat object beside a sub-agent's log that says what it was started for. */
function isAgentNote(value: unknown): boolean {
  return hasKeys(value, 'agentType') && Object.values(value).every((item) => typeof item !== 'object');
}

/** Records of one session may bear several ids, as where it went on with another: their parents tell. */
function sessionOf(record: unknown): SessionMark | null {
  const id = isObject(record) ? asId(record['uuid']) : null;
  if (!isObject(record) || id === null) return null;
  const follows = [asString(record['parentUuid']), asString(record['logicalParentUuid'])];
  return { session: asString(record['sessionId']), id, follows };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (!Array.isArray(input) && isAgentNote(input)) return agentNote(context);
  const trajectories = readSession(sessionRecords(listOf(input, 'lines')), context);
  if (trajectories.length === 0) {
    throw new RejectError('no_turns', 'no line of the session is a message of its conversation');
  }
  return trajectories;
}

function readSession(records: readonly SessionRecord[], context: ReadContext): RawTrajectory[] {
  const { main, agents } = splitThreads(records);
  const trajectories: RawTrajectory[] = [];
  const thread = followThread(main);
  if (thread !== null) trajectories.push(readThread(thread, { context, agents, subagent: false }));
  for (const agent of agents) {
    const followed = followThread(agent);
    if (followed !== null) trajectories.push(readThread(followed, { context, agents: [], subagent: true }));
  }
  return trajectories;
}

/** The note beside a sub-agent's log names nothing that the log lacks. */
function agentNote(context: ReadContext): SidecarOf {
  const name = posix.basename(context.place.path);
  const main = `${posix.basename(name, META_SUFFIX)}.jsonl`;
  if (!context.siblings.names.includes(main)) {
    throw new RejectError('sidecar_without_primary', `${main} is not beside it`);
  }
  return { sidecar_of: main };
}

function readThread(
  thread: Thread,
  at: { context: ReadContext; agents: readonly (readonly SessionRecord[])[]; subagent: boolean },
): RawTrajectory {
  const { context } = at;
  const last = thread.contexts.at(-1)?.at(-1);
  const session = last?.session ?? null;
  const live = new Set(thread.contexts.flat());
  const spoken = thread.order.flatMap((record) => {
    const cleared = clearedContext(record);
    if (cleared !== null && live.has(record)) return [{ record, message: clearing(record, cleared.calls) }];
    const message = recordMessage(record, { copied: isCopied(record, { session, context }) });
    return message === null ? [] : [{ record, message: { ...message, stray: !live.has(record) } }];
  });
  const joined = messageTurns(spoken.map(({ message }): LoggedMessage => message));
  const turnsOf = new Map(spoken.map(({ record }, index) => [record, joined.turnsOf[index] ?? []]));
  const epochs = sessionEpochs(thread.contexts, { turnsOf, turns: joined.turns });
  const end = epochs.at(-1)?.turns ?? [];
  for (const epoch of epochs) markInterrupted(joined.turns, epoch.turns, joined.stopped);
  const held = new Set(epochs.flatMap((epoch) => epoch.turns));
  const marked = joined.turns.map((turn, index) =>
    held.has(index) ? turn : { ...turn, flags: [...turn.flags, 'rewound'] },
  );
  const model = mostUsedModel(marked.filter((_, index) => held.has(index))) ?? mostUsedModel(marked);
  const turns = withoutOwnModel(marked, model);
  const executions = shellExecutions(turns, context, (call) => claudeOutcome(turns, joined.answers, call));
  const scored = scoredCalls(turns, executions, context);
  return rawTrajectory(
    { turns, executions },
    {
      session_id: at.subagent ? (last?.agent ?? thread.order[0]?.uuid ?? null) : session,
      parent_session: at.subagent ? session : null,
      scaffold: 'claude-code',
      scaffold_version: thread.order.map(version).findLast((found) => found !== null) ?? null,
      model,
      submissions: scored.submissions,
      epochs,
      termination: sessionEnd(end.flatMap((index) => turns[index] ?? [])),
      flags: [
        ...scored.flags,
        ...thinkingFlags(turns, model),
        ...threadFlags(thread, { turns, held, live, ...at }),
      ],
    },
  );
}

function clearing(record: SessionRecord, clears: readonly string[]): LoggedMessage {
  const timestamp = asString(record.fields['timestamp']);
  return { role: 'user', content: [], path: record.path, timestamp, clears };
}

function version(record: SessionRecord): string | null {
  return asString(record.fields['version']);
}

/**
 * History that another session wrote: forks say so; an older resumed session copied its predecessor's lines into a file that
 * bears its own id.
 */
function isCopied(record: SessionRecord, at: { session: string | null; context: ReadContext }): boolean {
  if (isObject(record.fields['forkedFrom'])) return true;
  const named = posix.basename(at.context.place.path, '.jsonl') === at.session;
  return named && record.session !== null && record.session !== at.session;
}

function threadFlags(
  thread: Thread,
  at: {
    turns: readonly Turn[];
    held: ReadonlySet<number>;
    live: ReadonlySet<SessionRecord>;
    agents: readonly (readonly SessionRecord[])[];
    subagent: boolean;
  },
): string[] {
  const { live } = at;
  const flags = ['system_prompt_absent', ...thread.flags];
  const rewound = at.turns.filter((turn, index) => turn.role === 'assistant' && !at.held.has(index)).length;
  if (rewound > 0) flags.push(`rewound_turns:${rewound}`);
  if (at.subagent) flags.push('subagent');
  if ([...live].some(isLostAttachment)) flags.push('attachments_lost');
  if ([...live].some((record) => record.subtype === 'microcompact_boundary')) flags.push('context_edited');
  const sessions = new Set([...live].flatMap((record) => record.session ?? []));
  if (sessions.size > 1) flags.push('several_sessions');
  const inline = new Set(at.agents.flat().flatMap((record) => record.agent ?? []));
  const started = [...live].flatMap((record) => startedAgent(record) ?? []);
  if (started.some((agent) => !inline.has(agent))) flags.push('subagents_in_other_files');
  return flags;
}

function startedAgent(record: SessionRecord): string | null {
  const beside = record.fields['toolUseResult'];
  return isObject(beside) ? asString(beside['agentId']) : null;
}
