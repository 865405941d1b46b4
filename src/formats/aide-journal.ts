import { RejectError } from '../logs/reject.js';
import { makeSubmission } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import {
  asJournal,
  fullerJournal,
  holdsProgram,
  isAideNode,
  isOmitted,
  type Journal,
  nodeMaximize,
  nodeScore,
  parentId,
  plannerReply,
  stubsOf,
} from './aide-journal-nodes.js';
import { wrongType } from './fields.js';
import { joinGrades } from './mlebench-grade.js';
import { nodeExecution, nodeFeedback } from './node-execution.js';
import { NO_PARENT, soleParents } from './node-parents.js';
import { type NodeRun, nodeRuns } from './node-runs.js';
import { readPiece } from './pieces.js';
import { rawTrajectory } from './raw-trajectory.js';
import { executionIds, NODE_TOOL, nodeOutput, nodeReply, nodeStatus } from './search-nodes.js';
import { asBoolean, asId, asNumber, asString, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { isoSeconds } from './times.js';

export const aideJournal: FormatAdapter = {
  name: 'aide-journal',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title: 'AIDE journal.json: a search tree of plans, programs and their outcomes',
    recognised_by:
      'an object with `nodes` and `node2parent` whose metrics are numbers or null, without plot code; nodes with code, plan, metric and is_buggy in an object, a list or lines',
    scores:
      "self-reported: a language model read stdout, on the agent's own validation split; a test score where a grade of MLE-bench is beside it",
    executions:
      'one experiment a node, with seconds and exception class; a stub that the search starts from is none',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'prompts, model name and token use are not logged (flag prompts_absent)',
      'the reply itself is not logged: its text is put together from plan and code, and the scaffold reformatted the code (flag text_rebuilt)',
      'a node without `code`, as slim copies leave it out, and one whose program MLEvolve patched together after a planner had its say, is context and never trained (turn flag reply_not_recorded); programs that it patched or joined without a planner cannot be told',
      'the review (`analysis`) that a language model wrote on each run: the feedback is the output of the program alone',
      'exc_info and exc_stack, which repeat the traceback of the output with absolute paths',
      'a journal of the best path alone (filtered_journal.json) belongs to the whole one beside it; alone, its outputs are omitted (flag truncated_in_log)',
      'what the model was shown of earlier nodes: turns stand in order of execution, the tree is in parent_execution',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const found = (reason: string, unit: 'document' | 'lines' | 'line'): Detection => ({
    confidence: 'certain',
    reason,
    unit,
  });
  const document = sniff.json;
  if (asJournal(document) !== null)
    return found('nodes with plans, programs and metrics, no plot code', 'document');
  if (isListOf(document, isWrapped)) return found('a list of journals', 'document');
  if (isListOf(sniff.lines, isWrapped)) return found('a journal a line', 'line');
  return isListOf(sniff.lines, isAideNode)
    ? found('lines of nodes with code, plan and metric', 'lines')
    : null;
}

function isListOf(value: unknown, test: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(test);
}

/** A journal in an object of its own, which may stand in a list with others. */
function isWrapped(value: unknown): boolean {
  return !Array.isArray(value) && asJournal(value) !== null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (isListOf(input, isWrapped)) {
    const runs = input.flatMap((item, index) =>
      readPiece(context, `[${index}]`, () => {
        const found = journalOf(item);
        return found.searches.map((search) => readRun(search, found, context));
      }),
    );
    return joinGrades(runs, context);
  }
  const found = journalOf(input);
  const { searches } = found;
  const [only, ...others] = searches;
  const fuller = only === undefined || others.length > 0 ? null : fullerJournal(only.nodes, context);
  if (fuller !== null) return { sidecar_of: fuller };
  return joinGrades(
    searches.map((search) => readRun(search, found, context)),
    context,
  );
}

/** A journal with the nodes of each of its searches that were written and run, in order. */
interface Searches {
  readonly journal: Journal;
  readonly searches: readonly NodeRun[];
  /** ids of the stubs that were left out */
  readonly stubs: ReadonlySet<string | null>;
}

function journalOf(input: unknown): Searches {
  const journal = asJournal(input);
  if (journal === null) throw wrongType('journal', 'nodes of AIDE', input);
  const stubs = stubsOf(journal);
  const searches = nodeRuns(journal.nodes)
    .map(({ nodes, flags }) => ({ nodes: nodes.filter((node) => !stubs.has(node)), flags }))
    .filter(({ nodes }) => nodes.length > 0);
  if (searches.length === 0) throw new RejectError('no_turns', 'a journal without nodes');
  return { journal, searches, stubs: new Set([...stubs].map(({ id }) => asId(id))) };
}

function readRun(search: NodeRun, { journal, stubs }: Searches, context: ReadContext): RawTrajectory {
  const { nodes } = search;
  const flags = new Set(['prompts_absent', 'text_rebuilt', 'tree_search', ...search.flags]);
  if (nodes.some(isOmitted)) flags.add('truncated_in_log');
  if (!journal.names_parents) flags.add('parents_absent');
  const ids = executionIds(nodes, flags);
  const parentOf = (node: JsonObject): string | null => {
    const parent = parentId(node, journal.parents);
    return stubs.has(parent) ? null : parent;
  };
  const parents = soleParents(nodes, parentOf, { executions: ids, flags });
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  nodes.forEach((node, order) => {
    const call_turn = turns.length;
    const call = replyOf(node);
    turns.push(call, nodeFeedback(nodeOutput(node)));
    const parent = parents[order] ?? NO_PARENT;
    const execution_id = ids[order] ?? `node-${order}`;
    executions.push(
      nodeExecution(
        node,
        { execution_id, order, call_turn, status: statusOf(node), reply: call, context, parent },
        {
          seconds: asNumber(node['exec_time']),
          started_at: isoSeconds(node['ctime']),
          error_type: asString(node['exc_type']),
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

  requireModelTurns(turns);
  return rawTrajectory(
    { turns, executions },
    {
      task_claims: claims(nodes, flags),
      scaffold: 'aide',
      submissions,
      feedback_exposes_test_score: false,
      flags: [...flags],
    },
  );
}

/** A reply that the log does not hold is context only: its program lies elsewhere, or was patched together. */
function replyOf(node: JsonObject): Turn {
  const planned = plannerReply(node);
  if (planned === null && holdsProgram(node)) return nodeReply(node);
  const told = planned === null ? node : { ...node, plan: planned };
  return { ...nodeReply(told, 'environment'), flags: ['reply_not_recorded'] };
}

/** A node that no review judged says nothing of what its program left. */
function statusOf(node: JsonObject): ExecutionStatus {
  const status = nodeStatus(node);
  const judged = asBoolean(node['is_buggy']) !== null || nodeScore(node) !== null;
  return status === 'ok' && !judged ? 'unknown' : status;
}

function submissionOf(
  node: JsonObject,
  at: { execution_id: string; observed_turn: number; order: number },
): Submission | null {
  const buggy = asBoolean(node['is_buggy']);
  const score = nodeScore(node);
  // Without a verdict a metric counts only of a program that ran.
  if (buggy === true || (buggy === null && (score === null || nodeStatus(node) !== 'ok'))) return null;
  // A fork has the file checked by the grader's server, which may refuse what the review scored (ML-Master).
  const refused = asBoolean(node['is_valid']) === false;
  const gradable = score !== null && !refused;
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable,
      score: gradable ? score : null,
      scale: 'self_reported',
    },
    {
      observed_turn: at.observed_turn,
      grader: 'aide-review',
      flags: refused ? ['refused:is_valid'] : [],
    },
  );
}

/** The direction that the reviews state; where they disagree none is claimed. */
function claims(nodes: readonly JsonObject[], flags: Set<string>): TaskClaims | null {
  const directions = new Set<boolean>();
  for (const node of nodes) {
    const maximize = nodeMaximize(node);
    if (maximize !== null) directions.add(maximize);
  }
  if (directions.size === 0) return null;
  if (directions.size > 1) flags.add('direction_inconsistent');
  const is_lower_better = directions.size > 1 ? null : !directions.has(true);
  return { metric: null, is_lower_better, gold: null, silver: null, bronze: null, median: null };
}
