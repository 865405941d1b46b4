import { z } from 'zod';
import { SCORE_SCALES, type ScoreScale } from '../trajectory/execution.js';

/** Scores of the whole corpus, for quality thresholds that are quantiles. */
export interface CorpusScores {
  /** the quantile of all submissions of the task on the scale, null where it has none */
  quantile(taskId: string, scale: ScoreScale, q: number): number | null;
}

/** One quantile over the corpus, as the decide pass found it. */
export const corpusQuantileSchema = z.strictObject({
  task_id: z.string(),
  scale: z.enum(SCORE_SCALES),
  q: z.number(),
  score: z.number(),
  n: z.int().describe('submissions it was taken over'),
});
export type CorpusQuantile = z.infer<typeof corpusQuantileSchema>;

/** Corpus scores out of a list of quantiles that were computed before. */
export function corpusScoresOf(list: readonly CorpusQuantile[]): CorpusScores {
  const keyOf = (taskId: string, scale: ScoreScale, q: number): string => `${scale}\n${q}\n${taskId}`;
  const scores = new Map(list.map(({ task_id, scale, q, score }) => [keyOf(task_id, scale, q), score]));
  return { quantile: (taskId, scale, q) => scores.get(keyOf(taskId, scale, q)) ?? null };
}
