import { RejectError } from '../logs/reject.js';
import { makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Role, Turn } from '../trajectory/turn.js';
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
import { actionSpans } from './inline-calls.js';
import { isMlgymExit } from './mlgym-exits.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { answerTurn, inferredOutcome, requireModelTurns, shellExecutions } from './shell-executions.js';
import { toolCallSpans } from './structured-calls.js';
import { actionMarks } from './swe-agent-actions.js';
import { exitTermination, isHarnessReply } from './swe-agent-exits.js';
import { alignSteps, isEdited, readSteps, type Step } from './swe-agent-steps.js';
import { joinResolved } from './swebench-outcome.js';

/** Names of the environment that say nothing of the task. */
const GENERIC_ENVIRONMENTS: ReadonlySet<string> = new Set(['main', 'swe_main', 'swe_env', 'env', 'default']);

/** "Models" that only play back or forward what others wrote. */
const SCRIPTED_MODELS: ReadonlySet<string> = new Set(['human', 'human_thought', 'instant_empty_submit']);

/** History processors that leave the text as it stands; any other changes what the model saw. */
const HARMLESS_PROCESSORS: ReadonlySet<string> = new Set([
  'default',
  'cache_control',
  'tag_tool_call_observations',
]);

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** A message of `history` before it becomes a turn. */
interface Message {
  readonly fields: JsonObject;
  readonly path: string;
  readonly role: Role;
  readonly demo: boolean;
  readonly content: string;
  /** the command that the scaffold ran, null where the log has no such field */
  readonly action: string | null;
  readonly calls: readonly unknown[];
}

/** What the parts of a run besides its messages say. */
interface RunConfig {
  readonly task_id: string | null;
  readonly model: string | null;
  readonly turn_budget: number | null;
  readonly flags: readonly string[];
}

