import { TrajmillError } from '../errors.js';
import { parseCsv } from '../grading/csv.js';
import { type HumanRank, humanRank } from '../grading/human-rank.js';
import { isAboveMedian, isAnyMedal, medalOf } from '../grading/medals.js';
import type { TaskIndex } from '../grading/task-index.js';
import type { Medal, TaskRecord } from '../grading/task-record.js';

/** A score that is to be graded, with where it stands. */
export interface ScoreEntry {
  readonly task: TaskRecord;
  /** NaN and infinities as they stand; null where nothing was handed in */
  readonly score: number | null;
}

export interface GradedScore {
  readonly task_id: string;
  /** a JSON number, or its name where it is not finite */
  readonly score: number | string | null;
  readonly gradable: boolean;
  readonly medal: Medal | null;
  readonly any_medal: boolean | null;
  readonly above_median: boolean | null;
  /** null without a leaderboard */
  readonly human_rank: HumanRank | null;
}

/** Leaderboards of the one task that they are given for. */
export interface GivenBoards {
  readonly task_id: string;
  readonly public: readonly number[] | null;
  readonly private: readonly number[] | null;
}

/** Medals and ranks of scores by the rules of MLE-bench and MLE-Dojo. */
export function gradeScores(entries: readonly ScoreEntry[], boards: GivenBoards | null): GradedScore[] {
  return entries.map(({ task, score }) => {
    const finite = score !== null && Number.isFinite(score) ? score : null;
    const medal = medalOf(finite, task);
    return {
      task_id: task.task_id,
      score: score === null || finite !== null ? score : String(score),
      gradable: finite !== null,
      medal,
      any_medal: isAnyMedal(medal),
      above_median: isAboveMedian(finite, task),
      human_rank: boards?.task_id === task.task_id ? humanRank(score, boards, task.is_lower_better) : null,
    };
  });
}

const WORDS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
};

/** A number as Python or JSON writes it, NaN and infinities too; null for anything else. */
export function parseScore(text: string): number | null {
  const word = WORDS[text.trim().toLowerCase().replace(/^\+/, '')];
  if (word !== undefined) return word;
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? null : value;
}

const TASK_COLUMNS = ['task_id', 'task', 'competition_id'];

/**
 * Reads a CSV of scores: a column `score` and one of task_id, task, competition_id; without the latter all are of the
 * task given. An empty score is a missing submission. Throws E_TASK_FILE with the line.
 */
export function parseScores(
  text: string,
  {
    path,
    index,
    task,
  }: { readonly path: string; readonly index: TaskIndex; readonly task: TaskRecord | null },
): ScoreEntry[] {
  const { header, records } = parseCsv(text, path);
  const fault = (message: string, line: number): TrajmillError =>
    new TrajmillError('E_TASK_FILE', message, { place: `${path}:${line}` });
  if (!header.includes('score')) throw fault(`no column score, only ${header.join(', ')}`, 1);
  const column = TASK_COLUMNS.find((name) => header.includes(name));
  if (column === undefined && task === null) {
    throw fault(`no column ${TASK_COLUMNS.join(', ')}: name the task with --task`, 1);
  }
  return records.map(({ line, cells }) => {
    const name = column === undefined ? null : (cells[column] ?? '').trim();
    const record = name === null ? task : index.find(name);
    if (record === null) throw fault(`no task record is named "${name}"`, line);
    const cell = (cells['score'] ?? '').trim();
    const score = parseScore(cell);
    if (score === null && cell !== '') throw fault(`score "${cell}" is not a number`, line);
    return { task: record, score };
  });
}
