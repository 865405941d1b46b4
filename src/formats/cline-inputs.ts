import { contentSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { CallMark } from './inline-calls.js';

/** Tools of Cline and its kin, whose calls older versions write as tags in the text. */
const TOOLS = [
  'execute_command',
  'read_file',
  'write_to_file',
  'replace_in_file',
  'search_files',
  'list_files',
  'list_code_definition_names',
  'browser_action',
  'use_mcp_tool',
  'access_mcp_resource',
  'ask_followup_question',
  'attempt_completion',
  'plan_mode_respond',
  'plan_mode_response',
  'load_mcp_documentation',
  'new_task',
  'web_fetch',
  'apply_diff',
  'insert_content',
  'search_and_replace',
  'switch_mode',
  'fetch_instructions',
  'update_todo_list',
  'condense',
  'summarize_task',
] as const;

const RESULT = /^\[[a-z_]+(?: for [\s\S]*?)?\] Result:/;
const HARNESS =
  /^\s*(?:<environment_details>|\[ERROR\]|\[TASK RESUMPTION\]|\[NOTE\]|<explicit_instructions|# Reminder:|# task_progress)/;
const HUMAN = /<(?:task|feedback|user_message|answer|user_feedback)>/;

/** Whether Cline wrote this text block into the user's message. */
export function isClineText(text: string): boolean {
  return RESULT.test(text) || /^\s*(?:<task>|<environment_details>)/.test(text);
}

/**
 * Cuts the text blocks of one user message, given in order: results of calls and what stands after them are feedback,
 * as are the harness's own texts; a task, an answer or feedback of the human is a prompt.
 */
export function clineCut(answersCalls: boolean): (text: string) => Span[] {
  let feedback = answersCalls;
  return (text) => {
    const human = HUMAN.test(text);
    if (RESULT.test(text)) feedback = true;
    const observed = HARNESS.test(text) || (!human && feedback) || (human && RESULT.test(text) && feedback);
    return [contentSpan(observed ? 'observation' : 'prompt', 'environment', text)];
  };
}

/** Calls that are written as `<tool>` with a tag for each parameter; one that is not closed is malformed. */
export function clineCallMarks(text: string): CallMark[] {
  const marks: CallMark[] = [];
  const opening = new RegExp(`<(${TOOLS.join('|')})>`, 'g');
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] ?? '';
    const body = match.index + match[0].length;
    const close = text.lastIndexOf(`</${name}>`) >= body ? closeOf(text, name, body) : -1;
    const end = close < 0 ? text.length : close + name.length + 3;
    const call = close < 0 ? null : { name, arguments: parameters(text.slice(body, close)) };
    marks.push({ start: match.index, end, call });
    opening.lastIndex = end;
  }
  return marks;
}

/** Content of a file may hold the closing tag of its own tool: there the last one counts. */
function closeOf(text: string, name: string, from: number): number {
  const holdsFile = name === 'write_to_file' || name === 'replace_in_file';
  return holdsFile ? text.lastIndexOf(`</${name}>`) : text.indexOf(`</${name}>`, from);
}

/** Parameters whose value may hold any tag, their own too. */
const HOLDS_TEXT: ReadonlySet<string> = new Set(['content', 'diff', 'result', 'arguments']);

function parameters(body: string): string {
  const values: [string, string][] = [];
  const opening = /<([a-z_]+)>/g;
  for (let match = opening.exec(body); match !== null; match = opening.exec(body)) {
    const name = match[1] ?? '';
    const start = match.index + match[0].length;
    const closing = `</${name}>`;
    const close = HOLDS_TEXT.has(name) ? body.lastIndexOf(closing) : body.indexOf(closing, start);
    if (close < start) continue;
    values.push([name, body.slice(start, close).replace(/^\n/, '').replace(/\n$/, '')]);
    opening.lastIndex = close;
  }
  return JSON.stringify(Object.fromEntries(values));
}
