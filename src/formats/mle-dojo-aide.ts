import { RejectError } from '../logs/reject.js';
import { contentSpan, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { Epoch } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { fencedReply } from './aira-dojo-operators.js';
import { listOf, objectAt, objectOf } from './fields.js';
import { type ActionOutcome, outcomeOfText } from './mle-dojo-outcome.js';
import { nodeExecution, nodeFeedback } from './node-execution.js';
import { NO_PARENT, soleParents } from './node-parents.js';
import { type NodeRun, nodeRuns } from './node-runs.js';
import { rawTrajectory } from './raw-trajectory.js';
import { executionIds, isDojoNode, NODE_TOOL, nodeReply } from './search-nodes.js';
import { asId, asNumeral, asString, isObject, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';

const GRADER = 'mle-dojo';

export const mleDojoAide: FormatAdapter = {
  name: 'mle-dojo-aide',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title:
      'journal.json of the AIDE agent of MLE-Dojo: a search tree with prompts, replies and graded submissions',
    recognised_by: 'an object with `nodes` that have instruction_prompt and position_score',
    scores: 'raw score on the hidden labels and leaderboard places, which later prompts show to the agent',
    executions: 'one experiment a node, with seconds and the error text, as its feedback tells them',
    reasoning: 'none, but for think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'replies without plan and program, after which the scaffold asked again',
      'metric, the position score, which follows from the leaderboard places (flags rank:private:301/462)',
      'raw_score of a node that failed: it is the one of an earlier node',
      'the competition and the model are not named',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const nodes = isObject(sniff.json) ? sniff.json['nodes'] : null;
  if (!Array.isArray(nodes) || !nodes.some(isDojoNode)) return null;
  return { confidence: 'certain', reason: 'nodes with prompts, replies and position scores' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const parents = objectAt(document, 'node2parent', '');
  const searches = nodeRuns(listOf(document['nodes'], 'nodes'));
  if (searches.every(({ nodes }) => nodes.length === 0)) {
    throw new RejectError('no_turns', 'a journal without nodes');
  }
  return searches.map((search) => readRun(search, parents, context));
}

function readRun(
  { nodes, flags: doubts }: NodeRun,
  node2parent: JsonObject | null,
  context: ReadContext,
): RawTrajectory {
  const flags = new Set(['tree_search', ...doubts]);
  const ids = executionIds(nodes, flags);
  if (node2parent === null) flags.add('parents_absent');
  const parentOf = ({ id }: JsonObject): string | null => asId(node2parent?.[asId(id) ?? '']);
  const parents = soleParents(nodes, parentOf, { executions: ids, flags });
  const turns: Turn[] = [];
  const epochs: Epoch[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  nodes.forEach((node, order) => {
    const start = turns.length;
    const prompt = asString(node['instruction_prompt']) ?? '';
    if (prompt === '') flags.add('prompts_absent');
    else turns.push(makeTurn('system', [contentSpan('prompt', 'environment', prompt)]));
    const call_turn = turns.length;
    const reply = replyOf(node, flags);
    const feedback = feedbackOf(node);
    turns.push(reply, nodeFeedback(feedback));
    const outcome = outcomeOfText(feedback);
    const parent = parents[order] ?? NO_PARENT;
    const execution_id = ids[order] ?? `node-${order}`;
    executions.push(
      nodeExecution(
        node,
        { execution_id, order, call_turn, status: outcome?.status ?? 'unknown', reply, context, parent },
        {
          seconds: outcome?.seconds ?? null,
          started_at: isoSeconds(node['ctime']),
          error_type: outcome?.error_type ?? null,
          flags: [...(outcome?.flags ?? [])],
        },
      ),
    );
    const answer = answerOf(node, outcome, flags);
    if (answer !== null) {
      const { gradable, score, ranks } = answer;
      submissions.push(
        makeSubmission(
          { execution_id, order: submissions.length, gradable, score, scale: 'test' },
          { observed_turn: call_turn + 1, grader: GRADER, flags: [...ranks] },
        ),
      );
    }
    const range = Array.from({ length: turns.length - start }, (_, index) => start + index);
    epochs.push({ turns: range, reason: epochs.length === 0 ? null : 'new_prompt' });
  });
  return rawTrajectory(
    { turns, executions },
    { submissions, epochs, scaffold: 'mle-dojo-aide', feedback_exposes_test_score: true, flags: [...flags] },
  );
}

/** The reply as it was sampled; put together from plan and program where it is not logged. */
function replyOf(node: JsonObject, flags: Set<string>): Turn {
  const reply = asString(node['assistant']) ?? '';
  if (reply !== '')
    return { ...fencedReply(reply, asString(node['code'])), timestamp: isoSeconds(node['ctime']) };
  flags.add('text_rebuilt');
  return nodeReply(node);
}

/** The text of the environment, of its several kinds of feedback the one that it makes itself. */
function feedbackOf(node: JsonObject): string {
  const feedback = node['feedback'];
  const base = isObject(feedback) ? feedback['base'] : null;
  return (isObject(base) ? asString(base['feedback']) : asString(feedback)) ?? '';
}

/**
 * What was handed in: of a node that succeeded the score stands beside the feedback, of any other that score is an
 * earlier one's and only the feedback counts.
 */
function answerOf(
  node: JsonObject,
  outcome: ActionOutcome | null,
  flags: Set<string>,
): ActionOutcome['submission'] {
  const shown = outcome?.submission ?? null;
  if (node['status'] !== 'SUCCESS') return shown;
  const score = asNumeral(node['raw_score']);
  if (shown !== null && shown.score !== score) flags.add('results_differ');
  return { gradable: score !== null, score, ranks: shown?.ranks ?? [] };
}
