import { z } from 'zod';
import { EXECUTION_KINDS } from './execution-kind.js';

/** `error` and `timeout` are the agent's own; `infrastructure` is a fault of the harness or the machine. */
export const EXECUTION_STATUSES = ['ok', 'error', 'timeout', 'infrastructure', 'unknown'] as const;

/** Where a score was measured: hidden labels, the agent's own split, or what an LLM read in stdout. */
export const SCORE_SCALES = ['test', 'validation', 'self_reported'] as const;

/**
 * Flag of a run whose log shows no scores that the adapter knows how to read: whether there was a submission is then
 * not known, and no window may be paid for having none.
 */
export const SUBMISSIONS_NOT_RECORDED = 'submissions_not_recorded';

export const executionSchema = z
  .strictObject({
    execution_id: z.string().describe('unique in the trajectory'),
    order: z.int().describe('order of launch, from 0'),
    kind: z.enum(EXECUTION_KINDS),
    tool: z.string().describe('tool or action that launched it, as the log names it'),
    call_turn: z.int().describe('index of the assistant turn that launched it'),
    call_span: z.int().nullable().describe('index of the launching span in that turn, null if not separable'),
    feedback_turn: z.int().nullable().describe('index of the turn that shows its result, null if cut off'),
    status: z.enum(EXECUTION_STATUSES),
    exit_code: z.int().nullable(),
    seconds: z.number().nullable().describe('wall seconds'),
    started_at: z.string().nullable().describe('ISO 8601'),
    completed_at: z.string().nullable().describe('ISO 8601'),
    error_type: z.string().nullable().describe('exception or failure class, where the log names it'),
    code: z.string().nullable().describe('the program that ran, for the comparison of repeats'),
    parent_execution: z.string().nullable().describe('tree parent, for search logs'),
    invalidated: z.boolean(),
    complete_solution: z
      .boolean()
      .nullable()
      .describe('the log itself marks it as a full solution (true) or not; null where it says nothing'),
    flags: z.array(z.string()),
  })
  .describe('one thing the agent ran, and its outcome');

export const submissionSchema = z
  .strictObject({
    execution_id: z.string().nullable().describe('the experiment that made the artefact'),
    scored_by: z.string().nullable().describe('the scoring execution, where scoring is a call of its own'),
    observed_turn: z.int().nullable().describe('turn where its result was observed'),
    order: z.int().describe('order of observation, from 0'),
    gradable: z.boolean().describe('a finite score exists or the grader accepted it'),
    score: z.number().nullable().describe('as logged, unrounded; null where none or not finite'),
    scale: z.enum(SCORE_SCALES),
    grader: z.string().nullable().describe('who graded it'),
    stale: z.boolean().describe('left over from an earlier execution: not a submission of this one'),
    flags: z.array(z.string()),
  })
  .describe('an answer event, linked to the experiment that made it');

export type ExecutionKind = (typeof EXECUTION_KINDS)[number];
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
export type ScoreScale = (typeof SCORE_SCALES)[number];
export type Execution = z.infer<typeof executionSchema>;
export type Submission = z.infer<typeof submissionSchema>;
