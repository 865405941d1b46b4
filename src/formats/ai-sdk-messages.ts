import { RejectError } from '../logs/reject.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { fieldPath, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { REASONING_SUMMARY, sendsSummaries } from './reasoning-summary.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

/** `data` was for the user interface alone, in version 4. */
const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool', 'data']);

/** Whether a list holds messages as they go to a model, which parts of calls and results tell. */
export function isModelMessages(value: unknown): boolean {
  const items = asArray(value);
  return (
    items.length > 0 &&
    items.every((item) => hasKeys(item, 'role', 'content') && ROLES.has(asString(item['role']) ?? '')) &&
    items.some((item) =>
      asArray((item as JsonObject)['content']).some(
        (part) =>
          hasKeys(part, 'toolCallId', 'toolName') &&
          (part['type'] === 'tool-call' || part['type'] === 'tool-result'),
      ),
    )
  );
}

/** Whether a list holds messages as a user interface keeps them: replies in parts, calls with their results. */
export function isUiMessages(value: unknown): boolean {
  const items = asArray(value);
  const known = (item: unknown): boolean =>
    isObject(item) &&
    ROLES.has(asString(item['role']) ?? '') &&
    (isPartList(item['parts']) || typeof item['content'] === 'string');
  const holds = (value: unknown): boolean => asArray(value).length > 0;
  return (
    items.length > 0 &&
    items.every(known) &&
    items.some(
      (item) =>
        isObject(item) &&
        item['role'] === 'assistant' &&
        (holds(item['parts']) || holds(item['toolInvocations'])),
    )
  );
}

/** A reply that was stopped before its first word has no parts. */
function isPartList(value: unknown): boolean {
  return Array.isArray(value) && value.every((part) => isObject(part) && isType(part['type']));
}

/** Types of parts are words joined by hyphens; block types of the APIs of models have none of these. */
function isType(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?:text|reasoning(?:-file)?|custom|file|step-start|dynamic-tool|source.*|tool-.+|data-.+)$/.test(value)
  );
}

/**
 * The messages in the shape of the Anthropic API: results are messages of their own behind the reply whose calls they
 * answer.
 *
 * @throws RejectError `bad_shape` for roles and parts that are not known, and for calls whose place is not recorded
 */
export function aiSdkMessages(
  list: readonly unknown[],
  model: string | null,
): {
  readonly messages: LoggedMessage[];
  readonly flags: string[];
} {
  const messages = list.flatMap((value, index) => {
    const path = `messages[${index}]`;
    return readMessage(objectOf(value, path), path, model);
  });
  const flags = messages.some(({ role }) => role === 'system') ? [] : ['system_prompt_absent'];
  return { messages, flags };
}

