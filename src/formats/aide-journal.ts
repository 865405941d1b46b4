import { RejectError } from '../logs/reject.js';
import { contentSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listOf, objectAt, objectOf } from './fields.js';
import { joinGrade } from './mlebench-grade.js';
import { rawTrajectory } from './raw-trajectory.js';
import {
  executionIds,
  firstCallSpan,
  NODE_TOOL,
  nodeOutput,
  nodeReply,
  nodeStatus,
  orderedNodes,
} from './search-nodes.js';
import { asBoolean, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';

export const aideJournal: FormatAdapter = {
  name: 'aide-journal',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title: 'AIDE journal.json: a search tree of plans, programs and their outcomes',
    recognised_by:
      'an object with `nodes` and `node2parent` whose metrics are numbers or null, without plot code',
    scores:
      "self-reported: a language model read stdout, on the agent's own validation split; a test score where a grade of MLE-bench is beside it",
    executions: 'one experiment a node, with seconds and exception class',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'prompts, model name and token use are not logged (flag prompts_absent)',
      'the reply itself is not logged: its text is put together from plan and code, and the scaffold reformatted the code (flag text_rebuilt)',
      'the review (`analysis`) that a language model wrote on each run: the feedback is the output of the program alone',
      'exc_info and exc_stack, which repeat the traceback of the output with absolute paths',
      'what the model was shown of earlier nodes: turns stand in order of execution, the tree is in parent_execution',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const document = sniff.json;
  if (!hasKeys(document, 'nodes', 'node2parent') || !Array.isArray(document['nodes'])) return null;
  if (!isObject(document['node2parent'])) return null;
  // AI-Scientist v2 keeps the same envelope, with plots and metrics of several data sets.
  const foreign = document['nodes'].some(
    (node) => hasKeys(node, 'plot_code') || (hasKeys(node, 'metric') && isObject(metricValue(node))),
  );
  if (foreign) return null;
  return { confidence: 'certain', reason: 'an object with nodes and node2parent, no plot code' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const parents = objectAt(document, 'node2parent', '') ?? {};
  const nodes = orderedNodes(listOf(document['nodes'], 'nodes'));
  if (nodes.length === 0) throw new RejectError('no_turns', 'a journal without nodes');

  const flags = new Set(['prompts_absent', 'text_rebuilt', 'tree_search']);
  const ids = executionIds(nodes, flags);
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  nodes.forEach((node, order) => {
    const call_turn = turns.length;
    const call = nodeReply(node);
    turns.push(
      call,
      makeTurn('tool', [contentSpan('observation', 'environment', nodeOutput(node))], { name: NODE_TOOL }),
    );
    const parent = asId(parents[asId(node['id']) ?? '']);
    const parentOrder = nodes.findIndex((other) => parent !== null && asId(other['id']) === parent);
    if (parent !== null && parentOrder === -1) flags.add('parent_missing');
    const execution_id = ids[order] ?? `node-${order}`;
    const kind = context.experiments.experiment.includes(NODE_TOOL) ? 'experiment' : 'other';
    executions.push(
      makeExecution(
        { execution_id, order, kind, tool: NODE_TOOL, call_turn, status: nodeStatus(node) },
        {
          call_span: firstCallSpan(call),
          feedback_turn: call_turn + 1,
          seconds: asNumber(node['exec_time']),
          started_at: isoSeconds(node['ctime']),
          error_type: asString(node['exc_type']),
          code: asString(node['code']),
          parent_execution: parentOrder === -1 ? null : (ids[parentOrder] ?? null),
        },
      ),
    );
    const submission = submissionOf(node, {
      execution_id,
      observed_turn: call_turn + 1,
      order: submissions.length,
    });
    if (submission !== null) submissions.push(submission);
  });

  const run = rawTrajectory(
    { turns, executions },
    {
      task_claims: claims(nodes, flags),
      scaffold: 'aide',
      submissions,
      feedback_exposes_test_score: false,
      flags: [...flags],
    },
  );
  return [joinGrade(run, context)];
}

function submissionOf(
  node: JsonObject,
  at: { execution_id: string; observed_turn: number; order: number },
): Submission | null {
  if (asBoolean(node['is_buggy']) !== false) return null;
  const score = asNumber(metricValue(node));
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable: score !== null,
      score,
      scale: 'self_reported',
    },
    { observed_turn: at.observed_turn, grader: 'aide-review' },
  );
}

function metricValue(node: JsonObject): unknown {
  const metric = node['metric'];
  return isObject(metric) ? metric['value'] : metric;
}

/** The direction that the reviews state; where they disagree none is claimed. */
function claims(nodes: readonly JsonObject[], flags: Set<string>): TaskClaims | null {
  const directions = new Set<boolean>();
  for (const node of nodes) {
    const maximize = isObject(node['metric']) ? asBoolean(node['metric']['maximize']) : null;
    if (maximize !== null) directions.add(maximize);
  }
  if (directions.size === 0) return null;
  if (directions.size > 1) flags.add('direction_inconsistent');
  const is_lower_better = directions.size > 1 ? null : !directions.has(true);
  return { metric: null, is_lower_better, gold: null, silver: null, bronze: null, median: null };
}
