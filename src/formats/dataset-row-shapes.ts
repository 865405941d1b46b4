import { parseJsonText } from '../logs/json.js';
import { makeTurn, turnContent } from '../trajectory/build.js';
import type { Role, Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { chatRun } from './chat-run.js';
import { asOrigin, contentParts, environmentSpans } from './content-parts.js';
import { booleanAt, listAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { rawTrajectory } from './raw-trajectory.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asBoolean, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { answerTurn, inferredOutcome, requireModelTurns, shellExecutions } from './shell-executions.js';
import { actionMarks } from './swe-agent-actions.js';
import { exitTermination, isHarnessReply } from './swe-agent-exits.js';

/** How the rows of one data set look, and what they hold beside a chat. */
export interface RowShape {
  readonly name: string;
  matches(row: JsonObject): boolean;
  read(row: JsonObject, context: ReadContext): RawTrajectory;
}

export const ROW_SHAPES: readonly RowShape[] = [
  {
    name: 'nebius SWE-agent',
    matches: (row) =>
      Array.isArray(row['trajectory']) && hasKeys(row, 'instance_id', 'exit_status', 'target'),
    read: readNebius,
  },
  {
    name: 'SWE-rebench OpenHands',
    matches: (row) =>
      hasKeys(row, 'trajectory_id', 'instance_id', 'resolved') &&
      asArray(row['trajectory']).some((message) => hasKeys(message, 'role', 'content')),
    read: readRebench,
  },
  {
    name: 'SWE-Gym OpenHands',
    matches: (row) => hasKeys(row, 'messages', 'instance_id', 'run_id', 'test_result'),
    read: readSweGym,
  },
  {
    name: 'SWE-smith',
    matches: (row) => hasKeys(row, 'messages', 'instance_id', 'traj_id'),
    read: readSweSmith,
  },
  {
    name: 'CodeActInstruct',
    matches: (row) => asArray(row['conversations']).some((message) => hasKeys(message, 'role', 'content')),
    read: readCodeAct,
  },
  {
    name: 'Toucan',
    matches: (row) =>
      hasKeys(row, 'messages', 'subset_name', 'question') || hasKeys(row, 'messages', 'available_tools'),
    read: readToucan,
  },
];

export function shapeOf(row: unknown): RowShape | null {
  if (!isObject(row)) return null;
  return ROW_SHAPES.find((shape) => shape.matches(row)) ?? null;
}

const NEBIUS_ROLES: Readonly<Record<string, Role>> = { system: 'system', user: 'user', ai: 'assistant' };

/** Steps with text, but for the first, whose text is the system prompt; `mask` says what was trained. */
function readNebius(row: JsonObject, context: ReadContext): RawTrajectory {
  let started = false;
  const turns = (listAt(row, 'trajectory', '') ?? []).map((value, index): Turn => {
    const path = `trajectory[${index}]`;
    const step = objectOf(value, path);
    const logged = requiredString(step, 'role', path);
    const role = NEBIUS_ROLES[logged];
    if (role === undefined) throw wrongType(`${path}.role`, `system, user or ai (not "${logged}")`, logged);
    const text = stringAt(step, 'text', path) ?? stringAt(step, 'system_prompt', path) ?? '';
    if (role !== 'assistant') {
      const kind = role === 'user' && started ? 'observation' : 'prompt';
      return makeTurn(role, environmentSpans(kind, contentParts(text, path)));
    }
    started = true;
    const harness = isHarnessReply({ content: text, action: null, calls: 0 });
    const spans = actionSpans(text, harness ? [] : actionMarks(text, null));
    return makeTurn('assistant', harness ? asOrigin(spans, 'environment') : spans, {
      weight: booleanAt(step, 'mask', path) === false ? 0 : 1,
      flags: harness ? ['harness_reply'] : [],
    });
  });
  requireModelTurns(turns);
  const executions = shellExecutions(turns, context, (call) => {
    const feedback_turn = answerTurn(turns, call);
    const feedback = feedback_turn === null ? undefined : turns[feedback_turn];
    return inferredOutcome(feedback === undefined ? null : turnContent(feedback), { feedback_turn });
  });
  const exit = exitTermination(stringAt(row, 'exit_status', ''), true);
  const scored = scoredCalls(turns, executions, context);
  return rawTrajectory(
    { turns, executions },
    {
      submissions: scored.submissions,
      task_id: asId(row['instance_id']),
      scaffold: 'swe-agent',
      model: asString(row['model_name']),
      termination: exit.termination,
      resolved: asBoolean(row['target']),
      flags: [...scored.flags, ...exit.flags],
    },
  );
}

/** A chat under `trajectory`, its verdict as 0 or 1; each tool may be JSON in a string, as Parquet needs it. */
function readRebench(row: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun(
    {
      ...row,
      messages: row['trajectory'],
      tools: plainTools(row['tools']),
      session_id: row['trajectory_id'],
    },
    context,
  );
  const status = asString(row['exit_status']);
  const handedIn = status === null || status === 'submit' || status === 'submitted';
  const verdict = row['resolved'];
  return {
    ...run,
    group: run.task_id,
    scaffold: run.scaffold ?? (Object.hasOwn(row, 'gen_tests_correct') ? 'openhands' : null),
    termination: run.termination === 'submitted' && !handedIn ? 'unknown' : run.termination,
    resolved: verdict === 1 || verdict === 0 ? verdict === 1 : run.resolved,
  };
}

function plainTools(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool, index) => {
    if (typeof tool !== 'string') return tool;
    try {
      return parseJsonText(tool).value;
    } catch {
      throw wrongType(`tools[${index}]`, 'an object, or a string that is JSON', tool);
    }
  });
}

