import { z } from 'zod';
import { thresholdsSchema } from '../grading/task-record.js';
import { SCORE_SCALES } from '../trajectory/execution.js';

/** How executions become windows and rewards: the options of the table in docs/windows.md. */
export const windowSchema = z
  .strictObject({
    score_scale: z
      .enum(SCORE_SCALES)
      .default('test')
      .describe('scale whose scores are graded; a window with a score on another scale only is ungraded'),
    thresholds: z
      .record(z.string(), thresholdsSchema)
      .default({})
      .describe(
        'thresholds by task id on that scale; needed where score_scale is not test, for a task record speaks of test scores',
      ),
    timeouts: z
      .enum(['error', 'masked'])
      .default('error')
      .describe("what an agent's own timeout pays: -1 like any error, or nothing (null, not trained)"),
    base: z
      .enum(['every', 'new_tier'])
      .default('every')
      .describe('base of a medal: paid every time (MLExpert), or only for a better tier than any before'),
    trend: z
      .enum(['previous', 'best', 'parent', 'none'])
      .default('previous')
      .describe(
        'what a score is compared with: the previous valid submission (MLExpert), the best so far, the parent node, or nothing (T = 0)',
      ),
    model: z
      .string()
      .nullable()
      .default(null)
      .describe("the policy whose spans are actions where a log holds several; null is the trajectory's own"),
  })
  .refine((options) => options.score_scale === 'test' || Object.keys(options.thresholds).length > 0, {
    path: ['thresholds'],
    message: 'needed for every task when score_scale is not test: the task records hold test thresholds only',
  })
  .refine((options) => options.score_scale !== 'test' || Object.keys(options.thresholds).length === 0, {
    path: ['thresholds'],
    message: 'only for another score_scale than test: test thresholds belong into the task records',
  });

export type WindowOptions = z.infer<typeof windowSchema>;
export type WindowOptionsInput = z.input<typeof windowSchema>;
