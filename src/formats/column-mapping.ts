import { z } from 'zod';
import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import type { TableRow } from '../logs/table-rows.js';
import { isObject, type JsonObject } from './shape.js';

/** What a row of chat messages can hold, and the columns that are tried for it, in order. */
const USUAL_COLUMNS = {
  messages: ['messages', 'conversations', 'conversation', 'trajectory', 'chat'],
  tools: ['tools', 'functions'],
  task_id: ['task_id', 'instance_id'],
  session_id: ['session_id', 'traj_id', 'trajectory_id', 'conversation_id', 'uuid', 'id'],
  model: ['model', 'model_name'],
  scaffold: ['scaffold'],
  resolved: ['resolved'],
  finish_reason: ['finish_reason'],
} as const satisfies Record<string, readonly string[]>;

type Field = keyof typeof USUAL_COLUMNS;

const FIELDS = Object.keys(USUAL_COLUMNS) as readonly Field[];

const column = z.string().min(1).optional();

/** Which column of a Parquet or Arrow file means what; a field that is left out keeps its usual columns. */
export const columnsSchema = z
  .strictObject({
    messages: column.describe('list of messages, or JSON text of one'),
    tools: column.describe('tool definitions, or JSON text of them'),
    task_id: column,
    session_id: column,
    model: column,
    scaffold: column,
    resolved: column.describe('whether the task was solved: true or false, 1 or 0'),
    finish_reason: column.describe('why the last reply ended'),
  })
  .describe('columns of Parquet and Arrow files, by what they mean');

export type ColumnMapping = z.infer<typeof columnsSchema>;

/**
 * A row of a table as a row of chat messages. Columns of JSON text are parsed; messages with `from` and `value` stay
 * under `conversations`, as ShareGPT has them.
 *
 * @throws RejectError `bad_shape` where a named column is missing or no column holds messages
 */
export function chatRow(row: TableRow, mapping: ColumnMapping): JsonObject {
  const fields = FIELDS.flatMap((field): [string, unknown][] => {
    const name = columnOf(row, field, mapping);
    if (name === null) return [];
    return [[field, READ_FIELD[field]?.(row[name], name) ?? row[name]]];
  });
  const found: JsonObject = Object.fromEntries(fields);
  const messages = found['messages'];
  if (!Array.isArray(messages)) {
    throw new RejectError(
      'bad_shape',
      `no column of messages among ${Object.keys(row).slice(0, 12).join(', ')}`,
    );
  }
  const shared = messages.some((message) => isObject(message) && 'from' in message && 'value' in message);
  if (!shared) return found;
  const { messages: conversations, ...rest } = found;
  return { ...rest, conversations };
}

/** A named column must be there; of the usual ones the first that holds something is taken. */
function columnOf(row: TableRow, field: Field, mapping: ColumnMapping): string | null {
  const named = mapping[field];
  if (named !== undefined) {
    if (!Object.hasOwn(row, named)) throw new RejectError('bad_shape', `no column ${named} for ${field}`);
    return named;
  }
  const usual = USUAL_COLUMNS[field].filter((name) => Object.hasOwn(row, name) && row[name] !== null);
  if (field !== 'messages') return usual[0] ?? null;
  return usual.find((name) => Array.isArray(parsed(row[name], name))) ?? null;
}

const READ_FIELD: Partial<Record<Field, (value: unknown, name: string) => unknown>> = {
  messages: (value, name) => {
    const list = parsed(value, name);
    return Array.isArray(list)
      ? list.map((message) => (typeof message === 'string' ? parsed(message, name) : message))
      : list;
  },
  tools: (value, name) => {
    const tools = parsed(value, name);
    return Array.isArray(tools) ? tools.map((tool) => parsed(tool, name)) : value;
  },
  resolved: (value) => (value === 1 || value === 0 ? value === 1 : value),
};

/** JSON text of a list or an object as its value; any other text stays text. */
function parsed(value: unknown, name: string): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJsonText(value).value;
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    throw new RejectError(error.code, `column ${name}: ${error.message}`);
  }
}
