import { createHash } from 'node:crypto';
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
  let glued: readonly Session[];
  try {
    glued = gluedSessions(records, markOf);
  } catch (error) {
    const fault = new RejectError(
      'internal',
      `the ${adapter.name} adapter failed to tell sessions apart: ${error}`,
    );
    yield rejectResult(fault, { place: log.place, stage: 'format', format: adapter.name });
    return;
  }
  const { sessions, repeated } = distinctSessions(records, glued, markOf);
  const several = glued.length > 1;
  const read = (indices: readonly number[], whole: boolean): ReadResult[] => {
    const place = whole ? log.place : { ...log.place, line: numbers[indices[0] ?? 0] ?? null };
    const kept = withoutCopies(records, indices, markOf);
    const input = kept.map((index) => records[index]);
    const copies = repeated.has(indices) || kept.length < indices.length ? ['repeated_lines'] : [];
    return [...readRecord(reader, { input, place, flags: [...flags, ...copies] })];
  };
  const apart = sessions.map((indices) => read(indices, !several));
  const [head = [], next = [], ...others] = sessions;
  const late = head.every((index) => isNameless(markOf(records[index]))) && belongsTo(apart[0], apart[1]);
  const results = late
    ? [read([...head, ...next], others.length === 0), ...apart.slice(2)].flat()
    : apart.flat();
  const told = results.filter((result) => result.kind !== 'reject' || result.reject.code !== 'no_turns');
  yield* told.length > 0 ? told : results.slice(0, 1);
}

/** Indices of the records of one session. */
type Session = readonly number[];

/**
 * Sessions without what was written twice: stretches from a head to the next one, or to an end, that equal an earlier
 * one in every record; and those whose stretches stand again.
 */
function distinctSessions(
  records: readonly unknown[],
  glued: readonly Session[],
  markOf: SessionMarker,
): { readonly sessions: readonly Session[]; readonly repeated: ReadonlySet<Session> } {
  const cut = glued.map((session) => stretchesOf(records, session, markOf));
  if (cut.flat().length < 2) return { sessions: glued, repeated: new Set() };
  const first = new Map<string, number>();
  const again = new Set<number>();
  const sessions = cut.map((stretches, session) =>
    stretches.flatMap((stretch) => {
      const hash = createHash('sha256');
      for (const index of stretch) hash.update(`${JSON.stringify(records[index])}\n`);
      const key = hash.digest('hex');
      const before = first.get(key);
      if (before === undefined) first.set(key, session);
      // a head alone says nothing that was said before
      const bare = stretch.every((index) => markOf(records[index])?.opens === true);
      if (before === undefined || (bare && stretches.length > 1)) return stretch;
      again.add(before);
      return [];
    }),
  );
  const repeated = new Set(sessions.filter((_, session) => again.has(session)));
  return { sessions: sessions.filter((session) => session.length > 0), repeated };
}

function stretchesOf(records: readonly unknown[], session: Session, markOf: SessionMarker): number[][] {
  const stretches: number[][] = [];
  let ended = true;
  let headed = false;
  for (const index of session) {
    const { opens = false, closes = false } = markOf(records[index]) ?? {};
    // heads may stand one behind another
    if (ended || (opens && !headed)) stretches.push([index]);
    else stretches.at(-1)?.push(index);
    ended = closes;
    headed = opens;
  }
  return stretches;
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
