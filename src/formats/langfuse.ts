import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectAt, objectOf } from './fields.js';
import { callChains, chainRun, type LoggedCall } from './generation-chains.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { replyMessages, traceMessages } from './trace-messages.js';

export const langfuse: FormatAdapter = {
  name: 'langfuse',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Langfuse traces, or exported observations as a list or lines: generations of any framework, joined to runs',
    recognised_by:
      'an object with trace and observations, a trace that holds its observations, or observations with traceId',
    scores:
      'scores of the trace stand as flags `trace_score:<name>=<value>`: who gave them and of what differs',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning: 'where the framework logs its text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'inputs and outputs of spans, agents and tools, which the messages of generations repeat',
      'usage, cost, metadata and attributes',
      'of each generation the context, which the last one of its chain holds',
      'the call shape of other libraries becomes that of OpenAI; arguments that were objects are JSON',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const found = hasKeys(sniff.json, 'trace', 'observations') && Array.isArray(sniff.json['observations']);
  if (found) return { confidence: 'certain', reason: 'an object with trace and observations' };
  if (hasKeys(sniff.json, 'id', 'observations') && asArray(sniff.json['observations']).some(isObservation)) {
    return { confidence: 'certain', reason: 'a trace with its observations' };
  }
  const listed = asArray(sniff.json).some(isObservation);
  if (!listed && !sniff.lines.some(isObservation)) return null;
  return { confidence: 'certain', reason: 'observations of traces', unit: listed ? 'document' : 'lines' };
}

function isObservation(value: unknown): boolean {
  return hasKeys(value, 'id', 'traceId', 'type', 'startTime');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (Array.isArray(input)) return readExport(input, context);
  const document = objectOf(input, 'document');
  // A trace by itself holds its observations; exports put both side by side.
  return readTrace(
    objectAt(document, 'trace', '') ?? document,
    listAt(document, 'observations', '') ?? [],
    context,
  );
}

/** Observations of several traces, each a run or more of its own. */
function readExport(list: readonly unknown[], context: ReadContext): readonly RawTrajectory[] {
  const traces = new Map<string, unknown[]>();
  for (const item of list) {
    if (!isObservation(item) || !isObject(item)) continue;
    const id = asId(item['traceId']) ?? '';
    const known = traces.get(id);
    if (known === undefined) traces.set(id, [item]);
    else known.push(item);
  }
  return [...traces].flatMap(([id, observations]) =>
    readPiece(context, `trace ${id}`, () => readTrace({ id }, observations, context)),
  );
}

function readTrace(
  trace: JsonObject,
  listed: readonly unknown[],
  context: ReadContext,
): readonly RawTrajectory[] {
  const observations = listed.map((value, index) => objectOf(value, `observations[${index}]`));
  const generations = observations
    .filter((observation) => observation['type'] === 'GENERATION')
    .sort((a, b) => (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0));
  if (generations.length === 0) throw new RejectError('no_model_turns', 'a trace without generations');
  const names = new Map(observations.map((observation) => [asId(observation['id']), observation]));
  const owners = new Map<LoggedCall, string | null>();
  const calls = generations.map((generation) => {
    const call = loggedCall(generation);
    owners.set(call, ownerOf(generation, names));
    return call;
  });
  const chains = callChains(calls);
  const id = asId(trace['id']);
  const scores = asArray(trace['scores']).flatMap((score) =>
    isObject(score) ? [`trace_score:${asString(score['name']) ?? 'score'}=${String(score['value'])}`] : [],
  );
  const failed = generations.some((generation) => generation['level'] === 'ERROR');
  return chains.flatMap((chain, index) =>
    readPiece(context, `chain ${index}`, () => {
      const run = chainRun(chain, { context });
      const first = chain.calls[0];
      return [
        {
          ...run,
          session_id: chains.length === 1 ? id : `${id ?? 'trace'}/${index}`,
          scaffold: (first === undefined ? null : owners.get(first)) ?? asString(trace['name']),
          termination: failed && run.termination === 'unknown' ? 'error' : run.termination,
          flags: [...run.flags, ...scores, ...(chains.length > 1 ? [`runs_in_trace:${chains.length}`] : [])],
        },
      ];
    }),
  );
}

function startOf(observation: JsonObject): string {
  return asString(observation['startTime']) ?? '';
}

function loggedCall(generation: JsonObject): LoggedCall {
  const { messages, tools } = traceMessages(generation['input']);
  return {
    input: messages,
    reply: replyMessages(generation['output']),
    tools,
    model: asString(generation['model']),
    started_at: asString(generation['startTime']),
  };
}

/** The agent that a generation ran in: the nearest span above it that bears a name of its own. */
function ownerOf(generation: JsonObject, names: ReadonlyMap<string | null, JsonObject>): string | null {
  const parent = names.get(asId(generation['parentObservationId']));
  return parent === undefined ? null : asString(parent['name']);
}
