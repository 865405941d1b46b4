import { asId, hasKeys, isObject, type JsonObject } from './shape.js';

/** Whether a line is an event of `opencode run --format json`: a part of a reply, with the session that it belongs to. */
export function isRunEvent(line: unknown): line is JsonObject {
  if (!hasKeys(line, 'type', 'sessionID', 'part') || !isObject(line['part'])) return false;
  return hasKeys(line['part'], 'messageID', 'type');
}

/** The events of a run as an exported session, by session: its parts under their messages, in the order of the lines. */
export function sessionOfEvents(records: readonly unknown[]): JsonObject {
  const messages = new Map<unknown, JsonObject[]>();
  let session: string | null = null;
  for (const record of records) {
    if (!isRunEvent(record)) continue;
    const part = record['part'] as JsonObject;
    session ??= asId(record['sessionID']);
    const parts = messages.get(part['messageID']);
    if (parts === undefined) messages.set(part['messageID'], [part]);
    else parts.push(part);
  }
  return {
    info: { id: session },
    messages: [...messages].map(([id, parts]) => ({ info: { id, role: 'assistant' }, parts })),
  };
}
