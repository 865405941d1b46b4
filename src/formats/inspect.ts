import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import type { ArchiveInput, Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectAt, objectOf } from './fields.js';
import { type Generation, resolver, type SampleEvents, sampleEvents } from './inspect-events.js';
import { inspectParts, inspectTurn } from './inspect-messages.js';
import { sampleScores } from './inspect-scores.js';
import { readPiece } from './pieces.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import {
  answerTurn,
  boundaryFlags,
  type CallOutcome,
  requireModelTurns,
  type ShellCall,
  shellExecutions,
} from './shell-executions.js';

const HEADER = 'header.json';
const START = '_journal/start.json';
const SAMPLE = /^samples\/.*\.json$/;

const LIMITS: Readonly<Record<string, Termination>> = {
  message: 'step_limit',
  turn: 'step_limit',
  cost: 'step_limit',
  token: 'context_limit',
  context: 'context_limit',
  time: 'time_limit',
  working: 'time_limit',
  operator: 'cut',
};

const STOPS: Readonly<Record<string, Truncation>> = {
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'aborted',
};

export const inspect: FormatAdapter = {
  name: 'inspect',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Inspect evaluation log (.json or .eval): one trajectory for each sample and epoch',
    recognised_by:
      'an object with eval, plan and status; a zip archive with header.json or _journal/start.json',
    scores:
      'the verdict of each scorer on the final answer, against a target that the agent never saw; C, P, I and N are 1, 0.5, 0 and 0',
    executions: 'outcome and seconds of every tool call; experiments only where the pipeline names tools',
    reasoning:
      'reasoning parts; what the provider encrypted is absent (reasoning_hidden) or a summary (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none (top log-probabilities of providers name no token ids)',
    loss: [
      'what a model wrote and the final messages lack: replies that a solver dropped, sub-agents (counted in the flag generations_not_in_messages)',
      'contexts that a compaction made smaller: the run is kept as its whole messages (flag context_edited)',
      'model calls of scorers, which judge, with answer, explanation and metadata of scores',
      'target, store, state changes and other events, usage, and the call of the API that they repeat',
      'pictures and other media: a placeholder stands for them',
      'summaries, reductions and metrics over samples',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.members !== undefined) {
    const found = sniff.members.some((name) => name === HEADER || name === START);
    return found
      ? { confidence: 'certain', reason: 'an archive with the header of an Inspect log', unit: 'archive' }
      : null;
  }
  if (!hasKeys(sniff.json, 'eval', 'status')) return null;
  const isEval = hasKeys(sniff.json['eval'], 'task', 'model') || Object.hasOwn(sniff.json, 'plan');
  return isEval
    ? { confidence: 'certain', reason: 'an object with eval and status', unit: 'document' }
    : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (isArchive(input)) return readArchive(input, context);
  const log = objectOf(input, 'document');
  const samples = listAt(log, 'samples', '') ?? [];
  if (samples.length === 0) throw new RejectError('no_turns', 'a log without samples');
  return samples.flatMap((sample, index) =>
    sampleOrRefusal(() => sample, { log, context, path: `samples[${index}]` }),
  );
}

function isArchive(input: unknown): input is ArchiveInput {
  return isObject(input) && Array.isArray(input['names']) && typeof input['readText'] === 'function';
}

/** An evaluation that is still running, or was killed, has no header: its start stands for it. */
function readArchive(archive: ArchiveInput, context: ReadContext): RawTrajectory[] {
  const head = archive.readText(HEADER) ?? archive.readText(START);
  if (head === null) throw new RejectError('bad_shape', `${HEADER}: the member is missing`);
  const log = objectOf(parseJsonText(head).value, HEADER);
  const names = archive.names.filter((name) => SAMPLE.test(name));
  if (names.length === 0) throw new RejectError('no_turns', 'a log without samples');
  return names.flatMap((name) =>
    sampleOrRefusal(() => parseJsonText(archive.readText(name) ?? '').value, { log, context, path: name }),
  );
}