const RUN_ID = /^(.+?)_maxiter_(\d+)_/;

/** A chat with the evaluation of its patch; the report must agree with the row. */
function readSweGym(row: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun(plainRow(row), context);
  const run_id = asString(row['run_id']);
  const named = RUN_ID.exec(run_id ?? '');
  const result = isObject(row['test_result']) ? row['test_result'] : {};
  const report = isObject(result['report']) ? result['report'] : {};
  const reported = asBoolean(report['resolved']);
  const contradicts = run.resolved !== null && reported !== null && reported !== run.resolved;
  const failures = ['test_timeout', 'error_eval', 'failed_apply_patch'].filter((key) => report[key] === true);
  return {
    ...run,
    session_id: [run_id, run.task_id].filter((part) => part !== null).join('/') || null,
    group: run.task_id,
    scaffold: 'openhands',
    model: named?.[1] ?? run.model,
    turn_budget: named === null ? null : Number(named[2]),
    resolved: contradicts ? null : (run.resolved ?? reported),
    flags: [
      ...run.flags,
      ...(contradicts ? ['resolved_contradicts_report'] : []),
      ...failures.map((key) => `report:${key}`),
    ],
  };
}

function readSweSmith(row: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun(plainRow(row), context);
  return { ...run, session_id: asId(row['traj_id']), group: run.task_id, scaffold: 'swe-agent' };
}

const EXECUTE = /<execute>([\s\S]*?)<\/execute>/g;

/** Programs stand between execute tags, their output in user messages. */
function readCodeAct(row: JsonObject, context: ReadContext): RawTrajectory {
  const turns = (listAt(row, 'conversations', '') ?? []).map((value, index, all): Turn => {
    const path = `conversations[${index}]`;
    const message = objectOf(value, path);
    const role = requiredString(message, 'role', path);
    const parts = contentParts(message['content'], `${path}.content`);
    if (role === 'assistant') {
      return makeTurn(
        'assistant',
        parts.flatMap((part) => actionSpans(part.text, executeMarks(part.text))),
      );
    }
    if (role !== 'system' && role !== 'user')
      throw wrongType(`${path}.role`, `a known role (not "${role}")`, role);
    const before = index === 0 ? null : all[index - 1];
    const answers =
      isObject(before) &&
      before['role'] === 'assistant' &&
      EXECUTE_END.test(asString(before['content']) ?? '');
    return makeTurn(role, environmentSpans(role === 'user' && answers ? 'observation' : 'prompt', parts));
  });
  requireModelTurns(turns);
  const executions = shellExecutions(turns, context, (call) => {
    const feedback_turn = answerTurn(turns, call);
    const feedback = feedback_turn === null ? undefined : turns[feedback_turn];
    return inferredOutcome(feedback === undefined ? null : turnContent(feedback), { feedback_turn });
  });
  const scored = scoredCalls(turns, executions, context);
  const id = asId(row['id']);
  const last = turns.at(-1);
  const answered = last?.role === 'assistant' && !last.spans.some((span) => span.call !== null);
  return rawTrajectory(
    { turns, executions },
    {
      submissions: scored.submissions,
      session_id: id,
      scaffold: 'codeact',
      model: id?.split('/').at(-2) ?? null,
      termination: answered ? 'submitted' : 'unknown',
      flags: scored.flags,
    },
  );
}

const EXECUTE_END = /<\/execute>/;

function executeMarks(text: string): CallMark[] {
  return [...text.matchAll(EXECUTE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    call: { name: 'execute', arguments: match[1] ?? '' },
  }));
}

function readToucan(row: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun({ ...plainRow(row), tools: row['available_tools'] ?? row['tools'] ?? null }, context);
  return { ...run, session_id: asId(row['uuid']) ?? asId(row['id']), scaffold: 'toucan' };
}

/** Some data sets keep nested values as JSON in strings. */
function plainRow(row: JsonObject): JsonObject {
  const messages = row['messages'];
  if (typeof messages !== 'string') return row;
  try {
    return { ...row, messages: parseJsonText(messages).value };
  } catch {
    throw wrongType('messages', 'a list, or a string that is JSON', messages);
  }
}
