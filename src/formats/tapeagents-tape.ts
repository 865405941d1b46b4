import { RejectError } from '../logs/reject.js';
import {
  contentSpan,
  makeExecution,
  makeTurn,
  structuredCallSpan,
  turnContent,
} from '../trajectory/build.js';
import { type Execution, type ExecutionStatus, SUBMISSIONS_NOT_RECORDED } from '../trajectory/execution.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { PolicyTokens, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { contentParts, environmentSpans } from './content-parts.js';
import { fieldPath, listAt, objectAt, objectOf, stringAt } from './fields.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { answerTurn, boundaryFlags, type ShellCall, shellExecutions } from './shell-executions.js';
import { toolCallSpans } from './structured-calls.js';
import { agentName, executorsOf, readTapeSteps, roleOfStep, type TapeStep } from './tapeagents-steps.js';

/** Programs that one agent wrote and another ran. */
const EXECUTE = 'execute_code';
const FENCE = /```([^\n`]*)\n([\s\S]*?)```/g;
const FINAL = /final_answer|gaia_answer|^final_/;

export const tapeagentsTape: FormatAdapter = {
  name: 'tapeagents-tape',
  version: '1',
  unit: 'document',
  // In a data science tape an agent writes programs and `execute_code` runs them: `exit_code` and output come back.
  experiments: { experiment: [EXECUTE, 'python_code_action'], scoring: [] },
  notes: {
    title: 'TapeAgents tape: steps of one or several agents and of their environment',
    recognised_by: 'an object, or rows, with metadata, context and steps that have a kind',
    scores: 'none; metadata.result is the answer of the agent, not a grade',
    executions: 'execute_code with exit code; other tools only where the pipeline names them',
    reasoning: 'thought steps stand as text; think tags in the output of logged calls',
    token_ids: 'in metadata.other.llm_call.logprobs, where a run of reinforcement learning recorded them',
    logprobs: 'beside the token ids',
    loss: [
      'steps that only pass control (set_next_node, call without text, broadcast, final_step): their texts are copies',
      'execute_code of an agent that runs programs of others: the program stands in the message that it was taken from',
      'prompts beyond the first system message: each call repeats the tape',
      'steps with fields of their own and without a logged call are JSON put together from them (flag text_rebuilt)',
      'result, task and reward in the metadata of a tape',
      'which node or model wrote a step',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isTape(sniff.json))
    return { confidence: 'certain', reason: 'metadata, context and steps', unit: 'document' };
  if (Array.isArray(sniff.json) && sniff.json.length > 0 && sniff.json.every(isTape)) {
    return { confidence: 'certain', reason: 'a list of tapes', unit: 'document' };
  }
  return sniff.lines.some(isTape) ? { confidence: 'certain', reason: 'lines of tapes', unit: 'line' } : null;
}

function isTape(value: unknown): boolean {
  return hasKeys(value, 'metadata', 'context', 'steps') && Array.isArray(value['steps']);
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (Array.isArray(input))
    return input.map((tape, index) => readTape(objectOf(tape, `[${index}]`), context));
  return [readTape(objectOf(input, 'tape'), context)];
}

function readTape(tape: JsonObject, context: ReadContext): RawTrajectory {
  const metadata = objectAt(tape, 'metadata', '') ?? {};
  const inherited = isObject(tape['context']) ? readTapeSteps(tape['context'], 'context') : [];
  const steps = [...inherited, ...readTapeSteps(tape, '')];
  if (steps.length === 0) throw new RejectError('no_turns', 'a tape without steps');
  const flags = new Set<string>();
  const { turns, runs } = tapeTurns(steps, { inherited: inherited.length, flags });
  const executions = order([
    ...shellExecutions(turns, context, (call) => calledOutcome(turns, call)),
    ...runs.flatMap((run) => handedOver(run, turns, context)),
  ]);
  const boundary = boundaryFlags(executions);
  for (const flag of boundary.length > 0 ? boundary : [SUBMISSIONS_NOT_RECORDED]) flags.add(flag);
  return rawTrajectory(
    { turns, executions },
    {
      session_id: asId(metadata['id']),
      scaffold: 'tapeagents',
      task_id: isObject(metadata['task']) ? asId(metadata['task']['task_id']) : null,
      termination: terminationOf(metadata, steps, turns),
      flags: [...flags],
    },
  );
}

/** A program that an agent ran for another: where it was written and where its result stands. */
interface HandedRun {
  readonly step: TapeStep;
  readonly call_turn: number;
  readonly feedback: { readonly turn: number; readonly step: TapeStep } | null;
}

function tapeTurns(
  steps: readonly TapeStep[],
  at: { inherited: number; flags: Set<string> },
): { turns: Turn[]; runs: HandedRun[] } {
  const executors = executorsOf(steps);
  const codes = new Set(steps.flatMap((step) => (step.kind === EXECUTE ? codesOf(step) : [])));
  const turns: Turn[] = systemTurns(steps);
  const runs: HandedRun[] = [];
  let last: TapeStep | null = null;
  steps.forEach((step, index) => {
    const started = turns.some((turn) => turn.role !== 'system');
    const role = roleOfStep(step, { executors, started });
    if (step.kind === EXECUTE && role === 'control')
      runs.push({ step, call_turn: turns.length - 1, feedback: null });
    if (role === 'control') return;
    if (role !== 'action') {
      const pending = runs.at(-1);
      if (role === 'observation' && pending !== undefined && pending.feedback === null) {
        runs[runs.length - 1] = { ...pending, feedback: { turn: turns.length, step } };
      }
      turns.push(inputTurn(step, role));
      last = null;
      return;
    }
    const reply = replyTurn(step, { codes, flags: at.flags });
    const origin = index < at.inherited ? 'environment' : 'model';
    const spans = reply.spans.map((span) => ({ ...span, origin }) as Span);
    const before = turns.at(-1);
    const joins = last !== null && before?.role === 'assistant' && sameCall(last, step);
    if (joins && before !== undefined) {
      // One call wrote several steps; a logged call holds the text of all of them already.
      if (step.llm_call === null) turns[turns.length - 1] = { ...before, spans: [...before.spans, ...spans] };
    } else turns.push({ ...reply, spans });
    last = step;
  });
  return { turns, runs };
}

function sameCall(one: TapeStep, other: TapeStep): boolean {
  return one.prompt_id !== '' && one.prompt_id === other.prompt_id && one.agent === other.agent;
}

/** The system message that only the prompts of logged calls hold. */
function systemTurns(steps: readonly TapeStep[]): Turn[] {
  if (steps.some((step) => step.kind === 'system')) return [];
  const call = steps.find((step) => step.llm_call !== null)?.llm_call ?? {};
  const prompt = isObject(call['prompt']) ? call['prompt'] : {};
  const [first] = asArray(prompt['messages']);
  if (!isObject(first) || first['role'] !== 'system') return [];
  const parts = contentParts(first['content'], 'llm_call.prompt.messages[0].content');
  return [makeTurn('system', environmentSpans('prompt', parts))];
}

function inputTurn(step: TapeStep, role: 'prompt' | 'observation'): Turn {
  const content = step.fields['content'];
  const text = typeof content === 'string' || Array.isArray(content) ? content : resultText(step);
  const parts = contentParts(text, fieldPath(step.path, 'content'));
  const spans = environmentSpans(role, parts);
  if (step.kind === 'system') return makeTurn('system', spans);
  const name = agentName(step);
  if (role === 'prompt' || name !== null) return makeTurn('user', spans, { name });
  return makeTurn('tool', spans, {
    name: step.kind === 'tool' ? null : step.kind,
    tool_call_id: stringAt(step.fields, 'tool_call_id', step.path),
  });
}

/** What the environment says: the output of a program, else the step's own fields as JSON. */
function resultText(step: TapeStep): string {
  const result = step.fields['result'];
  if (isObject(result) && typeof result['output'] === 'string') return result['output'];
  return JSON.stringify(ownFields(step));
}

function ownFields(step: TapeStep): JsonObject {
  const { metadata: _metadata, kind: _kind, ...own } = step.fields;
  return own;
}

function replyTurn(step: TapeStep, at: { codes: ReadonlySet<string>; flags: Set<string> }): Turn {
  const name = agentName(step);
  if (step.llm_call !== null) return loggedTurn(step, step.llm_call, { name, codes: at.codes });
  const calls = listAt(step.fields, 'tool_calls', step.path) ?? [];
  const content = step.fields['content'];
  const spans: Span[] = [];
  if (typeof content === 'string' && content !== '')
    spans.push(...actionSpans(content, fenceMarks(content, at.codes)));
  spans.push(...toolCallSpans(calls, fieldPath(step.path, 'tool_calls')));
  if (spans.length === 0) {
    at.flags.add('text_rebuilt');
    const own = ownFields(step);
    spans.push(
      step.kind.includes('thought')
        ? contentSpan('text', 'model', JSON.stringify({ kind: step.kind, ...own }))
        : structuredCallSpan({ id: null, name: step.kind, arguments: own }),
    );
  }
  return makeTurn('assistant', spans, { name });
}

/** A call that the tape logs whole: its output is the model's own text, with its tokens where they are recorded. */
function loggedTurn(
  step: TapeStep,
  call: JsonObject,
  at: { name: string | null; codes: ReadonlySet<string> },
): Turn {
  const path = fieldPath(step.path, 'metadata.other.llm_call');
  const output = objectAt(call, 'output', path) ?? {};
  const content = stringAt(output, 'content', fieldPath(path, 'output')) ?? '';
  const calls = listAt(output, 'tool_calls', fieldPath(path, 'output')) ?? [];
  const spans: Span[] = [
    ...(content === '' ? [] : actionSpans(content, fenceMarks(content, at.codes))),
    ...toolCallSpans(calls, fieldPath(path, 'output.tool_calls')),
  ];
  return makeTurn('assistant', spans, { name: at.name, policy: callTokens(call) });
}

/** Token ids with log-probabilities; those of the prompt, where they are listed too, are marked as not generated. */
function callTokens(call: JsonObject): PolicyTokens | null {
  const tokens = asArray(call['logprobs']).filter(isObject);
  const ids = tokens.map((token) => asNumber(token['token_id']));
  if (tokens.length === 0 || ids.some((id) => id === null || !Number.isSafeInteger(id))) return null;
  const sampled = tokens.map((token) => token['generated'] !== 0 && token['generated'] !== false);
  const prompt_ids = ids.filter((id, index) => id !== null && !sampled[index]) as number[];
  return {
    prompt_ids: prompt_ids.length === 0 ? null : prompt_ids,
    response_ids: ids.filter((id, index) => id !== null && sampled[index]) as number[],
    logprobs: tokens.filter((_, index) => sampled[index]).map((token) => asNumber(token['logprob'])),
    weight_version: null,
  };
}

/** Fences of a message that are run later. */
function fenceMarks(content: string, codes: ReadonlySet<string>): CallMark[] {
  return [...content.matchAll(FENCE)].flatMap((fence) =>
    codes.has((fence[2] ?? '').trim())
      ? [
          {
            start: fence.index,
            end: fence.index + fence[0].length,
            call: { name: EXECUTE, arguments: fence[2] ?? '' },
          },
        ]
      : [],
  );
}

function codesOf(step: TapeStep): string[] {
  return asArray(step.fields['code']).flatMap((block) =>
    isObject(block) ? (asString(block['code']) ?? '').trim() : [],
  );
}

/** Calls of an agent that its environment answers. Programs that another agent runs are not among them. */
function calledOutcome(turns: readonly Turn[], call: ShellCall): { feedback_turn: number | null } | null {
  if (call.tool === EXECUTE && call.id === null) return null;
  return { feedback_turn: answerTurn(turns, call) };
}

/** The run of the programs of one message: all of them at once, in the call of its last program. */
function handedOver(run: HandedRun, turns: readonly Turn[], context: ReadContext): Execution[] {
  const writer = turns.findLastIndex(
    (turn, index) => index <= run.call_turn && turn.spans.some((span) => span.call?.name === EXECUTE),
  );
  const turn = turns[writer];
  if (turn === undefined || !context.experiments.experiment.includes(EXECUTE)) return [];
  const result = run.feedback?.step.fields['result'];
  const code = isObject(result) ? asNumber(result['exit_code']) : null;
  const status: ExecutionStatus = code === null ? 'unknown' : code === 0 ? 'ok' : 'error';
  return [
    makeExecution(
      { execution_id: '', order: 0, kind: 'experiment', tool: EXECUTE, call_turn: writer, status },
      {
        call_span: turn.spans.findLastIndex((span) => span.call?.name === EXECUTE),
        feedback_turn: run.feedback?.turn ?? null,
        exit_code: code !== null && Number.isInteger(code) ? code : null,
        code: codesOf(run.step).join('\n'),
      },
    ),
  ];
}

function order(executions: readonly Execution[]): Execution[] {
  return executions
    .filter(
      ({ tool, execution_id, status }) => !(tool === EXECUTE && execution_id !== '' && status === 'unknown'),
    )
    .sort((a, b) => a.call_turn - b.call_turn || (a.call_span ?? 0) - (b.call_span ?? 0))
    .map((execution, index) => ({ ...execution, order: index, execution_id: `call-${index}` }));
}

/** An error of the tape, a final step or a last reply without a call; a call that nothing answers leaves it open. */
function terminationOf(
  metadata: JsonObject,
  steps: readonly TapeStep[],
  turns: readonly Turn[],
): Termination {
  if ((metadata['error'] ?? null) !== null && metadata['error'] !== '') return 'error';
  if (steps.some((step) => FINAL.test(step.kind))) return 'submitted';
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return 'unknown';
  return last.spans.some((span) => span.call !== null) || turnContent(last) === '' ? 'unknown' : 'submitted';
}
