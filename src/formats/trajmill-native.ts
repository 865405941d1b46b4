import { RejectError } from '../logs/reject.js';
import {
  makeExecution,
  makeSubmission,
  makeTurn,
  reasoningSpan,
  structuredCallSpan,
} from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { asOrigin, environmentSpans } from './content-parts.js';
import { actionSpans } from './inline-calls.js';
import { asString, isObject } from './shape.js';
import { callKind } from './shell-executions.js';
import {
  NATIVE_FORMAT,
  type NativeMessage,
  type NativeNode,
  type NativeRecord,
  nativeRecordSchema,
} from './trajmill-native-record.js';

export const trajmillNative: FormatAdapter = {
  name: NATIVE_FORMAT,
  version: '1',
  unit: 'line',
  // execute_code runs a program and makes a node; update_answer hands a node in. analyze and invalidate_node are neither.
  experiments: { experiment: ['execute_code'], scoring: ['update_answer'] },
  notes: {
    title:
      "trajmill's own log for harnesses in MLExpert's way: solution nodes, answers, contexts and policy tokens",
    recognised_by: 'lines with `format: "trajmill-native"`',
    scores: 'of each answer on the scale that the harness states, and whether the agent saw it',
    executions: 'every node with status, exit code, seconds and times; other calls with their status',
    reasoning: 'beside the content, or in think tags',
    token_ids: 'of each generation where the harness recorded them',
    logprobs: 'of each generation, with the version of the weights',
    loss: ['full logs of nodes (the tool message holds what the model saw) and their metadata'],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some(isNative))
    return { confidence: 'certain', reason: 'lines of the native format', unit: 'line' };
  return isNative(sniff.json)
    ? { confidence: 'certain', reason: 'a record of the native format', unit: 'document' }
    : null;
}

function isNative(value: unknown): boolean {
  return isObject(value) && asString(value['format']) === NATIVE_FORMAT;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const parsed = nativeRecordSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new RejectError(
      'bad_shape',
      `${issue?.path.join('.') ?? 'record'}: ${issue?.message ?? 'not a record'}`,
    );
  }
  return [readRecord(parsed.data, context)];
}

function readRecord(record: NativeRecord, context: ReadContext): RawTrajectory {
  const turns = record.messages.map(messageTurn);
  const calls = callPlaces(record);
  const executions = executionsOf(record, { calls, context });
  const submissions = submissionsOf(record, { executions, calls });
  const epochs = epochsOf(record, turns.length);
  const shown = record.answers.some((answer) => answer.shown && answer.scale === 'test');
  return {
    session_id: record.session_id,
    parent_session: record.parent_session,
    group: record.group,
    task_id: record.task_id,
    task_claims: record.task_claims,
    scaffold: record.scaffold,
    scaffold_version: record.scaffold_version,
    model: record.model,
    policy_version: record.policy_version,
    tools: record.tools === null ? null : JSON.stringify(record.tools),
    turns,
    executions,
    submissions,
    epochs,
    termination: record.termination,
    turn_budget: record.turn_budget,
    seconds_budget: record.seconds_budget,
    resolved: record.resolved,
    feedback_exposes_test_score: shown,
    flags: record.parent_session === null ? [] : ['sub_agent'],
  };
}

const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'length',
  error: 'error',
  aborted: 'aborted',
};

function messageTurn(message: NativeMessage): Turn {
  const { name, timestamp } = message;
  if (message.role === 'tool') {
    const spans = environmentSpans('observation', [{ kind: 'text', text: message.content }]);
    return makeTurn('tool', spans, { name, timestamp, tool_call_id: message.call_id });
  }
  if (message.role !== 'assistant') {
    const spans = environmentSpans('prompt', [{ kind: 'text', text: message.content }]);
    return makeTurn(message.role, spans, { name, timestamp });
  }
  const spans: Span[] = [
    ...(message.reasoning === null || message.reasoning === '' ? [] : [reasoningSpan(message.reasoning)]),
    ...actionSpans(message.content, []),
    ...message.calls.map((call): Span => {
      const span = structuredCallSpan(call);
      return call.malformed ? { ...span, kind: 'malformed_call' } : span;
    }),
  ];
  return makeTurn('assistant', message.copied ? asOrigin(spans, 'environment') : spans, {
    name,
    timestamp,
    truncated: TRUNCATIONS[message.stop] ?? null,
    policy: message.copied ? null : message.tokens,
    flags: message.copied ? ['copied_context'] : [],
  });
}

interface CallPlace {
  readonly name: string;
  readonly arguments: string;
  readonly turn: number;
  readonly span: number;
  readonly answer: number | null;
  readonly status: Execution['status'];
  readonly launched: boolean;
}

