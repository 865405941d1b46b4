import { makeTurn } from '../trajectory/build.js';
import type { Role, Turn } from '../trajectory/turn.js';
import { environmentSpans } from './content-parts.js';
import { listOf, objectOf, wrongType } from './fields.js';
import { pythonLiteral } from './python-literal.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

export interface Cell {
  readonly code: boolean;
  readonly text: string;
  /** what the cell printed, null where it has no outputs */
  readonly output: string | null;
}

/** One step of the agent: what it wrote and what came back. */
export interface NotebookStep {
  readonly thought: string;
  /** name of the action; empty where the scaffold could not parse the reply */
  readonly action: string;
  readonly code: string;
  readonly output: string | null;
  readonly seconds: number | null;
}

export interface Notebook {
  readonly prompts: readonly Turn[];
  readonly steps: readonly NotebookStep[];
}

const STEP = /^### Step \d+\s*$/;
const QUERY = /^### Query\n?/;
const SYSTEM = /^### System Prompt\s*<details>\n?([\s\S]*?)\n?<\/details>\s*$/;
const PROMPT = /^### Prompt\s*<details>\n?([\s\S]*?)\n?<\/details>\s*$/;
const TIMES = /^Execution Start time: .*\(duration: (\d+(?:\.\d+)?) seconds?\)/;
const THOUGHT = /^\*\*Thought\*\*: ?/;
const ACTION = /^\*\*Action \((.*)\)\*\*:\s*$/;

/** Whether cells are those of a SUPER run. */
export function isSuperNotebook(cells: unknown): boolean {
  const first = asArray(cells)
    .slice(0, 3)
    .map((cell) => (isObject(cell) ? looseText(cell['source']) : ''));
  return first.some((text) => QUERY.test(text) || SYSTEM.test(text) || PROMPT.test(text));
}

export function readCells(list: unknown): Cell[] {
  return listOf(list, 'cells').map((value, index) => {
    const path = `cells[${index}]`;
    const cell = objectOf(value, path);
    return {
      code: cell['cell_type'] === 'code',
      text: multiline(cell['source'], `${path}.source`),
      output: outputOf(cell, path),
    };
  });
}

/** Prompts, then steps; a cell before the first step that is neither is kept as a prompt. */
export function readNotebook(cells: readonly Cell[]): Notebook {
  const start = cells.findIndex((cell) => !cell.code && STEP.test(cell.text));
  const head = cells.slice(0, start === -1 ? cells.length : start);
  const steps: NotebookStep[] = [];
  let step: {
    thought: string;
    action: string;
    code: string;
    output: string | null;
    seconds: number | null;
  } | null = null;
  for (const cell of start === -1 ? [] : cells.slice(start)) {
    if (!cell.code && STEP.test(cell.text)) {
      if (step !== null) steps.push(step);
      step = { thought: '', action: '', code: '', output: null, seconds: null };
      continue;
    }
    if (step === null) continue;
    const times = TIMES.exec(cell.text);
    const action = ACTION.exec(cell.text);
    if (cell.code) {
      step.code = step.code === '' ? cell.text : `${step.code}\n${cell.text}`;
      step.output = cell.output ?? step.output;
    } else if (times !== null) step.seconds = Number(times[1]);
    else if (action !== null) step.action = action[1] ?? '';
    else step.thought += cell.text.replace(THOUGHT, '');
  }
  if (step !== null) steps.push(step);
  return { prompts: promptTurns(head), steps };
}

/** The whole prompt, a Python repr of messages, holds the query too. */
function promptTurns(head: readonly Cell[]): Turn[] {
  const prompt = head.map((cell) => PROMPT.exec(cell.text)?.[1]).find((text) => text !== undefined);
  const messages = prompt === undefined ? null : messagesOf(prompt);
  if (messages !== null) return messages;
  const turn = (role: Role, text: string): Turn =>
    makeTurn(role, environmentSpans('prompt', [{ kind: 'text', text }]));
  return head.flatMap((cell) => {
    const system = SYSTEM.exec(cell.text)?.[1] ?? PROMPT.exec(cell.text)?.[1];
    if (system !== undefined) return [turn('system', system)];
    return [turn('user', cell.text.replace(QUERY, ''))];
  });
}

const ROLES: Readonly<Record<string, Role>> = { system: 'system', user: 'user', assistant: 'assistant' };

function messagesOf(text: string): Turn[] | null {
  const value = pythonLiteral(text);
  if (!Array.isArray(value) || value.length === 0) return null;
  const turns: Turn[] = [];
  for (const message of value) {
    const role = isObject(message) ? ROLES[asString(message['role']) ?? ''] : undefined;
    const content = isObject(message) ? asString(message['content']) : null;
    if (role === undefined || content === null) return null;
    turns.push(makeTurn(role, environmentSpans('prompt', [{ kind: 'text', text: content }])));
  }
  return turns;
}

function outputOf(cell: JsonObject, path: string): string | null {
  const outputs = asArray(cell['outputs']).filter(isObject);
  if (outputs.length === 0) return null;
  return outputs
    .map((output, index) => {
      const data = isObject(output['data']) ? output['data']['text/plain'] : output['text'];
      const traceback = output['traceback'];
      const shown = data ?? (Array.isArray(traceback) ? traceback.join('\n') : '');
      return multiline(shown, `${path}.outputs[${index}]`);
    })
    .join('');
}

/** Notebooks store text as one string or as its lines, line breaks included. */
function multiline(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) throw wrongType(path, 'a string or a list of lines', value);
  return value.map((line) => asString(line) ?? '').join('');
}

function looseText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : asArray(value)
        .map((line) => asString(line) ?? '')
        .join('');
}
