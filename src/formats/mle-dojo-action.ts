import type { CallMark } from './inline-calls.js';
import { memberText } from './json-slice.js';
import { pythonLiteral } from './python-literal.js';
import { asString, isObject, type JsonObject } from './shape.js';

/** The three actions of the environment and the parameter that each takes. */
const PARAMETERS: Readonly<Record<string, string>> = {
  request_info: 'info_type',
  validate_code: 'code',
  execute_code: 'code',
};

/** How the scaffold for the OpenAI Agents SDK writes down the structured answer of the model. */
const PRINTED = /^action: ([^\n]*?), params: (\{[\s\S]*\})$/;

const FENCE_OPEN = '```json';
const FENCE_CLOSE = '```';

/** The action that an assistant text holds, and where it stands. */
export interface WrittenAction {
  readonly mark: CallMark;
  readonly name: string | null;
  readonly code: string | null;
  /** the scaffold wrote it out of the fields of the answer: not the words of the model */
  readonly printed: boolean;
}

/**
 * Finds the action as the scaffold does: in the first ```json fence up to the next ```, else in the whole reply. What
 * it would refuse (no JSON, another action, other parameters) is a malformed call. Null where the reply does not
 * try to act.
 */
export function writtenAction(content: string): WrittenAction | null {
  const printed = content.endsWith('}') ? PRINTED.exec(content) : null;
  if (printed !== null) return printedAction(content, { name: printed[1], params: printed[2] ?? '' });
  const open = content.indexOf(FENCE_OPEN);
  if (open === -1) {
    const start = content.length - content.trimStart().length;
    if (content[start] !== '{') return null;
    return actionIn(content, { start, end: content.trimEnd().length, json: content.trim() });
  }
  const bodyStart = open + FENCE_OPEN.length;
  const close = content.indexOf(FENCE_CLOSE, bodyStart);
  if (close === -1) return malformed(open, content.length);
  const json = content.slice(bodyStart, close).trim();
  return actionIn(content, { start: open, end: close + FENCE_CLOSE.length, json });
}

function printedAction(content: string, fields: { name: string | undefined; params: string }): WrittenAction {
  const params = pythonLiteral(fields.params);
  const action = validAction({ action: fields.name, params });
  if (action === null) return { ...malformed(0, content.length), printed: true };
  const call = { name: action.name, arguments: JSON.stringify(params) };
  return { mark: { start: 0, end: content.length, call }, ...action, printed: true };
}

function actionIn(content: string, at: { start: number; end: number; json: string }): WrittenAction {
  let parsed: unknown;
  try {
    parsed = JSON.parse(at.json);
  } catch {
    // The fence may have ended early, at three backticks inside the program: all that follows is one attempt.
    const last = content.lastIndexOf(FENCE_CLOSE);
    return malformed(at.start, last >= at.end ? last + FENCE_CLOSE.length : at.end);
  }
  const action = validAction(parsed);
  if (action === null) return malformed(at.start, at.end);
  const call = { name: action.name, arguments: memberText(at.json, 'params') ?? '' };
  return {
    mark: { start: at.start, end: at.end, call },
    name: action.name,
    code: action.code,
    printed: false,
  };
}

function validAction(parsed: unknown): { name: string; code: string | null } | null {
  if (!isObject(parsed) || !onlyKeys(parsed, ['action', 'params'])) return null;
  const name = asString(parsed['action']);
  const params = parsed['params'];
  const parameter = name !== null && Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (name === null || parameter === undefined || !isObject(params) || !onlyKeys(params, [parameter])) {
    return null;
  }
  const value = asString(params[parameter]);
  if (value === null) return null;
  return { name, code: parameter === 'code' ? value : null };
}

function onlyKeys(value: JsonObject, keys: readonly string[]): boolean {
  const own = Object.keys(value);
  return own.length === keys.length && keys.every((key) => own.includes(key));
}

function malformed(start: number, end: number): WrittenAction {
  return { mark: { start, end, call: null }, name: null, code: null, printed: false };
}
