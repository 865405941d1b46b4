import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { callChains, chainRun, type LoggedCall } from './generation-chains.js';
import { exchangeOf } from './model-exchange.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';
import { replyMessages } from './trace-messages.js';

export const weave: FormatAdapter = {
  name: 'weave',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'W&B Weave calls of language models, as a list or lines, and the results of HAL that hold them',
    recognised_by: 'calls with op_name, inputs and an output of choices, bare or under raw_logging_results',
    scores: 'none; `resolved` where the results of HAL name the task as solved or failed',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning:
      'reasoning_content of replies where recorded; of OpenAI and Google it is a summary (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'calls that are no calls of a model, whose texts its messages repeat; calls without a reply',
      'a call that a logged call made again in another library counts once, as the outer one',
      'usage, cost, attributes and summaries; what a benchmark graded (raw_eval_results)',
      'of each call the context, which the last one of its chain holds',
    ],
  },
  detect,
  read,
};

const CALLS = 'raw_logging_results';

function detect(sniff: Sniff): Detection | null {
  const reason = 'calls of Weave';
  const list = hasKeys(sniff.json, CALLS) ? sniff.json[CALLS] : sniff.json;
  if (asArray(list).some(isModelCall)) return { confidence: 'certain', reason, unit: 'document' };
  return sniff.lines.some(isModelCall) ? { confidence: 'certain', reason, unit: 'lines' } : null;
}

function isModelCall(value: unknown): value is JsonObject {
  return hasKeys(value, 'op_name', 'inputs') && callOf(value) !== null;
}

function callOf(record: JsonObject): JsonObject | null {
  const { inputs } = record as { inputs?: unknown };
  if (!isObject(inputs)) return null;
  return exchangeOf({ ...inputs, response: record['output'] ?? record['outputs'] });
}

/** A call with where it belongs. */
interface Placed {
  readonly call: LoggedCall;
  readonly trace: string | null;
  readonly task: string | null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const results = hasKeys(input, CALLS) ? input : null;
  const records = asArray(results === null ? input : results[CALLS]).filter(isModelCall);
  if (records.length === 0) throw new RejectError('no_turns', 'no call of a model among the calls');
  const ids = new Set(records.flatMap((record) => asId(record['id']) ?? []));
  const outer = records.filter((record) => !ids.has(asId(record['parent_id']) ?? ''));
  const groups = new Map<string | null, Placed[]>();
  for (const one of outer.map(placed).sort(byTime)) {
    const key = one.task ?? one.trace;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const verdict = verdictsOf(results);
  return [...groups].flatMap(([group, calls]) => {
    const placeOf = new Map(calls.map((one) => [one.call, one]));
    return callChains(calls.map(({ call }) => call)).flatMap((chain, index) =>
      readPiece(context, `${group ?? 'calls'}, chain ${index}`, () => {
        const last = chain.calls.at(-1);
        const place = last === undefined ? undefined : placeOf.get(last);
        const task = place?.task ?? null;
        return [
          {
            ...chainRun(chain, { context }),
            session_id: place?.trace ?? null,
            group: task,
            task_id: task,
            resolved: task === null ? null : (verdict.get(task) ?? null),
          },
        ];
      }),
    );
  });
}

function placed(record: JsonObject): Placed {
  const exchange = callOf(record) ?? {};
  const response = exchange['response'];
  const attributes = isObject(record['attributes']) ? record['attributes'] : {};
  return {
    call: {
      input: asArray(exchange['messages']).filter(isObject),
      reply: replyMessages(response),
      tools: asArray(exchange['tools']),
      model: isObject(response) ? asString(response['model']) : null,
      started_at: isoSeconds(record['started_at']),
    },
    trace: asId(record['trace_id']),
    task: asId(attributes['weave_task_id']) ?? asId(record['weave_task_id']),
  };
}

/** Calls by their start; those without one keep their place behind the others. */
function byTime(one: Placed, other: Placed): number {
  const [a, b] = [one.call.started_at ?? '~', other.call.started_at ?? '~'];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Which tasks HAL lists as solved, and which as failed; one in both lists is neither. */
function verdictsOf(document: JsonObject | null): ReadonlyMap<string, boolean | null> {
  const results = document !== null && isObject(document['results']) ? document['results'] : {};
  const verdicts = new Map<string, boolean | null>();
  for (const id of asArray(results['successful_tasks'])) verdicts.set(asId(id) ?? '', true);
  for (const id of asArray(results['failed_tasks'])) {
    const task = asId(id) ?? '';
    verdicts.set(task, verdicts.has(task) ? null : false);
  }
  return verdicts;
}
