import { RejectError } from '../logs/reject.js';
import { isJsonArray, type JsonValue, readJson } from './python-json.js';

/** Tool definitions as a list; null and an empty list are no tools. Throws RejectError('template_error'). */
export function readTools(tools: string | null): readonly JsonValue[] {
  if (tools === null) return [];
  let value: JsonValue;
  try {
    value = readJson(tools);
  } catch (error) {
    throw new RejectError('template_error', `tool definitions are not JSON: ${(error as Error).message}`);
  }
  if (value === null) return [];
  if (!isJsonArray(value)) throw new RejectError('template_error', 'tool definitions are not a list');
  return value;
}
