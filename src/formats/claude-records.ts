import { RejectError } from '../logs/reject.js';
import { objectOf } from './fields.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/** A line of a Claude Code session that stands in its chain. */
export interface SessionRecord {
  /** position among the lines of the file */
  readonly index: number;
  readonly path: string;
  readonly fields: JsonObject;
  readonly type: string;
  readonly subtype: string | null;
  readonly uuid: string;
  /** undefined where the record does not say */
  readonly parent: string | null | undefined;
  readonly sidechain: boolean;
  readonly agent: string | null;
  readonly session: string | null;
}

/** Types that are a message to or from the model; the others only stand in the chain. */
const SPOKEN: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_use', 'tool_result', 'summary']);

/**
 * The records of a session with a uuid, each once; lines without one (summaries of other sessions, snapshots, queue
 * operations) belong to no chain.
 */
export function sessionRecords(input: readonly unknown[]): SessionRecord[] {
  const seen = new Set<string>();
  const records: SessionRecord[] = [];
  input.forEach((value, index) => {
    const path = `lines[${index}]`;
    const fields = objectOf(value, path);
    const uuid = asString(fields['uuid']);
    const type = asString(fields['type']);
    if (type === null) throw new RejectError('bad_shape', `${path}.type: expected a string`);
    if (uuid === null || uuid === '') {
      if ((type === 'user' || type === 'assistant') && isObject(fields['message'])) {
        throw new RejectError('bad_shape', `${path}.uuid: expected a string, found nothing`);
      }
      return;
    }
    if (seen.has(uuid)) return;
    seen.add(uuid);
    const parent = fields['parentUuid'];
    records.push({
      index,
      path,
      fields,
      type,
      subtype: asString(fields['subtype']),
      uuid,
      parent: parent === undefined ? undefined : asString(parent),
      sidechain: fields['isSidechain'] === true,
      agent: asString(fields['agentId']),
      session: asString(fields['sessionId']),
    });
  });
  return records;
}

export function isSpoken(record: SessionRecord): boolean {
  return SPOKEN.has(record.type);
}

/** Whether the harness began a new context with this record. */
export function startsContext(record: SessionRecord): boolean {
  return record.subtype === 'compact_boundary' || record.fields['isCompactSummary'] === true;
}

/** What the harness cleared out of the context here: results by their call, attachments by their record. */
export interface ClearedContext {
  readonly calls: readonly string[];
  readonly attachments: readonly string[];
}

export function clearedContext(record: SessionRecord): ClearedContext | null {
  const metadata = record.fields['microcompactMetadata'];
  if (record.subtype !== 'microcompact_boundary' || !isObject(metadata)) return null;
  const ids = (key: string): string[] => asArray(metadata[key]).flatMap((id) => asString(id) ?? []);
  const cleared = { calls: ids('compactedToolIds'), attachments: ids('clearedAttachmentUUIDs') };
  return cleared.calls.length + cleared.attachments.length === 0 ? null : cleared;
}

/** Blocks of a record's message, none where its content is text. */
export function recordBlocks(record: SessionRecord): readonly JsonObject[] {
  const message = record.fields['message'];
  const content = isObject(message) ? message['content'] : null;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

export function messageId(record: SessionRecord): string | null {
  const message = record.fields['message'];
  return record.type === 'assistant' && isObject(message) ? asString(message['id']) : null;
}

/** Ids of the calls that a record makes. */
export function callIds(record: SessionRecord): string[] {
  return record.type === 'assistant' ? blockIds(record, 'tool_use', 'id') : [];
}

/** Ids of the calls that a record answers. */
export function answeredIds(record: SessionRecord): string[] {
  return record.type === 'user' ? blockIds(record, 'tool_result', 'tool_use_id') : [];
}

function blockIds(record: SessionRecord, type: string, key: string): string[] {
  return recordBlocks(record).flatMap((block) => {
    const id = block['type'] === type ? asString(block[key]) : null;
    return id === null ? [] : [id];
  });
}

/** A tail of the old context that compaction kept: from `head` to `tail`, placed after `anchor`. */
export interface KeptTail {
  readonly boundary: SessionRecord;
  readonly head: string;
  readonly tail: string;
  readonly anchor: string;
  /** what was kept, in order, where the boundary lists it; otherwise the chain from tail to head says it */
  readonly members: readonly string[];
}

export function keptTail(record: SessionRecord): KeptTail | null {
  const metadata = record.fields['compactMetadata'];
  if (record.subtype !== 'compact_boundary' || !isObject(metadata)) return null;
  const { preservedSegment, preservedMessages } = metadata as Record<string, unknown>;
  const segment = isObject(preservedSegment) ? preservedSegment : {};
  const listed = isObject(preservedMessages) ? preservedMessages : {};
  const members = asArray(listed['allUuids'] ?? listed['uuids']).flatMap((uuid) => asString(uuid) ?? []);
  const head = asString(segment['headUuid']) ?? members[0] ?? null;
  const tail = asString(segment['tailUuid']) ?? members.at(-1) ?? null;
  const anchor = asString(segment['anchorUuid']) ?? asString(listed['anchorUuid']);
  return head === null || tail === null || anchor === null
    ? null
    : { boundary: record, head, tail, anchor, members };
}
