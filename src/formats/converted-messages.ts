import { RejectError } from '../logs/reject.js';
import { blocksOf } from './anthropic-blocks.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { harnessText, inputSpans } from './claude-inputs.js';
import { fieldPath, listAt, objectOf, requiredString } from './fields.js';
import { REASONING_SUMMARY } from './reasoning-summary.js';
import { asId, asString, isObject, type JsonObject } from './shape.js';

/** What Claude Code writes in the place of a reply, where no request got one. */
const HARNESS_REPLY =
  /^(?:Please run \/login · )?API Error\b|^Invalid API key · |^Credit balance is too low|^Claude (?:AI )?usage limit reached|^You've hit your (?:session |weekly )?limit|^No response requested\.$|^\(no content\)$/;

/** Context that Codex sends as a user and a converter may call a system message. */
const CODEX_CONTEXT = /^\s*<(?:environment_context|user_instructions)>/;

/**
 * A message of a converted session in the shape of the Anthropic API; `claude` says whose reasoning it holds.
 *
 * @throws RejectError `bad_shape` for roles and parts that are not known
 */
export function convertedMessage(
  message: JsonObject,
  path: string,
  at: { readonly claude: boolean },
): LoggedMessage {
  const beside = isObject(message['_metadata']) ? message['_metadata'] : {};
  const role = asString(beside['original_role']) ?? requiredString(message, 'role', path);
  const shared = { path, timestamp: asString(beside['timestamp']) };
  const parts = blocksOf(message['content'], fieldPath(path, 'content'));
  switch (role) {
    case 'assistant':
      return { ...shared, role, ...replyOf(message, parts, { path, claude: at.claude }) };
    case 'tool':
      return { ...shared, role: 'user', content: [resultBlock(message, parts, path)] };
    case 'system':
    case 'developer':
    case 'user':
      return inputOf(role, parts, shared);
    default:
      throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
}

function inputOf(
  role: 'system' | 'developer' | 'user',
  content: readonly JsonObject[],
  shared: { readonly path: string; readonly timestamp: string | null },
): LoggedMessage {
  const texts = content.flatMap((part) => asString(part['text']) ?? []);
  const context = texts.some((text) => CODEX_CONTEXT.test(text));
  if (role !== 'user' && !context) return { ...shared, role: 'system', content };
  const flags = texts.flatMap((text) => harnessText(text) ?? []);
  return {
    ...shared,
    role: 'user',
    content,
    flags: [...new Set(flags)],
    cut: (text) => inputSpans(text, { human: !context }),
  };
}

function replyOf(
  message: JsonObject,
  parts: readonly JsonObject[],
  at: { readonly path: string; readonly claude: boolean },
): Pick<LoggedMessage, 'content' | 'origin' | 'flags'> {
  const written = parts.map((part, index) => replyBlock(part, `${at.path}.content[${index}]`, at));
  const named = new Set(written.flatMap(({ id }) => asId(id) ?? []));
  const calls = (listAt(message, 'tool_calls', at.path) ?? [])
    .map((call, index) => callBlock(call, `${at.path}.tool_calls[${index}]`))
    .filter(({ id }) => !named.has(asId(id) ?? ''));
  const content = [...written, ...calls];
  const [only] = content;
  const words = content.length === 1 && only?.['type'] === 'text' ? asString(only['text']) : null;
  return words !== null && HARNESS_REPLY.test(words)
    ? { content, origin: 'environment', flags: ['harness_reply'] }
    : { content };
}

function replyBlock(part: JsonObject, path: string, at: { readonly claude: boolean }): JsonObject {
  const type = requiredString(part, 'type', path);
  if (type === 'text') return part;
  if (type === 'tool_call') {
    return {
      type: 'tool_use',
      id: part['tool_call_id'],
      name: requiredString(part, 'name', path),
      input: part['arguments'],
    };
  }
  if (type === 'reasoning') {
    const text = asString(part['text']) ?? '';
    return at.claude || text === ''
      ? { type: 'thinking', thinking: text }
      : { type: REASONING_SUMMARY, text };
  }
  if (type === 'image' || type === 'input_image') return { type: 'image' };
  throw new RejectError('bad_shape', `${path}.type: unknown part "${type}"`);
}

function callBlock(value: unknown, path: string): JsonObject {
  const call = objectOf(value, path);
  const target = objectOf(call['function'], `${path}.function`);
  const name = requiredString(target, 'name', `${path}.function`);
  return { type: 'tool_use', id: call['id'], name, input: target['arguments'] };
}

/** The parts of a result: text, or in later converters what the API holds in the place of it. */
function resultBlock(message: JsonObject, parts: readonly JsonObject[], path: string): JsonObject {
  const content = parts.flatMap((part, index) =>
    part['type'] === 'tool_output' ? blocksOf(part['text'], `${path}.content[${index}].text`) : [part],
  );
  return { type: 'tool_result', tool_use_id: message['tool_call_id'], content };
}
