import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import type { Siblings } from './adapter.js';
import { fieldPath, listAt, listOf, objectAt, objectOf, requiredString } from './fields.js';
import { asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

/** A message with its parts, in order. */
export interface OpencodeMessage {
  readonly id: string;
  readonly path: string;
  /** null where the table of messages is missing */
  readonly data: JsonObject | null;
  readonly parts: readonly { readonly path: string; readonly data: JsonObject }[];
}

export interface OpencodeSession {
  readonly id: string;
  readonly info: JsonObject;
  readonly messages: readonly OpencodeMessage[];
}

export type TableKind = 'parts' | 'messages' | 'sessions' | 'events';

interface Row {
  readonly id: string;
  readonly created: number;
  readonly path: string;
  readonly fields: JsonObject;
}

/** Which table of an opencode database a dumped list is, by the columns of its rows; null for any other list. */
export function tableKind(value: unknown): TableKind | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const row: unknown = value[0];
  if (hasKeys(row, 'id', 'project_id', 'directory') && hasKeys(row, 'time_created')) return 'sessions';
  if (!hasKeys(row, 'id', 'session_id', 'data') || typeof row['data'] !== 'string') return null;
  if (hasKeys(row, 'message_id')) return 'parts';
  return hasKeys(row, 'type') ? 'events' : 'messages';
}

/** The name of the table of parts beside another table. */
export function partsTable(siblings: Siblings): string | null {
  const named = siblings.names.filter((name) => /part/i.test(name) && /\.json$/i.test(name));
  return named.find((name) => tableOf(siblings, name, '')?.kind === 'parts') ?? null;
}

/** Joins the parts with the tables beside them; what is missing is named in the flags. */
export function joinTables(
  parts: readonly unknown[],
  siblings: Siblings,
): { sessions: OpencodeSession[]; flags: string[] } {
  const beside = siblings.names
    .filter((name) => /\.json$/i.test(name) && /message|session/i.test(name))
    .flatMap((name) => tableOf(siblings, name, 'table') ?? []);
  const messages = rowsOf(beside, 'messages');
  const infos = rowsOf(beside, 'sessions');
  const flags = messages.length === 0 || infos.length === 0 ? ['missing_sidecar'] : [];
  const partRows = tableRows(parts, 'parts');
  const partsOf = groups(partRows, 'message_id');
  const known = new Set(messages.map((row) => row.id));
  const orphans = [...partsOf]
    .filter(([id]) => !known.has(id))
    .flatMap(([id, [first]]): Row[] => (first === undefined ? [] : [{ ...first, id }]));
  if (messages.length > 0 && orphans.length > 0) flags.push('missing_sidecar');
  const all = [...messages, ...orphans].sort(inOrder);
  const sessions = [...groups(all, 'session_id')].map(([id, rows]) => ({
    id,
    info: infos.find((row) => row.id === id)?.fields ?? {},
    messages: rows.map((row) => ({
      id: row.id,
      path: row.path,
      data: known.has(row.id) ? dataOf(row) : null,
      parts: (partsOf.get(row.id) ?? []).map((part) => ({ path: part.path, data: dataOf(part) })),
    })),
  }));
  return { sessions, flags: [...new Set(flags)] };
}

/** A session as `opencode export` writes it: `{info, messages: [{info, parts}]}`. */
export function exportedSession(document: JsonObject): OpencodeSession {
  const info = objectAt(document, 'info', '') ?? {};
  const messages = listOf(document['messages'], 'messages').map((value, index) => {
    const path = `messages[${index}]`;
    const message = objectOf(value, path);
    const data = objectOf(message['info'], fieldPath(path, 'info'));
    const parts = (listAt(message, 'parts', path) ?? []).map((part, at) => ({
      path: `${path}.parts[${at}]`,
      data: objectOf(part, `${path}.parts[${at}]`),
    }));
    return { id: asString(data['id']) ?? path, path: fieldPath(path, 'info'), data, parts };
  });
  return { id: requiredString(info, 'id', 'info'), info, messages };
}

export function isExport(value: unknown): boolean {
  if (!hasKeys(value, 'info', 'messages') || !isObject(value['info'])) return false;
  const { messages } = value as { messages?: unknown };
  return Array.isArray(messages) && messages.some((message) => hasKeys(message, 'info', 'parts'));
}

function tableOf(
  siblings: Siblings,
  name: string,
  role: string,
): { kind: TableKind; rows: readonly unknown[] } | null {
  const text = siblings.readText(name, role === '' ? undefined : role);
  if (text === null) return null;
  try {
    const rows: unknown = JSON.parse(text);
    const kind = tableKind(rows);
    return kind === null || !Array.isArray(rows) ? null : { kind, rows };
  } catch {
    return null;
  }
}

function rowsOf(tables: readonly { kind: TableKind; rows: readonly unknown[] }[], kind: TableKind): Row[] {
  return tables.filter((table) => table.kind === kind).flatMap((table) => tableRows(table.rows, kind));
}

function tableRows(values: readonly unknown[], kind: TableKind): Row[] {
  const rows = values.map((value, index): Row => {
    const path = `${kind}[${index}]`;
    const fields = objectOf(value, path);
    return {
      id: requiredString(fields, 'id', path),
      created: asNumber(fields['time_created']) ?? 0,
      path,
      fields,
    };
  });
  return rows.sort(inOrder);
}

/** By time, then by id, which grows with time too. */
function inOrder(a: Row, b: Row): number {
  return a.created - b.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function groups(rows: readonly Row[], key: string): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const id = requiredString(row.fields, key, row.path);
    const group = found.get(id);
    if (group === undefined) found.set(id, [row]);
    else group.push(row);
  }
  return found;
}

function dataOf(row: Row): JsonObject {
  const text = requiredString(row.fields, 'data', row.path);
  let data: unknown;
  try {
    data = parseJsonText(text).value;
  } catch {
    throw new RejectError('bad_shape', `${row.path}.data: a string that is not JSON`);
  }
  return objectOf(data, `${row.path}.data`);
}
