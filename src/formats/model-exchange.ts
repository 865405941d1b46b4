import { parseJsonText } from '../logs/json.js';
import { asArray, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { traceMessages } from './trace-messages.js';

/**
 * A call of a chat API with its answer, as gateways log it: request and response side by side, bare or under `body`, or
 * LiteLLM's payload, which has the messages beside the response, also as the text that a provider sent.
 */
export function isExchange(value: unknown): boolean {
  return isObject(value) && !hasKeys(value, 'latency_sec') && pairOf(value) !== null;
}

/** What LiteLLM hands to a logger of a call that got no reply, or none that is known: its messages are of other calls. */
export function isUnanswered(value: unknown): boolean {
  return hasKeys(value, 'log_event_type', 'litellm_call_id', 'messages') && pairOf(value) === null;
}

/** The exchange as a log of LiteLLM; null for anything else. */
export function exchangeOf(value: unknown): JsonObject | null {
  if (!isObject(value) || !isExchange(value)) return null;
  const pair = pairOf(value);
  if (pair === null) return null;
  const { request, response } = pair;
  const system = request['system'] ?? null;
  const parameters = isObject(value['model_parameters']) ? value['model_parameters'] : {};
  return {
    ...value,
    messages: traceMessages([
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      ...asArray(request['messages']),
    ]).messages,
    response: { model: request['model'] ?? null, ...response },
    tools: request['tools'] ?? parameters['tools'] ?? [],
    kwargs: { metadata: value['metadata'] },
    timestamp: value['startTime'] ?? value['timestamp'] ?? null,
  };
}

function pairOf(value: JsonObject): { request: JsonObject; response: JsonObject } | null {
  const request = bodyOf(value['request']) ?? value;
  const response = bodyOf(value['response']) ?? printedBody(value);
  if (response === null || !Array.isArray(request['messages']) || !answers(response)) return null;
  return { request, response };
}

/** A reply of OpenAI's API, or of Anthropic's. */
function answers(response: JsonObject): boolean {
  if (asArray(response['choices']).some((choice) => hasKeys(choice, 'message'))) return true;
  return (
    response['type'] === 'message' &&
    Array.isArray(response['content']) &&
    asString(response['role']) !== null
  );
}

/** What LiteLLM hands to a logger (Terminal-Bench's debug.json): the response as the text that the provider sent. */
function printedBody(value: JsonObject): JsonObject | null {
  const text = asString(value['original_response']);
  if (text === null || !hasKeys(value, 'log_event_type')) return null;
  try {
    const { value: body } = parseJsonText(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

function bodyOf(value: unknown): JsonObject | null {
  if (!isObject(value)) return null;
  return isObject(value['body']) ? value['body'] : value;
}
