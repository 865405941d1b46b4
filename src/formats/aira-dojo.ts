import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import { contentSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Epoch, TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { type Generation, generationsOf } from './aira-dojo-operators.js';
import { type CompetitionReport, competitionReport, reportSubmission } from './competition-report.js';
import { listOf, objectOf } from './fields.js';
import { joinGrade } from './mlebench-grade.js';
import { rawTrajectory } from './raw-trajectory.js';
import {
  executionIds,
  firstCallSpan,
  NODE_TOOL,
  nodeOutput,
  nodeReply,
  orderedNodes,
} from './search-nodes.js';
import {
  asArray,
  asBoolean,
  asNumber,
  asNumeral,
  asString,
  hasKeys,
  isObject,
  type JsonObject,
} from './shape.js';
import { isoSeconds } from './times.js';

const SEARCH_DATA = /_search_data\.json$/;
const TIMEOUT = /TimeoutError|timed out|exceeded the (?:execution )?time limit/i;

export const airaDojo: FormatAdapter = {
  name: 'aira-dojo',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title: 'aira-dojo search: *_search_data.json, or journal.jsonl of a checkpoint',
    recognised_by:
      'an object with nodes, solution and config, or lines of nodes with parents and metric_maximize',
    scores:
      'self-reported: a language model read stdout; test scores where nodes carry a CompetitionReport of MLE-bench, which the agent never saw',
    executions: 'one experiment a node, with seconds and exit code; the root is a stub and none',
    reasoning: 'think tags in the completions',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'calls of the operators that review and summarise (analysis, memory): they judge, and their verdict is in is_buggy and the metric',
      'plan and code where the raw completion is logged, which repeat it; without it the reply is put together from them (flag text_rebuilt)',
      'usage and latency of operators, the configuration and `solution`, a copy of the best program',
      'term_out, a shortened copy of _term_out',
      'parents after the first (flag several_parents, named on the execution)',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const document = sniff.json;
  if (hasKeys(document, 'nodes', 'solution', 'config') && Array.isArray(document['nodes'])) {
    return { confidence: 'certain', reason: 'an object with nodes, solution and config', unit: 'document' };
  }
  if (sniff.lines.length > 0 && sniff.lines.every(isNode)) {
    return {
      confidence: 'certain',
      reason: 'lines of nodes with parents and metric_maximize',
      unit: 'lines',
    };
  }
  return null;
}

function isNode(value: unknown): boolean {
  return (
    hasKeys(value, 'step', 'code', 'parents', 'metric_maximize') || hasKeys(value, 'step', 'operators_used')
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const document: JsonObject = Array.isArray(input) ? { nodes: input } : objectOf(input, 'document');
  const nodes = orderedNodes(listOf(document['nodes'], 'nodes'));
  if (Array.isArray(input)) {
    const twin = searchDataOf(nodes, context);
    if (twin !== null) return { sidecar_of: twin };
  }
  const real = nodes.filter((node) => !isRoot(node));
  if (real.length === 0) throw new RejectError('no_turns', 'a search without nodes');
  return [joinGrade(readRun(real, nodes, context), context)];
}

/** The stub that the search starts from: no program, no operator. */
function isRoot(node: JsonObject): boolean {
  return (asString(node['code']) ?? '') === '' && asArray(node['operators_used']).length === 0;
}

/** Search data beside a journal hold the same nodes, and are written last. */
function searchDataOf(nodes: readonly JsonObject[], context: ReadContext): string | null {
  for (const name of context.siblings.names.filter((other) => SEARCH_DATA.test(other))) {
    const text = context.siblings.readText(name, 'search_data');
    if (text === null) continue;
    try {
      const { value } = parseJsonText(text);
      const ids = new Set(
        isObject(value) ? asArray(value['nodes']).map((node) => isObject(node) && node['id']) : [],
      );
      if (nodes.every((node) => ids.has(node['id']))) return name;
    } catch {
      // A twin that cannot be read is rejected as a file of its own.
    }
  }
  return null;
}

function readRun(
  real: readonly JsonObject[],
  all: readonly JsonObject[],
  context: ReadContext,
): RawTrajectory {
  const flags = new Set(['tree_search']);
  const ids = executionIds(real, flags);
  const idOfStep = new Map(real.map((node, order) => [asNumber(node['step']), ids[order] ?? null]));
  const roots = new Set(all.filter(isRoot).map((node) => asNumber(node['step'])));
  const turns: Turn[] = [];
  const epochs: Epoch[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  const reports: CompetitionReport[] = [];
  real.forEach((node, order) => {
    const execution_id = ids[order] ?? `node-${order}`;
    const generations = generationsOf(node);
    if (generations.length === 0) flags.add('prompts_absent').add('text_rebuilt');
    const start = turns.length;
    for (const generation of generations.slice(0, -1)) addContext(generation, { turns, epochs });
    const last = generations.at(-1) ?? null;
    const from = turns.length;
    turns.push(...(last?.prompts ?? []));
    const call = last?.reply ?? nodeReply({ ...node, ctime: node['creation_time'] ?? node['ctime'] });
    const call_turn = turns.length;
    const output = nodeOutput(node) || (asString(node['term_out']) ?? '');
    turns.push(
      { ...call, timestamp: isoSeconds(node['creation_time'] ?? node['ctime']) },
      makeTurn('tool', [contentSpan('observation', 'environment', output)], { name: NODE_TOOL }),
    );
    addEpoch(epochs, range(generations.length === 0 ? start : from, turns.length), generations.length === 0);
    const parents = asArray(node['parents']).filter((step) => !roots.has(asNumber(step)));
    const known = parents.flatMap((step) => idOfStep.get(asNumber(step)) ?? []);
    if (known.length < parents.length) flags.add('parent_missing');
    if (known.length > 1) flags.add('several_parents');
    executions.push(
      makeExecution(
        {
          execution_id,
          order,
          kind: context.experiments.experiment.includes(NODE_TOOL) ? 'experiment' : 'other',
          tool: NODE_TOOL,
          call_turn,
          status: statusOf(node, output),
        },
        {
          call_span: firstCallSpan(call),
          feedback_turn: call_turn + 1,
          exit_code: exitCode(node),
          seconds: asNumber(node['exec_time']),
          started_at: isoSeconds(node['creation_time'] ?? node['ctime']),
          code: asString(node['code']),
          parent_execution: known[0] ?? null,
          flags: known.slice(1).map((parent) => `parent:${parent}`),
        },
      ),
    );
    const at = { execution_id, observed_turn: call_turn + 1 };
    const score = asNumeral(node['metric']);
    if (asBoolean(node['is_buggy']) === false) {
      submissions.push(
        makeSubmission(
          {
            execution_id,
            order: submissions.length,
            gradable: score !== null,
            score,
            scale: 'self_reported',
          },
          { observed_turn: at.observed_turn, grader: 'aira-dojo-review' },
        ),
      );
    } else if (score !== null) flags.add('buggy_node_with_metric');
    const report = reportOf(node);
    if (report === null) return;
    reports.push(report);
    submissions.push(reportSubmission(report, { ...at, order: submissions.length }));
  });
  return rawTrajectory(
    { turns, executions },
    {
      submissions,
      epochs,
      task_id: reports[0]?.competition_id ?? null,
      task_claims: claims(real, reports, flags),
      scaffold: 'aira-dojo',
      // Reports are written beside the run: what the agent read holds no test score.
      feedback_exposes_test_score: false,
      flags: [...flags],
    },
  );
}

/** Each completion had a context of its own; where none are logged, the nodes stand in one after the other. */
function addEpoch(epochs: Epoch[], turns: number[], rebuilt: boolean): void {
  const last = epochs.at(-1);
  if (rebuilt && last !== undefined && last.reason !== NEW_PROMPT) last.turns.push(...turns);
  else epochs.push({ turns, reason: epochs.length === 0 ? null : NEW_PROMPT });
}

const NEW_PROMPT = 'new_prompt';

function addContext(generation: Generation, to: { turns: Turn[]; epochs: Epoch[] }): void {
  const from = to.turns.length;
  to.turns.push(...generation.prompts, generation.reply);
  addEpoch(to.epochs, range(from, to.turns.length), false);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function exitCode(node: JsonObject): number | null {
  const code = asNumber(node['exit_code']);
  return code !== null && Number.isInteger(code) ? code : null;
}

function statusOf(node: JsonObject, output: string): ExecutionStatus {
  const code = exitCode(node);
  if (code === null) return 'unknown';
  if (code === 0) return 'ok';
  return TIMEOUT.test(output.slice(-2000)) ? 'timeout' : 'error';
}

function reportOf(node: JsonObject): CompetitionReport | null {
  const places = [node['competition_report'], node['test_report'], node['report'], node['metric_info']];
  for (const place of places) {
    const report = competitionReport(place);
    if (report !== null) return report;
  }
  return competitionReport(node, 'metric_info/');
}

/** Thresholds of the reports, and the direction that reviews or reports state; where they disagree none is claimed. */
function claims(
  nodes: readonly JsonObject[],
  reports: readonly CompetitionReport[],
  flags: Set<string>,
): TaskClaims | null {
  const stated = nodes.flatMap((node) => {
    const maximize = asBoolean(node['metric_maximize']);
    return maximize === null || asNumeral(node['metric']) === null ? [] : [!maximize];
  });
  const directions = new Set([
    ...stated,
    ...reports.flatMap(({ claims: { is_lower_better } }) => is_lower_better ?? []),
  ]);
  if (directions.size > 1) flags.add('direction_inconsistent');
  if (directions.size === 0 && reports.length === 0) return null;
  const base = reports[0]?.claims ?? { metric: null, gold: null, silver: null, bronze: null, median: null };
  return { ...base, is_lower_better: directions.size === 1 ? directions.has(true) : null };
}
