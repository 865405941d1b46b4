import { z } from 'zod';
import { corpusQuantileSchema } from '../selection/corpus-scores.js';

/**
 * One decision that the whole corpus made on a trajectory. Only those that differ from "go on" are listed: what
 * selection then keeps or filters stands in table `trajectories`.
 */
export const decisionRowSchema = z.strictObject({
  order: z.int().describe('place among the trajectories of its task, from 0'),
  trajectory_id: z.string(),
  decision: z
    .enum(['duplicate', 'filtered', 'copy', 'repeats'])
    .describe(
      'copy: equal to an earlier one, and the pipeline keeps duplicates; repeats: it goes on, and replies that ' +
        'another one holds too are not trained in it',
    ),
  reason: z.string().describe('equal_turns, near_duplicate, repeated_replies, or a filter reason'),
  occurrence: z.int().describe('how many equal trajectories stand before it'),
  duplicate_of: z.string().nullable().describe('trajectory_id of the one that stands for it'),
  detail: z.string().nullable().describe('a sentence with what decided'),
  repeated: z
    .array(z.int())
    .optional()
    .describe('replies that another one holds too, as places among the turns that a model wrote, from 0'),
});
export type DecisionRow = z.infer<typeof decisionRowSchema>;

const GOES_ON: ReadonlySet<string> = new Set<DecisionRow['decision']>(['copy', 'repeats']);

/** Whether a trajectory is built: nothing was decided on it, or nothing that leaves it out. */
export function goesOn(row: Pick<DecisionRow, 'decision'> | null): boolean {
  return row === null || GOES_ON.has(row.decision);
}

/** Decisions on the trajectories of one task. */
export const taskDecisionsSchema = z.strictObject({
  plan_id: z.string(),
  task: z.int(),
  rows: z.array(decisionRowSchema),
});
export type TaskDecisions = z.infer<typeof taskDecisionsSchema>;

/** What the decide pass found over the whole corpus. Written last: without it no decision counts. */
export const decisionsSchema = z.strictObject({
  plan_id: z.string(),
  counts: z.record(z.string(), z.int()).describe('listed decisions by reason'),
  thresholds: z
    .array(
      z.strictObject({
        task_id: z.string(),
        gold: z.number(),
        silver: z.number(),
        bronze: z.number(),
        median: z.number(),
        n: z.int().describe('submissions that they were taken over'),
      }),
    )
    .describe('thresholds that are quantiles of the corpus; tasks without a submission are absent'),
  quantiles: z.array(corpusQuantileSchema).describe('quality thresholds that are quantiles of the corpus'),
  weights: z
    .array(
      z.strictObject({
        stage: z.string().nullable(),
        source: z.string().nullable(),
        n: z.int().describe('trajectories that selection is to keep; 0 where it was not asked'),
        weight: z.number(),
      }),
    )
    .describe('mix weights; absent means 1'),
});
export type Decisions = z.infer<typeof decisionsSchema>;
