import { type CallMark, singleCommandMarks } from './inline-calls.js';
import { asString, isObject } from './shape.js';
import { isHarnessAction } from './swe-agent-exits.js';

/** Tool that a command written in text belongs to; structured calls carry names of their own. */
export const SHELL_TOOL = 'bash';

const FENCE_OPEN = /```[^\n`]*\n/g;
const FENCE_CLOSE = '```';
const COMMAND_TAG = /<command>(.*?)<\/command>/gs;
const FUNCTION_TAG = /<function=([^>\n]+)>(.*?)<\/function>/gs;
const FENCED = { name: SHELL_TOOL, pattern: /```[^\n`]*\n(.*?)```/gs, opening: /```/ } as const;

/**
 * Where the command that the scaffold ran stands in the text of a reply: the last fence that holds it, a command or
 * function tag, or the bare command. `action` is the command as the log parsed it: null where the log does not
 * say, so that the last fence counts; empty, or the scaffold's own mark of an end, where it parsed none, so that
 * fences are malformed calls. Function tags are the model's own naming of a tool.
 */
export function actionMarks(content: string, action: string | null): CallMark[] {
  if (action === null) return fences(content).slice(-1);
  if (action.trim() === '' || isHarnessAction(action)) {
    return singleCommandMarks(content, FENCED).map((mark) => ({ ...mark, call: null }));
  }
  return [fenceMark, functionMark, commandMark, jsonMark, bareMark].reduce<CallMark[]>(
    (found, find) => (found.length > 0 ? found : find(content, action)),
    [],
  );
}

function fences(content: string): CallMark[] {
  return [...content.matchAll(FENCED.pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    call: { name: SHELL_TOOL, arguments: match[1] ?? '' },
  }));
}

function fenceMark(content: string, action: string): CallMark[] {
  const marks: CallMark[] = [];
  for (const open of content.matchAll(FENCE_OPEN)) {
    const start = open.index + open[0].length;
    const end = start + action.length;
    if (!content.startsWith(action, start) || !content.startsWith(FENCE_CLOSE, end)) continue;
    marks.push({
      start: open.index,
      end: end + FENCE_CLOSE.length,
      call: { name: SHELL_TOOL, arguments: action },
    });
  }
  return marks.slice(-1);
}

function functionMark(content: string): CallMark[] {
  const found = [...content.matchAll(FUNCTION_TAG)].at(-1);
  if (found === undefined) return [];
  const call = { name: (found[1] ?? '').trim(), arguments: found[2] ?? '' };
  return [{ start: found.index, end: found.index + found[0].length, call }];
}

function commandMark(content: string, action: string): CallMark[] {
  const found = [...content.matchAll(COMMAND_TAG)].findLast((match) => match[1]?.trim() === action.trim());
  if (found === undefined) return [];
  const call = { name: SHELL_TOOL, arguments: found[1] ?? '' };
  return [{ start: found.index, end: found.index + found[0].length, call }];
}

/** A reply that is one JSON object as a whole: `{thought, command: {name, arguments}}`. */
function jsonMark(content: string): CallMark[] {
  if (!content.trimStart().startsWith('{')) return [];
  try {
    const reply: unknown = JSON.parse(content);
    const command = isObject(reply) ? reply['command'] : null;
    const name = isObject(command) ? asString(command['name']) : null;
    return [{ start: 0, end: content.length, call: { name: name ?? SHELL_TOOL, arguments: content } }];
  } catch {
    return [];
  }
}

function bareMark(content: string, action: string): CallMark[] {
  const command = action.trim();
  const start = content.lastIndexOf(command);
  if (start < 0) return [];
  return [{ start, end: start + command.length, call: { name: SHELL_TOOL, arguments: command } }];
}
