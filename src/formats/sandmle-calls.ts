import { type CallMark, thinkRanges } from './inline-calls.js';
import { memberText } from './json-slice.js';
import { asString, isObject } from './shape.js';

/** Name under which text that runs as a Python script is called. */
export const PYTHON_TOOL = 'python';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const CODE_BLOCK = /<code>(.*?)<\/code>/gis;
const CODE_OPEN = /<code>/i;
const STRAY_TAGS = /<\/?(?:code|tool_call|think)>/g;
const LOOSE_NAME = /["']?name["']?\s*:\s*["']([^"']+)["']/;

/** What SandMLE's agent answers to text that it could not take as a call. */
const REFUSED = /^(?:Error: Tool call is not a valid JSON|\[Python Interpreter Error\]: Formatting error)/;

/**
 * The call of a SandMLE reply. Only the first `<tool_call>` is taken, before tags that stand in reasoning if there is
 * another; unclosed, it runs to the end. Text that names python or holds `<code>` runs as a script of all code
 * blocks of the message; anything else is JSON. `feedback` is the tool's text, null where the log ends first: it
 * shows which calls the agent refused.
 */
export function sandmleMarks(content: string, feedback: string | null): CallMark[] {
  const start = firstTag(content);
  if (start < 0) return [];
  const close = content.indexOf(CLOSE, start);
  const end = close < 0 ? content.length : close + CLOSE.length;
  const body = content.slice(start + OPEN.length, close < 0 ? content.length : close);
  const refused = feedback !== null && REFUSED.test(feedback);
  const cutOff = close < 0 && feedback === null;
  return [
    { start, end, call: refused || cutOff ? null : parseCall(content, body.trim(), feedback !== null) },
  ];
}

/** Every `<tool_call>` block with a JSON call, as agents of other tasks write them. */
export function jsonCallMarks(content: string): CallMark[] {
  return [...content.matchAll(/<tool_call>(.*?)(?:<\/tool_call>|$)/gs)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    call: match[0].endsWith(CLOSE) ? jsonCall((match[1] ?? '').trim()) : null,
  }));
}

function firstTag(content: string): number {
  const ranges = thinkRanges(content);
  for (let at = content.indexOf(OPEN); at >= 0; at = content.indexOf(OPEN, at + 1)) {
    const inside = ranges.some(([from, to]) => at >= from && at < to);
    if (!inside) return at;
  }
  return content.indexOf(OPEN);
}

function parseCall(content: string, body: string, answered: boolean): CallMark['call'] {
  if (/python|<code>/i.test(body)) return { name: PYTHON_TOOL, arguments: scriptOf(content, body) };
  const call = jsonCall(body);
  if (call !== null || !answered) return call;
  // The agent reads JSON5: a call that it answered was one, if only by its name.
  const name = LOOSE_NAME.exec(body)?.[1];
  return name === undefined ? null : { name, arguments: body };
}

function jsonCall(body: string): CallMark['call'] {
  try {
    const call: unknown = JSON.parse(body);
    const name = isObject(call) ? asString(call['name']) : null;
    if (!isObject(call) || name === null || name === '') return null;
    const none = (call['arguments'] ?? null) === null;
    return {
      name,
      arguments: none ? '{}' : (asString(call['arguments']) ?? memberText(body, 'arguments') ?? '{}'),
    };
  } catch {
    return null;
  }
}

/** The script: all code blocks joined by a blank line, an unclosed one to its end, or the text itself. */
function scriptOf(content: string, body: string): string {
  const closed = [...content.matchAll(CODE_BLOCK)].map((match) => match[1] ?? '');
  const blocks =
    closed.length > 0 ? closed : [content.split(CODE_OPEN)[1] ?? body.replaceAll(PYTHON_TOOL, '')];
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n')
    .replaceAll(STRAY_TAGS, '');
}
