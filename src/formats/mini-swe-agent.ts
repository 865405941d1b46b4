import { RejectError } from '../logs/reject.js';
import { makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { assistantSpans, contentParts, environmentSpans, partsText } from './content-parts.js';
import { fieldPath, listAt, listOf, objectAt, objectOf, stringAt, wrongType } from './fields.js';
import { actionSpans, singleCommandMarks } from './inline-calls.js';
import { ownModel } from './model-names.js';
import { isSummary, REASONING_SUMMARY, sendsSummaries, summarySpan } from './reasoning-summary.js';
import { responseReply } from './responses-api.js';
import { scoredCalls } from './scored-calls.js';
import { asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import {
  answerTurn,
  type CallOutcome,
  requireModelTurns,
  type ShellCall,
  shellExecutions,
} from './shell-executions.js';
import { toolCallSpans } from './structured-calls.js';
import { joinResolved } from './swebench-outcome.js';

/** How a text variant writes its one command a turn; the first whose sign stands in the prompt is in force. */
const COMMAND_SYNTAXES = [
  {
    sign: '<mswea_bash_command>',
    name: 'bash',
    pattern: /<mswea_bash_command>(.*?)<\/mswea_bash_command>/gs,
    opening: /<mswea_bash_command>/,
  },
  {
    sign: '```mswea_bash_command',
    name: 'bash',
    pattern: /```mswea_bash_command\s*\n(.*?)\n```/gs,
    opening: /```mswea_bash_command/,
  },
  { sign: '', name: 'bash', pattern: /```bash\s*\n(.*?)\n```/gs, opening: /```bash/ },
] as const;

type CommandSyntax = (typeof COMMAND_SYNTAXES)[number];

const ONE_COMMAND_RULE = /exactly ONE bash code block|```mswea_bash_command|<mswea_bash_command>/i;

/** First line of the output of a command that submits, in old and new versions. */
const SUBMIT_COMMAND = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT/;

/** Exit statuses are exception class names; one that is not listed is a fault of the run. */
const TERMINATIONS: Readonly<Record<string, Termination>> = {
  Submitted: 'submitted',
  LimitsExceeded: 'step_limit',
  TimeExceeded: 'time_limit',
  ContextWindowExceeded: 'context_limit',
  ContextWindowExceededError: 'context_limit',
  UserInterruption: 'cut',
  KeyboardInterrupt: 'cut',
};

/** Messages that a person typed in interactive mode; every other user turn after the task is feedback. */
const HUMAN_INTERRUPTS: ReadonlySet<string> = new Set(['UserInterruption', 'UserRejection', 'UserNewTask']);
const HUMAN_COMMAND = /^User command:/;

/** What a message says beside its turn, kept until the executions are made. */
interface Entry {
  readonly turn: Turn;
  readonly extra: JsonObject;
  readonly model: string | null;
}

export const miniSweAgent: FormatAdapter = {
  name: 'mini-swe-agent',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'mini-swe-agent run (.traj.json), version 1.x and 2.x, and the bare message lists of early versions',
    recognised_by:
      'trajectory_format "mini-swe-agent-…", or a list of messages whose prompt demands exactly one bash code block',
    scores: 'none; `resolved` where a SWE-bench report of the instance is beside it',
    executions:
      'exit code and time of every command where the log has `extra`; experiments only if a pipeline names them',
    reasoning:
      'reasoning_content of tool-calling models, of OpenAI and Google a summary (reasoning_summary), never trained; think tags in text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the message of role exit: it repeats the submission or the exception; its status becomes the termination',
      'the copies of reasoning_content in provider_specific_fields and in the raw response',
      'the raw API response, its usage and cost; raw_output of commands (the message holds what the model saw)',
      'summaries of hidden reasoning in Responses API logs',
      'replies that the scaffold refused as malformed: they stand in extra.model_response of its complaint, never in the context',
      'the definition of the bash tool is not logged',
      'the patch (info.submission) and the run configuration',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const document = sniff.json;
  if (hasKeys(document, 'trajectory_format', 'messages')) {
    const format = asString(document['trajectory_format']) ?? '';
    return format.startsWith('mini-swe-agent')
      ? { confidence: 'certain', reason: `trajectory_format is ${format}` }
      : null;
  }
  if (!Array.isArray(document) || document.length === 0) return null;
  const messages = document.filter((item) => hasKeys(item, 'role', 'content'));
  if (messages.length !== document.length) return null;
  const rule = messages.slice(0, 2).some((message) => ONE_COMMAND_RULE.test(looseText(message['content'])));
  return rule ? { confidence: 'certain', reason: 'the prompt demands exactly one bash code block' } : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document: JsonObject = Array.isArray(input) ? { messages: input } : objectOf(input, 'document');
  const messages = listOf(document['messages'], 'messages').map((message, index) =>
    objectOf(message, `messages[${index}]`),
  );
  const info = objectAt(document, 'info', '') ?? {};
  const config = objectAt(info, 'config', 'info') ?? {};
  const modelConfig = objectAt(config, 'model', 'info.config') ?? {};
  const configured = stringAt(modelConfig, 'model_name', 'info.config.model');
  const entries = readEntries(messages, configured);
  const { turns, model } = ownModel(namedTurns(entries), configured);
  requireModelTurns(turns);

  const executions = shellExecutions(turns, context, (call) => outcome(entries, turns, call));
  const exit = exitStatus(info, messages);
  const termination = terminationOf(exit, turns, Array.isArray(input));
  const scored = scoredCalls(turns, executions, context);
  const flags = new Set([...scored.flags, ...termination.flags]);
  if (turns.some(({ spans }) => spans.some(isSummary))) flags.add(REASONING_SUMMARY);
  if (entries.some((entry) => entry.extra['interrupt_type'] === 'FormatError'))
    flags.add('refused_reply_not_in_context');
  const run: RawTrajectory = {
    session_id: null,
    parent_session: null,
    group: null,
    task_id: asId(document['instance_id']) ?? asId(info['instance_id']),
    task_claims: null,
    scaffold: 'mini-swe-agent',
    scaffold_version: stringAt(info, 'mini_version', 'info'),
    model,
    policy_version: null,
    tools: null,
    turns,
    executions,
    submissions: scored.submissions,
    epochs: [{ turns: turns.map((_, index) => index), reason: null }],
    termination: termination.value,
    turn_budget: positive(objectAt(config, 'agent', 'info.config')?.['step_limit']),
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: scored.submissions.some(({ scale }) => scale === 'test'),
    flags: [...flags],
  };
  return [joinResolved(run, context)];
}

function readEntries(messages: readonly JsonObject[], configured: string | null): Entry[] {
  const prompt = messages
    .slice(0, 2)
    .map((message) => looseText(message['content']))
    .join('\n');
  const syntax = COMMAND_SYNTAXES.find(({ sign }) => prompt.includes(sign)) ?? COMMAND_SYNTAXES[2];
  const entries: Entry[] = [];
  let started = false;
  messages.forEach((message, index) => {
    const path = `messages[${index}]`;
    const extra = objectAt(message, 'extra', path) ?? {};
    const role = stringAt(message, 'role', path) ?? roleOfResponse(message, path);
    if (role === 'exit') return;
    if (role === 'assistant') started = true;
    const named = role === 'assistant' ? responseModel(message, extra) : null;
    const turn =
      role === 'assistant'
        ? assistantTurn(message, extra, { path, syntax, model: named ?? configured })
        : inputTurn(message, extra, { path, role, started });
    entries.push({ turn, extra, model: named });
  });
  return entries;
}

/** Role of a message in the shape of the Responses API, which carries no `role` at its top. */
function roleOfResponse(message: JsonObject, path: string): string {
  if (message['object'] === 'response') return 'assistant';
  if (message['type'] === 'function_call_output') return 'tool';
  throw wrongType(fieldPath(path, 'role'), 'a role', message['role']);
}

function inputTurn(
  message: JsonObject,
  extra: JsonObject,
  place: { path: string; role: string; started: boolean },
): Turn {
  const { path, role, started } = place;
  const field = message['type'] === 'function_call_output' ? 'output' : 'content';
  const parts = contentParts(message[field], fieldPath(path, field));
  const timestamp = isoTime(extra['timestamp']);
  if (role === 'tool') {
    const tool_call_id = stringAt(message, 'tool_call_id', path) ?? stringAt(message, 'call_id', path);
    return makeTurn('tool', environmentSpans('observation', parts), { tool_call_id, timestamp });
  }
  if (role === 'system' || role === 'developer')
    return makeTurn('system', environmentSpans('prompt', parts), { timestamp });
  if (role !== 'user') throw new RejectError('bad_shape', `${path}.role: unknown role "${role}"`);
  const human =
    HUMAN_INTERRUPTS.has(asString(extra['interrupt_type']) ?? '') || HUMAN_COMMAND.test(partsText(parts));
  const kind = started && !human ? 'observation' : 'prompt';
  return makeTurn('user', environmentSpans(kind, parts), { timestamp });
}

function assistantTurn(
  message: JsonObject,
  extra: JsonObject,
  place: { path: string; syntax: CommandSyntax; model: string | null },
): Turn {
  const { path, syntax } = place;
  const timestamp = isoTime(extra['timestamp']);
  if (message['object'] === 'response') {
    const { spans, flags, truncated } = responseReply(message, path);
    return makeTurn('assistant', spans, { timestamp, truncated, flags });
  }
  const spans: Span[] = [];
  const reasoning = stringAt(message, 'reasoning_content', path);
  if (reasoning !== null && reasoning !== '') {
    spans.push((sendsSummaries(place.model) ? summarySpan : reasoningSpan)(reasoning));
  }
  const calls = listAt(message, 'tool_calls', path) ?? [];
  const content = contentParts(message['content'], fieldPath(path, 'content'));
  const marksOf = (text: string) => (calls.length > 0 ? [] : singleCommandMarks(text, syntax));
  spans.push(...assistantSpans(content, (text) => actionSpans(text, marksOf(text))));
  spans.push(...toolCallSpans(calls, fieldPath(path, 'tool_calls')));
  const flags = spans.some(isSummary) ? [REASONING_SUMMARY] : [];
  return makeTurn('assistant', spans, { timestamp, truncated: chatTruncation(extra), flags });
}

/** The turns of the run, whose spans name the model that the provider says it answered with. */
function namedTurns(entries: readonly Entry[]): Turn[] {
  return entries.map(({ turn, model }) => ({
    ...turn,
    spans: turn.spans.map((span) => ({ ...span, model })),
  }));
}

function outcome(entries: readonly Entry[], turns: readonly Turn[], call: ShellCall): CallOutcome | null {
  const feedback_turn = answerTurn(turns, call);
  const extra = feedback_turn === null ? undefined : entries[feedback_turn]?.extra;
  const exit_code = asNumber(extra?.['returncode']);
  if (extra === undefined || exit_code === null) return { feedback_turn };
  const exception = asString(extra['exception_info']) ?? '';
  const times = { feedback_turn, completed_at: isoTime(extra['timestamp']) };
  if (exception.includes('was not executed')) return null;
  if (exit_code === 0) return { ...times, exit_code, status: 'ok' };
  const timedOut = exit_code === -1 && /timed out|timeout/i.test(exception);
  return { ...times, exit_code, status: timedOut ? 'timeout' : 'error' };
}

function exitStatus(info: JsonObject, messages: readonly JsonObject[]): string | null {
  const stated = stringAt(info, 'exit_status', 'info');
  if (stated !== null && stated !== '') return stated;
  const last = messages.findLast((message) => message['role'] === 'exit');
  const extra = last === undefined ? null : last['extra'];
  return isObject(extra) ? asString(extra['exit_status']) : null;
}

/** Bare lists state no exit: a last command that submits ended the run, anything else is unknown. */
function terminationOf(
  exit: string | null,
  turns: readonly Turn[],
  bare: boolean,
): { value: Termination; flags: string[] } {
  if (exit !== null) return { value: TERMINATIONS[exit] ?? 'error', flags: [] };
  const last = turns.findLast((turn) => turn.role === 'assistant');
  const submits =
    last?.spans.some((span) => span.call !== null && SUBMIT_COMMAND.test(span.call.arguments)) ?? false;
  if (submits) return { value: 'submitted', flags: ['termination_inferred'] };
  return { value: bare ? 'unknown' : 'cut', flags: [] };
}

function chatTruncation(extra: JsonObject): Turn['truncated'] {
  const response = extra['response'];
  const choice = isObject(response) && Array.isArray(response['choices']) ? response['choices'][0] : null;
  return isObject(choice) && choice['finish_reason'] === 'length' ? 'length' : null;
}

function responseModel(message: JsonObject, extra: JsonObject): string | null {
  const response = extra['response'];
  return (isObject(response) ? asString(response['model']) : null) ?? asString(message['model']);
}

/** Text of content for sniffing: never throws. */
function looseText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) ? (asString(part['text']) ?? '') : '')).join('');
}

/** Unix seconds, as the scaffold stamps them, as ISO 8601 with milliseconds. */
function isoTime(seconds: unknown): string | null {
  const value = asNumber(seconds);
  if (value === null) return null;
  const time = new Date(value * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** A limit; 0 means none. */
function positive(value: unknown): number | null {
  const limit = asNumber(value);
  return limit !== null && Number.isInteger(limit) && limit > 0 ? limit : null;
}
