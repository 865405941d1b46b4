import { type CallMark, thinkRanges } from './inline-calls.js';
import { memberText } from './json-slice.js';
import { asString, isObject } from './shape.js';

/**
 * Calls that chats without a calls field write in their text: `<function=name>` with parameters, and `<tool_call>` around
 * JSON, around a function, or around a name with `<code>`. They count at the start of a line and outside of
 * think blocks; one that is not closed or does not parse is malformed.
 */
export function textCallMarks(content: string): CallMark[] {
  const marks: CallMark[] = [];
  const thinking = thinkRanges(content);
  const opening = /^[ \t]*(<tool_call>|<function=[^>\n]*>)/gm;
  for (let match = opening.exec(content); match !== null; match = opening.exec(content)) {
    const tag = match[1] ?? '';
    const start = match.index + match[0].length - tag.length;
    if (thinking.some(([from, to]) => start >= from && start < to)) continue;
    const close = tag === '<tool_call>' ? '</tool_call>' : '</function>';
    const closeAt = content.indexOf(close, start + tag.length);
    const end = closeAt === -1 ? content.length : closeAt + close.length;
    const body = content.slice(start + tag.length, closeAt === -1 ? end : closeAt);
    const call = closeAt === -1 ? null : tag === '<tool_call>' ? taggedCall(body) : functionCall(tag, body);
    marks.push({ start, end, call });
    opening.lastIndex = end;
  }
  return marks;
}

type Call = CallMark['call'];

const PARAMETER_CLOSE = '</parameter>';

function taggedCall(body: string): Call {
  const trimmed = body.trim();
  const inner = /^(<function=[^>\n]*>)([\s\S]*)<\/function>$/.exec(trimmed);
  if (inner !== null) return functionCall(inner[1] ?? '', inner[2] ?? '');
  const program = /^([\w.-]+)\s*<code>([\s\S]*)<\/code>$/.exec(trimmed);
  if (program !== null) return { name: program[1] ?? '', arguments: program[2] ?? '' };
  try {
    const parsed: unknown = JSON.parse(trimmed);
    const name = isObject(parsed) ? asString(parsed['name']) : null;
    return name === null ? null : { name, arguments: memberText(trimmed, 'arguments') ?? '{}' };
  } catch {
    return null;
  }
}

/** Parameters become a JSON object of strings, without the line break that frames each value. */
function functionCall(tag: string, body: string): Call {
  const name = tag.slice('<function='.length, -1).trim();
  if (name === '') return null;
  const values: [string, string][] = [];
  const parameter = /<parameter=([^>\n]+)>/g;
  for (let match = parameter.exec(body); match !== null; match = parameter.exec(body)) {
    const start = match.index + match[0].length;
    const end = body.indexOf(PARAMETER_CLOSE, start);
    // A parameter that is never closed was never passed on as one.
    if (end === -1) return null;
    values.push([match[1] ?? '', body.slice(start, end).replace(/^\n/, '').replace(/\n$/, '')]);
    parameter.lastIndex = end + PARAMETER_CLOSE.length;
  }
  return { name, arguments: JSON.stringify(Object.fromEntries(values)) };
}
