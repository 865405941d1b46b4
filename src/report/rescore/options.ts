import { parseDocument } from 'yaml';
import { z } from 'zod';
import { TrajmillError } from '../../errors.js';
import { type TaskRecord, thresholdsSchema } from '../../grading/task-record.js';
import { configFaults } from '../../pipeline/config-faults.js';
import {
  degradationSchema,
  qualitySchema,
  type SelectionOptions,
  selectionSchema,
} from '../../selection/options.js';
import { SCORE_SCALES } from '../../trajectory/execution.js';
import { timeoutsSchema, type WindowOptions, windowSchema } from '../../windows/options.js';

const thresholdsByTask = z.record(z.string(), thresholdsSchema);

/** What may be asked anew of outcomes that a corpus has stored. What is left out stays as in its plan. */
export const rescoreSchema = z
  .strictObject({
    thresholds: thresholdsByTask
      .default({})
      .describe('test thresholds by task id, in the place of those in the task records'),
    windows: z
      .strictObject({
        score_scale: z.enum(SCORE_SCALES),
        thresholds: thresholdsByTask,
        timeouts: timeoutsSchema,
        timeout_seconds: z.number().positive().nullable(),
        base: z.enum(['every', 'new_tier']),
        trend: z.enum(['previous', 'best', 'parent', 'none']),
      })
      .partial()
      .default({})
      .describe('how outcomes become rewards, as in a pipeline file'),
    selection: z
      .strictObject({
        quality: qualitySchema,
        degradation: degradationSchema,
        score_scale: z.enum(SCORE_SCALES),
        invalidated_anchors: z.boolean(),
        complete: z.enum(['first', 'attempt']),
      })
      .partial()
      .default({})
      .describe('which prefixes the rules of the plan would keep, as in a pipeline file'),
  })
  .describe('other rewards and another selection for a corpus that is there');
export type RescoreOptions = z.infer<typeof rescoreSchema>;

/** Reads a file of rescore options. Throws TrajmillError E_CONFIG with its place. */
export function parseRescoreOptions(text: string, path: string): RescoreOptions {
  const document = parseDocument(text);
  const syntax = document.errors[0];
  if (syntax !== undefined) {
    throw new TrajmillError('E_CONFIG', (syntax.message.split('\n')[0] ?? '').trim(), { place: path });
  }
  return checked(rescoreSchema, document.toJS() ?? {}, path);
}

/** The window options of a plan with what is asked anew. Throws E_CONFIG where they do not go together. */
export function rescoredWindowOptions(
  planned: WindowOptions,
  asked: RescoreOptions,
  path: string,
): WindowOptions {
  const merged = { ...planned, ...asked.windows };
  // thresholds of the plan belong to its own scale
  const otherScale = merged.score_scale !== planned.score_scale;
  if (otherScale && asked.windows.thresholds === undefined) merged.thresholds = {};
  return checked(windowSchema, merged, path, 'windows');
}

/** The selection options of a plan with what is asked anew. */
export function rescoredSelection(
  planned: SelectionOptions,
  asked: RescoreOptions,
  path: string,
): SelectionOptions {
  return checked(selectionSchema, { ...planned, ...asked.selection }, path, 'selection');
}

/** Task records with other test thresholds. Throws E_CONFIG for a task that no record names. */
export function rescoredTasks(
  records: readonly TaskRecord[],
  { thresholds }: RescoreOptions,
  path: string,
): TaskRecord[] {
  for (const name of Object.keys(thresholds)) {
    if (records.some((task) => task.task_id === name)) continue;
    throw new TrajmillError('E_CONFIG', `thresholds.${name}: no task record has this id`, { place: path });
  }
  return records.map((task) => ({ ...task, thresholds: thresholds[task.task_id] ?? task.thresholds }));
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: string, under = ''): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const [fault] = parsed.error.issues.flatMap((issue) => configFaults(issue, { schema: written, value }));
  throw new TrajmillError('E_CONFIG', `${under === '' ? '' : `${under}.`}${fault?.text ?? 'invalid'}`, {
    place: path,
  });
}
