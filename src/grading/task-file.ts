import { LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { TrajmillError } from '../errors.js';
import { type TaskRecord, taskRecordSchema } from './task-record.js';

/**
 * Reads a task file: YAML or JSON, a list of task records or a mapping with such a list under `tasks`. `path` is
 * for messages. Throws E_TASK_FILE with the line and the field of the first fault.
 */
export function parseTaskFile(text: string, path: string): TaskRecord[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const syntax = document.errors[0];
  if (syntax !== undefined) {
    const message = (syntax.message.split('\n')[0] ?? syntax.message).replace(/ at line \d+.*$/, '');
    throw new TrajmillError('E_TASK_FILE', message, { place: placeOf(syntax.pos[0]), cause: syntax });
  }
  const value: unknown = document.toJS();
  const [list, prefix] = recordList(value);
  if (list === null) {
    throw new TrajmillError('E_TASK_FILE', 'expected a list of task records, or a mapping with `tasks`', {
      place: `${path}:1`,
    });
  }
  return list.map((item, i) => {
    const parsed = taskRecordSchema.safeParse(item);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const inner = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key));
    const keyPath = [...prefix, i, ...inner];
    const place = placeOf(offsetOf(document.contents, keyPath));
    const field = inner.length === 0 ? '' : `${inner.join('.')}: `;
    throw new TrajmillError('E_TASK_FILE', `task record ${i + 1}, ${field}${issue?.message ?? 'invalid'}`, {
      place,
    });
  });
}

function recordList(value: unknown): [unknown[] | null, string[]] {
  if (Array.isArray(value)) return [value, []];
  if (typeof value === 'object' && value !== null && Object.keys(value).join() === 'tasks') {
    const tasks: unknown = Reflect.get(value, 'tasks');
    if (Array.isArray(tasks)) return [tasks, ['tasks']];
  }
  return [null, []];
}

/** Offset of the deepest node on the path that the document has: a missing field is placed at its record. */
function offsetOf(contents: ParsedNode | null, path: readonly (string | number)[]): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !('get' in node) || typeof node.get !== 'function')
      break;
    const child: unknown = node.get(key, true);
    if (typeof child !== 'object' || child === null) break;
    node = child;
    if ('range' in child && Array.isArray(child.range) && typeof child.range[0] === 'number') {
      offset = child.range[0];
    }
  }
  return offset;
}
