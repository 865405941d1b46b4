import { objectOf } from './fields.js';
import { asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';

/** A line of a Codex rollout in the shape of its present versions. */
export interface RolloutRecord {
  readonly path: string;
  readonly type: string;
  readonly timestamp: string | null;
  readonly payload: JsonObject;
}

const ENVELOPES: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
]);

/** Items that stand bare on a line in the first versions. */
const BARE_ITEMS: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'function_result',
  'local_shell_call',
  'custom_tool_call',
  'custom_tool_call_output',
]);

export function isEnvelope(line: unknown): boolean {
  return (
    hasKeys(line, 'type', 'payload') &&
    isObject(line['payload']) &&
    ENVELOPES.has(asString(line['type']) ?? '')
  );
}

/** Lines of versions without envelopes: a bare item of the Responses API, or a message beside `created_at`. */
export function isBareLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  if (hasKeys(line, 'created_at', 'role')) return true;
  const type = asString(line['type']) ?? '';
  if (type === 'message') return Array.isArray(line['content']) && typeof line['role'] === 'string';
  return BARE_ITEMS.has(type) && (hasKeys(line, 'call_id') || hasKeys(line, 'created_at'));
}

/** The records of a rollout; lines that are neither envelope nor item (state snapshots) are left out. */
export function rolloutRecords(lines: readonly unknown[]): RolloutRecord[] {
  return lines.flatMap((value, index): RolloutRecord[] => {
    const path = `lines[${index}]`;
    const line = objectOf(value, path);
    const timestamp = asString(line['timestamp']) ?? asString(line['created_at']);
    const type = asString(line['type']);
    const { payload } = line as { payload?: unknown };
    if (payload !== undefined) {
      return [
        {
          path: `${path}.payload`,
          type: type ?? '',
          timestamp,
          payload: objectOf(payload, `${path}.payload`),
        },
      ];
    }
    if (isBareLine(line)) {
      return [{ path, type: 'response_item', timestamp, payload: bareItem(line) }];
    }
    const opening = type === null && hasKeys(line, 'id', 'timestamp');
    return opening ? [{ path, type: 'session_meta', timestamp, payload: line }] : [];
  });
}

/**
 * The rollouts in a file of several, each from its session_meta on. A fork has the metas of its ancestors before what it
 * copied, so that only one of another id behind items of a conversation begins the next; one without a time of its own
 * was pasted together.
 */
export function gluedRollouts(records: readonly RolloutRecord[]): RolloutRecord[][] {
  const rollouts: RolloutRecord[][] = [];
  const ids = new Set<string>();
  let spoken = false;
  for (const record of records) {
    const id = record.type === 'session_meta' ? asId(record.payload['id']) : null;
    const timed = !Number.isNaN(Date.parse(record.timestamp ?? ''));
    const next: boolean = id !== null && spoken && timed && !ids.has(id);
    if (id !== null) ids.add(id);
    if (next || rollouts.length === 0) rollouts.push([]);
    spoken = record.type === 'response_item' || (spoken && !next);
    rollouts.at(-1)?.push(record);
  }
  return rollouts.length > 0 ? rollouts : [[]];
}

function bareItem(line: JsonObject): JsonObject {
  if (line['type'] !== undefined) return line;
  return { ...line, type: 'message', content: line['content'] ?? line['message'] };
}
