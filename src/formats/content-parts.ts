import { RejectError } from '../logs/reject.js';
import { contentSpan } from '../trajectory/build.js';
import type { Origin, Span, SpanKind } from '../trajectory/span.js';
import { objectOf, requiredString, stringAt, wrongType } from './fields.js';

/** What stands in the content for a picture, which this corpus does not carry. */
export const IMAGE_PLACEHOLDER = '[image]';

export interface ContentPart {
  readonly kind: 'text' | 'image';
  readonly text: string;
}

const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);
const IMAGE_PARTS: ReadonlySet<string> = new Set(['image', 'image_url', 'input_image']);

/**
 * Message content as parts: a string is one, null none, a list of strings and typed parts is taken in order.
 * Throws RejectError('bad_shape') for anything else, with the path of the field.
 */
export function contentParts(content: unknown, path: string): readonly ContentPart[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts', content);
  return content.map((part, index) => contentPart(part, `${path}[${index}]`));
}

/** The text of content parts joined, with placeholders for pictures. */
export function partsText(parts: readonly ContentPart[]): string {
  return parts.map((part) => part.text).join('');
}

/** Content that no model wrote; an empty message keeps one empty span, so that its kind is not lost. */
export function environmentSpans(kind: SpanKind, parts: readonly ContentPart[]): Span[] {
  if (parts.length === 0) return [contentSpan(kind, 'environment', '')];
  return parts.map((part) => contentSpan(part.kind === 'image' ? 'image' : kind, 'environment', part.text));
}

/** Assistant content: text goes through `cut`, pictures become placeholders that no model is trained on. */
export function assistantSpans(parts: readonly ContentPart[], cut: (text: string) => Span[]): Span[] {
  const spans: Span[] = [];
  for (const { kind, text } of parts) {
    if (kind === 'image') spans.push(contentSpan('image', 'environment', text));
    else spans.push(...cut(text));
  }
  return spans;
}

/** The same spans, written by the environment: copied context, demonstrations, harness text. */
export function asOrigin(spans: readonly Span[], origin: Origin): Span[] {
  return spans.map((span) => ({ ...span, origin }));
}

function contentPart(value: unknown, path: string): ContentPart {
  if (typeof value === 'string') return { kind: 'text', text: value };
  const part = objectOf(value, path);
  const type = stringAt(part, 'type', path) ?? 'text';
  if (IMAGE_PARTS.has(type)) return { kind: 'image', text: IMAGE_PLACEHOLDER };
  if (TEXT_PARTS.has(type)) return { kind: 'text', text: requiredString(part, 'text', path) };
  throw new RejectError('bad_shape', `${path}.type: expected a text or image part, found "${type}"`);
}
