import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import { makeSubmission } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Epoch, TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { type Generation, generationsOf } from './aira-dojo-operators.js';
import { type CompetitionReport, competitionReport, reportSubmission } from './competition-report.js';
import { listOf, objectOf } from './fields.js';
import { joinGrades } from './mlebench-grade.js';
import { nodeExecution, nodeFeedback } from './node-execution.js';
import { parentPlaces } from './node-parents.js';
import { type NodeRun, nodeRuns } from './node-runs.js';
import { readPiece } from './pieces.js';
import { rawTrajectory } from './raw-trajectory.js';
import { executionIds, NODE_TOOL, nodeOutput, nodeReply } from './search-nodes.js';
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
/** What the interpreter prints behind a program that it stopped, and behind one that ended by itself. */
const STOPPED = /TimeoutError: Execution exceeded the time limit/;
const ENDED = /Execution time: .*\(time limit is /;
const TIMEOUT = /TimeoutError|timed out|exceeded the (?:execution )?time limit/i;

export const airaDojo: FormatAdapter = {
  name: 'aira-dojo',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title:
      'aira-dojo search: *_search_data.json, journal.jsonl of a checkpoint, or JOURNAL.jsonl of its logger',
    recognised_by:
      'an object with nodes, solution and config, or nodes with parents and metric_maximize: in an object, as lines, or under `data` of the lines of the logger',
    scores:
      'self-reported: a language model read stdout; test scores where nodes carry a CompetitionReport of MLE-bench, which the agent never saw, but for searches by test score: there the metric is that score, and the review stands in validation_score',
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
  const nodes = hasKeys(document, 'nodes') ? asArray(document['nodes']) : [];
  if (nodes.length > 0 && nodes.every(isNode)) {
    return { confidence: 'certain', reason: 'nodes with parents and metric_maximize', unit: 'document' };
  }
  if (sniff.lines.length > 0 && sniff.lines.every((line) => isNode(logged(line)))) {
    return {
      confidence: 'certain',
      reason: 'lines of nodes with parents and metric_maximize',
      unit: 'lines',
    };
  }
  return null;
}

/** The node in a line of the logger, which puts a time and the step around it; anything else as it is. */
function logged(line: unknown): unknown {
  return hasKeys(line, 'timestamp', 'data') && isObject(line['data']) ? line['data'] : line;
}

function isNode(value: unknown): boolean {
  return (
    hasKeys(value, 'step', 'code', 'parents', 'metric_maximize') || hasKeys(value, 'step', 'operators_used')
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const document: JsonObject = Array.isArray(input)
    ? { nodes: input.map(logged) }
    : objectOf(input, 'document');
  const searches = nodeRuns(listOf(document['nodes'], 'nodes'));
  // Search data are written of one search: of several in one journal those without any are read here.
  const searchDataOf = searchDataBeside(context);
  const twins = searches.map(({ nodes }) => (Array.isArray(input) ? searchDataOf(nodes) : null));
  const own = searches.filter(({ nodes }, index) => twins[index] === null && !nodes.every(isRoot));
  const [twin] = twins.filter((name) => name !== null);
  if (own.length === 0 && twin !== undefined) return { sidecar_of: twin };
  if (own.length === 0) throw new RejectError('no_turns', 'a search without nodes');
  const [only, ...others] = own;
  const runs =
    only !== undefined && others.length === 0
      ? [readRun(only, context)]
      : own.flatMap((search, index) =>
          readPiece(context, `search ${index + 1}`, () => [readRun(search, context)]),
        );
  return joinGrades(runs, context);
}

/** The stub that the search starts from: no program, no operator. */
function isRoot(node: JsonObject): boolean {
  return (asString(node['code']) ?? '') === '' && asArray(node['operators_used']).length === 0;
}

/** Search data beside a journal hold the same nodes, and are written last. */
function searchDataBeside({ siblings }: ReadContext): (nodes: readonly JsonObject[]) => string | null {
  const read = new Map<string, ReadonlySet<unknown>>();
  const idsIn = (name: string): ReadonlySet<unknown> => {
    const ids = read.get(name) ?? idsOf(siblings.readText(name, 'search_data'));
    read.set(name, ids);
    return ids;
  };
  const names = siblings.names.filter((name) => SEARCH_DATA.test(name));
  return (nodes) => names.find((name) => nodes.every((node) => idsIn(name).has(node['id']))) ?? null;
}

function idsOf(text: string | null): ReadonlySet<unknown> {
  try {
    const value = text === null ? null : parseJsonText(text).value;
    return new Set(
      isObject(value) ? asArray(value['nodes']).map((node) => isObject(node) && node['id']) : [],
    );
  } catch {
    // A twin that cannot be read is rejected as a file of its own.
    return new Set();
  }
}

function readRun(search: NodeRun, context: ReadContext): RawTrajectory {
  const real = search.nodes.filter((node) => !isRoot(node));
  const flags = new Set(['tree_search', ...search.flags]);
  const ids = executionIds(real, flags);
  const roots = new Set(search.nodes.filter(isRoot).map((node) => asNumber(node['step'])));
  const stated = real.map((node) =>
    asArray(node['parents'])
      .map(asNumber)
      .filter((step) => !roots.has(step)),
  );
  const places = parentPlaces(
    real.map((node) => asNumber(node['step'])),
    stated,
  );
  if (!real.some((node) => hasKeys(node, 'parents'))) flags.add('parents_absent');
  const turns: Turn[] = [];
  const epochs: Epoch[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  const reports: CompetitionReport[] = [];
  let searchedByTest = false;
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
      nodeFeedback(output),
    );
    addEpoch(epochs, range(generations.length === 0 ? start : from, turns.length), generations.length === 0);
    const known = (places[order] ?? []).flatMap((place) => ids[place] ?? []);
    const missing = known.length < (stated[order] ?? []).length;
    if (missing) flags.add('parent_missing');
    const parent = { execution_id: known[0] ?? null, missing };
    if (known.length > 1) flags.add('several_parents');
    executions.push(
      nodeExecution(
        node,
        { execution_id, order, call_turn, status: statusOf(node, output), reply: call, context, parent },
        {
          exit_code: exitCode(node),
          seconds: asNumber(node['exec_time']),
          started_at: isoSeconds(node['creation_time'] ?? node['ctime']),
          flags: known.slice(1).map((parent) => `parent:${parent}`),
        },
      ),
    );
    const at = { execution_id, observed_turn: call_turn + 1 };
    const byTest = infoOf(node, 'validation_score');
    const score = asNumeral(byTest === undefined ? node['metric'] : byTest);
    if (byTest !== undefined) searchedByTest = true;
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
  const tasks = new Set(reports.flatMap(({ competition_id }) => competition_id ?? []));
  if (tasks.size > 1) {
    throw new RejectError(
      'bad_shape',
      `one search with reports of several competitions (${[...tasks].sort().join(', ')}): give each run a log of its own`,
    );
  }
  return rawTrajectory(
    { turns, executions },
    {
      submissions,
      epochs,
      task_id: reports[0]?.competition_id ?? null,
      task_claims: claims(real, reports, flags),
      scaffold: 'aira-dojo',
      // Reports are written beside the run: what the agent read holds no test score, unless the search went by it.
      feedback_exposes_test_score: searchedByTest,
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
  const end = output.slice(-2000);
  if (code === null) return 'unknown';
  if (code === 0) return 'ok';
  // A program may die of a timeout of its own, such as a download: that is its error.
  if (ENDED.test(end) && !STOPPED.test(end)) return 'error';
  return TIMEOUT.test(end) ? 'timeout' : 'error';
}

/** A field of metric_info, which some writers flatten; undefined where it is missing. */
function infoOf(node: JsonObject, key: string): unknown {
  const info = node['metric_info'];
  if (isObject(info) && Object.hasOwn(info, key)) return info[key];
  return Object.hasOwn(node, `metric_info/${key}`) ? node[`metric_info/${key}`] : undefined;
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
