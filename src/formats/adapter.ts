import type { RejectError } from '../logs/reject.js';
import type { ScoreScale } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { SessionMark } from './glued-sessions.js';

/** What a format records, for `trajmill formats` and docs/formats.md. */
export interface FormatNotes {
  /** One line: which tool writes it. */
  readonly title: string;
  /** How content is recognised, in words. */
  readonly recognised_by: string;
  readonly scores: string;
  readonly executions: string;
  readonly reasoning: string;
  readonly token_ids: string;
  readonly logprobs: string;
  /** What the format does not record, or what the adapter does not keep. */
  readonly loss: readonly string[];
}

/** Which tools of a format are experiments, which only score; everything else is `other`. */
export interface ExperimentTable {
  readonly experiment: readonly string[];
  readonly scoring: readonly string[];
  /** how to read the answers of scoring calls, for formats that record no scores of their own */
  readonly score?: ScoreRule | null;
}

/** Scoring calls are answered with a JSON object that holds the score under this key. */
export interface ScoreRule {
  readonly key: string;
  readonly scale: ScoreScale;
}

/**
 * What detection sees of a file: the head, and the parsed document or first lines where they parse.
 * `json` is set when the whole file is one JSON document within the limit; `lines` when it is JSON lines.
 */
export interface Sniff {
  /** relative to the input root, forward slashes */
  readonly path: string;
  readonly head: string;
  readonly json: unknown;
  /** the first parsed line records (at most 32), empty when the file is not JSON lines */
  readonly lines: readonly unknown[];
  readonly siblings: Siblings;
  /** names of the members where the file is a zip archive */
  readonly members?: readonly string[];
}

/** A zip archive, as an adapter of unit `archive` gets it. */
export interface ArchiveInput {
  /** in the order of the archive's directory */
  readonly names: readonly string[];
  /**
   * The text of a member, null where there is none of this name.
   *
   * @throws RejectError `bad_archive` for a damaged member, or one that is not deflated or stored
   */
  readText(name: string): string | null;
}

/**
 * Files beside the one being read, by name relative to its folder; parts of a run that lie in folders side by side are
 * named as `../<folder>/<file>`.
 */
export interface Siblings {
  readonly names: readonly string[];
  /**
   * The text of a sibling, or null where it is missing or unreadable. Reading records it as a sidecar, with what it
   * is used for as its role; during detection nothing is recorded.
   */
  readText(name: string, role?: string): string | null;
}

/** A verdict of detection. `certain` beats `likely`; two certain verdicts are a bug that a test catches. */
export interface Detection {
  readonly confidence: 'certain' | 'likely';
  readonly reason: string;
  /** how this file is to be read, where that is not the adapter's usual unit */
  readonly unit?: FormatUnit;
}

/** Where a record lies in its file. */
export interface Place {
  readonly path: string;
  readonly line: number | null;
  readonly byte_start: number;
  readonly byte_end: number;
  readonly sha256: string;
}

export interface ReadContext {
  readonly place: Place;
  readonly siblings: Siblings;
  /** flags found while reading bytes (bom, bare_nan, invalid_utf8, duplicate_keys ...) */
  readonly flags: readonly string[];
  /** the format's own table, as overridden by the pipeline */
  readonly experiments: ExperimentTable;
  /** regular expressions over shell commands that count as experiments (pipeline option) */
  readonly experiment_patterns: readonly RegExp[];
  /** rejects one piece (a row, a sample) of a file whose others are read: what throws refuses all of it */
  refuse(error: RejectError): void;
}

/** A trajectory as an adapter gives it: identity and source are filled in by the reader. */
export type RawTrajectory = Omit<Trajectory, 'trajectory_id' | 'source'>;

/** A file that holds no trajectory of its own. `of` is the sibling name of its main log. */
export interface SidecarOf {
  readonly sidecar_of: string;
}

/**
 * What a file is read as: `document` gets the parsed JSON of the whole file, `text` its text, `lines` all
 * parsed records of one file at once (a session log), `line` one record at a time (a file of many rows, which may
 * be cut into byte ranges), `archive` the members of a zip archive.
 */
export type FormatUnit = 'document' | 'text' | 'lines' | 'line' | 'archive';

/**
 * One raw log format. Adapters are pure: they take parsed input and give trajectories. A record they cannot take
 * they refuse by throwing RejectError (logs/reject.ts).
 */
export interface FormatAdapter {
  readonly name: string;
  /** goes up with every change of what it yields */
  readonly version: string;
  readonly unit: FormatUnit;
  readonly notes: FormatNotes;
  readonly experiments: ExperimentTable;
  detect(sniff: Sniff): Detection | null;
  /** of unit `lines`: what a record says of its session, where a file may hold several; each is then read for itself */
  sessionOf?(record: unknown): SessionMark | null;
  /** `input` is a document, a string, a list of records, a record or an ArchiveInput, by unit. */
  read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf;
}
