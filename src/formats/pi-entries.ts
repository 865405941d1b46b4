import { objectOf } from './fields.js';
import { asArray, asNumber, asString, isObject, type JsonObject } from './shape.js';

/** A line of a pi session. */
export interface PiEntry {
  /** position among the lines of the file, which `firstKeptEntryIndex` counts */
  readonly index: number;
  readonly path: string;
  readonly fields: JsonObject;
  readonly type: string;
  readonly id: string | null;
  readonly parent: string | null;
  readonly timestamp: string | null;
}

/** The entries of a session and which of them lie on the way to its leaf. */
export interface PiTree {
  readonly header: JsonObject;
  readonly entries: readonly PiEntry[];
  readonly live: ReadonlySet<PiEntry>;
  readonly flags: readonly string[];
}

/**
 * Follows the parents of the last entry; sessions of version 1 have none and are linear. Parents may name a call
 * instead of the entry that makes it. What hangs beside the way without any message under it is no branch.
 */
export function piTree(lines: readonly unknown[]): PiTree {
  const entries = lines.map((value, index): PiEntry => {
    const path = `lines[${index}]`;
    const fields = objectOf(value, path);
    const id = asString(fields['id']);
    const parent = asString(fields['parentId']);
    const timestamp = asString(fields['timestamp']);
    return { index, path, fields, type: asString(fields['type']) ?? '', id, parent, timestamp };
  });
  const header = entries.find((entry) => entry.type === 'session')?.fields ?? {};
  const rest = entries.filter((entry) => entry.type !== 'session');
  if (rest.every((entry) => entry.parent === null)) {
    return { header, entries: rest, live: new Set(rest), flags: [] };
  }
  const known = new Map<string, PiEntry>();
  for (const entry of rest) {
    if (entry.id !== null) known.set(entry.id, entry);
    for (const call of callIds(entry)) if (!known.has(call)) known.set(call, entry);
  }
  const flags = new Set<string>();
  const live = new Set<PiEntry>();
  const leaf = rest.findLastIndex((entry) => !isMirror(entry));
  const positions = new Map(rest.map((entry, position) => [entry, position]));
  for (let at = rest[leaf]; at !== undefined && !live.has(at); ) {
    live.add(at);
    let parent: PiEntry | undefined = known.get(at.parent ?? '');
    if (parent === undefined && at.parent !== null && at.parent !== asString(header['id'])) {
      // Its line is lost: what stands before it in the file was before it.
      parent = rest[(positions.get(at) ?? 0) - 1];
      flags.add('chain_gap');
    }
    at = parent;
  }
  const parents = new Set<PiEntry>();
  for (const entry of rest) {
    if (entry.type !== 'message') continue;
    for (let at = known.get(entry.parent ?? ''); at !== undefined && !parents.has(at); ) {
      parents.add(at);
      at = known.get(at.parent ?? '');
    }
  }
  for (const entry of rest) if (entry.type !== 'message' && !parents.has(entry)) live.add(entry);
  return { header, entries: rest, live, flags: [...flags] };
}

function callIds(entry: PiEntry): string[] {
  const { message } = entry.fields as { message?: unknown };
  if (!isObject(message) || message['role'] !== 'assistant') return [];
  return asArray(message['content']).flatMap((part) => {
    const id = isObject(part) && part['type'] === 'toolCall' ? asString(part['id']) : null;
    return id === null ? [] : [id];
  });
}

/** Names under which OpenClaw's gateway writes what it sent to a channel: a copy, which no model wrote and none is shown. */
const MIRRORS: ReadonlySet<string> = new Set(['delivery-mirror', 'gateway-injected']);

export function isMirror(entry: PiEntry): boolean {
  const { message } = entry.fields as { message?: unknown };
  return (
    isObject(message) && message['role'] === 'assistant' && MIRRORS.has(asString(message['model']) ?? '')
  );
}

/** Whether an entry is kept by a compaction: it stands at or behind the first kept one. */
export function keptFrom(compaction: PiEntry, entries: readonly PiEntry[]): number | null {
  const id = asString(compaction.fields['firstKeptEntryId']);
  if (id !== null) return entries.find((entry) => entry.id === id)?.index ?? null;
  return asNumber(compaction.fields['firstKeptEntryIndex']);
}
