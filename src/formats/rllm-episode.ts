import { RejectError } from '../logs/reject.js';
import { makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Role, Turn } from '../trajectory/turn.js';
import type {
  Detection,
  ExperimentTable,
  FormatAdapter,
  RawTrajectory,
  ReadContext,
  Sniff,
} from './adapter.js';
import { asOrigin, assistantSpans, contentParts, environmentSpans } from './content-parts.js';
import { fieldPath, listAt, listOf, objectAt, objectOf, stringAt } from './fields.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { readPiece } from './pieces.js';
import { policyTokens } from './policy-tokens.js';
import {
  type Contexts,
  type Entry,
  joinContexts,
  messageReasoning,
  readSteps,
  type Step,
} from './rllm-contexts.js';
import { detectRows, readRows } from './row-lists.js';
import { jsonCallMarks, PYTHON_TOOL, sandmleMarks } from './sandmle-calls.js';
import { isToolResponse, toolText } from './sandmle-feedback.js';
import { type SandmleRun, sandmleRun } from './sandmle-run.js';
import { asBoolean, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import {
  answerTurn,
  boundaryFlags,
  inferredOutcome,
  requireModelTurns,
  type ShellCall,
  shellExecutions,
} from './shell-executions.js';
import { toolCallSpans } from './structured-calls.js';

/** Ends of a run, as SandMLE's agent and as rLLM's workflows name them. */
const TERMINATIONS: Readonly<Record<string, Termination>> = {
  answer: 'submitted',
  env_done: 'submitted',
  timeout: 'time_limit',
  token_limit_no_answer: 'context_limit',
  answer_token_limit: 'context_limit',
  max_response_length_exceeded: 'context_limit',
  max_prompt_length_exceeded: 'context_limit',
  max_turns_exceeded: 'step_limit',
  max_rounds_reached: 'step_limit',
  error: 'error',
};

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** SandMLE's tools. */
const EXPERIMENTS: ExperimentTable = {
  experiment: [PYTHON_TOOL, 'PythonInterpreter'],
  scoring: ['Score', 'SynScore'],
};

const COMPETITION = /^## Competition ID:\s*(\S+)/m;
const DEFAULT_NAME = 'default_traj_name';
const SANDMLE_CALL = /<tool_call>\s*python|<code>/;

/** What the episode says of all its trajectories. */
interface Episode {
  readonly id: string | null;
  readonly task: string | null;
  readonly termination: Termination;
  readonly is_correct: boolean | null;
  readonly rounds: number | null;
  /** of several trajectories each has an id of its own */
  readonly several: boolean;
}

export const rllmEpisode: FormatAdapter = {
  name: 'rllm-episode',
  version: '1',
  unit: 'document',
  experiments: EXPERIMENTS,
  notes: {
    title: "rLLM episode, the log of SandMLE's training runs",
    recognised_by:
      'objects with termination_reason and trajectories of steps with chat_completions: one, a list, or JSON lines',
    scores: 'test scores that the Score tool showed, with its thresholds as claims',
    executions:
      'scripts and Score calls; the outcome is read out of the text, there are no exit codes or times; a script that the end of the clock of the whole run cut off is an infrastructure failure',
    reasoning: 'think tags in content, or a reasoning field',
    token_ids: 'prompt_ids and response_ids of each step where recorded',
    logprobs: 'logprobs of each step where recorded',
    loss: [
      'rewards, returns and advantages of steps and trajectories, and the metrics of the episode',
      'parsed action, thought and info of steps, which repeat the content',
      'SandMLE strips white space around a reply with a call and cuts a reply at <tool_response>: what it cut is not recorded',
      'turns that SandMLE pruned are in no step (flag turns_pruned_from_log)',
      'which model sampled is not recorded',
      'SandMLE names the end token_limit_no_answer for runs out of turns too',
      'routing matrices and pictures',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, isEpisode, {
    confidence: 'certain',
    reason: 'has termination_reason and trajectories of steps',
  });
}

function isEpisode(value: unknown): boolean {
  if (!hasKeys(value, 'termination_reason', 'trajectories')) return false;
  const { trajectories } = value;
  return (
    Array.isArray(trajectories) &&
    trajectories.every((item) => isObject(item) && Array.isArray(item['steps']))
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return readRows(input, context, (value) => readRuns(value, context));
}

function readRuns(value: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(value, 'document');
  const trajectories = listOf(document['trajectories'], 'trajectories');
  if (trajectories.length === 0) throw new RejectError('no_turns', 'the episode holds no trajectory');
  const episode = readEpisode(document, trajectories.length > 1);
  const readOne = (value: unknown, index: number): RawTrajectory => {
    const path = `trajectories[${index}]`;
    return readRun(objectOf(value, path), { path, index, episode, context });
  };
  if (trajectories.length > 1) {
    return trajectories.flatMap((value, index) =>
      readPiece(context, `trajectories[${index}]`, () => [readOne(value, index)]),
    );
  }
  const run = readOne(trajectories[0], 0);
  requireModelTurns(run.turns);
  return [run];
}

function readEpisode(document: JsonObject, several: boolean): Episode {
  const id = asId(document['id']);
  const colon = id?.lastIndexOf(':') ?? -1;
  const reason = stringAt(document, 'termination_reason', '') ?? '';
  const metrics = objectAt(document, 'metrics', '') ?? {};
  return {
    id,
    task: id === null || colon < 0 ? id : id.slice(0, colon),
    termination: TERMINATIONS[reason.replace(/^TerminationReason\./, '').toLowerCase()] ?? 'unknown',
    is_correct: asBoolean(document['is_correct']),
    rounds: asNumber(metrics['rounds']),
    several,
  };
}

function readRun(
  trajectory: JsonObject,
  at: { path: string; index: number; episode: Episode; context: ReadContext },
): RawTrajectory {
  const { path, index, episode, context } = at;
  const steps = readSteps(listAt(trajectory, 'steps', path) ?? [], fieldPath(path, 'steps'));
  const contexts = joinContexts(steps);
  const name = stringAt(trajectory, 'name', path) ?? DEFAULT_NAME;
  const sandmle = isSandmle(contexts.entries, context);
  const followers = followingTurns(contexts);
  const started = contexts.entries.findIndex((entry) => entry.message.role === 'assistant');
  const turns = contexts.entries.map((entry, turn) => {
    if (entry.message.role !== 'assistant') return inputTurn(entry, started >= 0 && turn > started);
    const answer = contexts.entries[followers.get(turn) ?? -1]?.message;
    const feedback = answer === undefined || answer.role === 'assistant' ? null : toolText(answer.content);
    return replyTurn(entry, (text) => (sandmle ? sandmleMarks(text, feedback) : jsonCallMarks(text)));
  });
  const run = sandmle
    ? sandmleCalls(turns, { followers, context, clockRanOut: episode.termination === 'time_limit' })
    : otherCalls(turns, context);
  const versions = new Set(turns.flatMap((turn) => turn.policy?.weight_version ?? []));
  const replies = contexts.entries.filter((entry) => entry.message.role === 'assistant').length;
  const pruned = sandmle && episode.rounds !== null && episode.rounds > replies;
  const own = asId(trajectory['uid']) ?? String(index);
  return {
    session_id: episode.several ? `${episode.id ?? 'episode'}/${own}` : episode.id,
    parent_session: null,
    group: episode.task,
    task_id: competitionId(contexts.entries) ?? episode.task,
    task_claims: run.task_claims,
    scaffold: name === DEFAULT_NAME ? 'rllm' : `rllm/${name}`,
    scaffold_version: null,
    model: null,
    policy_version: versions.size === 1 ? ([...versions][0] ?? null) : null,
    tools: null,
    turns,
    executions: run.executions,
    submissions: run.submissions,
    epochs: contexts.epochs.map((epoch, order) => ({
      turns: [...epoch],
      reason: order === 0 ? null : 'pruned',
    })),
    termination: episode.termination,
    turn_budget: null,
    seconds_budget: null,
    // SandMLE sets is_correct for any score at all; elsewhere it is the verdict of the workflow.
    resolved: sandmle ? null : episode.is_correct,
    feedback_exposes_test_score: run.exposes_score,
    flags: [...boundaryFlags(run.executions), ...run.flags, ...(pruned ? ['turns_pruned_from_log'] : [])],
  };
}

/** SandMLE's chat writes scripts between tags and answers them in user messages. */
function isSandmle(entries: readonly Entry[], context: ReadContext): boolean {
  const scores = context.experiments.scoring.map((tool) => `"${tool}"`);
  return entries.some(({ message }) => {
    if (message.role === 'user') return isToolResponse(message.content);
    if (message.role !== 'assistant' || !message.content.includes('<tool_call>')) return false;
    return SANDMLE_CALL.test(message.content) || scores.some((name) => message.content.includes(name));
  });
}

/** The turn that follows each turn in the first context that holds it. */
function followingTurns(contexts: Contexts): ReadonlyMap<number, number> {
  const followers = new Map<number, number>();
  for (const epoch of contexts.epochs) {
    epoch.forEach((turn, position) => {
      const next = epoch[position + 1];
      if (next !== undefined && !followers.has(turn)) followers.set(turn, next);
    });
  }
  return followers;
}

function inputTurn(entry: Entry, started: boolean): Turn {
  const { fields, path, role: name, content } = entry.message;
  const role = ROLES[name];
  if (role === undefined) throw new RejectError('bad_shape', `${path}.role: unknown role "${name}"`);
  const parts = contentParts(fields['content'], fieldPath(path, 'content'));
  const feedback = role === 'tool' || (role === 'user' && (started || isToolResponse(content)));
  return makeTurn(role, environmentSpans(feedback ? 'observation' : 'prompt', parts), {
    name: stringAt(fields, 'name', path),
    tool_call_id: stringAt(fields, 'tool_call_id', path),
    flags: [...entry.flags],
  });
}

function replyTurn(entry: Entry, marksOf: (text: string) => CallMark[]): Turn {
  const { message, step } = entry;
  const { fields, path } = message;
  const calls = listAt(fields, 'tool_calls', path) ?? [];
  const output = step === null ? null : objectAt(step.fields, 'model_output', step.path);
  const parts = contentParts(fields['content'], fieldPath(path, 'content'));
  const spans: Span[] = [
    ...replyReasoning(entry, output),
    ...assistantSpans(parts, (text) => actionSpans(text, calls.length > 0 ? [] : marksOf(text))),
    ...toolCallSpans(calls, fieldPath(path, 'tool_calls')),
  ];
  const sampled = step === null ? { policy: null, flags: [] } : stepTokens(step, output);
  return makeTurn('assistant', entry.copied ? asOrigin(spans, 'environment') : spans, {
    truncated: output?.['finish_reason'] === 'length' ? 'length' : null,
    policy: sampled.policy,
    flags: [...entry.flags, ...sampled.flags],
  });
}

/** Reasoning beside the content: the message's own, else what the model's output adds to a reply without tags. */
function replyReasoning(entry: Entry, output: JsonObject | null): Span[] {
  const { fields, path, content } = entry.message;
  const own = messageReasoning(fields, path);
  const added = output === null || content.includes('</think>') ? '' : (asString(output['reasoning']) ?? '');
  const text = own === '' ? added : own;
  return text === '' || content.includes(text) ? [] : [reasoningSpan(text)];
}

/** The tokens of a step, from its own fields or from the model output that they are copied from. */
function stepTokens(step: Step, output: JsonObject | null): ReturnType<typeof policyTokens> {
  const version = asId(step.fields['weight_version']) ?? asId(output?.['weight_version']);
  const logprobs = 'logprobs';
  const own = policyTokens(step.fields, {
    path: step.path,
    keys: { prompt_ids: 'prompt_ids', response_ids: 'response_ids', logprobs },
    weight_version: version,
  });
  if (own.policy !== null || output === null) return own;
  return policyTokens(output, {
    path: fieldPath(step.path, 'model_output'),
    keys: { prompt_ids: 'prompt_ids', response_ids: 'completion_ids', logprobs },
    weight_version: version,
  });
}

function sandmleCalls(
  turns: readonly Turn[],
  run: { followers: ReadonlyMap<number, number>; context: ReadContext; clockRanOut: boolean },
): SandmleRun {
  const { followers, context, clockRanOut } = run;
  const answerOf = (call: ShellCall): number | null => {
    if (call.id !== null) return answerTurn(turns, call);
    const next = followers.get(call.call_turn) ?? null;
    return next === null || turns[next]?.role === 'assistant' ? null : next;
  };
  return sandmleRun(turns, context, { answerOf, clockRanOut });
}

/** Episodes of other tasks: calls are experiments only where the pipeline names them, beside SandMLE's own. */
function otherCalls(turns: readonly Turn[], context: ReadContext): SandmleRun {
  const { experiment, scoring } = context.experiments;
  const named = {
    experiment: experiment.filter((tool) => !EXPERIMENTS.experiment.includes(tool)),
    scoring: scoring.filter((tool) => !EXPERIMENTS.scoring.includes(tool)),
  };
  const executions = shellExecutions(turns, { ...context, experiments: named }, (call) => {
    const feedback_turn = answerTurn(turns, call);
    const answer = feedback_turn === null ? undefined : turns[feedback_turn];
    const text = answer === undefined ? null : answer.spans.map((span) => span.text).join('');
    return inferredOutcome(text, { feedback_turn });
  });
  return { executions, submissions: [], task_claims: null, exposes_score: false, flags: [] };
}

/** The competition that the prompt names: rLLM's own task ids are often made up for one training run. */
function competitionId(entries: readonly Entry[]): string | null {
  const prompt = entries.find((entry) => entry.message.role === 'user');
  return COMPETITION.exec(prompt?.message.content ?? '')?.[1] ?? null;
}
