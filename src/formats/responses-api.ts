import { contentSpan, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation } from '../trajectory/turn.js';
import { assistantSpans, contentParts } from './content-parts.js';
import { fieldPath, listAt, objectOf, requiredString, stringAt } from './fields.js';
import { isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** A reply of OpenAI's Responses API as spans and what its log hides. */
export interface ResponseReply {
  readonly spans: Span[];
  readonly flags: string[];
  readonly truncated: Truncation | null;
}

/** Reads `{object: "response", output: [...]}`: messages, calls, and reasoning where its text is logged. */
export function responseReply(reply: JsonObject, path: string): ResponseReply {
  const items = (listAt(reply, 'output', path) ?? []).map((value, index) =>
    objectOf(value, `${path}.output[${index}]`),
  );
  const spans = items.flatMap((item, index) => itemSpans(item, `${path}.output[${index}]`));
  const hidden = items.some((item) => item['type'] === 'reasoning' && (item['content'] ?? null) === null);
  const details = reply['incomplete_details'];
  const cut = isObject(details) && details['reason'] === 'max_output_tokens';
  return { spans, flags: hidden ? ['reasoning_hidden'] : [], truncated: cut ? 'length' : null };
}

function itemSpans(item: JsonObject, path: string): Span[] {
  if (item['type'] === 'function_call') {
    const id = stringAt(item, 'call_id', path) ?? stringAt(item, 'id', path);
    return [callSpan({ id, name: requiredString(item, 'name', path), arguments: item['arguments'] })];
  }
  if (item['type'] === 'reasoning') {
    const parts = listAt(item, 'content', path) ?? [];
    const texts = parts.map((part, index) =>
      stringAt(objectOf(part, `${path}.content[${index}]`), 'text', path),
    );
    return texts.flatMap((text) => (text === null || text === '' ? [] : [reasoningSpan(text)]));
  }
  const parts = contentParts(item['content'], fieldPath(path, 'content'));
  return assistantSpans(parts, (text) => [contentSpan('text', 'model', text)]);
}
