import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { objectOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { isLegacyEvent, readLegacyEvents } from './openhands-legacy.js';
import { isSdkEvent, readSdkEvents } from './openhands-sdk.js';
import { asArray, asBoolean, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** The SDK stores each event in a file of its own; the first of them stands for the run. */
const EVENT_FILE = /^event-(\d+)-.*\.json$/;

export const openhands: FormatAdapter = {
  name: 'openhands',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'OpenHands: events of its SDK (lines, lists, one file each), older action and observation events, evaluation rows',
    recognised_by:
      'events with kind ...Event, or with action or observation and a source; rows with such a history',
    scores: 'none; resolved where an evaluation row holds its report',
    executions: 'exit codes, error and time-limit flags of observations',
    reasoning: 'reasoning_content, thinking blocks, or think tags in the text; once',
    token_ids: 'token events of the SDK where recorded',
    logprobs: 'none',
    loss: [
      'state updates, statistics, costs, security risks, summaries of actions and critic results',
      'the reasoning of providers that keep it encrypted (flag reasoning_hidden)',
      'the lines that the terminal tool puts around an output when it is sent (folder, interpreter, exit code)',
      'of older logs without the reply of the model: its words are rebuilt from thought and arguments (flag text_rebuilt)',
      'the actions of the harness itself (recall, state changes)',
      'pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const { json, lines } = sniff;
  if (isRow(json)) return { confidence: 'certain', reason: 'a history of events', unit: 'document' };
  if (lines.some(isRow))
    return { confidence: 'certain', reason: 'rows with a history of events', unit: 'line' };
  if (isEventList(json)) return { confidence: 'certain', reason: 'a list of events', unit: 'document' };
  if (isSdkEvent(json)) return { confidence: 'certain', reason: 'an event', unit: 'document' };
  if (lines.some(isSdkEvent) || lines.some(isLegacyEvent)) {
    return { confidence: 'certain', reason: 'lines of events', unit: 'lines' };
  }
  return null;
}

function isRow(value: unknown): value is JsonObject {
  return isObject(value) && (isEventList(value['history']) || isEventList(value['trajectory']));
}

function isEventList(value: unknown): boolean {
  const items = asArray(value);
  const flat = items.flatMap((item) => (Array.isArray(item) ? item : [item]));
  return flat.length > 0 && flat.every(isObject) && (flat.some(isSdkEvent) || flat.some(isLegacyEvent));
}

/** The SDK begins with the system prompt, the older events with number 0; neither names its conversation. */
function sessionOf(record: unknown): SessionMark | null {
  const [sdk, legacy] = [isSdkEvent(record), isLegacyEvent(record)];
  if (!isObject(record) || !(sdk || legacy)) return null;
  const opens = sdk ? record['kind'] === 'SystemPromptEvent' : record['id'] === 0;
  return { once: asId(record['id']), opens };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (isSdkEvent(input)) return readEventFile(input, context);
  const row = Array.isArray(input) ? {} : objectOf(input, 'row');
  const list = Array.isArray(input) ? input : asArray(row['history'] ?? row['trajectory']);
  const events = list
    .flatMap((item) => (Array.isArray(item) ? (item as readonly unknown[]) : [item]))
    .map((item, index) => objectOf(item, `events[${index}]`));
  if (events.length === 0) throw new RejectError('no_turns', 'a history without events');
  return [withRow(readEvents(events, row, context), row)];
}

function readEvents(events: readonly JsonObject[], row: JsonObject, context: ReadContext): RawTrajectory {
  const run = events.some(isSdkEvent)
    ? readSdkEvents(events, context)
    : readLegacyEvents(events, { instruction: asString(row['instruction']), context });
  requireModelTurns(run.turns);
  return run;
}

/** What a row of an evaluation says beside its history. */
function withRow(run: RawTrajectory, row: JsonObject): RawTrajectory {
  const metadata = isObject(row['metadata']) ? row['metadata'] : {};
  const config = isObject(metadata['llm_config']) ? metadata['llm_config'] : {};
  const llm = isObject(metadata['llm']) ? metadata['llm'] : {};
  const error = asString(row['error']);
  const limit = error !== null && /maximum iteration|max_iterations|MaxIterations/i.test(error);
  const budget = metadata['max_iterations'];
  return {
    ...run,
    task_id: asId(row['instance_id']) ?? run.task_id,
    model: run.model ?? asString(config['model']) ?? asString(llm['model']) ?? asString(row['model']),
    scaffold_version: run.scaffold_version ?? asString(row['openhands_version']),
    turn_budget: Number.isSafeInteger(budget) ? Number(budget) : run.turn_budget,
    resolved: resolvedOf(row) ?? run.resolved,
    termination: error === null || error === '' ? run.termination : limit ? 'step_limit' : 'error',
  };
}

function resolvedOf(row: JsonObject): boolean | null {
  const result = isObject(row['test_result']) ? row['test_result'] : {};
  for (const holder of [row, row['report'], result, result['report']]) {
    const resolved = isObject(holder) ? asBoolean(holder['resolved']) : null;
    if (resolved !== null) return resolved;
  }
  return null;
}

function readEventFile(event: JsonObject, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const others = context.siblings.names.filter((name) => EVENT_FILE.test(name));
  if (!EVENT_FILE.test(own) || others.length === 0) return [readEvents([event], {}, context)];
  const names = [own, ...others].sort((a, b) => eventNumber(a) - eventNumber(b) || (a < b ? -1 : 1));
  const first = names[0];
  if (first !== undefined && first !== own) return { sidecar_of: first };
  const events = names.flatMap((name) => {
    const parsed = name === own ? event : parsedEvent(context.siblings.readText(name, 'event'));
    return parsed === null ? [] : [parsed];
  });
  const run = withState(readEvents(events, {}, context), context);
  const missing = events.length < names.length;
  return [missing ? { ...run, flags: [...run.flags, 'bad_sidecar'] } : run];
}

/** The state that the SDK keeps above the folder of its events names the conversation and the model. */
const STATE = '../base_state.json';

function withState(run: RawTrajectory, context: ReadContext): RawTrajectory {
  if (!context.siblings.names.includes(STATE)) return run;
  const state = parsedObject(context.siblings.readText(STATE, 'state'));
  const agent = isObject(state?.['agent']) ? state['agent'] : {};
  const llm = isObject(agent['llm']) ? agent['llm'] : {};
  return {
    ...run,
    session_id: run.session_id ?? asId(state?.['id']),
    model: run.model ?? asString(llm['model']),
  };
}

function eventNumber(name: string): number {
  return Number(EVENT_FILE.exec(name)?.[1] ?? 0);
}

function parsedEvent(text: string | null): JsonObject | null {
  const parsed = parsedObject(text);
  return hasKeys(parsed, 'kind') ? parsed : null;
}

function parsedObject(text: string | null): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
