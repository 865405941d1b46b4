import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun } from './chat-run.js';
import { CopilotReader } from './copilot-reader.js';
import { objectOf, stringAt } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const copilotCli: FormatAdapter = {
  name: 'copilot-cli',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'GitHub Copilot CLI session events (JSON lines), and its first sessions (JSON)',
    recognised_by:
      'lines with a dotted type, data, id and parentId; before 0.0.343 one JSON of sessionId and chatMessages',
    scores: 'none',
    executions: 'success of each call, the exit code of a shell command, and the time that it took',
    reasoning:
      'reasoningText; where the provider keeps the reasoning encrypted it is a summary, never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'reasoning that is encrypted or opaque (flags reasoning_hidden, reasoning_summary)',
      'tool definitions are not recorded',
      'after a compaction the context is taken to be the system prompt and the summary (flag compacted_context_assumed)',
      'which messages a truncation removed: the oldest are taken to be gone (flag context_truncated)',
      'what a rewind took back stands outside of every context, counted in the flag rewound_turns',
      'detailed results for the terminal, hooks, permissions, notices, usage, title and intention texts',
      'times, notices and results for the terminal in the timeline of first sessions',
      'pictures and attached files, beyond what the transformed message shows of them',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isEarlySession(sniff.json)) {
    return { confidence: 'certain', reason: 'sessionId and chatMessages', unit: 'document' };
  }
  if (!sniff.lines.some((line) => isObject(line) && isEvent(line))) return null;
  return { confidence: 'certain', reason: 'session events with data and parentId', unit: 'lines' };
}

/** A session before there were events: chat messages of OpenAI's API beside what the terminal showed. */
function isEarlySession(value: unknown): value is JsonObject {
  return hasKeys(value, 'sessionId', 'startTime', 'chatMessages') && Array.isArray(value['chatMessages']);
}

function readEarlySession(session: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun(
    {
      messages: session['chatMessages'],
      session_id: asString(session['sessionId']),
      model: asString(session['selectedModel']),
      scaffold: 'copilot-cli',
    },
    context,
  );
  requireModelTurns(run.turns);
  const told = run.turns.some(({ role }) => role === 'system');
  return { ...run, flags: [...run.flags, ...(told ? [] : ['system_prompt_absent'])] };
}

const EVENT_TYPE = /^(?:session|user|assistant|tool|system|hook|subagent|skill)\.[a-z_]+$/;

function isEvent(line: JsonObject): boolean {
  if (!hasKeys(line, 'type', 'data', 'id') || !isObject(line['data'])) return false;
  return EVENT_TYPE.test(asString(line['type']) ?? '');
}

/** A stored session begins with its start; what the tool prints ends with a result. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  if (record['type'] === 'result') return { closes: true, session: asString(record['sessionId']) };
  const once = asString(record['id']);
  const data = record['data'];
  if (record['type'] !== 'session.start' || !isObject(data)) return { once };
  return { once, opens: true, session: asString(data['sessionId']) };
}

/** Events of sub-agents stand among those of the session; each agent becomes a run of its own. */
function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (isEarlySession(input)) return [readEarlySession(input, context)];
  const main = new CopilotReader(null);
  const agents = new Map<string, CopilotReader>();
  (Array.isArray(input) ? input : [input]).forEach((value, index) => {
    const path = `line ${index + 1}`;
    const event = objectOf(value, path);
    const data = isObject(event['data']) ? event['data'] : {};
    const agent = stringAt(event, 'agentId', path) ?? stringAt(data, 'parentToolCallId', path);
    if (agent === null) {
      main.read(event, data, path);
      return;
    }
    const reader = agents.get(agent) ?? new CopilotReader(agent);
    agents.set(agent, reader);
    reader.read(event, data, path);
  });
  const runs = [main.finish(context, null)];
  for (const reader of agents.values()) {
    const run = reader.finish(context, main.session);
    if (run.turns.length > 0) runs.push(run);
  }
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}
