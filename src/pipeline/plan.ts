import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { columnsSchema } from '../formats/column-mapping.js';
import { taskRecordSchema } from '../grading/task-record.js';
import { decontaminationListSchema } from '../selection/decontamination.js';
import { canonicalSha256 } from './canonical-json.js';
import { pipelineFields } from './config.js';
import type { RunFolder } from './run-folder.js';

/** A stretch of one input file: the whole of it, or whole lines of a file that may be cut. */
export const pieceSchema = z.strictObject({
  input: z.int().describe('index into inputs'),
  byte_start: z.int(),
  byte_end: z.int().describe('exclusive'),
  first_line: z.int().describe('1-based number of the first line'),
  whole: z.boolean(),
});

export const planInputSchema = z.strictObject({
  path: z.string().describe('relative to the input root, forward slashes; `-` for standard input'),
  bytes: z.int(),
  sha256: z.string().nullable().describe('null where it cannot be read'),
  stdin: z.literal(true).optional().describe('it came from standard input and lies in the run folder'),
  unreadable: z.string().optional().describe('why it could not be read when it was planned: it is rejected'),
  format: z.string().describe('format asked for, or auto'),
  columns: columnsSchema.optional(),
  stage: z.string().nullable(),
  source: z.string().nullable(),
});

const tierQuantiles = z.strictObject({
  task_id: z.string(),
  gold: z.number(),
  silver: z.number(),
  bronze: z.number(),
  median: z.number(),
});

/**
 * The frozen plan of a run. Everything that can change a byte of the corpus is in it, and nothing else: no
 * absolute path, no worker count, no output folder. Its identity is the sha256 of its canonical JSON.
 */
export const planBodySchema = z.strictObject({
  schema_version: z.int(),
  tool_version: z.string(),
  config: pipelineFields.omit({ inputs: true, out: true }),
  tokenizer_sha256: z.string(),
  template_sha256: z.string(),
  adapters: z.record(z.string(), z.string()).describe('version by format'),
  adapter_modules: z
    .array(z.strictObject({ name: z.string(), sha256: z.string() }))
    .optional()
    .describe("modules of the user's own adapters"),
  prompts: z
    .strictObject({ template: z.string(), descriptions: z.record(z.string(), z.string()) })
    .optional()
    .describe('the text of the prompt template, and the descriptions of tasks by id'),
  task_records: z.array(taskRecordSchema),
  corpus_thresholds: z
    .array(tierQuantiles)
    .describe("tasks whose thresholds are quantiles over the corpus's own submissions"),
  decontamination: z
    .strictObject({
      lists: z.array(decontaminationListSchema.pick({ name: true, ids: true })),
      texts: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
    })
    .describe('what the corpus must not hold'),
  inputs: z.array(planInputSchema),
  companions: z.array(z.string()).describe('files beside the inputs that adapters may join, by path'),
  tasks: z.array(z.array(pieceSchema)),
});

export const planSchema = z.strictObject({ plan_id: z.string(), body: planBodySchema });

/** Where the inputs of a plan lie on this machine. */
export const locationSchema = z.strictObject({
  input_root: z.string(),
  stdin: z.string().nullable().default(null).describe('folder of standard input, where that is an input'),
  adapters: z.array(z.string()).default([]).describe('adapter modules, in the order of the plan'),
  tokenizer: z.string(),
  template: z.string(),
  texts: z.array(z.string()).describe('task descriptions of the decontamination, in the order of the plan'),
});

export type Piece = z.infer<typeof pieceSchema>;
export type PlanInput = z.infer<typeof planInputSchema>;
export type PlanBody = z.infer<typeof planBodySchema>;
export type Plan = z.infer<typeof planSchema>;
export type Location = z.infer<typeof locationSchema>;

export function sealPlan(body: PlanBody): Plan {
  return { plan_id: canonicalSha256(body), body };
}

function readJsonFile<T>(path: string, schema: z.ZodType<T>): T | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new TrajmillError('E_IO', `cannot be read: ${message}`, { place: path, cause });
  }
  const mismatch = (what: string, cause: unknown): TrajmillError =>
    new TrajmillError('E_PLAN_MISMATCH', `${what}; a run needs another --out folder`, { place: path, cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw mismatch('is damaged: not JSON', cause);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw mismatch('is of another version of trajmill, or damaged', parsed.error);
  return parsed.data;
}

/**
 * The plan of a run folder, or null where there is none. A plan whose id does not match its content is refused, and so is
 * one of another version, which knew other options.
 */
export function readPlan(folder: RunFolder): Plan | null {
  const plan = readJsonFile(folder.plan, planSchema);
  if (plan === null || canonicalSha256(plan.body) === plan.plan_id) return plan;
  // options that have come since are filled in with their defaults
  const { body } = JSON.parse(readFileSync(folder.plan, 'utf8')) as { body: unknown };
  const isSealed = canonicalSha256(body) === plan.plan_id;
  throw new TrajmillError(
    'E_PLAN_MISMATCH',
    isSealed
      ? 'is of another version of trajmill; a run needs another --out folder'
      : 'the plan was changed after it was frozen; a run needs another --out folder',
    { place: folder.plan },
  );
}

/** The plan and its location, or an error that says what to do. */
export function requirePlan(folder: RunFolder): { plan: Plan; location: Location } {
  const plan = readPlan(folder);
  const location = readJsonFile(folder.location, locationSchema);
  if (plan === null || location === null) {
    const missing = existsSync(folder.dir) ? 'no plan here' : 'there is no such folder';
    throw new TrajmillError(
      'E_USAGE',
      `${missing}; make a plan with \`trajmill plan PIPELINE.yaml --out DIR\``,
      { place: folder.dir },
    );
  }
  return { plan, location };
}
