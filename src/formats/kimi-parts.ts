import { RejectError } from '../logs/reject.js';
import { contentSpan, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import { type ContentPart, contentParts, IMAGE_PLACEHOLDER } from './content-parts.js';
import { objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import type { JsonObject } from './shape.js';

const MEDIA: ReadonlySet<string> = new Set(['image_url', 'audio_url', 'video_url', 'image']);

/** A part of a reply: thinking, text, or media as a placeholder. */
export function replyPart(part: JsonObject, path: string): Span[] {
  const type = requiredString(part, 'type', path);
  if (type === 'text') return actionSpans(requiredString(part, 'text', path), []);
  if (type === 'think') {
    const think = requiredString(part, 'think', path);
    return think === '' ? [] : [reasoningSpan(think)];
  }
  if (MEDIA.has(type)) return [contentSpan('image', 'environment', IMAGE_PLACEHOLDER)];
  throw new RejectError('bad_shape', `${path}.type: unknown part "${type}"`);
}

/** Content of users and tools: a string, or parts of text and media. */
export function givenParts(content: unknown, path: string): readonly ContentPart[] {
  if (!Array.isArray(content)) return contentParts(content, path);
  return content.flatMap((value, index): ContentPart[] => {
    const partPath = `${path}[${index}]`;
    if (typeof value === 'string') return [{ kind: 'text', text: value }];
    const part = objectOf(value, partPath);
    const type = requiredString(part, 'type', partPath);
    if (MEDIA.has(type)) return [{ kind: 'image', text: IMAGE_PLACEHOLDER }];
    return [{ kind: 'text', text: requiredString(part, type === 'think' ? 'think' : 'text', partPath) }];
  });
}
