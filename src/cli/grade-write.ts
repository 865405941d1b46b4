import { reportFile, reportRowOf } from '../grading/report-file.js';
import { writeFileAtomic } from '../pipeline/atomic-file.js';
import type { ScoreEntry } from './grade-scores.js';

/** Writes scores as a report of MLE-bench; a missing score is a missing submission. */
export function writeReport(path: string, entries: readonly ScoreEntry[]): void {
  const rows = entries.map(({ task, score }) =>
    reportRowOf({ score, submission_exists: score !== null }, task),
  );
  writeFileAtomic(path, reportFile(rows));
}
