import { z } from 'zod';

/** What to do with rows that are longer than the limit. */
export const OVER_LENGTHS = ['drop', 'cut-tail', 'shorten-observations', 'split'] as const;
export type OverLength = (typeof OVER_LENGTHS)[number];

/** The longest row, and what becomes of longer ones. No choice ever cuts a turn of the model. */
export const lengthSchema = z
  .strictObject({
    max_tokens: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('longest row of sft and rl in tokens; null for no limit'),
    over: z
      .enum(OVER_LENGTHS)
      .default('drop')
      .describe(
        'supervised rows that are longer (for windows see windows.over_long). drop: leave the row out; cut-tail: end it at the last turn that fits; shorten-observations: elide the ' +
          'middle of the longest feedback; split: several rows, each with the task and the newest turns before ' +
          'those that it trains',
      ),
  })
  .describe('rows that are too long for a trainer');

export type LengthOptions = z.infer<typeof lengthSchema>;
