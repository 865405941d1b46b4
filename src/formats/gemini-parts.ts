import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import { IMAGE_PLACEHOLDER } from './content-parts.js';
import { objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { hasKeys, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** Content of Google's API: nothing, a string, one part, or a list of strings and parts. */
export function geminiParts(content: unknown, path: string): readonly JsonObject[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ text: content }];
  if (isObject(content)) return [content];
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts', content);
  return content.map((part, index) =>
    typeof part === 'string' ? { text: part } : objectOf(part, `${path}[${index}]`),
  );
}

/**
 * A reply in order: thoughts, which are reasoning or a summary of it by what the caller knows of the model, text with
 * what stands in it, calls. Parts that follow each other as chunks are joined.
 */
export function modelPartSpans(
  parts: readonly JsonObject[],
  path: string,
  thoughtSpan: (text: string) => Span,
): Span[] {
  const spans: Span[] = [];
  let open: { thought: boolean; text: string } | null = null;
  const close = (): void => {
    if (open !== null && open.text !== '') {
      spans.push(...(open.thought ? [thoughtSpan(open.text)] : actionSpans(open.text, [])));
    }
    open = null;
  };
  parts.forEach((part, index) => {
    const partPath = `${path}[${index}]`;
    const text = stringAt(part, 'text', partPath);
    if (text !== null) {
      const thought = part['thought'] === true;
      if (open !== null && open.thought !== thought) close();
      open = { thought, text: (open?.text ?? '') + text };
      return;
    }
    close();
    spans.push(...otherModelPart(part, partPath));
  });
  close();
  return spans;
}

function otherModelPart(part: JsonObject, path: string): Span[] {
  if (isObject(part['functionCall'])) {
    const call = part['functionCall'];
    const callPath = `${path}.functionCall`;
    const name = requiredString(call, 'name', callPath);
    return [callSpan({ id: stringAt(call, 'id', callPath), name, arguments: call['args'] })];
  }
  if (isObject(part['executableCode'])) {
    return [callSpan({ id: null, name: 'code_execution', arguments: part['executableCode'] })];
  }
  if (isObject(part['codeExecutionResult'])) {
    const output = stringAt(part['codeExecutionResult'], 'output', `${path}.codeExecutionResult`) ?? '';
    return [contentSpan('observation', 'environment', output)];
  }
  if (isMedia(part)) return [contentSpan('image', 'environment', IMAGE_PLACEHOLDER)];
  if (isBlank(part)) return [];
  throw unknownPart(part, path);
}

/** A user's content: each function response is a tool turn, what else stands there one user turn after them. */
export function userPartTurns(
  parts: readonly JsonObject[],
  at: { readonly path: string; readonly timestamp: string | null; readonly injected?: boolean },
): { readonly turn: Turn; readonly response: JsonObject | null }[] {
  const answers: { turn: Turn; response: JsonObject | null }[] = [];
  const rest: Span[] = [];
  parts.forEach((part, index) => {
    const path = `${at.path}[${index}]`;
    if (isObject(part['functionResponse'])) {
      const response = part['functionResponse'];
      const turn = responseTurn(response, { path: `${path}.functionResponse`, timestamp: at.timestamp });
      answers.push({ turn, response });
      return;
    }
    const text = stringAt(part, 'text', path);
    if (text !== null) {
      rest.push(
        ...(at.injected === true ? [contentSpan('observation', 'environment', text)] : userSpans(text)),
      );
    } else if (isMedia(part)) rest.push(contentSpan('image', 'environment', IMAGE_PLACEHOLDER));
    else if (!isBlank(part)) throw unknownPart(part, path);
  });
  if (rest.length === 0 && answers.length > 0) return answers;
  const spans = rest.length > 0 ? rest : userSpans('');
  return [...answers, { turn: makeTurn('user', spans, { timestamp: at.timestamp }), response: null }];
}

/** The answer to a call: its text where the response is only that, else the response as JSON. */
export function responseTurn(
  response: JsonObject,
  at: { readonly path: string; readonly timestamp: string | null },
): Turn {
  return makeTurn('tool', [contentSpan('observation', 'environment', responseText(response['response']))], {
    name: stringAt(response, 'name', at.path),
    tool_call_id: stringAt(response, 'id', at.path),
    timestamp: at.timestamp,
  });
}

const TEXT_KEYS = ['output', 'error', 'result', 'content'] as const;

function responseText(response: unknown): string {
  if (typeof response === 'string') return response;
  if (response === null || response === undefined) return '';
  if (isObject(response) && Object.keys(response).length === 1) {
    for (const key of TEXT_KEYS) {
      const value = response[key];
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(response);
}

function isMedia(part: JsonObject): boolean {
  return hasKeys(part, 'inlineData') || hasKeys(part, 'fileData');
}

/** A part that holds a signature or nothing: thoughts that were never recorded. */
function isBlank(part: JsonObject): boolean {
  return Object.keys(part).every(
    (key) => key === 'thoughtSignature' || key === 'thought' || part[key] === null,
  );
}

function unknownPart(part: JsonObject, path: string): RejectError {
  const keys = Object.keys(part).slice(0, 4).join(', ');
  return new RejectError('bad_shape', `${path}: expected text, a call or a response, found ${keys}`);
}
