import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { objectOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { isKimiMark, isKimiReply, readKimiContext } from './kimi-context.js';
import { readKimiEvents } from './kimi-events.js';
import { readKimiJournal } from './kimi-journal.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const kimiCli: FormatAdapter = {
  name: 'kimi-cli',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Kimi wire files (JSON lines): the journal of Kimi Code and the events of the older Kimi CLI; its context.jsonl, and the messages that it prints',
    recognised_by:
      'a metadata line with protocol_version, lines with timestamp and a typed message, roles _checkpoint and _usage, or messages with think parts',
    scores: 'none',
    executions: 'calls and their results, error flag of a result, no exit codes',
    reasoning: 'think parts',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'prompts are written twice (turn.prompt and context): the context counts; a steer that never reached it is lost',
      'steps that gave no text and no call are left out (flag empty_replies)',
      'what was taken back stands outside of every context, counted in the flag rewound_turns',
      'of a compaction that keeps prompts, how far long ones were shortened and its note on those between (flag compacted_context_assumed)',
      'results that were cleared later are shown whole (flag context_edited)',
      'notes that the harness puts before a result when it sends it (errors, empty output)',
      'arguments are objects in the journal: the text that the model wrote is not recorded',
      'token counts, permissions, plans and display texts',
      'context.jsonl holds the last context alone: what was before a compaction or a return lies in files beside it, which are read as runs of their own',
      'a sub-agent with a file of its own names its session by its folder alone',
      'pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

/** Events of the older wire that only it has. */
const WIRE_EVENTS: ReadonlySet<string> = new Set([
  'TurnBegin',
  'TurnEnd',
  'StepBegin',
  'StepInterrupted',
  'ContentPart',
  'ToolCall',
  'ToolResult',
  'StatusUpdate',
  'SubagentEvent',
]);

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some((line) => hasKeys(line, 'type', 'protocol_version') && line['type'] === 'metadata')) {
    return { confidence: 'certain', reason: 'a metadata line with protocol_version', unit: 'lines' };
  }
  if (sniff.lines.some((line) => isObject(line) && isWireEvent(line))) {
    return { confidence: 'certain', reason: 'events of the Kimi wire', unit: 'lines' };
  }
  if (
    sniff.lines.some((line) => isObject(line) && (asString(line['type']) ?? '').startsWith('context.append_'))
  ) {
    return { confidence: 'certain', reason: 'a Kimi journal', unit: 'lines' };
  }
  if (sniff.lines.some(isKimiMark)) {
    return { confidence: 'certain', reason: 'marks of a Kimi context', unit: 'lines' };
  }
  if (sniff.lines.some(isKimiReply)) {
    return { confidence: 'likely', reason: 'messages with thoughts of Kimi', unit: 'lines' };
  }
  return null;
}

function isWireEvent(line: JsonObject): boolean {
  const message = line['message'];
  if (!hasKeys(line, 'timestamp') || !hasKeys(message, 'type', 'payload')) return false;
  return WIRE_EVENTS.has(asString(message['type']) ?? '');
}

/** Both wires begin with a metadata line; a context begins with what the model is told first, or with the first mark. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const wire = record['type'] === 'metadata' && hasKeys(record, 'protocol_version');
  const mark = isKimiMark(record) && (record['role'] === '_system_prompt' || record['id'] === 0);
  return { opens: wire || mark };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = (Array.isArray(input) ? input : [input]).map((value, index) =>
    objectOf(value, `line ${index + 1}`),
  );
  const runs = records.some((record) => isKimiMark(record) || isKimiReply(record))
    ? [readKimiContext(records, context)]
    : records.some(isWireEvent)
      ? readKimiEvents(records, context)
      : [readKimiJournal(records, context)];
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}
