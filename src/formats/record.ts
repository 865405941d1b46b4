import { posix } from 'node:path';
import { type Reject, RejectError, type RejectStage } from '../logs/reject.js';
import { trajectoryId } from '../trajectory/identity.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { ExperimentTable, FormatAdapter, Place, RawTrajectory, SidecarOf } from './adapter.js';
import { joinRunGrade } from './mlebench-grade.js';
import { type RecordingSiblings, recordSiblings, type SiblingFolder, siblingPath } from './siblings.js';

export interface ReadDetection {
  readonly format: string;
  readonly reason: string;
}

export type ReadResult =
  | { readonly kind: 'trajectory'; readonly trajectory: Trajectory; readonly detection: ReadDetection }
  | { readonly kind: 'reject'; readonly reject: Reject }
  /** `of` is the main log's path; both relative to the root */
  | { readonly kind: 'sidecar'; readonly path: string; readonly of: string };

/** An adapter with what it needs beside a record. */
export interface RecordReader {
  readonly adapter: FormatAdapter;
  readonly reason: string;
  readonly folder: SiblingFolder;
  readonly experiments: ExperimentTable;
  readonly experiment_patterns: readonly RegExp[];
}

/** A place whose bytes may never have been read. */
export type RejectPlace = Omit<Place, 'sha256'> & { readonly sha256: string | null };

/** One parsed record through its adapter: trajectories with identity and source, a sidecar, or one reject. */
export function* readRecord(
  reader: RecordReader,
  record: { input: unknown; place: Place; flags: readonly string[] },
): Generator<ReadResult> {
  const { adapter } = reader;
  const { place, flags } = record;
  const format = adapter.name;
  const siblings = recordSiblings(reader.folder, place.path);
  const refused: RejectError[] = [];
  let outcome: readonly RawTrajectory[] | SidecarOf;
  try {
    const { experiments, experiment_patterns } = reader;
    const refuse = (error: RejectError): void => void refused.push(error);
    const context = { place, siblings, flags, experiments, experiment_patterns, refuse };
    outcome = adapter.read(record.input, context);
    if (!('sidecar_of' in outcome)) {
      const parts = siblings.sidecars().map(({ path }) => posix.basename(path));
      outcome = joinRunGrade(outcome, { ...context, parts });
    }
  } catch (error) {
    const fault =
      error instanceof RejectError
        ? error
        : new RejectError('internal', `the ${format} adapter failed: ${describe(error)}`);
    yield rejectResult(fault, { place, stage: 'format', format });
    return;
  }
  if ('sidecar_of' in outcome) {
    const of = siblingPath(posix.dirname(place.path), outcome.sidecar_of);
    yield { kind: 'sidecar', path: place.path, of };
    return;
  }
  for (const fault of refused) yield rejectResult(fault, { place, stage: 'format', format });
  if (outcome.length === 0 && refused.length === 0) {
    const fault = new RejectError('no_turns', `a ${format} log without a turn`);
    yield rejectResult(fault, { place, stage: 'format', format });
  }
  for (const raw of outcome) {
    const fault = emptiness(raw.turns);
    if (fault !== null) yield rejectResult(fault, { place, stage: 'format', format });
    else {
      const trajectory = complete(raw, { adapter, place, siblings, flags });
      yield { kind: 'trajectory', trajectory, detection: { format, reason: reader.reason } };
    }
  }
}

/** A reject with its place. */
export function rejectResult(
  error: RejectError,
  at: { place: RejectPlace; stage: RejectStage; format?: string },
): ReadResult {
  const { path, line, byte_start, byte_end, sha256 } = at.place;
  return {
    kind: 'reject',
    reject: {
      source: path,
      line,
      byte_start,
      byte_end,
      sha256,
      stage: at.stage,
      code: error.code,
      message: error.message,
      format: at.format ?? null,
      trajectory_id: null,
    },
  };
}

function emptiness(turns: readonly Turn[]): RejectError | null {
  if (turns.length === 0) return new RejectError('no_turns', 'not a single turn');
  const generated = turns.some((turn) =>
    turn.spans.some((span) => span.origin === 'model' && (span.text !== '' || span.call !== null)),
  );
  return generated ? null : new RejectError('no_model_turns', `${turns.length} turns, none by a model`);
}

function complete(
  raw: RawTrajectory,
  from: { adapter: FormatAdapter; place: Place; siblings: RecordingSiblings; flags: readonly string[] },
): Trajectory {
  const { adapter, place, siblings, flags } = from;
  return {
    trajectory_id: trajectoryId(raw.turns),
    source: {
      path: place.path,
      line: place.line,
      byte_start: place.byte_start,
      byte_end: place.byte_end,
      sha256: place.sha256,
      format: adapter.name,
      adapter_version: adapter.version,
      sidecars: siblings.sidecars(),
    },
    ...raw,
    flags: [...new Set([...flags, ...raw.flags, ...(raw.turns.some(isEmptyReply) ? ['empty_turns'] : [])])],
  };
}

/** A turn of the model that holds neither words nor a call. */
function isEmptyReply({ role, spans }: Turn): boolean {
  return role === 'assistant' && spans.every(({ text, call }) => text === '' && call === null);
}

/** One line about a fault that no adapter should raise. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
