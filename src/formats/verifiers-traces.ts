import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { fieldPath, listAt, listOf, objectAt, objectOf } from './fields.js';
import { readPiece } from './pieces.js';
import { rawTrajectory } from './raw-trajectory.js';
import { thinkingFlags } from './reasoning-summary.js';
import { detectRows, readRows } from './row-lists.js';
import { scoredCalls } from './scored-calls.js';
import { asId, asNumber, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { artefactsOf, readBranches } from './verifiers-branches.js';
import {
  callsByNode,
  configOf,
  groupOf,
  isRewritten,
  isTrained,
  modelOf,
  policyVersion,
  rewardOf,
  terminationOf,
  toolsOf,
} from './verifiers-facts.js';
import { branchesOf, contextsOf, isNodeGraph, traceNodes } from './verifiers-graph.js';

export const verifiersTraces: FormatAdapter = {
  name: 'verifiers-traces',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Traces of verifiers v1, which prime-rl trains on (traces.jsonl): episodes of message graphs',
    recognised_by:
      'episodes with env, task and traces, or traces alone, whose nodes have a message and say whether it was sampled',
    scores:
      'none; the weighted sum of the rewards stands as a flag `reward:<value>`, since they may pay for form as well',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning:
      'reasoning_content, or think tags; what the provider encrypted is absent (reasoning_hidden) or a summary (reasoning_summary)',
    token_ids: 'of each sampled message with all that came before it, where recorded',
    logprobs: 'of each sampled token where recorded, as the writer rounds them (four decimals)',
    loss: [
      'metrics, names and weights of the single rewards, info, timing, usage and the configuration of the agent',
      'advantages, entropies, log-probabilities of trainer and reference, loss weights and routing',
      'links of meaning between turns (sub-agents), beyond those of compactions',
      'which of several sampled replies to one prompt the harness went on with: each has a context of its own',
      'summaries that took the place of earlier turns are not trained (flag compact_summary)',
      'pictures: a placeholder stands for each',
      'which replies the harness rewrote: where it rewrote any, one without sampled tokens of its own is not trained',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, isRow, {
    confidence: 'certain',
    reason: 'has traces whose nodes hold messages',
  });
}

function isRow(value: unknown): boolean {
  return isEpisode(value) || isTrace(value) || (hasKeys(value, 'trace') && isTrace(value['trace']));
}

function isEpisode(value: unknown): boolean {
  if (!hasKeys(value, 'env', 'task', 'traces') || !Array.isArray(value['traces'])) return false;
  return value['traces'].every((trace) => isObject(trace) && Array.isArray(trace['nodes']));
}

function isTrace(value: unknown): boolean {
  return isObject(value) && isNodeGraph(value['nodes']);
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return readRows(input, context, (value, path) => readRow(objectOf(value, path), context));
}

/** An episode, a trace alone, or a trace in an envelope of other tools. */
function readRow(row: JsonObject, context: ReadContext): readonly RawTrajectory[] {
  const inside = isTrace(row['trace']) ? objectOf(row['trace'], 'trace') : null;
  if (inside !== null) return [readTrace(inside, { path: 'trace', episode: row, context })];
  if (!Array.isArray(row['traces'])) return [readTrace(row, { path: '', episode: {}, context })];
  const traces = listOf(row['traces'], 'traces');
  if (traces.length === 0) throw new RejectError('no_turns', 'an episode without traces');
  const readOne = (value: unknown, path: string): RawTrajectory =>
    readTrace(objectOf(value, path), { path, episode: row, context });
  if (traces.length === 1) return [readOne(traces[0], 'traces[0]')];
  return traces.flatMap((value, index) => {
    const path = `traces[${index}]`;
    return readPiece(context, path, () => [readOne(value, path)]);
  });
}

function readTrace(
  trace: JsonObject,
  at: { path: string; episode: JsonObject; context: ReadContext },
): RawTrajectory {
  const { path, episode, context } = at;
  const nodes = traceNodes(listAt(trace, 'nodes', path) ?? [], fieldPath(path, 'nodes'));
  if (nodes.length === 0) throw new RejectError('no_turns', 'a trace without messages');
  const calls = callsByNode(trace);
  const branches = branchesOf(nodes);
  const version = policyVersion(episode);
  const read = readBranches(branches, {
    nodes,
    calls,
    version,
    trained: isTrained(trace),
    rewritten: isRewritten(trace),
    context,
  });
  const { turns, executions } = read;
  requireModelTurns(turns);
  const scored = scoredCalls(turns, executions, context, artefactsOf(nodes, executions));
  const model = modelOf(trace);
  const reward = rewardOf(trace['rewards']);
  const task = objectAt(trace, 'task', path) ?? objectAt(episode, 'task', '') ?? {};
  const data = isObject(task['data']) ? task['data'] : {};
  return rawTrajectory(
    { turns, executions },
    {
      session_id: asId(trace['id']) ?? asId(episode['id']),
      group: groupOf(episode, { task, data }),
      task_id: firstId([data], ['id', 'name']),
      scaffold: 'verifiers',
      scaffold_version: asString(isObject(trace['verifiers']) ? trace['verifiers']['version'] : null),
      model,
      policy_version: version,
      tools: toolsOf(trace),
      submissions: scored.submissions,
      epochs: contextsOf(branches).map(({ nodes: turns, compacted }, index) => ({
        turns: [...turns],
        reason: index === 0 ? null : compacted ? 'compaction' : 'new_prompt',
      })),
      termination: terminationOf(trace) ?? read.termination,
      turn_budget: asNumber(configOf(trace)['max_turns']),
      flags: [
        ...new Set([
          ...scored.flags,
          ...read.flags,
          ...thinkingFlags(turns, model),
          ...(reward === null ? [] : [`reward:${reward}`]),
        ]),
      ],
    },
  );
}
