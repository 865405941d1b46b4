import { TrajmillError } from '../errors.js';
import { parseCsv } from './csv.js';
import { leaderboardThresholds } from './medals.js';
import { type TaskRecord, taskRecordSchema } from './task-record.js';

/** Scores of a leaderboard in rank order. */
export interface Leaderboard {
  readonly scores: readonly number[];
  /** entries without a finite score, which are no rank */
  readonly skipped: number;
}

/**
 * Reads a leaderboard, CSV with a column `score` (in any case), one entry a line in rank order, as Kaggle, MLE-bench
 * and MLE-Dojo write it. A column `rank`, where there is one, must go up. Throws E_TASK_FILE with the line.
 */
export function parseLeaderboard(text: string, path: string): Leaderboard {
  const { header, records } = parseCsv(text, path);
  const column = (wanted: string): string | undefined => header.find((name) => name.toLowerCase() === wanted);
  const score = column('score');
  if (score === undefined) {
    throw new TrajmillError('E_TASK_FILE', `no column score, only ${header.join(', ')}`, {
      place: `${path}:1`,
    });
  }
  const rank = column('rank');
  const scores: number[] = [];
  let skipped = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const { line, cells } of records) {
    const place = rank === undefined ? before : Number(cells[rank]);
    if (place < before || Number.isNaN(place)) {
      throw new TrajmillError('E_TASK_FILE', `rank ${cells[rank ?? '']} after rank ${before}`, {
        place: `${path}:${line}`,
      });
    }
    before = place;
    const cell = (cells[score] ?? '').trim();
    if (cell === '' || /^[-+]?(?:nan|inf(?:inity)?)$/i.test(cell)) {
      skipped++;
      continue;
    }
    const value = Number(cell);
    if (!Number.isFinite(value)) {
      throw new TrajmillError('E_TASK_FILE', `score "${cell}" is not a number`, { place: `${path}:${line}` });
    }
    scores.push(value);
  }
  return { scores, skipped };
}

/** What of a record a leaderboard does not tell. */
export type LeaderboardTask = Pick<TaskRecord, 'task_id'> & Partial<TaskRecord>;

/**
 * The record of a task by its leaderboard: direction and thresholds by the rules of MLE-bench. Throws E_TASK_FILE
 * where the scores are not in rank order, for then neither would be right.
 */
export function leaderboardRecord(board: Leaderboard, task: LeaderboardTask, path: string): TaskRecord {
  if (board.scores.length === 0) {
    throw new TrajmillError('E_TASK_FILE', 'a leaderboard without scores', { place: path });
  }
  const { is_lower_better, thresholds, n_teams, sorted } = leaderboardThresholds(board.scores);
  if (!sorted) {
    throw new TrajmillError('E_TASK_FILE', 'the scores of a leaderboard must stand in rank order', {
      place: path,
    });
  }
  if (task.is_lower_better !== undefined && task.is_lower_better !== is_lower_better) {
    const word = (lower: boolean): string => (lower ? 'lower' : 'higher');
    throw new TrajmillError(
      'E_TASK_FILE',
      `the leaderboard of ${task.task_id} says ${word(is_lower_better)} is better, its record ${word(task.is_lower_better)}`,
      { place: path },
    );
  }
  return taskRecordSchema.parse({
    ...task,
    is_lower_better,
    thresholds,
    n_teams,
    threshold_source: 'leaderboard',
  });
}
