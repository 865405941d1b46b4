import { objectOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
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

/** The whole session as one JSON, as the CLI in TypeScript wrote it: its head, and items of the Responses API. */
export function isFirstRollout(value: unknown): value is JsonObject {
  if (!hasKeys(value, 'session', 'items') || !Array.isArray(value['items'])) return false;
  return hasKeys(value['session'], 'id', 'timestamp') && value['items'].some(isBareLine);
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
    if (isBareLine(line) || (type === 'reasoning' && Array.isArray(line['summary']))) {
      return [{ path, type: 'response_item', timestamp, payload: bareItem(line) }];
    }
    const opening = type === null && hasKeys(line, 'id', 'timestamp');
    return opening ? [{ path, type: 'session_meta', timestamp, payload: line }] : [];
  });
}

/**
 * A session_meta is the head of a rollout; a fork has those of its ancestors before what it copied. One without a time
 * of its own was pasted together.
 */
export function rolloutMark(line: unknown): SessionMark | null {
  const time = isObject(line) ? asString(line['timestamp']) : null;
  if (!isObject(line) || Number.isNaN(Date.parse(time ?? ''))) return null;
  const payload = line['type'] === undefined ? line : line['payload'];
  const heads =
    line['type'] === 'session_meta' || (line['type'] === undefined && line['payload'] === undefined);
  const session = heads && isObject(payload) ? asId(payload['id']) : null;
  return { time, opens: session !== null, nests: true, session };
}

function bareItem(line: JsonObject): JsonObject {
  if (line['type'] !== undefined) return line;
  return { ...line, type: 'message', content: line['content'] ?? line['message'] };
}