function readMessage(message: JsonObject, path: string, model: string | null): LoggedMessage[] {
  const role = requiredString(message, 'role', path);
  const timestamp = asString(message['createdAt']);
  const parts = partsOf(message, path);
  switch (role) {
    case 'data':
      return [];
    case 'system':
    case 'user': {
      const attached = asArray(message['experimental_attachments']).map(() => ({ type: 'image' }));
      const content = [...parts.flatMap(({ part }) => inputBlock(part)), ...attached];
      return [{ role, path, timestamp, content }];
    }
    case 'tool': {
      const results = parts.filter(({ part }) => part['type'] !== APPROVAL_ANSWER);
      if (results.length === 0) return [];
      const content = results.map((one) => resultBlock(one.part, one.path));
      return [{ role: 'user', path, timestamp, content }];
    }
    case 'assistant': {
      const facts = isObject(message['metadata']) ? message['metadata'] : {};
      const named = asString(facts['model']) ?? asString(facts['modelId']);
      const summarises = sendsSummaries(named ?? model) || parts.some(({ part }) => isOfSummariser(part));
      return stepsOf(parts, summarises).flatMap(({ blocks, results, cut }): LoggedMessage[] => [
        { role, path, timestamp, content: blocks, model: named, truncated: cut ? 'aborted' : null },
        ...(results.length > 0 ? [{ role: 'user' as const, path, timestamp, content: results }] : []),
      ]);
    }
    default:
      throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
}

interface Part {
  readonly part: JsonObject;
  readonly path: string;
}

function partsOf(message: JsonObject, path: string): Part[] {
  const key = Array.isArray(message['parts']) && message['parts'].length > 0 ? 'parts' : 'content';
  const value = message[key] ?? '';
  const called = asArray(message['toolInvocations']);
  if (key === 'content' && called.length > 0) {
    if (value !== '')
      throw wrongType(`${path}.toolInvocations`, 'parts that say where the calls stand', null);
    return called.map((call, index) => ({
      part: { type: 'tool-invocation', toolInvocation: call },
      path: `${path}.toolInvocations[${index}]`,
    }));
  }
  if (typeof value === 'string') return value === '' ? [] : [{ part: { type: 'text', text: value }, path }];
  if (!Array.isArray(value)) throw wrongType(`${path}.${key}`, 'a string or a list of parts', value);
  return value.map((part, index) => {
    const at = `${path}.${key}[${index}]`;
    return { part: objectOf(part, at), path: at };
  });
}

function inputBlock(part: JsonObject): JsonObject[] {
  if (part['type'] === 'text') return [part];
  return part['type'] === 'image' || part['type'] === 'file' ? [{ type: 'image' }] : [];
}

/** One reply of a model: what it wrote, and the answers to its calls. */
interface Step {
  readonly blocks: JsonObject[];
  readonly results: JsonObject[];
  /** whether something in it was never written to its end */
  cut: boolean;
  /** the number that version 4 gives the step of a call */
  number: number | null;
}

/** What a tool that asks for leave writes beside its call, and what people answer it; the model reads the result alone. */
const APPROVAL_QUESTION = 'tool-approval-request';
const APPROVAL_ANSWER = 'tool-approval-response';

function stepsOf(parts: readonly Part[], summarises: boolean): Step[] {
  const steps: Step[] = [];
  const provided = new Set(
    parts.flatMap(({ part }) => (part['providerExecuted'] === true ? (asId(part['toolCallId']) ?? []) : [])),
  );
  let step: Step | null = null;
  const open = (): Step => {
    if (step === null) {
      step = { blocks: [], results: [], cut: false, number: null };
      steps.push(step);
    }
    return step;
  };
  for (const { part, path } of parts) {
    const type = requiredString(part, 'type', path);
    if (type === 'step-start') {
      step = null;
    } else if (type === 'text' || type === 'reasoning' || type === 'redacted-reasoning') {
      // Words behind results are the next reply, where no mark parts them.
      if ((step as Step | null)?.results.length) step = null;
      const into = open();
      into.blocks.push(...wordBlocks(part, type, { path, summarises }));
      if (part['state'] === 'streaming') into.cut = true;
    } else if (type === 'tool-result') {
      answer(open(), part, { path, provided: provided.has(asId(part['toolCallId']) ?? '') });
    } else if (type === APPROVAL_QUESTION) {
      // The call before it says the same.
    } else if (type === 'tool-call' || type === 'dynamic-tool' || type.startsWith('tool-')) {
      const before = (step as Step | null)?.number ?? null;
      const number = stepNumber(part) ?? before;
      if (before !== null && number !== before) step = null;
      const into = open();
      into.number = number;
      addCall(part, path, into);
    } else if (type === 'file' || type === 'reasoning-file') {
      open().blocks.push({ type: 'image' });
    } else if (type === 'custom') {
      // Data that its provider alone can read.
      open().blocks.push({ type, kind: part['kind'] ?? null });
    } else if (!/^(?:source|data-)/.test(type)) {
      throw new RejectError('bad_shape', `${path}.type: unknown part "${type}"`);
    }
  }
  return steps.filter(({ blocks, results }) => blocks.length > 0 || results.length > 0);
}

function stepNumber({ toolInvocation: call }: JsonObject): number | null {
  return isObject(call) ? asNumber(call['step']) : null;
}

/** Providers that send summaries in the place of reasoning. */
const SUMMARISERS = ['openai', 'azure', 'google', 'vertex'] as const;

/** Google names itself beside a signature alone, which seldom stands in the reasoning but in what comes behind it. */
function isOfSummariser(part: JsonObject): boolean {
  const told = [part['providerOptions'], part['providerMetadata'], part['callProviderMetadata']];
  return told.filter(isObject).some((options) => SUMMARISERS.some((name) => Object.hasOwn(options, name)));
}

function wordBlocks(
  part: JsonObject,
  type: string,
  at: { readonly path: string; readonly summarises: boolean },
): JsonObject[] {
  if (type === 'redacted-reasoning') return [{ type: 'redacted_thinking' }];
  const text = stringAt(part, 'text', at.path) ?? stringAt(part, 'reasoning', at.path) ?? '';
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  return text !== '' && at.summarises
    ? [{ type: REASONING_SUMMARY, text }]
    : [{ type: 'thinking', thinking: text }];
}

/** States of a call that was still being written. */
const UNWRITTEN: ReadonlySet<unknown> = new Set(['partial-call', 'input-streaming']);

/** A call, and in messages of a user interface what answered it. */
function addCall(part: JsonObject, path: string, step: Step): void {
  const type = asString(part['type']) ?? '';
  const call = isObject(part['toolInvocation']) ? part['toolInvocation'] : part;
  const named = asString(call['toolName']) ?? (type.startsWith('tool-') ? type.slice('tool-'.length) : null);
  if (named === null || named === 'invocation')
    throw wrongType(`${path}.toolName`, 'a string', call['toolName']);
  const id = asId(call['toolCallId']);
  const state = call['state'];
  if (UNWRITTEN.has(state)) {
    step.cut = true;
    return;
  }
  const provided = part['providerExecuted'] === true;
  step.blocks.push({
    type: provided ? 'server_tool_use' : 'tool_use',
    id,
    name: named,
    input: call['input'] ?? call['rawInput'] ?? call['args'] ?? {},
  });
  const told = { toolCallId: id };
  if (state === 'output-error') {
    const output = { type: 'error-text', value: asString(call['errorText']) ?? '' };
    answer(step, { ...told, output }, { path, provided });
  } else if (state === 'output-denied') {
    const reason = isObject(call['approval']) ? call['approval']['reason'] : null;
    answer(step, { ...told, output: { type: 'execution-denied', reason } }, { path, provided });
  } else if (state === 'result' || state === 'output-available') {
    answer(step, call, { path, provided });
  }
}

/** What answers a call; where the provider ran the tool, it stands within the reply. */
function answer(
  step: Step,
  part: JsonObject,
  at: { readonly path: string; readonly provided: boolean },
): void {
  const block = resultBlock(part, at.path);
  if (at.provided) step.blocks.push({ ...block, type: 'provider_tool_result' });
  else step.results.push(block);
}

/** What the SDK tells the model where people gave no reason. */
const DENIED = 'Tool execution denied.';

function resultBlock(part: JsonObject, path: string): JsonObject {
  const id = asId(part['toolCallId']);
  if (id === null) throw wrongType(`${path}.toolCallId`, 'the id of a call', part['toolCallId']);
  const { output } = part as { output?: unknown };
  if (isObject(output) && output['type'] === 'execution-denied') {
    const content = asString(output['reason']) ?? DENIED;
    return { type: 'tool_result', tool_use_id: id, content, is_error: true };
  }
  // Version 4 keeps what the model was given beside what the tool gave.
  const given = asArray(part['experimental_content']);
  const typed = hasKeys(output, 'type', 'value')
    ? output
    : given.length > 0
      ? { type: 'content', value: given }
      : null;
  const is_error = part['isError'] === true || (asString(typed?.['type']) ?? '').startsWith('error-');
  const value = typed === null ? (output ?? part['result']) : typed['value'];
  const parts = typed?.['type'] === 'content' ? asArray(value).filter(isObject) : null;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content:
      parts?.map((one) => (one['type'] === 'text' ? one : { type: 'image' })) ??
      (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)),
    is_error,
  };
}
