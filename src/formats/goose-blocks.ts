import { RejectError } from '../logs/reject.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { fieldPath, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { isHarnessText, joinedPieces } from './goose-replies.js';
import { REASONING_SUMMARY } from './reasoning-summary.js';
import { asArray, asBoolean, asId, asString, isObject, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';

const CALLS: ReadonlySet<string> = new Set(['toolRequest', 'frontendToolRequest']);
const RESULT = 'toolResponse';

/** Blocks that Goose shows to people and sends to no model. */
const SHOWN_ONLY: ReadonlySet<string> = new Set([
  'toolConfirmationRequest',
  'actionRequired',
  'systemNotification',
  'conversationCompacted',
  'contextLengthExceeded',
  'summarizationRequested',
  'error',
]);

export function holdsCallBlock(message: unknown): boolean {
  return (
    isObject(message) &&
    asArray(message['content']).some(
      (block) => isObject(block) && (CALLS.has(asString(block['type']) ?? '') || block['type'] === RESULT),
    )
  );
}

/** Whether the message stands in the context of the model; older versions know no difference. */
export function isSeen(message: JsonObject): boolean {
  return visibility(message, 'agentVisible');
}

/**
 * Whether Goose wrote the message past the people: summaries, and notes on the turn. A later compaction takes it from
 * the model too.
 */
export function isHidden(message: JsonObject): boolean {
  return !visibility(message, 'userVisible');
}

function visibility(message: JsonObject, key: string): boolean {
  return !(isObject(message['metadata']) && message['metadata'][key] === false);
}

/**
 * A message of Goose in the shape of the Anthropic API; `summary` marks one that took the place of a context,
 * `summarises` a provider that sends summaries in the place of reasoning.
 *
 * @throws RejectError `bad_shape` for a role or a call of another shape
 */
export function gooseMessage(
  message: JsonObject,
  path: string,
  at: { readonly summary: boolean; readonly summarises: boolean },
): LoggedMessage {
  const role = requiredString(message, 'role', path).toLowerCase();
  if (role !== 'user' && role !== 'assistant') {
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
  const blocks = contentOf(message, path);
  const shared = { path, id: asId(message['id']), timestamp: isoSeconds(message['created']) };
  if (role === 'user' || blocks.some(({ type }) => type === 'tool_result')) {
    const flags = at.summary ? ['compact_summary'] : isHidden(message) ? ['injected'] : [];
    return { ...shared, role: 'user', content: blocks, flags };
  }
  const lost = asArray(message['content']).some((block) => isLostCall(block) || isRewritten(block));
  const harness = isHidden(message) || isHarnessText(blocks);
  return {
    ...shared,
    role,
    content: (lost ? blocks : joinedPieces(blocks)).map((block) =>
      at.summarises ? asSummary(block) : block,
    ),
    origin: lost || harness ? 'environment' : 'model',
    flags: [...(lost ? ['reply_not_recorded'] : []), ...(harness ? ['harness_reply'] : [])],
  };
}

function contentOf(message: JsonObject, path: string): JsonObject[] {
  const { content } = message as { content?: unknown };
  if (!Array.isArray(content)) throw wrongType(`${path}.content`, 'a list of blocks', content);
  return content.flatMap((value, index) =>
    readBlock(objectOf(value, `${path}.content[${index}]`), `${path}.content[${index}]`),
  );
}

function readBlock(block: JsonObject, path: string): JsonObject[] {
  const type = stringAt(block, 'type', path) ?? 'text';
  if (SHOWN_ONLY.has(type) || isLostCall(block) || isForPeople(block)) return [];
  if (CALLS.has(type)) {
    const call = outcomeOf(block, 'toolCall', path);
    const target = objectOf(call['value'], `${path}.toolCall.value`);
    const name = requiredString(target, 'name', `${path}.toolCall.value`);
    return [{ type: 'tool_use', id: block['id'], name, input: target['arguments'] ?? {} }];
  }
  if (type === RESULT) return [{ type: 'tool_result', tool_use_id: block['id'], ...resultOf(block, path) }];
  if (isRewritten(block)) return [{ type: 'text', text: requiredString(block, 'spec', path) }];
  if (type === 'redactedThinking') return [{ type: 'redacted_thinking' }];
  if (type === 'reasoning') return [{ type: 'thinking', thinking: stringAt(block, 'text', path) ?? '' }];
  return [block];
}

function asSummary(block: JsonObject): JsonObject {
  const text = block['type'] === 'thinking' ? (asString(block['thinking']) ?? '') : '';
  return text === '' ? block : { type: REASONING_SUMMARY, text };
}

/** A call that Goose could not parse: it keeps the fault alone. */
function isLostCall(block: unknown): boolean {
  if (!isObject(block) || !CALLS.has(asString(block['type']) ?? '')) return false;
  return isObject(block['toolCall']) && block['toolCall']['status'] === 'error';
}

/** What Goose cut out of a reply to draw it, without its fence and with the text around it trimmed. */
function isRewritten(block: unknown): boolean {
  return isObject(block) && block['type'] === 'jsonRenderSpec';
}

/** A part with an audience that does not name the model. */
function isForPeople(part: unknown): boolean {
  const annotations = isObject(part) ? part['annotations'] : null;
  const audience = isObject(annotations) ? asArray(annotations['audience']) : [];
  return audience.length > 0 && !audience.includes('assistant');
}

function outcomeOf(block: JsonObject, key: string, path: string): JsonObject {
  const outcome = objectOf(block[key], `${path}.${key}`);
  const status = asString(outcome['status']);
  if (status !== 'success' && status !== 'error') {
    throw wrongType(`${path}.${key}.status`, 'success or error', outcome['status']);
  }
  return outcome;
}

/** The parts that the model is given; the value is a list, or in later versions an object with one. */
function resultOf(block: JsonObject, path: string): { content: unknown; is_error: boolean | null } {
  const outcome = outcomeOf(block, 'toolResult', path);
  if (outcome['status'] === 'error') return { content: asString(outcome['error']) ?? '', is_error: true };
  const { value } = outcome as { value?: unknown };
  const whole = isObject(value) ? value : { content: value };
  const parts = asArray(whole['content'])
    .filter((part) => !isForPeople(part))
    .map(resourceText);
  return { content: parts, is_error: asBoolean(whole['isError']) ?? false };
}

/** A file that a tool hands over as a resource: the model is given its text. */
function resourceText(part: unknown): unknown {
  const resource = isObject(part) && part['type'] === 'resource' ? part['resource'] : null;
  const text = isObject(resource) ? asString(resource['text']) : null;
  return text === null ? part : { type: 'text', text };
}