export const sweAgent: FormatAdapter = {
  name: 'swe-agent',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'SWE-agent run (.traj), versions 0 and 1',
    recognised_by:
      'an object with trajectory, history and info, or a history of messages that name their agent',
    scores: 'none; `resolved` where a SWE-bench report of the instance is beside it',
    executions:
      'seconds of every command since version 1, no exit codes; experiments only if a pipeline names them',
    reasoning: 'thinking blocks and reasoning_content where recorded; think tags in text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'trajectory[].messages and query, which repeat the whole prompt at every step',
      'replies that were refused and asked for again: they stand in trajectory only, never in the context',
      'the observation of a last action that history lacks (version 0): no model ever saw it',
      'state, thought and action fields, which repeat or describe the content',
      'cache_control marks, edited_files, model_stats, the patch (info.submission) and the run configuration',
      'the definitions of the tools are not logged; version 0 names no model',
      'what history processors took out of the context is not recorded (flag context_rewritten)',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const document = sniff.json;
  const history = isObject(document) ? document['history'] : null;
  if (!isObject(document) || !Array.isArray(history)) return null;
  if (hasKeys(document, 'trajectory', 'info')) {
    const info = document['info'];
    // The same layout with a list of scores, or an exit of its own, is MLGym's.
    if (isObject(info) && (Object.hasOwn(info, 'score') || isMlgymExit(asString(info['exit_status'])))) {
      return null;
    }
    return { confidence: 'certain', reason: 'has trajectory, history and info' };
  }
  if (history.length === 0 || !history.every((item) => hasKeys(item, 'role', 'content', 'agent')))
    return null;
  return { confidence: 'likely', reason: 'a history whose messages name their agent' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const attempts = listAt(document, 'attempts', '');
  if (attempts === null || attempts.length === 0) {
    return [joinResolved(readRun(document, document, context), context)];
  }
  // The chosen attempt also stands at the top: reading the list holds every attempt once.
  return attempts.map((attempt, index) =>
    readRun(objectOf(attempt, `attempts[${index}]`), document, context),
  );
}

function readRun(run: JsonObject, document: JsonObject, context: ReadContext): RawTrajectory {
  const info = objectAt(run, 'info', '');
  const messages = readMessages(listOf(run['history'], 'history'));
  const steps = readSteps(listAt(run, 'trajectory', '') ?? []);
  const config = runConfig(run, document);
  const replies = messages.filter((message) => message.role === 'assistant' && !message.demo);
  const aligned = new Map(alignSteps(replies, steps).map((step, index) => [replies[index], step]));
  const scripted = config.model !== null && SCRIPTED_MODELS.has(config.model);
  let started = false;
  const turns = messages.map((message) => {
    if (message.role !== 'assistant') return inputTurn(message, started);
    started = true;
    const turn = replyTurn(message, aligned.get(message) ?? null);
    return message.demo || scripted ? { ...turn, spans: asOrigin(turn.spans, 'environment') } : turn;
  });
  requireModelTurns(turns);

  const executions = shellExecutions(turns, context, (call) => {
    const message = messages[call.call_turn];
    const step = message === undefined ? null : (aligned.get(message) ?? null);
    const feedback_turn = answerTurn(turns, call);
    return inferredOutcome(feedbackText(messages, feedback_turn) ?? step?.observation ?? null, {
      feedback_turn,
      seconds: step?.seconds ?? null,
    });
  });
  const exit = exitTermination(info === null ? null : stringAt(info, 'exit_status', 'info'), info !== null);
  const submitted = exit.termination === 'unknown' && info === null && endsWithSubmit(replies);
  const scored = scoredCalls(turns, executions, context);
  const flags = new Set([...scored.flags, ...config.flags, ...exit.flags]);
  if (submitted) flags.add('termination_inferred');
  if (messages.at(-1)?.role === 'assistant' && (steps.at(-1)?.observation ?? '') !== '') {
    flags.add('last_observation_not_in_history');
  }
  return {
    session_id: null,
    parent_session: null,
    group: null,
    task_id: asId(info?.['instance_id']) ?? config.task_id,
    task_claims: null,
    scaffold: 'swe-agent',
    scaffold_version: info === null ? null : stringAt(info, 'swe_agent_version', 'info'),
    model: config.model,
    policy_version: null,
    tools: null,
    turns,
    executions,
    submissions: scored.submissions,
    epochs: [{ turns: turns.map((_, index) => index), reason: null }],
    termination: submitted ? 'submitted' : exit.termination,
    turn_budget: config.turn_budget,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: scored.submissions.some(({ scale }) => scale === 'test'),
    flags: [...flags],
  };
}

function readMessages(history: readonly unknown[]): Message[] {
  return history.map((value, index) => {
    const path = `history[${index}]`;
    const fields = objectOf(value, path);
    const name = requiredString(fields, 'role', path);
    const role = ROLES[name];
    if (role === undefined) throw new RejectError('bad_shape', `${path}.role: unknown role "${name}"`);
    return {
      fields,
      path,
      role,
      demo: booleanAt(fields, 'is_demo', path) ?? false,
      content: partsText(contentParts(fields['content'], fieldPath(path, 'content'))),
      action: stringAt(fields, 'action', path),
      calls: listAt(fields, 'tool_calls', path) ?? [],
    };
  });
}

/** A system, user or tool message; what follows the first reply is feedback, whatever role carries it. */
function inputTurn(message: Message, started: boolean): Turn {
  const { fields, path, role } = message;
  const parts = contentParts(fields['content'], fieldPath(path, 'content'));
  if (role !== 'tool')
    return makeTurn(role, environmentSpans(role === 'user' && started ? 'observation' : 'prompt', parts));
  const ids = listAt(fields, 'tool_call_ids', path) ?? [];
  return makeTurn('tool', environmentSpans('observation', parts), {
    tool_call_id: asString(ids[0]),
    flags: ids.length > 1 ? ['answers_several_calls'] : [],
  });
}

/** An assistant message. Text that the scaffold wrote, or that was changed after sampling, is environment. */
function replyTurn(message: Message, step: Step | null): Turn {
  const { fields, path, content, action, calls } = message;
  const harness = isHarnessReply({ content, action, calls: calls.length });
  const edited = isEdited(message, step);
  const marksOf = (text: string) => (calls.length > 0 || harness ? [] : actionMarks(text, action));
  const parts = contentParts(fields['content'], fieldPath(path, 'content'));
  const spans: Span[] = [
    ...reasoningSpans(message, step),
    ...assistantSpans(parts, (text) => actionSpans(text, marksOf(text))),
    ...toolCallSpans(calls, fieldPath(path, 'tool_calls')),
  ];
  const flags = [...(harness ? ['harness_reply'] : []), ...(edited ? ['reply_differs_from_response'] : [])];
  return makeTurn('assistant', harness || edited ? asOrigin(spans, 'environment') : spans, { flags });
}

/** Thinking blocks of the message, else its reasoning, else the reasoning that only the step has. */
function reasoningSpans(message: Message, step: Step | null): Span[] {
  const { fields, path } = message;
  const blocks = (listAt(fields, 'thinking_blocks', path) ?? []).flatMap((value, index) => {
    const blockPath = `${path}.thinking_blocks[${index}]`;
    return stringAt(objectOf(value, blockPath), 'thinking', blockPath) ?? [];
  });
  const text = stringAt(fields, 'reasoning_content', path) ?? step?.reasoning ?? '';
  const texts = blocks.length > 0 ? blocks : [text];
  return texts.filter((reasoning) => reasoning !== '').map(reasoningSpan);
}

function feedbackText(messages: readonly Message[], turn: number | null): string | null {
  return turn === null ? null : (messages[turn]?.content ?? null);
}

function endsWithSubmit(replies: readonly Message[]): boolean {
  return /^submit\b/.test(replies.at(-1)?.action?.trim() ?? '');
}

/** The configuration, which version 1 stores as an object or as JSON in a string. */
function runConfig(run: JsonObject, document: JsonObject): RunConfig {
  const replay = configObject(run['replay_config'] ?? document['replay_config']);
  const agent = isObject(replay['agent']) ? replay['agent'] : {};
  const model = isObject(agent['model']) ? agent['model'] : {};
  const problem = isObject(replay['problem_statement']) ? replay['problem_statement'] : {};
  const environment = asId(run['environment'] ?? document['environment']);
  const limit = asNumber(model['per_instance_call_limit']);
  const name = asString(model['name']);
  const processors = asArray(agent['history_processors']).map((item) =>
    isObject(item) ? asString(item['type']) : null,
  );
  const rewritten = processors.some((type) => type !== null && !HARMLESS_PROCESSORS.has(type));
  return {
    task_id:
      asId(problem['id']) ??
      (environment === null || GENERIC_ENVIRONMENTS.has(environment) ? null : environment),
    model: name,
    turn_budget: limit !== null && Number.isInteger(limit) && limit > 0 ? limit : null,
    flags: [...(rewritten ? ['context_rewritten'] : []), ...(name === 'replay' ? ['replayed'] : [])],
  };
}

function configObject(value: unknown): JsonObject {
  if (isObject(value)) return value;
  if (typeof value !== 'string') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
