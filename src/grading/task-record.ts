import { z } from 'zod';

export const TASK_ORIGINS = ['official', 'synthetic'] as const;

export const thresholdsSchema = z.strictObject({
  gold: z.number().nullable(),
  silver: z.number().nullable(),
  bronze: z.number().nullable(),
  median: z.number().nullable(),
});

/** A task record: the authority on direction and thresholds of a task (SEMANTICS section 1). */
export const taskRecordSchema = z.strictObject({
  task_id: z.string(),
  aliases: z.array(z.string()).default([]),
  family: z.string().nullable().default(null).describe('seed task that it was derived from'),
  origin: z.enum(TASK_ORIGINS).default('official'),
  metric: z.string().nullable().default(null),
  is_lower_better: z.boolean(),
  thresholds: thresholdsSchema.nullable().default(null),
  threshold_source: z
    .string()
    .nullable()
    .default(null)
    .describe('leaderboard, baselines, corpus quantiles, ...'),
  sample_submission_score: z.number().nullable().default(null),
  n_teams: z.int().nullable().default(null),
  split: z.string().nullable().default(null).describe('low, medium, high or dev of MLE-bench'),
  domain: z.string().nullable().default(null),
  modality: z.string().nullable().default(null),
  problem_type: z.string().nullable().default(null),
  licence: z.string().nullable().default(null),
  provenance: z.string().nullable().default(null),
});

export type Thresholds = z.infer<typeof thresholdsSchema>;
export type TaskRecord = z.infer<typeof taskRecordSchema>;

export const MEDALS = ['gold', 'silver', 'bronze'] as const;
/** `none` is a graded score below bronze; null stands for "unknown" wherever a medal may be null. */
export type Medal = (typeof MEDALS)[number] | 'none';
