import { z } from 'zod';
import { thresholdsSchema } from '../grading/task-record.js';
import { SCORE_SCALES } from '../trajectory/execution.js';

/** What timeouts pay; also in the options of a rescore. */
export const timeoutsSchema = z.union([
  z.enum(['error', 'masked', 'any']),
  z.strictObject({
    share: z.number().min(0).max(1).describe('more than this share of its experiments'),
  }),
]);

const TIMEOUTS_DOC =
  "what an agent's own timeout pays: -1 like any error; masked: nothing (null, not trained); any: the whole run pays " +
  "nothing and is not trained where one experiment timed out (SandMLE's paper), or more than a share of them (its release: 0.2)";

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
    timeouts: timeoutsSchema.default('error').describe(TIMEOUTS_DOC),
    timeout_seconds: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe(
        'limit of one experiment for any and share, for logs that do not mark timeouts; SandMLE trained with 90',
      ),
    over_long: z
      .enum(['cut-context', 'drop', 'keep'])
      .default('cut-context')
      .describe(
        'sequences longer than length.max_tokens. cut-context: several, each with the task and the newest turns before the windows that it trains, no window ever cut; drop: windows that do not fit with their whole context are left out; keep: as they are',
      ),
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
