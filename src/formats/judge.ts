import { RejectError } from '../logs/reject.js';
import type { FormatAdapter, FormatUnit, Siblings } from './adapter.js';
import { detect, type Verdict } from './detect.js';
import { MAX_LINES, type SniffedFile } from './sniff.js';

/** An adapter that takes a file, and how. */
export type Chosen = Extract<Verdict, { adapter: FormatAdapter }> & {
  /** the file is one JSON list of what would be its lines */
  readonly listed?: boolean;
  /** its records are whole documents: what lies beside the file is of none of them more than of another */
  readonly documents?: boolean;
};

const NO_SIBLINGS: Siblings = { names: [], readText: () => null };

/** What can be read of a file of which only some lines are records. */
const LINE_UNITS: ReadonlySet<FormatUnit> = new Set(['line', 'lines']);

interface JudgeOptions {
  readonly formats: readonly FormatAdapter[];
  readonly only: FormatAdapter | null;
}

/** The adapter for a file, or why there is none. */
export function judge(sniffed: SniffedFile, options: JudgeOptions): Chosen | RejectError {
  let verdict: Verdict;
  try {
    verdict = detect(sniffed.sniff, options);
    const listed = lineList(sniffed, verdict, options);
    if (listed !== null) return listed;
    if (verdict.adapter !== null) {
      const documents = verdict.confidence === 'likely' ? severalDocuments(sniffed, options) : null;
      return documents?.confidence === 'certain' ? documents : verdict;
    }
    if (verdict.code !== 'unknown_format' || verdict.message.startsWith('looks like')) {
      return new RejectError(verdict.code, verdict.message);
    }
    if (sniffed.stray.length > 0) {
      const byLines = detect({ ...sniffed.sniff, lines: sniffed.stray }, options);
      if (byLines.adapter !== null && LINE_UNITS.has(byLines.unit)) return byLines;
    }
    const documents = severalDocuments(sniffed, options);
    if (documents !== null) return documents;
  } catch (error) {
    return error instanceof RejectError ? error : new RejectError('internal', `detection: ${error}`);
  }
  return sniffed.fault ?? new RejectError(verdict.code, verdict.message);
}

/**
 * A list of what would be lines is read as they would be: a session unless the list is surely something else, rows
 * where nothing else takes it.
 */
function lineList(sniffed: SniffedFile, verdict: Verdict, options: JudgeOptions): Chosen | null {
  const { json, lines } = sniffed.sniff;
  // Some tools print a run as one list, of which others may follow on lines of their own.
  const items: readonly unknown[] = Array.isArray(json)
    ? json
    : lines.every(Array.isArray)
      ? lines.flat()
      : [];
  if (items.length === 0) return null;
  const byLines = detect({ ...sniffed.sniff, json: undefined, lines: items.slice(0, MAX_LINES) }, options);
  if (byLines.adapter === null || !LINE_UNITS.has(byLines.unit)) return null;
  // Lists that only may be pieces of one session are more likely a session each.
  const pieces = byLines.unit === 'lines' && byLines.confidence === 'certain';
  if (!Array.isArray(json) && !pieces) return null;
  const other = verdict.adapter !== null && verdict.adapter !== byLines.adapter;
  const beaten = pieces
    ? !other || verdict.confidence !== 'certain'
    : verdict.adapter === null && verdict.code === 'unknown_format';
  return beaten ? { ...byLines, listed: true } : null;
}

/**
 * A list, or lines, of whole documents of a format that has one to a file: each is read as a file of its own would be.
 * The first that some adapter takes tells the format of all.
 */
function severalDocuments({ sniff, stray }: SniffedFile, options: JudgeOptions): Chosen | null {
  const listed = Array.isArray(sniff.json);
  const items: readonly unknown[] = Array.isArray(sniff.json) ? sniff.json : [...sniff.lines, ...stray];
  for (const item of items.slice(0, MAX_LINES)) {
    if (typeof item !== 'object' || item === null) continue;
    const verdict = detect({ ...sniff, json: item, lines: [], siblings: NO_SIBLINGS }, options);
    if (verdict.adapter === null || verdict.unit !== 'document') continue;
    return { ...verdict, unit: 'line', listed, documents: true };
  }
  return null;
}
