import type { Termination } from '../trajectory/trajectory.js';
import { stringAt } from './fields.js';
import { asArray, asId, asNumber, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';

/** What stopped a trace, by name; `<stage>_timeout` and `<boundary>_error` are told by their endings. */
const STOPS: Readonly<Record<string, Termination>> = {
  max_turns: 'step_limit',
  max_input_tokens: 'context_limit',
  max_output_tokens: 'context_limit',
  max_total_tokens: 'context_limit',
  compaction_failed: 'context_limit',
  error: 'error',
};

export function callsByNode(trace: JsonObject): ReadonlyMap<number, JsonObject> {
  const calls = new Map<number, JsonObject>();
  for (const call of asArray(trace['calls'])) {
    const node = isObject(call) ? asNumber(call['node']) : null;
    if (node !== null && isObject(call)) calls.set(node, call);
  }
  return calls;
}

export function configOf(trace: JsonObject): JsonObject {
  const agent = isObject(trace['agent']) ? trace['agent'] : {};
  return isObject(agent['config']) ? agent['config'] : {};
}

export function isTrained(trace: JsonObject): boolean {
  return !isObject(trace['agent']) || trace['agent']['trainable'] !== false;
}

/** Whether the harness put other replies in the place of some that the model gave; which ones is not recorded. */
export function isRewritten(trace: JsonObject): boolean {
  return asArray(trace['response_rewrites']).length > 0;
}

/** The model of the configuration, else the one that the calls name, if it is one. */
export function modelOf(trace: JsonObject): string | null {
  const stated = asString(configOf(trace)['model']);
  if (stated !== null) return stated;
  const called = asArray(trace['calls']).flatMap((call) =>
    isObject(call) ? (asString(call['model']) ?? []) : [],
  );
  const names = [...new Set(called)];
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** The version of the weights, or the first and last of those that took part. */
export function policyVersion(episode: JsonObject): string | null {
  const run = isObject(episode['run']) ? episode['run'] : {};
  const work = isObject(run['work']) ? run['work'] : {};
  const span = isObject(work['policy']) ? work['policy'] : {};
  const start = asId(span['start']);
  const end = asId(span['end']);
  return start === null || end === null || start === end ? start : `${start}-${end}`;
}

/** The group that the trainer stated, else what rollouts of one task have in common. */
export function groupOf(episode: JsonObject, at: { task: JsonObject; data: JsonObject }): string | null {
  const stated = isObject(episode['group']) ? asId(episode['group']['id']) : null;
  const key = firstId([at.task], ['key', 'hash']) ?? firstId([at.data], ['id', 'idx', 'name']);
  if (stated !== null || key === null) return stated;
  const env = isObject(episode['env']) ? asString(episode['env']['id']) : null;
  return `${env === null || env === '' ? 'verifiers' : env}/${key}`;
}

/** The weighted sum of rewards that were given, each a number or an object with its weight; null where there are none. */
export function rewardOf(rewards: unknown): number | null {
  if (!isObject(rewards)) return null;
  const values = Object.values(rewards).flatMap((reward) => {
    const score = asNumber(isObject(reward) ? reward['score'] : reward);
    return score === null ? [] : [score * (isObject(reward) ? (asNumber(reward['weight']) ?? 1) : 1)];
  });
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

export function terminationOf(trace: JsonObject): Termination | null {
  const stop = stringAt(trace, 'stop_condition', '') ?? '';
  if (Object.hasOwn(STOPS, stop)) return STOPS[stop] ?? null;
  if (stop.endsWith('_timeout') || trace['is_timeout'] === true) return 'time_limit';
  return stop.endsWith('_error') ? 'error' : null;
}

export function toolsOf(trace: JsonObject): string | null {
  const tools = asArray(trace['tools']).map((tool) =>
    isObject(tool) && !hasKeys(tool, 'function') ? { type: 'function', function: withoutType(tool) } : tool,
  );
  return tools.length === 0 ? null : JSON.stringify(tools);
}

function withoutType({ type: _, ...tool }: JsonObject): JsonObject {
  return tool;
}
