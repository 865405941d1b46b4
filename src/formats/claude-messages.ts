import type { Span } from '../trajectory/span.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { harnessText, inputSpans } from './claude-inputs.js';
import type { SessionRecord } from './claude-records.js';
import { fieldPath, objectOf, requiredString } from './fields.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/** Models that stand in replies which the harness made itself (API errors, empty replies). */
const SYNTHETIC_MODEL = '<synthetic>';

/** What the harness writes where a reply had no content. */
const NO_CONTENT = '(no content)';

/** Hooks whose output the model is shown. */
const SHOWN_HOOKS: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit']);

/** Attachments that the model is never shown (notes of hooks to the human), or only as a list of names. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'hook_cancelled',
  'hook_system_message',
  'hook_non_blocking_error',
  'deferred_tools_delta',
]);

/**
 * A record as a message of the conversation; null for what is none, or what an attachment holds no text of. `origin` is
 * `environment` for history that was copied from another session.
 */
export function recordMessage(
  record: SessionRecord,
  options: { readonly copied: boolean },
): LoggedMessage | null {
  const { fields, path } = record;
  const timestamp = asString(fields['timestamp']);
  if (record.type === 'assistant') return replyMessage(record, options);
  if (record.type === 'tool_use') {
    const block = {
      type: 'tool_use',
      id: fields['id'] ?? null,
      name: fields['name'],
      input: fields['input'],
    };
    return { role: 'assistant', content: [block], path, timestamp, ...copiedParts(options) };
  }
  if (record.type === 'tool_result') {
    const block = { type: 'tool_result', tool_use_id: fields['tool_use_id'], content: fields['output'] };
    return { role: 'user', content: [block], path, timestamp };
  }
  if (record.type === 'attachment') return attachmentMessage(record);
  if (record.type === 'system' && record.subtype === 'local_command') {
    return inputMessage(fields['content'], { path, timestamp, human: false, flags: ['command'] });
  }
  if (record.type !== 'user' && record.type !== 'summary') return null;
  const content = objectOf(fields['message'], fieldPath(path, 'message'))['content'];
  const summary = record.type === 'summary' || fields['isCompactSummary'] === true;
  const flags = summary ? ['compact_summary'] : fields['isMeta'] === true ? ['meta'] : [];
  const origin = isObject(fields['origin']) ? asString(fields['origin']['kind']) : null;
  const notified = origin !== null && origin !== 'human';
  if (notified) flags.push('notification');
  return {
    ...inputMessage(content, {
      path: fieldPath(path, 'message'),
      timestamp,
      human: flags.length === 0,
      flags,
    }),
    beside: fields['toolUseResult'],
  };
}

/** A message of the user side: what harness texts it holds is named in its flags. */
export function inputMessage(
  content: unknown,
  at: { path: string; timestamp: string | null; human: boolean; flags: readonly string[] },
): LoggedMessage {
  const texts =
    typeof content === 'string'
      ? [content]
      : asArray(content).flatMap((block) => {
          const text = isObject(block) && block['type'] === 'text' ? asString(block['text']) : null;
          return text === null ? [] : [text];
        });
  const found = texts.flatMap((text) => harnessText(text) ?? []);
  return {
    role: 'user',
    content,
    path: at.path,
    timestamp: at.timestamp,
    flags: [...new Set([...at.flags, ...found])],
    cut: (text): Span[] => inputSpans(text, { human: at.human }),
  };
}

/** What an assistant message says of itself: harness replies are no model's. */
export function replyOrigin(message: JsonObject, path: string): Partial<LoggedMessage> {
  const model = asString(message['model']);
  const content = message['content'];
  const [only, ...others] = asArray(content);
  const text = typeof content === 'string' ? content : isObject(only) ? asString(only['text']) : null;
  const empty = others.length === 0 && text?.trim() === NO_CONTENT;
  const rest = {
    content,
    path,
    id: asString(message['id']),
    stop: message['stop_reason'],
  };
  if (model === SYNTHETIC_MODEL) return { ...rest, origin: 'environment', flags: ['synthetic'] };
  if (empty) return { ...rest, model, origin: 'environment', flags: ['synthetic'] };
  return { ...rest, model };
}

function replyMessage(record: SessionRecord, options: { copied: boolean }): LoggedMessage {
  const { fields } = record;
  const path = fieldPath(record.path, 'message');
  const message = objectOf(fields['message'], path);
  const reply = replyOrigin(message, path);
  const failed = fields['isApiErrorMessage'] === true;
  const copied = copiedParts(options);
  return {
    role: 'assistant',
    content: message['content'],
    path,
    timestamp: asString(fields['timestamp']),
    ...reply,
    ...(failed ? { origin: 'environment' as const } : {}),
    ...(copied.origin === undefined ? {} : { origin: copied.origin }),
    flags: [...(reply.flags ?? []), ...(failed ? ['api_error'] : []), ...(copied.flags ?? [])],
  };
}

function copiedParts(options: { copied: boolean }): Pick<LoggedMessage, 'origin' | 'flags'> {
  return options.copied ? { origin: 'environment', flags: ['copied_context'] } : {};
}

/** What the harness told the model beside the messages, where the log holds its words. */
function attachmentMessage(record: SessionRecord): LoggedMessage | null {
  const path = fieldPath(record.path, 'attachment');
  const attachment = objectOf(record.fields['attachment'], path);
  const type = requiredString(attachment, 'type', path);
  const timestamp = asString(record.fields['timestamp']);
  if (type === 'queued_command') {
    const human = (asString(attachment['commandMode']) ?? 'prompt') === 'prompt';
    return inputMessage(attachment['prompt'], { path, timestamp, human, flags: [`attachment:${type}`] });
  }
  const text = attachmentText(type, attachment);
  if (text === null) return null;
  return inputMessage(text, { path, timestamp, human: false, flags: [`attachment:${type}`] });
}

function attachmentText(type: string, attachment: JsonObject): string | null {
  const { content, snippet } = attachment as { content?: unknown; snippet?: unknown };
  if (UNSHOWN.has(type)) return null;
  if (type === 'hook_success' && !SHOWN_HOOKS.has(asString(attachment['hookEvent']) ?? '')) return null;
  const texts = Array.isArray(content) && content.every((part) => typeof part === 'string') ? content : [];
  const file = isObject(content) && isObject(content['file']) ? content['file'] : content;
  const nested = isObject(file) ? asString(file['content']) : null;
  const text =
    asString(content) ?? (texts.length > 0 ? texts.join('\n') : null) ?? nested ?? asString(snippet);
  return text === null || text === '' ? null : text;
}

/** Whether an attachment holds something for the model whose words the log does not. */
export function isLostAttachment(record: SessionRecord): boolean {
  const attachment = record.fields['attachment'];
  if (record.type !== 'attachment' || !isObject(attachment)) return false;
  const type = asString(attachment['type']) ?? '';
  return type !== 'hook_success' && !UNSHOWN.has(type) && attachmentMessage(record) === null;
}
