import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { type Leaderboard, leaderboardRecord } from './leaderboard-file.js';
import { compareScores } from './medals.js';
import { NATUREBENCH_THRESHOLDS } from './naturebench.js';
import { type TaskRecord, type Thresholds, taskRecordSchema } from './task-record.js';

const tierOf = <T extends z.ZodType>(value: T) =>
  z.strictObject({ gold: value, silver: value, bronze: value, median: value });

const baseline = z.strictObject({
  name: z.string().min(1).describe('what was run'),
  score: z.number().describe('what it scored, on the scale of the task'),
});

const share = z.number().min(0).max(1);

/** Where a task without medals takes its thresholds from. */
export const thresholdMappingSchema = z
  .union([
    z.strictObject({
      baselines: tierOf(baseline).describe('a named baseline for each tier; inclusive, as medals are'),
      is_lower_better: z.boolean().optional().describe('needed where no record knows the task'),
    }),
    z.strictObject({
      leaderboard: z
        .string()
        .min(1)
        .describe('CSV with a column score in rank order, relative to the pipeline file'),
    }),
    z.strictObject({
      quantiles: tierOf(share).describe(
        "quantile for each tier over the corpus's own test submissions of the task, nearest rank, counted from the worst",
      ),
    }),
    z.strictObject({ task: z.string().min(1).describe('the thresholds of another task record') }),
    z.strictObject({
      preset: z.enum(['naturebench']).describe('naturebench: g of at least 0 is bronze, above 0.1 gold'),
    }),
  ])
  .describe('where the thresholds of a task come from');
export type ThresholdMapping = z.infer<typeof thresholdMappingSchema>;

/** A tier of quantiles that the decide pass turns into scores. */
export type TierQuantiles = Record<keyof Thresholds, number>;

/** Value of `threshold_source` for thresholds that the decide pass took from the corpus itself. */
export const CORPUS_QUANTILES = 'corpus_quantiles';

export interface MappingContext {
  readonly taskId: string;
  /** the record of the task before, null where none knows it */
  readonly record: TaskRecord | null;
  /** finds another record by id or alias */
  readonly find: (name: string) => TaskRecord | null;
  readonly readBoard: (path: string) => Leaderboard;
}

/**
 * The record of a task with the thresholds that a mapping gives it, and their source. For quantiles the thresholds
 * stay null until the corpus is known. Throws E_CONFIG where the mapping cannot be applied.
 */
export function withMapping(mapping: ThresholdMapping, context: MappingContext): TaskRecord {
  const { taskId, record } = context;
  if ('leaderboard' in mapping) {
    const task = record ?? { task_id: taskId };
    return leaderboardRecord(context.readBoard(mapping.leaderboard), task, mapping.leaderboard);
  }
  if ('quantiles' in mapping) {
    const known = record ?? refuse(taskId, 'no task record: add one with is_lower_better');
    return { ...known, thresholds: null, threshold_source: CORPUS_QUANTILES };
  }
  if ('preset' in mapping) {
    if (record?.is_lower_better === true) refuse(taskId, 'lower is better, NatureBench counts upwards');
    const base = record ?? taskRecordSchema.parse({ task_id: taskId, is_lower_better: false });
    return { ...base, thresholds: { ...NATUREBENCH_THRESHOLDS }, threshold_source: 'naturebench' };
  }
  if ('task' in mapping) {
    const other = context.find(mapping.task) ?? refuse(taskId, `no record of task ${mapping.task}`);
    if (other.thresholds === null) refuse(taskId, `task ${mapping.task} has no thresholds either`);
    const base = record ?? { ...other, task_id: taskId, aliases: [] };
    if (base.is_lower_better !== other.is_lower_better) {
      refuse(taskId, `task ${mapping.task} has the other direction`);
    }
    return { ...base, thresholds: other.thresholds, threshold_source: `task:${other.task_id}` };
  }
  return withBaselines(mapping, context);
}

function withBaselines(
  { baselines, is_lower_better }: Extract<ThresholdMapping, { baselines: unknown }>,
  { taskId, record }: MappingContext,
): TaskRecord {
  const lower = record?.is_lower_better ?? is_lower_better;
  if (lower === undefined) refuse(taskId, 'no task record: say is_lower_better');
  if (is_lower_better !== undefined && is_lower_better !== lower) {
    refuse(taskId, 'is_lower_better contradicts the task record');
  }
  const { gold, silver, bronze, median } = baselines;
  const order = [gold, silver, bronze, median];
  order.forEach((stronger, i) => {
    const weaker = order[i + 1];
    if (weaker !== undefined && compareScores(stronger.score, weaker.score, lower) < 0) {
      refuse(taskId, `baseline ${weaker.name} (${weaker.score}) beats ${stronger.name} (${stronger.score})`);
    }
  });
  const thresholds = {
    gold: gold.score,
    silver: silver.score,
    bronze: bronze.score,
    median: median.score,
  };
  const base = record ?? taskRecordSchema.parse({ task_id: taskId, is_lower_better: lower });
  return { ...base, thresholds, threshold_source: 'baselines' };
}

function refuse(taskId: string, why: string): never {
  throw new TrajmillError('E_CONFIG', `tasks.thresholds of ${taskId}: ${why}`);
}

/** Where the thresholds of a record come from, for the columns; null where it has none. */
export function thresholdSource(
  record: Pick<TaskRecord, 'thresholds' | 'threshold_source'> | null,
): string | null {
  if (record === null || record.thresholds === null) return null;
  return record.threshold_source ?? 'task_record';
}
