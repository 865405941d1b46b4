import { z } from 'zod';
import { executionSchema, submissionSchema } from './execution.js';
import { turnSchema } from './turn.js';

export const TERMINATIONS = [
  'submitted',
  'step_limit',
  'time_limit',
  'context_limit',
  'error',
  'cut',
  'unknown',
] as const;

export const sidecarSchema = z.strictObject({
  path: z.string().describe('relative to the input root'),
  sha256: z.string(),
  role: z.string().describe('what the format uses it for'),
});

export const sourceSchema = z
  .strictObject({
    path: z.string().describe('relative to the input root, with forward slashes'),
    line: z.int().nullable().describe('1-based line of a line format'),
    byte_start: z.int(),
    byte_end: z.int().describe('exclusive'),
    sha256: z.string().describe('of those bytes'),
    format: z.string(),
    adapter_version: z.string(),
    sidecars: z.array(sidecarSchema),
  })
  .describe('where the trajectory was read');

/** Flag of a run whose log states both directions for its metric, so that one of them contradicts any record. */
export const DIRECTION_INCONSISTENT = 'direction_inconsistent';

export const taskClaimsSchema = z
  .strictObject({
    metric: z.string().nullable(),
    is_lower_better: z.boolean().nullable(),
    gold: z.number().nullable(),
    silver: z.number().nullable(),
    bronze: z.number().nullable(),
    median: z.number().nullable(),
  })
  .describe(
    'what the log says of its task: evidence, checked against the task record, never used in its place',
  );

export const epochSchema = z
  .strictObject({
    turns: z.array(z.int()).describe('indices of the turns that the model had before it, in order'),
    reason: z
      .string()
      .nullable()
      .describe('why the context changed: compaction, pruning, ...; null for the first'),
  })
  .describe('a stretch of the run with one append-only context');

export const trajectorySchema = z
  .strictObject({
    trajectory_id: z.string().describe('sha256 over role, origin, kind and text of the turns'),
    source: sourceSchema,
    session_id: z.string().nullable().describe("the log's own id of the run"),
    parent_session: z.string().nullable().describe('of a sub-agent: session that started it'),
    group: z.string().nullable().describe("the log's own group of rollouts of one prompt"),
    task_id: z.string().nullable(),
    task_claims: taskClaimsSchema.nullable(),
    scaffold: z.string().nullable(),
    scaffold_version: z.string().nullable(),
    model: z.string().nullable(),
    policy_version: z.string().nullable(),
    tools: z.string().nullable().describe('JSON list of tool definitions, as logged'),
    turns: z.array(turnSchema),
    executions: z.array(executionSchema),
    submissions: z.array(submissionSchema),
    epochs: z.array(epochSchema).describe('at least one; a turn is trained in the first epoch that holds it'),
    termination: z.enum(TERMINATIONS),
    turn_budget: z.int().nullable(),
    seconds_budget: z.number().nullable(),
    resolved: z.boolean().nullable().describe('outcome of a joined report'),
    feedback_exposes_test_score: z.boolean(),
    flags: z.array(z.string()),
  })
  .describe('one agent run on one task');

export type Termination = (typeof TERMINATIONS)[number];
export type Sidecar = z.infer<typeof sidecarSchema>;
export type Source = z.infer<typeof sourceSchema>;
export type TaskClaims = z.infer<typeof taskClaimsSchema>;
export type Epoch = z.infer<typeof epochSchema>;
export type Trajectory = z.infer<typeof trajectorySchema>;
