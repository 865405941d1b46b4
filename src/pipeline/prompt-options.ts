import { z } from 'zod';

/** Prompts of search nodes that a log lacks, rebuilt by a template (docs/selection.md). */
export const promptsSchema = z
  .strictObject({
    template: z.string().min(1).describe('a Jinja file that prints the prompt of a node'),
    role: z.enum(['user', 'system']).default('user').describe('role of the rebuilt turns'),
    descriptions: z
      .record(z.string(), z.string())
      .default({})
      .describe('files with the descriptions of tasks, by task id'),
  })
  .nullable()
  .default(null)
  .describe(
    'rebuilds the prompts of search logs that lack them (flag prompts_absent) as environment text; paths are relative to the pipeline file',
  );

export type PromptOptions = NonNullable<z.infer<typeof promptsSchema>>;
