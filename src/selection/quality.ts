import { TrajmillError } from '../errors.js';
import { compareScores, reaches } from '../grading/medals.js';
import { nearestRankOf } from '../grading/nearest-rank.js';
import type { TaskRecord } from '../grading/task-record.js';
import { CORPUS_QUANTILES, thresholdSource } from '../grading/threshold-mapping.js';
import type { ScoreScale } from '../trajectory/execution.js';
import type { CorpusScores } from './corpus-scores.js';
import type { Quality } from './options.js';
import type { NotKept } from './rule.js';

export interface QualityThreshold {
  readonly score: number;
  /** as it is named in a sentence */
  readonly name: string;
  /** where it came from: the source of the task's thresholds, `pipeline`, or `corpus_quantiles` */
  readonly source: string | null;
}

interface QualityInput {
  readonly quality: Quality;
  readonly task: TaskRecord;
  readonly scale: ScoreScale;
  readonly corpus: CorpusScores | null;
}

/** Throws E_CONFIG where the quality threshold is a quantile and no corpus scores are at hand. */
export function requireCorpus(quality: Quality | null, corpus: CorpusScores | null): void {
  if (corpus !== null || quality === null || typeof quality === 'string' || 'score' in quality) return;
  throw new TrajmillError(
    'E_CONFIG',
    `selection.quality {quantile: ${quality.quantile}} needs a survey of the whole corpus, which this step does not have: name median, bronze, silver, gold or {score: x}`,
  );
}

/** The quality threshold as a score of this task, or why there is none. */
export function qualityThreshold({ quality, task, scale, corpus }: QualityInput): QualityThreshold | NotKept {
  if (typeof quality === 'string') {
    const score = task.thresholds?.[quality] ?? null;
    const detail = `task ${task.task_id} has no ${quality} threshold`;
    if (score === null) return { reason: 'no_threshold', detail };
    return { score, name: `${quality} ${score}`, source: thresholdSource(task) };
  }
  if ('score' in quality) return { score: quality.score, name: `score ${quality.score}`, source: 'pipeline' };
  const score = corpus?.quantile(task.task_id, scale, quality.quantile) ?? null;
  const detail = `the corpus has no ${scale} submissions of task ${task.task_id}`;
  return score === null
    ? { reason: 'no_threshold', detail }
    : { score, name: `quantile ${quality.quantile} (${score})`, source: CORPUS_QUANTILES };
}

/** Inclusive. */
export function passes(score: number, threshold: QualityThreshold, task: TaskRecord): boolean {
  return reaches(score, threshold.score, task.is_lower_better);
}

/**
 * Nearest-rank quantile counted from the worst score: the worst score such that a share q of all is no better, of exact
 * rank max(1, ceil(q n)). Null for no scores.
 */
export function nearestRankQuantile(
  scores: readonly number[],
  q: number,
  isLowerBetter: boolean,
): number | null {
  const fromWorst = [...scores].sort((a, b) => compareScores(a, b, isLowerBetter));
  return fromWorst[nearestRankOf(q, fromWorst.length) - 1] ?? null;
}
