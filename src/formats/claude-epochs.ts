import type { Epoch } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import { clearedContext, type SessionRecord } from './claude-records.js';

/**
 * What the model had before it, stretch by stretch: a compaction begins a new context, and where the harness cleared
 * results out of one it goes on with what stands in their place.
 */
export function sessionEpochs(
  contexts: readonly (readonly SessionRecord[])[],
  at: { turnsOf: ReadonlyMap<SessionRecord, readonly number[]>; turns: readonly Turn[] },
): Epoch[] {
  const epochs: Epoch[] = [];
  for (const records of contexts) {
    let current = new Set<number>();
    let reason = epochs.length === 0 ? null : 'compaction';
    for (const record of records) {
      const added = at.turnsOf.get(record) ?? [];
      if (clearedContext(record) === null) {
        for (const turn of added) current.add(turn);
        continue;
      }
      const next = withoutCleared([...current], { record, records, added, ...at });
      if (next === null) continue;
      epochs.push({ turns: [...current], reason });
      current = next;
      reason = 'microcompaction';
    }
    if (current.size > 0) epochs.push({ turns: [...current], reason });
  }
  return epochs;
}

/** The context with cleared results in the place of whole ones, or null where nothing of it was cleared. */
function withoutCleared(
  current: readonly number[],
  at: {
    record: SessionRecord;
    records: readonly SessionRecord[];
    added: readonly number[];
    turnsOf: ReadonlyMap<SessionRecord, readonly number[]>;
    turns: readonly Turn[];
  },
): Set<number> | null {
  const { record, records, added, turnsOf, turns } = at;
  const placeholders = new Map(added.map((turn) => [turns[turn]?.tool_call_id ?? null, turn]));
  const uuids = new Set(clearedContext(record)?.attachments ?? []);
  const attachments = records.filter(({ uuid }) => uuids.has(uuid));
  const gone = new Set(attachments.flatMap((each) => turnsOf.get(each) ?? []));
  const next = current
    .filter((turn) => !gone.has(turn))
    .map((turn) => {
      const { role, tool_call_id: call } = turns[turn] ?? {};
      return role === 'tool' && call !== null && call !== undefined ? (placeholders.get(call) ?? turn) : turn;
    });
  return next.length === current.length && next.every((turn, index) => turn === current[index])
    ? null
    : new Set(next);
}
