import { spelledJson } from '../logs/json-spelling.js';
import { structuredCallSpan } from '../trajectory/build.js';
import { isJsonText } from '../trajectory/json-text.js';
import type { Span } from '../trajectory/span.js';
import { objectOf, requiredString, stringAt } from './fields.js';
import { isObject } from './shape.js';

/**
 * The calls of an OpenAI `tool_calls` list: `{id, function: {name, arguments}}`, or `{id?, name, arguments}` as some
 * harnesses flatten it.
 */
export function toolCallSpans(list: readonly unknown[], path: string): Span[] {
  return list.map((value, index) => {
    const callPath = `${path}[${index}]`;
    const call = objectOf(value, callPath);
    const nested = isObject(call['function']);
    const target = nested ? objectOf(call['function'], `${callPath}.function`) : call;
    const targetPath = nested ? `${callPath}.function` : callPath;
    return callSpan({
      id: stringAt(call, 'id', callPath),
      name: requiredString(target, 'name', targetPath),
      arguments: target['arguments'],
    });
  });
}

/**
 * A structured call; one whose arguments are text but not JSON, the empty text included, is malformed and kept verbatim
 * all the same.
 */
export function callSpan(call: { id: string | null; name: string; arguments: unknown }): Span {
  const span = structuredCallSpan(call, spelledJson);
  return isJsonText(span.text) ? span : { ...span, kind: 'malformed_call' };
}
