import { spelledJson } from '../logs/json-spelling.js';
import { structuredCallSpan } from '../trajectory/build.js';
import { isJsonText } from '../trajectory/json-text.js';
import type { Span } from '../trajectory/span.js';
import { objectOf, requiredString, stringAt } from './fields.js';
import { isObject } from './shape.js';

/**
 * The calls of an OpenAI `tool_calls` list: `{id, function: {name, arguments}}`, or `{id?, name, arguments}` as some
 * harnesses flatten it; calls of type `custom`, nested or flat, hold free text.
 */
export function toolCallSpans(list: readonly unknown[], path: string): Span[] {
  return list.map((value, index) => {
    const callPath = `${path}[${index}]`;
    const call = objectOf(value, callPath);
    const custom = call['type'] === 'custom';
    const key = custom ? 'custom' : 'function';
    const nested = isObject(call[key]);
    const target = nested ? objectOf(call[key], `${callPath}.${key}`) : call;
    const targetPath = nested ? `${callPath}.${key}` : callPath;
    const id = stringAt(call, 'id', callPath);
    const name = requiredString(target, 'name', targetPath);
    if (!custom) return callSpan({ id, name, arguments: target['arguments'] });
    // Free text by design: not JSON, and no fault for it.
    const input = Object.hasOwn(target, 'input') ? 'input' : 'arguments';
    return structuredCallSpan({ id, name, arguments: requiredString(target, input, targetPath) });
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
