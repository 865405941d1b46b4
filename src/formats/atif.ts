import { RejectError } from '../logs/reject.js';
import { makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { asOrigin, assistantSpans, contentParts, environmentSpans, partsText } from './content-parts.js';
import {
  booleanAt,
  fieldPath,
  listAt,
  listOf,
  objectAt,
  objectOf,
  requiredString,
  stringAt,
} from './fields.js';
import { type StepReply, stepReply } from './harbor-replies.js';
import { actionSpans } from './inline-calls.js';
import { ownModel } from './model-names.js';
import { policyTokens } from './policy-tokens.js';
import {
  isSummary,
  REASONING_SUMMARY,
  sendsSummaries,
  summarySpan,
  thinkingFlags,
} from './reasoning-summary.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asId, asNumber, asString, isObject, type JsonObject } from './shape.js';
import { answerTurn, inferredOutcome, requireModelTurns, shellExecutions } from './shell-executions.js';
import { callSpan } from './structured-calls.js';
import {
  type LoggedReply,
  type TerminusProtocol,
  terminusProtocol,
  terminusReply,
} from './terminus-reply.js';

const KNOWN_VERSION = /^ATIF-v1\.[0-7]$/;

/** Keys under which runners put the id of the task into a free `extra` object. */
const TASK_KEYS = ['task_id', 'instance_id', 'task_name'] as const;

/** Who started a sub-agent, and what it inherits. */
interface Parent {
  readonly session_id: string | null;
  readonly task_id: string | null;
}

export const atif: FormatAdapter = {
  name: 'atif',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Agent Trajectory Interchange Format (Harbor), 1.0 to 1.7',
    recognised_by: 'schema_version "ATIF-v1.x"',
    scores: 'none',
    executions: 'calls and their results, no exit codes or times; experiments only if a pipeline names them',
    reasoning: 'reasoning_content; of OpenAI and Google it is a summary (reasoning_summary), never trained',
    token_ids: 'prompt_token_ids and completion_token_ids where recorded',
    logprobs: 'logprobs where recorded',
    loss: [
      'how a run ended is not recorded',
      'replies of Terminus 2, which keeps what it parsed out of them: their JSON is put together from it (flag text_rebuilt); of its other protocol, and where it warned of the reply, they are context, never trained (turn flag reply_not_recorded)',
      'calls and reasoning that Harbor makes of the text of mini-swe-agent and SWE-agent, which stands whole; a reply of SWE-agent without its call is context, never trained (turn flag reply_not_recorded)',
      'arguments are objects: the text that the model wrote is not recorded',
      'token counts and costs (metrics, final_metrics), reasoning_effort, notes and extra objects',
      'pictures become placeholders',
      'sub-agent transcripts in files of their own (subagent_trajectory_ref) are read as files, without their parent',
      'steps of a continued trajectory stand in another file (flag continued_elsewhere)',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const version = isObject(sniff.json) ? asString(sniff.json['schema_version']) : null;
  if (version === null || !version.startsWith('ATIF')) return null;
  return { confidence: 'certain', reason: `schema_version is ${version}` };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const trajectories = readDocument(document, { path: '', parent: null, context });
  // A run that only delegates may be kept for its sub-agents; the reader names each part without a model turn.
  if (trajectories.length === 1) requireModelTurns(trajectories[0]?.turns ?? []);
  return trajectories;
}

/** A document and, after it, its embedded sub-agents, each a trajectory of its own. */
function readDocument(
  document: JsonObject,
  at: { path: string; parent: Parent | null; context: ReadContext },
): RawTrajectory[] {
  const { path, parent, context } = at;
  const run = readRun(document, { path, parent, context });
  const inherited: Parent = { session_id: run.session_id, task_id: run.task_id };
  const subagents = (listAt(document, 'subagent_trajectories', path) ?? []).flatMap((value, index) => {
    const subPath = `${fieldPath(path, 'subagent_trajectories')}[${index}]`;
    return readDocument(objectOf(value, subPath), { path: subPath, parent: inherited, context });
  });
  return [run, ...subagents];
}

function readRun(
  document: JsonObject,
  at: { path: string; parent: Parent | null; context: ReadContext },
): RawTrajectory {
  const { path, parent, context } = at;
  const agent = objectAt(document, 'agent', path) ?? {};
  const agentPath = fieldPath(path, 'agent');
  const steps = listOf(document['steps'], fieldPath(path, 'steps'));
  const configured = stringAt(agent, 'model_name', agentPath);
  const name = stringAt(agent, 'name', agentPath);
  const terminus = terminusProtocol(agent, steps);
  const logged = steps.flatMap((value, index) => {
    const stepPath = `${fieldPath(path, 'steps')}[${index}]`;
    return stepTurns(objectOf(value, stepPath), { path: stepPath, model: configured, terminus, name });
  });
  const { turns, model } = ownModel(logged, configured);
  const rebuilt = turns.some(({ flags }) => flags.includes('text_rebuilt'));
  const summarised = turns.some(({ flags }) => flags.includes(REASONING_SUMMARY));
  const executions = shellExecutions(turns, context, (call) => {
    const feedback_turn = answerTurn(turns, call);
    return inferredOutcome(turnText(turns, feedback_turn), { feedback_turn });
  });
  const scored = scoredCalls(turns, executions, context);
  const tools = listAt(agent, 'tool_definitions', agentPath);
  return {
    session_id: sessionId(document, { path, parent }),
    parent_session: parent?.session_id ?? null,
    group: null,
    task_id: taskId(document, agent) ?? parent?.task_id ?? null,
    task_claims: null,
    scaffold: name,
    scaffold_version: stringAt(agent, 'version', agentPath),
    model,
    policy_version: null,
    tools: tools === null ? null : JSON.stringify(tools),
    turns,
    executions,
    submissions: scored.submissions,
    epochs: [{ turns: turns.map((_, index) => index), reason: null }],
    termination: 'unknown',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: scored.submissions.some(({ scale }) => scale === 'test'),
    flags: [
      ...runFlags(document, { parent, boundary: scored.flags }),
      ...(rebuilt ? ['text_rebuilt'] : []),
      ...(summarised ? [REASONING_SUMMARY] : []),
      ...thinkingFlags(turns, model),
    ],
  };
}

/** One step as its message and, for each result of its observation, one turn of feedback. */
function stepTurns(
  step: JsonObject,
  at: { path: string; model: string | null; name: string | null; terminus: TerminusProtocol | null },
): Turn[] {
  const { path, terminus } = at;
  const source = requiredString(step, 'source', path);
  const parts = contentParts(step['message'], fieldPath(path, 'message'));
  const timestamp = stringAt(step, 'timestamp', path);
  if (source === 'agent') {
    const reply = stepReply(
      {
        message: partsText(parts),
        reasoning: stringAt(step, 'reasoning_content', path),
        calls: listAt(step, 'tool_calls', path) ?? [],
        answer: firstResult(step),
      },
      { agent: at.name, terminus },
    );
    // A prompt answers what stands in the text of a reply, whatever calls its log makes of it.
    const answered = reply.logged === 'verbatim' ? reply.calls.length : 0;
    return [agentTurn(step, { ...at, reply }), ...feedbackTurns(step, { path, calls: answered })];
  }
  if (source !== 'user' && source !== 'system') {
    throw new RejectError('bad_shape', `${path}.source: unknown source "${source}"`);
  }
  return [
    makeTurn(source, environmentSpans('prompt', parts), { timestamp }),
    ...feedbackTurns(step, { path, calls: 0 }),
  ];
}

function firstResult(step: JsonObject): string {
  const [result] = isObject(step['observation']) ? asArray(step['observation']['results']) : [];
  return isObject(result) ? (asString(result['content']) ?? '') : '';
}

const REPLY_FLAGS: Readonly<Record<LoggedReply, readonly string[]>> = {
  verbatim: [],
  parsed: ['text_rebuilt'],
  lost: ['reply_not_recorded'],
  harness: ['harness_reply'],
};

/** An agent's turn. Copied context and steps without a model call are environment, whatever they say. */
function agentTurn(step: JsonObject, at: { path: string; model: string | null; reply: StepReply }): Turn {
  const { path } = at;
  const { logged, reasoning, calls, marks, rebuilt } = at.reply;
  const parts = contentParts(step['message'], fieldPath(path, 'message'));
  const model = stringAt(step, 'model_name', path) ?? at.model;
  const thought = sendsSummaries(model) ? summarySpan : reasoningSpan;
  const spans: Span[] = [
    ...(reasoning === null || reasoning === '' ? [] : [thought(reasoning)]),
    ...(rebuilt
      ? terminusReply(partsText(parts), calls, path)
      : [
          ...assistantSpans(parts, (text) => actionSpans(text, marks)),
          ...calls.map((value, index) => toolCall(value, `${path}.tool_calls[${index}]`)),
        ]),
  ];
  const copied = booleanAt(step, 'is_copied_context', path) ?? false;
  const llm_calls = asNumber(step['llm_call_count']);
  const inherited = copied || llm_calls === 0 || logged === 'lost' || logged === 'harness';
  const { policy, flags } = policyTokens(objectAt(step, 'metrics', path) ?? {}, {
    path: fieldPath(path, 'metrics'),
    keys: { prompt_ids: 'prompt_token_ids', response_ids: 'completion_token_ids', logprobs: 'logprobs' },
  });
  flags.push(...REPLY_FLAGS[logged]);
  if (spans.some(isSummary)) flags.push(REASONING_SUMMARY);
  if (copied) flags.push('copied_context');
  else if (llm_calls === 0) flags.push('no_model_call');
  else if (llm_calls !== null && llm_calls > 1) flags.push('several_model_calls');
  return makeTurn(
    'assistant',
    inherited ? asOrigin(spans, 'environment') : spans.map((span) => ({ ...span, model })),
    {
      timestamp: stringAt(step, 'timestamp', path),
      policy: inherited ? null : policy,
      flags,
    },
  );
}

function toolCall(value: unknown, path: string): Span {
  const call = objectOf(value, path);
  return callSpan({
    id: stringAt(call, 'tool_call_id', path),
    name: requiredString(call, 'function_name', path),
    arguments: call['arguments'],
  });
}

/** Results of tool calls are tool turns; results of anything else come back as a user turn. */
function feedbackTurns(step: JsonObject, at: { path: string; calls: number }): Turn[] {
  const observation = objectAt(step, 'observation', at.path);
  if (observation === null) return [];
  const path = fieldPath(at.path, 'observation');
  return (listAt(observation, 'results', path) ?? []).map((value, index) => {
    const resultPath = `${path}.results[${index}]`;
    const result = objectOf(value, resultPath);
    const spans = environmentSpans(
      'observation',
      contentParts(result['content'], fieldPath(resultPath, 'content')),
    );
    const delegated = listAt(result, 'subagent_trajectory_ref', resultPath) !== null;
    return makeTurn(at.calls > 0 ? 'tool' : 'user', spans, {
      tool_call_id: at.calls > 0 ? stringAt(result, 'source_call_id', resultPath) : null,
      flags: delegated ? ['subagent_result'] : [],
    });
  });
}

/** Sub-agents may share the session of the run, so that their own id comes first. */
function sessionId(document: JsonObject, at: { path: string; parent: Parent | null }): string | null {
  const session = stringAt(document, 'session_id', at.path);
  const own = stringAt(document, 'trajectory_id', at.path);
  return at.parent === null ? (session ?? own) : (own ?? session);
}

function taskId(document: JsonObject, agent: JsonObject): string | null {
  for (const extra of [document['extra'], agent['extra']]) {
    if (!isObject(extra)) continue;
    for (const key of TASK_KEYS) {
      const id = asId(extra[key]);
      if (id !== null) return id;
    }
  }
  return null;
}

function runFlags(
  document: JsonObject,
  run: { parent: Parent | null; boundary: readonly string[] },
): string[] {
  const flags = [...run.boundary];
  const version = asString(document['schema_version']);
  if (version !== null && !KNOWN_VERSION.test(version)) flags.push('unknown_schema_version');
  if ((document['continued_trajectory_ref'] ?? null) !== null) flags.push('continued_elsewhere');
  if (run.parent !== null) flags.push('subagent');
  return flags;
}

function turnText(turns: readonly Turn[], index: number | null): string | null {
  const turn = index === null ? undefined : turns[index];
  return turn === undefined ? null : turn.spans.map((span) => span.text).join('');
}
