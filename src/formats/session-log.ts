import { RejectError } from '../logs/reject.js';
import type { Place } from './adapter.js';
import { gluedSessions, type SessionMark, type SessionMarker, withoutCopies } from './glued-sessions.js';
import { type ReadResult, type RecordReader, readRecord, rejectResult } from './record.js';

/** All records of a file of unit `lines`. */
export interface SessionLog {
  readonly records: readonly unknown[];
  /** of each record, the number of its line or of its place in a list, from 1 */
  readonly numbers: readonly number[];
  readonly place: Place;
  readonly flags: readonly string[];
}

/**
 * Each session of a log through its adapter. Of several sessions each names the line where it begins, and one without
 * a single turn (a bare head) is passed over where another has one. A prompt that was written before its head counts
 * where the session begins with a reply.
 */
export function* readSessions(reader: RecordReader, log: SessionLog): Generator<ReadResult> {
  const { records, numbers, flags } = log;
  const { adapter } = reader;
  const markOf: SessionMarker = (record) => adapter.sessionOf?.(record) ?? null;
  let sessions: readonly (readonly number[])[];
  try {
    sessions = gluedSessions(records, markOf);
  } catch (error) {
    const fault = new RejectError(
      'internal',
      `the ${adapter.name} adapter failed to tell sessions apart: ${error}`,
    );
    yield rejectResult(fault, { place: log.place, stage: 'format', format: adapter.name });
    return;
  }
  const read = (indices: readonly number[], whole: boolean): ReadResult[] => {
    const place = whole ? log.place : { ...log.place, line: numbers[indices[0] ?? 0] ?? null };
    const kept = withoutCopies(records, indices, markOf);
    const input = kept.map((index) => records[index]);
    const copies = kept.length < indices.length ? ['repeated_lines'] : [];
    return [...readRecord(reader, { input, place, flags: [...flags, ...copies] })];
  };
  const apart = sessions.map((indices) => read(indices, sessions.length === 1));
  const [head = [], next = [], ...others] = sessions;
  const late = head.every((index) => isNameless(markOf(records[index]))) && belongsTo(apart[0], apart[1]);
  const results = late
    ? [read([...head, ...next], others.length === 0), ...apart.slice(2)].flat()
    : apart.flat();
  const told = results.filter((result) => result.kind !== 'reject' || result.reject.code !== 'no_turns');
  yield* told.length > 0 ? told : results.slice(0, 1);
}

function isNameless(mark: SessionMark | null): boolean {
  return mark?.opens !== true && (mark?.session ?? null) === null;
}

/** Whether what stands before the first head is of its session: records without a turn, or its prompt, written too early. */
function belongsTo(before: readonly ReadResult[] = [], session: readonly ReadResult[] = []): boolean {
  const [first] = session;
  if (first?.kind !== 'trajectory') return false;
  const opening = first.trajectory.turns.find(({ role }) => role !== 'system');
  const codes = opening?.role === 'assistant' ? ['no_turns', 'no_model_turns'] : ['no_turns'];
  return before.every((each) => each.kind === 'reject' && codes.includes(each.reject.code));
}
