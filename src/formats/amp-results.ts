import { asString, isObject, type JsonObject } from './shape.js';

/** What a tool answered, in blocks of the Anthropic API. */
export interface AmpAnswer {
  readonly content: readonly JsonObject[];
  readonly is_error: boolean;
}

/** Beside the files that guide the model, which go into the user's message. */
const UNSENT = new Set(['discoveredGuidanceFiles', 'trackFiles']);

/**
 * The answer to a call as its thread records it: texts as they are, data as JSON. Null for a run that did not end, of
 * which none is sent.
 */
export function ampAnswer(run: unknown): AmpAnswer | null {
  const ran = isObject(run) ? run : {};
  switch (asString(ran['status'])) {
    case 'done':
      return { content: valueBlocks(ran['result']), is_error: false };
    case 'error': {
      const fault = ran['error'];
      const message = isObject(fault) ? asString(fault['message']) : asString(fault);
      return { content: [words(message ?? asJson(ran))], is_error: true };
    }
    case 'rejected-by-user':
    case 'cancelled':
      return { content: [words(asJson(ran))], is_error: true };
    default:
      return null;
  }
}

function words(text: string): JsonObject {
  return { type: 'text', text };
}

function valueBlocks(value: unknown): JsonObject[] {
  if (typeof value === 'string') return [words(value)];
  if (isObject(value) && value['isImage'] === true && isObject(value['imageInfo']))
    return [{ type: 'image' }];
  if (Array.isArray(value)) {
    const parts = value.filter(isObject);
    if (parts.length === value.length && parts.every(({ type }) => type === 'text' || type === 'image'))
      return parts.map((part) => (part['type'] === 'text' ? part : { type: 'image' }));
  }
  return [words(asJson(value))];
}

function asJson(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value ?? null);
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([key]) => !UNSENT.has(key))));
}