function sampleOrRefusal(
  sample: () => unknown,
  from: { log: JsonObject; context: ReadContext; path: string },
): readonly RawTrajectory[] {
  return readPiece(from.context, from.path, () => [readSample(objectOf(sample(), from.path), from)]);
}

function readSample(
  sample: JsonObject,
  from: { log: JsonObject; context: ReadContext; path: string },
): RawTrajectory {
  const { log, context, path } = from;
  const evaluation = objectAt(log, 'eval', '') ?? {};
  const { resolve, missing } = resolver(sample);
  const events = sampleEvents(sample, resolve);
  const output = objectAt(sample, 'output', path) ?? {};
  const messages = messagesOf(sample, events, resolve);
  const flags = new Set<string>();
  const turns = sampleTurns(messages, { path, events, flags, stop: stopReason(output) });
  requireModelTurns(turns);
  if (missing() > 0) flags.add('attachments_missing');

  const executions = shellExecutions(turns, context, (call) => outcome(turns, call, events));
  for (const flag of boundaryFlags(executions)) flags.add(flag);
  const scored = sampleScores(sample);
  const id = asId(sample['id']);
  const epoch = asId(sample['epoch']);
  if (epoch !== null) flags.add(`sample_epoch:${epoch}`);
  const run = asId(evaluation['run_id']) ?? asId(evaluation['eval_id']);
  const task = asString(evaluation['task']);
  return rawTrajectory(
    { turns, executions },
    {
      submissions: scored.submissions,
      session_id: asId(sample['uuid']) ?? [run, id, epoch].filter((part) => part !== null).join('/'),
      // The epochs of a sample are rollouts of one prompt.
      group: id === null ? null : `${run ?? task ?? 'inspect'}/${id}`,
      task_id: typeof sample['id'] === 'string' && !/^\d+$/.test(sample['id']) ? id : taskId(task, id),
      scaffold: 'inspect',
      scaffold_version: versionOf(evaluation),
      model: asString(evaluation['model']),
      tools: toolsOf(events),
      termination: terminationOf(sample, log, turns),
      resolved: scored.resolved,
      // Scorers run after the agent has ended.
      feedback_exposes_test_score: false,
      flags: [...flags],
    },
  );
}

/** The final messages, or what the last call of the model was shown and answered where a log keeps no messages. */
function messagesOf(
  sample: JsonObject,
  events: SampleEvents,
  resolve: (value: unknown) => unknown,
): unknown[] {
  const own = asArray(sample['messages']);
  if (own.length > 0) return asArray(resolve(own)).slice();
  const last = events.generations.at(-1);
  return last === undefined ? [] : [...last.input, ...(last.message === null ? [] : [last.message])];
}

function sampleTurns(
  messages: readonly unknown[],
  at: { path: string; events: SampleEvents; flags: Set<string>; stop: Truncation | null },
): Turn[] {
  const { events, flags, stop } = at;
  const generated = generatedMessages(events.generations);
  const used = new Set<Generation>();
  const last = messages.findLastIndex((message) => isObject(message) && message['role'] === 'assistant');
  const turns = messages.map((value, index) => {
    const path = `${at.path}.messages[${index}]`;
    const message = objectOf(value, path);
    const generation = message['role'] === 'assistant' ? generated(message) : null;
    if (generation !== null) used.add(generation);
    // A compaction shows the model less than what the messages keep.
    const shown = generation?.input.length ?? 0;
    if (shown > 0 && shown < index) flags.add('context_edited');
    const byModel = generation !== null || (events.generations.length === 0 && message['source'] !== 'input');
    return inspectTurn(message, {
      path,
      generated: byModel,
      truncated: index === last ? stop : null,
    });
  });
  const lost = events.generations.filter(
    (generation) => generation.message !== null && !used.has(generation),
  );
  if (lost.length > 0) flags.add(`generations_not_in_messages:${lost.length}`);
  if (turns.some((turn) => turn.flags.includes('not_generated'))) flags.add('assistant_text_not_generated');
  return turns;
}

