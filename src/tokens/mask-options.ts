import { z } from 'zod';
import { MASK_POLICY_NAMES } from './mask-policy.js';

/** Kinds of words that can be trained; each brings its frame (think tags, tool-call tags). */
export const TRAINED_KINDS = ['reasoning', 'text', 'tool_call'] as const;
export type TrainedKind = (typeof TRAINED_KINDS)[number];

/** What counts in the loss of a row. The defaults are those of supervised fine-tuning. */
export const maskSchema = z
  .strictObject({
    policy: z
      .enum(MASK_POLICY_NAMES)
      .default('sampled')
      .describe('which parts around the words are trained: what the model samples, or what a trainer trains'),
    kinds: z
      .array(z.enum(TRAINED_KINDS))
      .min(1)
      .default([...TRAINED_KINDS])
      .describe('kinds of words to train'),
    models: z
      .array(z.string())
      .min(1)
      .nullable()
      .default(null)
      .describe("models whose spans are trained; null for the trajectory's own model"),
    last_turn_only: z.boolean().default(false).describe('train only the last trainable turn of a row'),
    failed_turns: z
      .enum(['train', 'mask'])
      .default('train')
      .describe('turns that launched an execution which failed or timed out: recovery is a lesson too'),
    timeouts: z
      .union([
        z.enum(['train', 'any']),
        z.strictObject({
          share: z.number().min(0).max(1).describe('more than this share of its experiments'),
        }),
      ])
      .default('train')
      .describe(
        'mask a whole trajectory because of experiments that ran into their time limit: never, for any one ' +
          "(SandMLE's paper), or for more than a share of them (its release: 0.2)",
      ),
    timeout_seconds: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe('limit of one experiment, for logs that do not mark timeouts; SandMLE trained with 90'),
    truncated: z
      .enum(['mask', 'train_without_stop', 'reject'])
      .default('mask')
      .describe('turns that were cut short; their stop token is never trained'),
    missing_stop: z
      .enum(['reject', 'mask', 'train_without_stop'])
      .default('reject')
      .describe(
        'turns that ended but behind which the template prints no stop token (GLM, the last turn): the training ' +
          'variant of such a template prints one',
      ),
    malformed_calls: z
      .enum(['mask', 'train'])
      .default('mask')
      .describe('tool calls that did not parse, kept verbatim'),
    stripped_reasoning: z
      .enum(['mask', 'train'])
      .default('mask')
      .describe('turns of which the template left out recorded reasoning'),
    continued_turns: z
      .enum(['mask', 'train'])
      .default('mask')
      .describe(
        'turns behind another turn of the model that the template prints as its continuation (Gemma 4), without the ' +
          'opening that the prompt gave them',
      ),
    boundary: z
      .enum(['whole', 'sampled'])
      .default('whole')
      .describe(
        'whole: one string, as trainers encode it, a token across header and words is not trained; ' +
          'sampled: a token boundary where generation began',
      ),
  })
  .describe('the loss mask');

export type MaskOptions = z.infer<typeof maskSchema>;
