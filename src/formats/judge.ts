import { RejectError } from '../logs/reject.js';
import type { FormatAdapter, FormatUnit } from './adapter.js';
import { detect, type Verdict } from './detect.js';
import type { SniffedFile } from './sniff.js';

/** An adapter that takes a file, and how. */
export type Chosen = Extract<Verdict, { adapter: FormatAdapter }>;

/** What can be read of a file of which only some lines are records. */
const LINE_UNITS: ReadonlySet<FormatUnit> = new Set(['line', 'lines']);

/** The adapter for a file, or why there is none. */
export function judge(
  sniffed: SniffedFile,
  options: { formats: readonly FormatAdapter[]; only: FormatAdapter | null },
): Chosen | RejectError {
  let verdict: Verdict;
  try {
    verdict = detect(sniffed.sniff, options);
    if (verdict.adapter !== null) return verdict;
    if (verdict.code !== 'unknown_format' || verdict.message.startsWith('looks like')) {
      return new RejectError(verdict.code, verdict.message);
    }
    if (sniffed.stray.length > 0) {
      const byLines = detect({ ...sniffed.sniff, lines: sniffed.stray }, options);
      if (byLines.adapter !== null && LINE_UNITS.has(byLines.unit)) return byLines;
    }
  } catch (error) {
    return error instanceof RejectError ? error : new RejectError('internal', `detection: ${error}`);
  }
  return sniffed.fault ?? new RejectError(verdict.code, verdict.message);
}
