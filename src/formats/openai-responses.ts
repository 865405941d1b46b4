import { RejectError } from '../logs/reject.js';
import { contentSpan } from '../trajectory/build.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { codexOutcome } from './codex-outcomes.js';
import { listOf, objectOf } from './fields.js';
import { mostUsedModel, withoutOwnModel } from './model-names.js';
import { rawTrajectory } from './raw-trajectory.js';
import { ItemTurns } from './response-items.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asBoolean, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns, shellExecutions } from './shell-executions.js';

/** Items that no other API has. */
const OWN_ITEMS: ReadonlySet<string> = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'computer_call',
  'local_shell_call',
  'mcp_call',
]);

/** Why a response stopped before its end. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  max_output_tokens: 'length',
  content_filter: 'aborted',
};

export const openaiResponses: FormatAdapter = {
  name: 'openai-responses',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      "Requests and responses of OpenAI's Responses API: JSON lines of rows, one row, or a bare list of items",
    recognised_by:
      'an output list with object "response" or input beside it; or a list with function_call or reasoning items',
    scores: 'none; `resolved` where the row has it',
    executions: 'calls and their outputs; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'where its text is logged; encrypted reasoning is absent (reasoning_hidden) or a summary (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'a response without its input has only what it holds itself (flag prompts_absent)',
      'usage, annotations, log-probabilities of output parts, results of tools that the provider runs',
      'fields of a row beside input, output, instructions, tools, model, status, ids and resolved',
      'pictures and files become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some(isRow))
    return { confidence: 'likely', reason: 'JSON lines of responses', unit: 'line' };
  if (isRow(sniff.json))
    return { confidence: 'likely', reason: 'a response with its output', unit: 'document' };
  if (holdsOwnItem(sniff.json))
    return { confidence: 'likely', reason: 'a list of response items', unit: 'document' };
  return null;
}

function isRow(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { output, input } = value as { output?: unknown; input?: unknown };
  if (Array.isArray(output) && output.every(isObject)) {
    if (value['object'] === 'response') return true;
    if (input !== undefined && output.some((item) => isItem(item) || holdsOutputText(item))) return true;
  }
  return holdsOwnItem(input);
}

function holdsOwnItem(items: unknown): boolean {
  const list = asArray(items);
  if (!list.every((item) => hasKeys(item, 'type') || hasKeys(item, 'role'))) return false;
  // Calls and results inside of messages are of another API, and would be lost here.
  if (list.some(holdsAnthropicCall)) return false;
  return list.some((item) => isItem(item) || holdsOutputText(item));
}

function holdsAnthropicCall(value: unknown): boolean {
  if (!isObject(value)) return false;
  return asArray(value['content']).some(
    (part) => isObject(part) && (part['type'] === 'tool_use' || part['type'] === 'tool_result'),
  );
}

function isItem(value: unknown): boolean {
  return isObject(value) && OWN_ITEMS.has(asString(value['type']) ?? '') && !Object.hasOwn(value, 'message');
}

function holdsOutputText(value: unknown): boolean {
  if (!isObject(value)) return false;
  return asArray(value['content']).some((part) => isObject(part) && part['type'] === 'output_text');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const row: JsonObject = Array.isArray(input) ? { input } : objectOf(input, 'row');
  const items = new ItemTurns(() => ({ kind: 'prompt', flag: null }));
  const instructions = asString(row['instructions']);
  if (instructions !== null && instructions !== '') {
    items.addTurn('system', [contentSpan('prompt', 'environment', instructions)], {
      timestamp: null,
      flags: [],
    });
  }
  const model = asString(row['model']);
  const asked = row['input'] ?? null;
  if (typeof asked === 'string') {
    items.addTurn('user', [contentSpan('prompt', 'environment', asked)], { timestamp: null, flags: [] });
  } else if (asked !== null) addItems(items, listOf(asked, 'input'), { path: 'input', model });
  addItems(items, listOf(row['output'] ?? [], 'output'), { path: 'output', model });
  const truncation = truncationOf(row);
  const stopped = truncation === null ? items.turns : truncateLast(items.turns, truncation);
  if (stopped.length === 0) throw new RejectError('no_turns', 'neither input nor output');
  requireModelTurns(stopped);
  const used = mostUsedModel(stopped) ?? model;
  const turns = withoutOwnModel(stopped, used);
  const executions = shellExecutions(turns, context, (call) =>
    codexOutcome(turns, call, { feedback_turn: items.answerTo(call), events: new Map() }),
  );
  const scored = scoredCalls(turns, executions, context);
  const tools = asArray(row['tools']);
  return [
    rawTrajectory(
      { turns, executions },
      {
        session_id: asId(row['session_id']) ?? asId(row['id']),
        task_id: asId(row['task_id']) ?? asId(row['instance_id']),
        model: used,
        tools: tools.length > 0 ? JSON.stringify(tools) : null,
        submissions: scored.submissions,
        resolved: asBoolean(row['resolved']),
        termination: endOf(turns, row),
        flags: [...scored.flags, ...(asked === null ? ['prompts_absent'] : [])],
      },
    ),
  ];
}

function addItems(
  items: ItemTurns,
  list: readonly unknown[],
  at: { path: string; model: string | null },
): void {
  list.forEach((value, index) => {
    const path = `${at.path}[${index}]`;
    const item = objectOf(value, path);
    items.add(item, {
      path,
      timestamp: null,
      model: asString(item['model']) ?? at.model,
      origin: 'model',
      flags: [],
    });
  });
}

function truncationOf(row: JsonObject): Truncation | null {
  const details = isObject(row['incomplete_details']) ? asString(row['incomplete_details']['reason']) : null;
  if (details !== null && Object.hasOwn(TRUNCATIONS, details)) return TRUNCATIONS[details] ?? null;
  if (row['status'] === 'failed') return 'error';
  return row['status'] === 'cancelled' || row['status'] === 'incomplete' ? 'aborted' : null;
}

function truncateLast(turns: readonly Turn[], truncated: Truncation): Turn[] {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  return turns.map((turn, index) => (index === last ? { ...turn, truncated } : turn));
}

function endOf(turns: readonly Turn[], row: JsonObject): Termination {
  const last = turns.at(-1);
  if (row['status'] === 'failed') return 'error';
  if (last?.role !== 'assistant') return 'unknown';
  if (last.truncated === 'length') return 'context_limit';
  if (last.truncated !== null) return 'error';
  return last.spans.some((span) => span.call !== null) || last.spans.length === 0 ? 'unknown' : 'submitted';
}
