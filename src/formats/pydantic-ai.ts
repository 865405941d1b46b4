import { RejectError } from '../logs/reject.js';
import type { Truncation } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { fieldPath, listOf, objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { REASONING_SUMMARY, sendsSummaries } from './reasoning-summary.js';
import { asArray, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const pydanticAi: FormatAdapter = {
  name: 'pydantic-ai',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Message histories of Pydantic AI (all_messages_json), as a list or a message a line',
    recognised_by: 'messages of kind request and response whose parts have a part_kind',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'thinking parts; those of OpenAI and Google are summaries (reasoning_summary), never trained; absent where empty (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'tool definitions are not recorded',
      'arguments that are objects: the text that the model wrote is not recorded',
      'results that are no text stand as their JSON',
      'instructions that a later request was given anew are left out: those of the first stand',
      'usage and details of providers; pictures and files become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const reason = 'messages of Pydantic AI';
  if (isHistory(sniff.json)) return { confidence: 'certain', reason, unit: 'document' };
  // Not certain, so that lines which are lists are a history each.
  return sniff.lines.length > 1 && isHistory(sniff.lines)
    ? { confidence: 'likely', reason, unit: 'lines' }
    : null;
}

function isHistory(value: unknown): boolean {
  const items = asArray(value);
  return items.length > 0 && items.every(isMessage) && items.some((item) => kindOf(item) === 'response');
}

function isMessage(value: unknown): boolean {
  if (!hasKeys(value, 'kind', 'parts')) return false;
  const kind = kindOf(value);
  return (
    (kind === 'request' || kind === 'response') &&
    asArray(value['parts']).every((part) => hasKeys(part, 'part_kind'))
  );
}

function kindOf(value: unknown): unknown {
  return isObject(value) ? value['kind'] : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = listOf(input, 'messages').map((value, index) => objectOf(value, `[${index}]`));
  const messages = records.flatMap((record, index) => messagesOf(record, `[${index}]`));
  const instructions = records.map((one) => asString(one['instructions'])).find((one) => one !== null);
  const given: LoggedMessage[] =
    instructions === undefined ? [] : [{ role: 'system', content: instructions, path: 'instructions' }];
  // Behind the prompts that the history holds.
  const begun = messages.findIndex(({ role }) => role !== 'system');
  const prompts = begun < 0 ? messages.length : begun;
  const shown = [...messages.slice(0, prompts), ...given, ...messages.slice(prompts)];
  const run = messagesRun(
    { messages: shown, cutReply: (text, origin) => actionSpans(text, [], origin) },
    context,
    { flags: shown.some(({ role }) => role === 'system') ? [] : ['system_prompt_absent'] },
  );
  requireModelTurns(run.turns);
  return [run];
}

const TRUNCATIONS: ReadonlyMap<unknown, Truncation> = new Map([
  ['length', 'length'],
  ['content_filter', 'aborted'],
  ['error', 'aborted'],
]);

function messagesOf(record: JsonObject, path: string): LoggedMessage[] {
  const kind = requiredString(record, 'kind', path);
  const parts = listOf(record['parts'], fieldPath(path, 'parts')).map((value, index) => {
    const at = `${path}.parts[${index}]`;
    return { part: objectOf(value, at), path: at };
  });
  if (kind === 'response') {
    const model = asString(record['model_name']);
    const content = parts.flatMap((one) => replyBlock(one.part, one.path, model));
    const truncated = TRUNCATIONS.get(record['finish_reason']) ?? null;
    return [{ role: 'assistant', path, content, model, timestamp: asString(record['timestamp']), truncated }];
  }
  if (kind === 'request') return parts.map(({ part, path: at }) => inputMessage(part, at));
  throw new RejectError('bad_shape', `${fieldPath(path, 'kind')}: unknown kind "${kind}"`);
}

function inputMessage(part: JsonObject, path: string): LoggedMessage {
  const kind = requiredString(part, 'part_kind', path);
  const shared = { path, timestamp: asString(part['timestamp']) };
  if (kind === 'system-prompt')
    return { ...shared, role: 'system', content: requiredString(part, 'content', path) };
  if (kind === 'user-prompt') return { ...shared, role: 'user', content: promptBlocks(part['content']) };
  if (kind === 'tool-return')
    return { ...shared, role: 'user', content: [resultOf(part, returned(part['content']), false)] };
  if (kind !== 'retry-prompt') throw unknownPart(kind, path);
  const named = asString(part['tool_name']) !== null;
  const words = retryText(part['content'], named);
  if (named) return { ...shared, role: 'user', content: [resultOf(part, words, true)] };
  return { ...shared, role: 'user', content: words, flags: ['injected'] };
}

function resultOf(part: JsonObject, content: string | JsonObject[], is_error: boolean): JsonObject {
  const failed = is_error || part['outcome'] === 'failed' || part['outcome'] === 'denied';
  return { type: 'tool_result', tool_use_id: part['tool_call_id'], content, is_error: failed };
}

const FILES: ReadonlySet<unknown> = new Set([
  'image-url',
  'audio-url',
  'document-url',
  'video-url',
  'binary',
  'uploaded-file',
]);

function isFile(value: unknown): boolean {
  return isObject(value) && FILES.has(value['kind']);
}

/** What a tool returned, as models are shown it: data as text, and beside it the files that stood in it. */
function returned(content: unknown): JsonObject[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const data = items.filter((item) => !isFile(item));
  const isAlone = data.length === 1 && (!Array.isArray(content) || data.length < items.length);
  const text = data.length === 0 && items.length > 0 ? '' : valueText(isAlone ? data[0] : data);
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...items.filter(isFile).map(() => ({ type: 'image' })),
  ];
}

function promptBlocks(content: unknown): JsonObject[] {
  const items = typeof content === 'string' ? [content] : asArray(content);
  return items.flatMap((item): JsonObject[] => {
    const text = typeof item === 'string' ? item : isObject(item) ? asString(item['content']) : null;
    if (text !== null) return text === '' ? [] : [{ type: 'text', text }];
    return isObject(item) && item['kind'] === 'cache-point' ? [] : [{ type: 'image' }];
  });
}

/** What Pydantic AI asks for a retry with: words, or the faults of a validation without their context. */
function retryText(content: unknown, named: boolean): string {
  const faults = asArray(content).map((fault) =>
    isObject(fault) ? Object.fromEntries(Object.entries(fault).filter(([key]) => key !== 'ctx')) : fault,
  );
  const count = `${faults.length} validation error${faults.length === 1 ? '' : 's'}`;
  const words = typeof content === 'string' ? `${named ? '' : 'Validation feedback:\n'}${content}` : null;
  return `${words ?? `${count}:\n\`\`\`json\n${JSON.stringify(faults, null, 2)}\n\`\`\``}\n\nFix the errors and try again.`;
}

function valueText(content: unknown): string {
  return typeof content === 'string' ? content : (content ?? null) === null ? '' : JSON.stringify(content);
}

/** Providers that send summaries in the place of reasoning, where no model is named. */
const SUMMARISER = /^(?:openai|azure|google|vertex)/i;

/** Whether thinking is a provider's words about it; those of OpenAI's Responses have ids of their own. */
function isSummaryOf(part: JsonObject, model: string | null): boolean {
  if ((asString(part['id']) ?? '').startsWith('rs_')) return true;
  return model === null ? SUMMARISER.test(asString(part['provider_name']) ?? '') : sendsSummaries(model);
}

function replyBlock(part: JsonObject, path: string, model: string | null): JsonObject[] {
  const kind = requiredString(part, 'part_kind', path);
  if (kind === 'text') {
    const text = asString(part['content']) ?? '';
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (kind === 'thinking') {
    const text = asString(part['content']) ?? '';
    return text !== '' && isSummaryOf(part, model)
      ? [{ type: REASONING_SUMMARY, text }]
      : [{ type: 'thinking', thinking: text }];
  }
  if (kind === 'tool-call' || kind === 'builtin-tool-call') {
    const name = requiredString(part, 'tool_name', path);
    const type = kind === 'tool-call' ? 'tool_use' : 'server_tool_use';
    // Calls without arguments are shown to models as calls with none.
    const input = part['args'] === '' ? {} : (part['args'] ?? {});
    return [{ type, id: part['tool_call_id'], name, input }];
  }
  if (kind === 'builtin-tool-return') {
    return [{ type: 'builtin_tool_result', tool_use_id: part['tool_call_id'], content: part['content'] }];
  }
  if (kind === 'file') return [{ type: 'image' }];
  throw unknownPart(kind, path);
}

function unknownPart(kind: string, path: string): RejectError {
  return new RejectError('bad_shape', `${fieldPath(path, 'part_kind')}: unknown part "${kind}"`);
}
