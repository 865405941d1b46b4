import { RejectError } from '../logs/reject.js';
import { makeSubmission } from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { type NodeMetric, nodeMetric } from './ai-scientist-v2-metric.js';
import { isV2Journal, type Stage, stageOf, stagesOf } from './ai-scientist-v2-stages.js';
import { listOf, objectAt, objectOf } from './fields.js';
import { nodeExecution, nodeFeedback } from './node-execution.js';
import { nodeRuns } from './node-runs.js';
import { rawTrajectory } from './raw-trajectory.js';
import { executionIds, NODE_TOOL, nodeOutput, nodeReply, nodeStatus, orderedNodes } from './search-nodes.js';
import { asArray, asBoolean, asId, asNumber, asString, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';

export const aiScientistV2: FormatAdapter = {
  name: 'ai-scientist-v2',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title: 'AI-Scientist v2 journal.json: tree search in stages over plans, programs and their metrics',
    recognised_by: 'an object with `nodes` and `node2parent` whose nodes have plot code or metric objects',
    scores:
      'self-reported: values parsed out of the saved results. A node with one metric on one data set has that score; of several metrics none is the objective, so the score is null and each stands as a flag `metric:<name>/<data set>:<lower|higher>=<value>`',
    executions:
      'one experiment a node, with seconds and exception class; seed re-runs, which the scaffold launched, are `other`',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'prompts are not logged (flag prompts_absent), and the reply is put together from plan and code (flag text_rebuilt)',
      'plans and programs that parse metrics and draw plots (parse_metrics_plan, parse_metrics_code, plot_plan, plot_code): separate calls for bookkeeping, whose outcome is in metric and plots',
      'reviews and feedback of language and vision models (analysis, plot_analyses, vlm_feedback_summary, exec_time_feedback), and overall_plan, which retells the plans of the ancestors',
      'exc_info and exc_stack, which repeat the traceback of the output',
      'best_value of a metric, where it differs from its final value',
      'token use by model (token_tracker.json), summaries of stages and tree_data.json, a wrapped copy of the same run',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return isV2Journal(sniff.json)
    ? { confidence: 'certain', reason: 'nodes and node2parent, with plot code or metric objects' }
    : null;
}

/** A node in its run; `inherited` is the copy of an earlier stage's best node where that stage is not at hand. */
interface RunNode {
  readonly node: JsonObject;
  readonly inherited: boolean;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const own = objectOf(input, 'document');
  if (orderedNodes(listOf(own['nodes'], 'nodes')).length === 0) {
    throw new RejectError('no_turns', 'a journal without nodes');
  }
  const stages = stagesOf(own, context);
  const first = stages[0]?.name ?? null;
  if (first !== null) return { sidecar_of: first };
  return runsOf(stages).map(({ stages: own, flags: told }) => {
    const flags = new Set(['prompts_absent', 'text_rebuilt', 'tree_search', ...told]);
    const nodes = joinStages(own, flags);
    return readRun(nodes, { parents: parentsOf(own), context, flags });
  });
}

/** A journal to which another search was appended holds several runs, where no other stages stand beside it. */
function runsOf(stages: readonly Stage[]): { stages: readonly Stage[]; flags: readonly string[] }[] {
  const [only, ...others] = stages;
  const searches = only === undefined || others.length > 0 ? [] : nodeRuns(asArray(only.journal['nodes']));
  if (only === undefined || searches.length < 2) return [{ stages, flags: [] }];
  return searches.map(({ nodes, flags }) => ({
    stages: [{ ...only, journal: { ...only.journal, nodes: [...nodes] } }],
    flags,
  }));
}

/** The nodes of one stage, each once; what may be several searches stays in the order of the log. */
function stageNodes({ journal }: Stage, flags: Set<string>): JsonObject[] {
  return nodeRuns(listOf(journal['nodes'], 'nodes')).flatMap((run) => {
    for (const flag of run.flags) flags.add(flag === 'several_runs' ? 'steps_repeat' : flag);
    return run.nodes;
  });
}

/** The nodes of all stages in order, each once: the first node of a stage is the best one of the stage before. */
function joinStages(stages: readonly Stage[], flags: Set<string>): RunNode[] {
  const seen = new Set<string>();
  const joined: RunNode[] = [];
  stages.forEach((stage, index) => {
    stageNodes(stage, flags).forEach((node, position) => {
      const id = asId(node['id']);
      if (index > 0 && id !== null && seen.has(id)) return;
      if (id !== null) seen.add(id);
      const missing = position === 0 && lacksStageBefore(stage, stages[index - 1]);
      if (missing) flags.add('inherited_first_node');
      joined.push({ node, inherited: missing });
    });
  });
  if (stages.length > 1) flags.add(`stages_joined:${stages.length}`);
  return joined;
}

/**
 * Whether the stage that a stage starts from is not at hand: by their numbers, or since its nodes vary what an earlier
 * one made.
 */
function lacksStageBefore(stage: Stage, before: Stage | undefined): boolean {
  if (before !== undefined) return before.number < stage.number - 1;
  if (stage.number > 1) return true;
  const [first, ...others] = orderedNodes(listOf(stage.journal['nodes'], 'nodes'));
  return first !== undefined && !variesBase(first) && others.some(variesBase);
}

function variesBase(node: JsonObject): boolean {
  return asString(node['ablation_name']) !== null || asString(node['hyperparam_name']) !== null;
}

function parentsOf(stages: readonly Stage[]): JsonObject {
  return Object.assign({}, ...stages.map(({ journal }) => objectAt(journal, 'node2parent', '') ?? {}));
}

function readRun(
  nodes: readonly RunNode[],
  from: { parents: JsonObject; context: ReadContext; flags: Set<string> },
): RawTrajectory {
  const { parents, context, flags } = from;
  const ids = executionIds(
    nodes.map(({ node }) => node),
    flags,
  );
  const orderOf = new Map(nodes.map(({ node }, order) => [asId(node['id']), order]));
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  const metrics: NodeMetric[] = [];
  nodes.forEach(({ node, inherited }, order) => {
    const call_turn = turns.length;
    // The scaffold copies a node under other seeds, and writes a stub for their summary.
    const seeded = node['is_seed_node'] === true || node['is_seed_agg_node'] === true;
    const call = nodeReply(node, seeded || inherited ? 'environment' : 'model');
    const marks = [...(seeded ? ['seed_rerun'] : []), ...(inherited ? ['inherited_node'] : [])];
    turns.push({ ...call, flags: marks }, nodeFeedback(nodeOutput(node)));
    const parent = asId(parents[asId(node['id']) ?? '']);
    const named = parent === null ? undefined : orderOf.get(parent);
    const parentOrder = named === order ? undefined : named;
    const missing = parent !== null && parentOrder === undefined;
    if (missing) flags.add('parent_missing');
    const execution = parentOrder === undefined ? null : (ids[parentOrder] ?? null);
    const execution_id = ids[order] ?? `node-${order}`;
    executions.push(
      nodeExecution(
        node,
        {
          execution_id,
          order,
          call_turn,
          status: nodeStatus(node),
          reply: call,
          context,
          aside: seeded,
          parent: { execution_id: execution, missing },
        },
        {
          seconds: asNumber(node['exec_time']),
          started_at: isoSeconds(node['ctime']),
          error_type: asString(node['exc_type']),
          flags: marks,
        },
      ),
    );
    const metric = nodeMetric(node['metric']);
    if (metric === null) {
      if (isScored(node)) flags.add('good_node_without_metric');
      return;
    }
    metrics.push(metric);
    const buggy = asBoolean(node['is_buggy']) === true;
    if (buggy) flags.add('buggy_node_with_metric');
    submissions.push(
      makeSubmission(
        {
          execution_id,
          order: submissions.length,
          gradable: !buggy && metric.gradable,
          score: buggy ? null : metric.score,
          scale: 'self_reported',
        },
        {
          observed_turn: call_turn + 1,
          grader: metric.grader,
          flags: [...marks, ...(buggy ? ['buggy_node'] : []), ...metric.flags],
        },
      ),
    );
  });
  const stated = stageOf(context.place.path);
  return rawTrajectory(
    { turns, executions },
    {
      submissions,
      task_claims: claims(metrics, flags),
      scaffold: 'ai-scientist-v2',
      session_id: stated === null || stated.run === '' ? null : sessionName(context.place.path, stated.run),
      flags: [...flags],
    },
  );
}

/** A run has no id of its own: the folder or name that its stages share stands for it. */
function sessionName(path: string, run: string): string | null {
  if (!run.startsWith('folder/')) return run.replace(/[_-]+$/, '') || null;
  const folders = path.split('/').slice(0, -2);
  return folders.length === 0 ? null : folders.join('/');
}

/** A node that the scaffold calls good, ran and yet has no metric; summaries of seeds never have one. */
function isScored(node: JsonObject): boolean {
  return asBoolean(node['is_buggy']) === false && node['is_seed_agg_node'] !== true;
}

/** A direction is claimed only where the run knows one single metric. */
function claims(metrics: readonly NodeMetric[], flags: Set<string>): TaskClaims | null {
  const graders = new Set(metrics.map((metric) => metric.grader));
  const directions = new Set(metrics.flatMap((metric) => metric.is_lower_better ?? []));
  if (metrics.some((metric) => metric.flags.length > 0)) flags.add('several_metrics');
  if (graders.size !== 1 || metrics.some((metric) => metric.name === null)) return null;
  if (directions.size > 1) flags.add('direction_inconsistent');
  const [direction] = directions;
  return {
    metric: metrics[0]?.name ?? null,
    is_lower_better: directions.size === 1 && direction !== undefined ? direction : null,
    gold: null,
    silver: null,
    bronze: null,
    median: null,
  };
}