/** Where each call stands and what answers it. */
function callPlaces(record: NativeRecord): ReadonlyMap<string, CallPlace> {
  const answers = new Map<string, number>();
  const places = new Map<string, CallPlace>();
  record.messages.forEach((message, turn) => {
    if (message.role === 'tool' && !answers.has(message.call_id)) answers.set(message.call_id, turn);
  });
  record.messages.forEach((message, turn) => {
    if (message.role !== 'assistant') return;
    const before = messageTurn(message).spans.length - message.calls.length;
    message.calls.forEach((call, position) => {
      if (places.has(call.id))
        throw broken(`messages.${turn}.calls.${position}.id`, `a second call ${call.id}`);
      const answer = answers.get(call.id) ?? null;
      if (answer !== null && answer <= turn)
        throw broken(`messages.${answer}.call_id`, 'an answer before its call');
      const reply = answer === null ? undefined : record.messages[answer];
      places.set(call.id, {
        name: call.name,
        arguments: call.arguments,
        turn,
        span: before + position,
        answer,
        status: reply?.role === 'tool' ? reply.status : 'unknown',
        launched: message.stop === 'end' && !call.malformed && !message.copied,
      });
    });
  });
  for (const [id, turn] of answers) {
    if (!places.has(id)) throw broken(`messages.${turn}.call_id`, `no call ${id}`);
  }
  return places;
}

function executionsOf(
  record: NativeRecord,
  from: { calls: ReadonlyMap<string, CallPlace>; context: ReadContext },
): Execution[] {
  const ids = new Set<string>();
  const nodes = new Map<string, NativeNode>();
  record.nodes.forEach((node, index) => {
    const path = `nodes.${index}`;
    if (ids.has(node.id)) throw broken(`${path}.id`, `a second node ${node.id}`);
    if (node.parent !== null && !ids.has(node.parent))
      throw broken(`${path}.parent`, `no node ${node.parent} before it`);
    if (node.retry_of !== null && !ids.has(node.retry_of))
      throw broken(`${path}.retry_of`, `no node ${node.retry_of}`);
    if (!from.calls.has(node.call_id)) throw broken(`${path}.call_id`, `no call ${node.call_id}`);
    if (node.invalidated_by !== null && !from.calls.has(node.invalidated_by)) {
      throw broken(`${path}.invalidated_by`, `no call ${node.invalidated_by}`);
    }
    if (nodes.has(node.call_id)) throw broken(`${path}.call_id`, `a second node of call ${node.call_id}`);
    ids.add(node.id);
    nodes.set(node.call_id, node);
  });
  const executions: Execution[] = [];
  for (const [call_id, place] of from.calls) {
    const node = nodes.get(call_id);
    if (node === undefined && !place.launched) continue;
    const kind = callKind({ tool: place.name, command: node?.code ?? place.arguments }, from.context);
    // A call that ran but made no node is no experiment: the harness refused it.
    const required = {
      execution_id: node?.id ?? `call:${call_id}`,
      order: executions.length,
      kind: node === undefined && kind === 'experiment' ? ('other' as const) : kind,
      tool: place.name,
      call_turn: place.turn,
      status: node?.status ?? place.status,
    };
    executions.push(
      makeExecution(required, {
        call_span: place.span,
        feedback_turn: place.answer,
        ...(node === undefined ? {} : nodeFields(node)),
      }),
    );
  }
  return executions;
}

function nodeFields(node: NativeNode): Partial<Execution> {
  return {
    exit_code: node.exit_code,
    seconds: node.seconds,
    started_at: node.started_at,
    completed_at: node.completed_at,
    error_type: node.error_type,
    code: node.code,
    parent_execution: node.parent,
    invalidated: node.invalidated_by !== null,
    complete_solution: node.full_solution,
    flags: node.retry_of === null ? [] : [`retry_of:${node.retry_of}`],
  };
}

function submissionsOf(
  record: NativeRecord,
  from: { executions: readonly Execution[]; calls: ReadonlyMap<string, CallPlace> },
): Submission[] {
  const nodes = new Map(record.nodes.map((node) => [node.id, node]));
  return record.answers.map((answer, order) => {
    const node = answer.node === null ? undefined : nodes.get(answer.node);
    if (answer.node !== null && node === undefined)
      throw broken(`answers.${order}.node`, `no node ${answer.node}`);
    const call_id = answer.call_id ?? node?.call_id ?? null;
    const place = call_id === null ? undefined : from.calls.get(call_id);
    if (answer.call_id !== null && place === undefined) {
      throw broken(`answers.${order}.call_id`, `no call ${answer.call_id}`);
    }
    return makeSubmission(
      {
        execution_id: answer.node,
        order,
        gradable: answer.gradable,
        score: answer.score,
        scale: answer.scale,
      },
      {
        scored_by: answer.call_id === null ? null : `call:${answer.call_id}`,
        observed_turn: place?.answer ?? null,
        grader: answer.grader,
        stale: answer.stale,
        flags: answer.shown ? [] : ['score_not_shown'],
      },
    );
  });
}

function epochsOf(record: NativeRecord, count: number): RawTrajectory['epochs'] {
  if (record.epochs.length === 0) return [{ turns: record.messages.map((_, index) => index), reason: null }];
  const held = new Set<number>();
  record.epochs.forEach(({ messages }, index) => {
    for (const message of messages) {
      if (message >= count) throw broken(`epochs.${index}.messages`, `no message ${message}`);
      held.add(message);
    }
  });
  const missing = record.messages.findIndex((_, index) => !held.has(index));
  if (missing !== -1) throw broken('epochs', `message ${missing} is in no context`);
  return record.epochs.map(({ messages, reason }) => ({ turns: messages, reason }));
}

function broken(path: string, what: string): RejectError {
  return new RejectError('bad_shape', `${path}: ${what}`);
}
