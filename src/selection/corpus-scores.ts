import type { ScoreScale } from '../trajectory/execution.js';

/** Scores of the whole corpus, for quality thresholds that are quantiles. */
export interface CorpusScores {
  /** the quantile of all submissions of the task on the scale, null where it has none */
  quantile(taskId: string, scale: ScoreScale, q: number): number | null;
}
