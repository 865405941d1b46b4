import { contentSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation } from '../trajectory/turn.js';
import { assistantSpans, contentParts } from './content-parts.js';
import { fieldPath, listAt, objectOf, requiredString, stringAt } from './fields.js';
import { reasoningFlags } from './reasoning-summary.js';
import { reasoningItemSpans } from './response-reasoning.js';
import { isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** A reply of OpenAI's Responses API as spans and what its log hides. */
export interface ResponseReply {
  readonly spans: Span[];
  readonly flags: string[];
  readonly truncated: Truncation | null;
}

/** Reads `{object: "response", output: [...]}`: messages, calls, and reasoning: its text where that is logged, else its summary. */
export function responseReply(reply: JsonObject, path: string): ResponseReply {
  const items = (listAt(reply, 'output', path) ?? []).map((value, index) =>
    objectOf(value, `${path}.output[${index}]`),
  );
  const spans = items.flatMap((item, index) => itemSpans(item, `${path}.output[${index}]`));
  const flags = items.flatMap((item, index) =>
    item['type'] === 'reasoning' ? reasoningFlags(reasoningItemSpans(item, `${path}.output[${index}]`)) : [],
  );
  const details = reply['incomplete_details'];
  const cut = isObject(details) && details['reason'] === 'max_output_tokens';
  return { spans, flags: [...new Set(flags)], truncated: cut ? 'length' : null };
}

function itemSpans(item: JsonObject, path: string): Span[] {
  if (item['type'] === 'function_call') {
    const id = stringAt(item, 'call_id', path) ?? stringAt(item, 'id', path);
    return [callSpan({ id, name: requiredString(item, 'name', path), arguments: item['arguments'] })];
  }
  if (item['type'] === 'reasoning') return reasoningItemSpans(item, path);
  const parts = contentParts(item['content'], fieldPath(path, 'content'));
  return assistantSpans(parts, (text) => [contentSpan('text', 'model', text)]);
}
