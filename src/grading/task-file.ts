import { LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { TrajmillError } from '../errors.js';
import { parseCsv } from './csv.js';
import { type TaskRecord, taskRecordSchema } from './task-record.js';

/**
 * Reads a task file: YAML or JSON, a list of task records or a mapping with such a list under `tasks`; or, by the
 * name, CSV with one record a line. `path` is for messages too. Throws E_TASK_FILE with the line and the field of the
 * first fault.
 */
export function parseTaskFile(text: string, path: string): TaskRecord[] {
  return path.toLowerCase().endsWith('.csv') ? parseCsvRecords(text, path) : parseYamlRecords(text, path);
}

const TIER_COLUMNS = ['gold', 'silver', 'bronze', 'median'] as const;
const NUMBER_COLUMNS: ReadonlySet<string> = new Set([...TIER_COLUMNS, 'sample_submission_score', 'n_teams']);
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };

/**
 * Columns are the fields of a record, with gold, silver, bronze and median in the place of `thresholds`; aliases are
 * parted by `;`. An empty cell is a field left out.
 */
function parseCsvRecords(text: string, path: string): TaskRecord[] {
  return parseCsv(text, path).records.map(({ line, cells }, i) => {
    const fields: Record<string, unknown> = {};
    const tiers: Record<string, unknown> = {};
    for (const [name, raw] of Object.entries(cells)) {
      const cell = raw.trim();
      if (cell === '') continue;
      const target = (TIER_COLUMNS as readonly string[]).includes(name) ? tiers : fields;
      target[name] = csvValue(name, cell);
    }
    const bare = { gold: null, silver: null, bronze: null, median: null };
    const thresholds = Object.keys(tiers).length === 0 ? null : { ...bare, ...tiers };
    const parsed = taskRecordSchema.safeParse({ ...fields, thresholds });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const field = (issue?.path ?? []).filter((key) => key !== 'thresholds').join('.');
    throw new TrajmillError(
      'E_TASK_FILE',
      `task record ${i + 1}, ${field === '' ? '' : `${field}: `}${issue?.message ?? 'invalid'}`,
      { place: `${path}:${line}` },
    );
  });
}

function csvValue(name: string, cell: string): unknown {
  if (name === 'aliases') return cell.split(';').map((alias) => alias.trim());
  if (name === 'is_lower_better') return BOOLEANS[cell.toLowerCase()] ?? cell;
  if (!NUMBER_COLUMNS.has(name)) return cell;
  const value = Number(cell);
  return Number.isNaN(value) ? cell : value;
}

function parseYamlRecords(text: string, path: string): TaskRecord[] {
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