/** Which generation a message came from: by id where both have one, else by equal content and calls. */
function generatedMessages(generations: readonly Generation[]): (message: JsonObject) => Generation | null {
  const byId = new Map<string, Generation>();
  const byText = new Map<string, Generation>();
  for (const generation of generations) {
    if (generation.message === null) continue;
    const id = asId(generation.message['id']);
    if (id !== null) byId.set(id, generation);
    byText.set(textKey(generation.message), generation);
  }
  return (message) => {
    if (message['source'] === 'input') return null;
    const text = byText.get(textKey(message)) ?? null;
    const id = asId(message['id']);
    const named = id === null ? undefined : byId.get(id);
    // A message that kept its id but not its text was edited.
    return named !== undefined && named.message !== null && textKey(named.message) === textKey(message)
      ? named
      : text;
  };
}

function textKey(message: JsonObject): string {
  const parts = inspectParts(message['content'], 'content').map((part) => [part.kind, part.text]);
  const calls = asArray(message['tool_calls']).map((call) =>
    isObject(call) ? [call['function'], call['arguments']] : null,
  );
  return JSON.stringify([parts, calls]);
}

function outcome(turns: readonly Turn[], call: ShellCall, events: SampleEvents): CallOutcome | null {
  const feedback_turn = answerTurn(turns, call);
  const event = call.id === null ? undefined : events.tools.get(call.id);
  const feedback = feedback_turn === null ? undefined : turns[feedback_turn];
  const shown = feedback?.flags.includes('tool_error') ?? false;
  if (event === undefined) return shown ? { feedback_turn, status: 'error' } : { feedback_turn };
  const error = isObject(event['error']) ? asString(event['error']['type']) : null;
  const known = {
    feedback_turn,
    seconds: asNumber(event['working_time']),
    completed_at: asString(event['completed']),
    error_type: error,
  };
  if (error === 'timeout') return { ...known, status: 'timeout' };
  return { ...known, status: error !== null || shown ? 'error' : 'ok' };
}

function stopReason(output: JsonObject): Truncation | null {
  const [choice] = asArray(output['choices']);
  const reason = isObject(choice) ? (asString(choice['stop_reason']) ?? '') : '';
  return Object.hasOwn(STOPS, reason) ? (STOPS[reason] ?? null) : null;
}

/** An error or limit of the sample ended it; a complete last reply without a call was its answer. */
function terminationOf(sample: JsonObject, log: JsonObject, turns: readonly Turn[]): Termination {
  if (isObject(sample['error'])) return 'error';
  const limit = isObject(sample['limit']) ? asString(sample['limit']['type']) : null;
  if (limit !== null) return Object.hasOwn(LIMITS, limit) ? (LIMITS[limit] ?? 'unknown') : 'unknown';
  const last = turns.at(-1);
  if (last?.truncated === 'length') return 'context_limit';
  if (last !== undefined && last.truncated !== null) return 'error';
  const scored = isObject(sample['scores']) && Object.keys(sample['scores']).length > 0;
  if (!scored && (log['status'] === 'cancelled' || log['status'] === 'error')) return 'cut';
  const open = last?.role !== 'assistant' || last.spans.some((span) => span.call !== null);
  return open && !scored ? 'unknown' : 'submitted';
}

function versionOf(evaluation: JsonObject): string | null {
  return isObject(evaluation['packages']) ? asString(evaluation['packages']['inspect_ai']) : null;
}

function taskId(task: string | null, id: string | null): string | null {
  return task === null || id === null ? (task ?? id) : `${task}/${id}`;
}

function toolsOf(events: SampleEvents): string | null {
  const tools = events.generations.find((generation) => generation.tools.length > 0)?.tools ?? [];
  return tools.length === 0 ? null : JSON.stringify(tools);
}
