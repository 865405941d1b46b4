import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Role, Truncation, Turn } from '../trajectory/turn.js';
import { environmentSpans, IMAGE_PLACEHOLDER } from './content-parts.js';
import { fieldPath, listAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { asString, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Media that a placeholder stands for. */
const MEDIA: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document', 'data']);

export interface InspectPart {
  readonly kind: 'text' | 'reasoning' | 'summary' | 'image' | 'hidden';
  readonly text: string;
}

/** One message as a turn; `generated` says whether a model wrote it in this run. */
export function inspectTurn(
  message: JsonObject,
  at: { path: string; generated: boolean; truncated: Truncation | null },
): Turn {
  const { path } = at;
  const logged = requiredString(message, 'role', path);
  const role = Object.hasOwn(ROLES, logged) ? ROLES[logged] : undefined;
  if (role === undefined) throw wrongType(fieldPath(path, 'role'), `a known role (not "${logged}")`, logged);
  const parts = inspectParts(message['content'], fieldPath(path, 'content'));
  if (role === 'assistant') return replyTurn(message, parts, at);
  if (role !== 'tool') {
    const content = parts.map(({ kind, text }) => ({
      kind: kind === 'image' ? kind : ('text' as const),
      text,
    }));
    return makeTurn(role, environmentSpans('prompt', content));
  }
  const error = isObject(message['error']) ? asString(message['error']['message']) : null;
  // A failed call is shown to the model as its error alone.
  const text = error ?? parts.map((part) => part.text).join('');
  return makeTurn('tool', environmentSpans('observation', [{ kind: 'text', text }]), {
    name: stringAt(message, 'function', path),
    tool_call_id: stringAt(message, 'tool_call_id', path),
    flags: error === null ? [] : ['tool_error'],
  });
}

function replyTurn(
  message: JsonObject,
  parts: readonly InspectPart[],
  at: { path: string; generated: boolean; truncated: Truncation | null },
): Turn {
  const spans: Span[] = [];
  const old = asString(message['reasoning']);
  if (old !== null && old !== '') spans.push(reasoningSpan(old));
  for (const part of parts) {
    if (part.kind === 'reasoning') spans.push(reasoningSpan(part.text));
    else if (part.kind === 'summary') spans.push(summarySpan(part.text));
    else if (part.kind === 'image') spans.push(contentSpan('image', 'environment', part.text));
    else if (part.kind === 'text') spans.push(...actionSpans(part.text, []));
  }
  const calls = listAt(message, 'tool_calls', at.path) ?? [];
  calls.forEach((value, index) => {
    const callPath = `${at.path}.tool_calls[${index}]`;
    const call = objectOf(value, callPath);
    const span = callSpan({
      id: stringAt(call, 'id', callPath),
      name: requiredString(call, 'function', callPath),
      arguments: call['arguments'],
    });
    const broken = (asString(call['parse_error']) ?? '') !== '';
    spans.push(broken ? { ...span, kind: 'malformed_call' } : span);
  });
  const flags = [
    ...(parts.some((part) => part.kind === 'hidden') ? ['reasoning_hidden'] : []),
    ...(parts.some((part) => part.kind === 'summary') ? [REASONING_SUMMARY] : []),
    ...(at.generated ? [] : ['not_generated']),
  ];
  const written = at.generated ? spans : spans.map((span): Span => ({ ...span, origin: 'environment' }));
  return makeTurn('assistant', written, { truncated: at.generated ? at.truncated : null, flags });
}

/** Content as parts; reasoning that the provider encrypted is hidden, not empty. */
export function inspectParts(content: unknown, path: string): InspectPart[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts', content);
  return content.map((value, index): InspectPart => {
    const partPath = `${path}[${index}]`;
    const part = objectOf(value, partPath);
    const type = stringAt(part, 'type', partPath) ?? 'text';
    if (type === 'reasoning') {
      const text = stringAt(part, 'reasoning', partPath) ?? '';
      if (part['redacted'] !== true && text !== '') return { kind: 'reasoning', text };
      const summary = stringAt(part, 'summary', partPath) ?? '';
      return { kind: summary === '' ? 'hidden' : 'summary', text: summary };
    }
    if (MEDIA.has(type)) return { kind: 'image', text: IMAGE_PLACEHOLDER };
    if (type === 'text') return { kind: 'text', text: requiredString(part, 'text', partPath) };
    // Calls that the provider ran itself, and whatever a later version adds, are kept as they stand.
    return { kind: 'text', text: JSON.stringify(part) };
  });
}
