import { RejectError } from '../logs/reject.js';
import type { Place } from './adapter.js';
import { gluedSessions, type SessionMarker, withoutCopies } from './glued-sessions.js';
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
 * a single turn (a bare head) is passed over where another has one.
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
  const results = sessions.flatMap((indices) => {
    const place =
      sessions.length === 1 ? log.place : { ...log.place, line: numbers[indices[0] ?? 0] ?? null };
    const kept = withoutCopies(records, indices, markOf);
    const input = kept.map((index) => records[index]);
    const copies = kept.length < indices.length ? ['repeated_lines'] : [];
    return [...readRecord(reader, { input, place, flags: [...flags, ...copies] })];
  });
  const told = results.filter((result) => result.kind !== 'reject' || result.reject.code !== 'no_turns');
  yield* told.length > 0 ? told : results.slice(0, 1);
}
