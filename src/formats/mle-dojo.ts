import { RejectError } from '../logs/reject.js';
import { makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { asOrigin, contentParts, environmentSpans, partsText } from './content-parts.js';
import { objectOf, requiredString, wrongType } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { type WrittenAction, writtenAction } from './mle-dojo-action.js';
import { alignActions } from './mle-dojo-alignment.js';
import { type DojoAction, isHistory, messagesOf, readHistory } from './mle-dojo-history.js';
import { outcomeOfResult, outcomeOfText } from './mle-dojo-outcome.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asString, hasKeys, isObject } from './shape.js';

const GRADER = 'mle-dojo';

export const mleDojo: FormatAdapter = {
  name: 'mle-dojo',
  version: '1',
  unit: 'document',
  // Validating code runs it, so that it is an experiment too, one that never leaves a submission.
  experiments: { experiment: ['execute_code', 'validate_code'], scoring: [] },
  notes: {
    title: 'MLE-Dojo run: agent_trajectory.json (messages) with env_history.json (results)',
    recognised_by:
      'a list of messages beside a file with `competition` and `actions`, or whose prompt names the actions request_info and execute_code',
    scores: 'raw score on the hidden labels and leaderboard places, shown to the agent after each submission',
    executions: 'execute_code and validate_code, with seconds and the error text; request_info is none',
    reasoning: 'none, but for think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'leaderboard places stand as flags of the submission (rank:private:301/462); the position score is computed from them',
      'total reward, best code and best scores of the run, which follow from the actions',
      "replies that the scaffold had repaired outside the log: the turn holds the model's own text, the outcome is of the repaired call (flag call_repaired_outside_log)",
      'answers of the OpenAI Agents SDK, which the scaffold writes down as action and parameters (flag text_rebuilt)',
      'a history_length that pruned the context leaves no trace',
      'the model is not named',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isHistory(sniff.json))
    return { confidence: 'certain', reason: 'an object with competition and actions' };
  const messages = sniff.json;
  if (!Array.isArray(messages) || messages.length === 0) return null;
  if (!messages.every((message) => hasKeys(message, 'role', 'content'))) return null;
  const first = isObject(messages[0]) ? asString(messages[0]['content']) : null;
  if (first?.includes('request_info') && first.includes('execute_code')) {
    return { confidence: 'certain', reason: 'messages whose prompt names request_info and execute_code' };
  }
  const beside = readHistory(sniff.path, sniff.siblings);
  if (beside === null || beside.history === null) return null;
  return {
    confidence: 'certain',
    reason: `messages beside ${beside.name}, which has competition and actions`,
  };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const { path } = context.place;
  if (isHistory(input)) {
    const primary = messagesOf(path.slice(path.lastIndexOf('/') + 1), context.siblings.names);
    if (primary !== null) return { sidecar_of: primary };
    throw new RejectError(
      'sidecar_without_primary',
      'an environment history without its agent_trajectory.json',
    );
  }
  if (!Array.isArray(input)) throw wrongType('document', 'a list of messages', input);
  const beside = readHistory(path, context.siblings);
  const history = beside?.history ?? null;
  const flags = new Set<string>();
  if (beside === null) flags.add('missing_sidecar');
  else if (history === null) flags.add('bad_sidecar');

  const turns: Turn[] = [];
  const replies: Reply[] = [];
  input.forEach((value, index) => {
    const { turn, written } = readMessage(value, { index, started: replies.length > 0 });
    if (turn.role === 'assistant') replies.push({ turn: index, written, feedback: null });
    const last = replies.at(-1);
    if (turn.role === 'user' && last !== undefined && last.turn === index - 1) last.feedback = index;
    turns.push(turn);
  });
  if (turns.length === 0) throw new RejectError('no_turns', 'a list without messages');

  const actions = history?.actions ?? [];
  const matched = alignActions({
    replies: replies.map((reply) => ({
      name: reply.written?.name ?? null,
      shown: reply.feedback === null ? null : textOf(turns[reply.feedback]),
    })),
    actions,
    flags,
  });
  const actionOf = (index: number): DojoAction | null => actions[matched[index] ?? -1] ?? null;
  const inherited = inheritedReplies(replies, matched, actions.length);
  if (inherited > 0) flags.add('inherited_replies');
  for (const { turn } of replies.slice(0, inherited)) inherit(turns, turn);
  if (replies.some(({ written }) => written?.printed === true)) flags.add('text_rebuilt');
  replies.forEach((reply, index) => {
    const action = actionOf(index);
    if (action === null) return;
    if (reply.feedback === null && reply.turn === turns.length - 1 && action.feedback !== null) {
      reply.feedback = turns.length;
      flags.add('feedback_from_sidecar');
      turns.push(sidecarTurn(action));
    } else if (reply.feedback !== null) stamp(turns, reply.feedback, action.timestamp);
  });

  const { executions, submissions } = runs(replies, { turns, context, actionOf, inherited });
  const budget = budgets(textOf(turns[0]));
  const own = replies.length - inherited;
  return [
    rawTrajectory(
      { turns, executions },
      {
        task_id: history?.competition ?? null,
        scaffold: 'mle-dojo',
        submissions,
        termination: budget.turns !== null && own >= budget.turns ? 'step_limit' : 'unknown',
        turn_budget: budget.turns,
        seconds_budget: budget.seconds,
        feedback_exposes_test_score: true,
        flags: [...flags],
      },
    ),
  ];
}

/** An assistant message, the action it wrote and the turn that answers it. */
interface Reply {
  readonly turn: number;
  readonly written: WrittenAction | null;
  feedback: number | null;
}

function readMessage(
  value: unknown,
  at: { index: number; started: boolean },
): { turn: Turn; written: WrittenAction | null } {
  const path = `messages[${at.index}]`;
  const message = objectOf(value, path);
  const role = requiredString(message, 'role', path);
  const parts = contentParts(message['content'], `${path}.content`);
  if (role === 'assistant') {
    const content = partsText(parts);
    const written = writtenAction(content);
    const spans = actionSpans(content, written === null ? [] : [written.mark]);
    return { turn: makeTurn('assistant', spans), written };
  }
  if (role !== 'user' && role !== 'system')
    throw wrongType(`${path}.role`, 'user, assistant or system', role);
  const kind = at.started ? 'observation' : 'prompt';
  return { turn: makeTurn(role, environmentSpans(kind, parts)), written: null };
}

/** The feedback that the messages lack since the run ended before the scaffold wrote it down. */
function sidecarTurn(action: DojoAction): Turn {
  const spans = environmentSpans('observation', [{ kind: 'text', text: action.feedback ?? '' }]);
  return makeTurn('user', spans, { timestamp: action.timestamp, flags: ['feedback_from_sidecar'] });
}

function stamp(turns: Turn[], index: number, timestamp: string | null): void {
  const turn = turns[index];
  if (turn !== undefined) turns[index] = { ...turn, timestamp };
}

function runs(
  replies: readonly Reply[],
  from: {
    turns: readonly Turn[];
    context: ReadContext;
    actionOf: (index: number) => DojoAction | null;
    /** replies at the front that are of an earlier run: what they launched is none of this one's */
    inherited: number;
  },
): { executions: Execution[]; submissions: Submission[] } {
  const { turns, context, actionOf, inherited } = from;
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  replies.forEach((reply, index) => {
    if (index < inherited) return;
    const action = actionOf(index);
    const tool = action?.action ?? reply.written?.name ?? null;
    if (tool === null) return;
    const kind = executionKind(tool, context);
    if (kind === null) return;
    const shown = reply.feedback === null ? null : textOf(turns[reply.feedback]);
    const recorded = action === null ? null : outcomeOfResult(tool, action.result);
    const outcome = recorded ?? (shown === null ? null : outcomeOfText(shown));
    const execution_id = `action-${index + 1}`;
    const flags = [...(outcome?.flags ?? [])];
    if (reply.written?.mark.call === null) flags.push('call_repaired_outside_log');
    executions.push(
      makeExecution(
        {
          execution_id,
          order: executions.length,
          kind,
          tool,
          call_turn: reply.turn,
          status: outcome?.status ?? 'unknown',
        },
        {
          call_span: callSpan(turns[reply.turn]),
          feedback_turn: reply.feedback,
          seconds: outcome?.seconds ?? null,
          completed_at: action?.timestamp ?? null,
          error_type: outcome?.error_type ?? null,
          code: reply.written?.code ?? null,
          flags,
        },
      ),
    );
    const answer = outcome?.submission ?? null;
    if (answer === null) return;
    submissions.push(
      makeSubmission(
        {
          execution_id,
          order: submissions.length,
          gradable: answer.gradable,
          score: answer.score,
          scale: 'test',
        },
        { observed_turn: reply.feedback, grader: GRADER, flags: [...answer.ranks] },
      ),
    );
  });
  return { executions, submissions };
}

function executionKind(tool: string, context: ReadContext): 'experiment' | 'scoring' | null {
  if (context.experiments.experiment.includes(tool)) return 'experiment';
  return context.experiments.scoring.includes(tool) ? 'scoring' : null;
}

function callSpan(turn: Turn | undefined): number | null {
  const index =
    turn?.spans.findIndex((span) => span.kind === 'tool_call' || span.kind === 'malformed_call') ?? -1;
  return index === -1 ? null : index;
}

/** The limits that the prompt states. */
function budgets(prompt: string): { turns: number | null; seconds: number | null } {
  const actions = /You have a total of (\d+) actions available/.exec(prompt)?.[1];
  const seconds = /You have a total of (\d+) seconds/.exec(prompt)?.[1];
  return {
    turns: actions === undefined ? null : Number(actions),
    seconds: seconds === undefined ? null : Number(seconds),
  };
}

/**
 * How many replies at the front are of an earlier run, with which the scaffold began the conversation: the history of
 * this run's environment holds an action for each of the later ones, and none is left for these, though each wrote one
 * (of a reply that the model was asked to repair only the repaired one has an action).
 */
function inheritedReplies(
  replies: readonly Reply[],
  matched: readonly (number | null)[],
  actions: number,
): number {
  const first = matched.findIndex((action) => action !== null);
  const rest = first > 0 && matched.length - first === actions && !matched.slice(first).includes(null);
  return rest && replies.slice(0, first).every(({ written }) => (written?.name ?? null) !== null) ? first : 0;
}

function inherit(turns: Turn[], index: number): void {
  const turn = turns[index];
  if (turn === undefined) return;
  turns[index] = { ...turn, spans: asOrigin(turn.spans, 'environment'), flags: ['inherited_reply'] };
}

function textOf(turn: Turn | undefined): string {
  return turn?.spans.map((span) => span.text).join('') ?? '';
}
