import { z } from 'zod';
import { SCORE_SCALES } from '../trajectory/execution.js';
import { PREFIX_KINDS, SELECTION_RULES } from './decision.js';

export const QUALITY_TIERS = ['median', 'bronze', 'silver', 'gold'] as const;
export type QualityTier = (typeof QUALITY_TIERS)[number];

export const qualitySchema = z
  .union([
    z.enum(QUALITY_TIERS),
    z.strictObject({ score: z.number().describe('a fixed score, the same for every task') }),
    z.strictObject({
      quantile: z
        .number()
        .min(0)
        .max(1)
        .describe("share of the corpus's submissions of the task that are no better (nearest rank)"),
    }),
  ])
  .describe('a submission passes when it reaches this, inclusively');

export const degradationSchema = z.strictObject({
  threshold: z
    .number()
    .min(0)
    .describe(
      'a drop greater than this cuts after the best submission; no published value, so it must be given',
    ),
  drop: z
    .enum(['last', 'worst'])
    .default('last')
    .describe('drop from the best submission to the last one, or to the worst one after it'),
  unit: z
    .enum(['span', 'absolute', 'tiers'])
    .default('span')
    .describe(
      'span: share of |gold - median| of the task, where unknown share of |best|, where best is 0 absolute; absolute: score points; tiers: medal tiers lost',
    ),
});

/** Outcome-based selection: which prefixes of a trajectory become supervised rows (docs/selection.md). */
export const selectionSchema = z
  .strictObject({
    rules: z
      .array(z.enum(SELECTION_RULES))
      .default([])
      .describe(
        'whole: a run that ended normally, uncut; initial: up to the first complete solution; best: up to the best or last submission; none by default: no supervised rows',
      ),
    quality: qualitySchema
      .nullable()
      .default(null)
      .describe('quality threshold of initial and best: needed where one of them is on'),
    degradation: degradationSchema
      .nullable()
      .default(null)
      .describe('when the tail after the best submission is cut: needed where best is on'),
    score_scale: z
      .enum(SCORE_SCALES)
      .default('test')
      .describe('scale of the scores that decide; scores on other scales never count'),
    invalidated_anchors: z
      .boolean()
      .default(false)
      .describe('whether an execution that the log invalidates, then or later, may be an anchor'),
    tail: z
      .enum(['feedback', 'commit'])
      .default('feedback')
      .describe(
        "where a prefix ends: at the anchor's feedback (MLExpert), or after the model's next turn if all it does is commit the anchor",
      ),
    commit_tools: z
      .array(z.string())
      .default(['update_answer', 'submit', 'validate', 'Score', 'finish', 'answer'])
      .describe('tools whose call does nothing but commit, for logs that record no scoring executions'),
    prefixes: z
      .enum(PREFIX_KINDS)
      .default('chronological')
      .describe(
        'what a prefix of a search tree holds before its anchor. chronological: all nodes in the order of execution; lineage: those on the path from the root to the anchor alone. A run that is no search is chronological',
      ),
    outcome: z
      .enum(['resolved', 'any'])
      .default('any')
      .describe('whole: resolved keeps only runs that a joined report calls resolved'),
    complete: z
      .enum(['first', 'attempt'])
      .default('first')
      .describe(
        'initial: the first execution that left a gradable submission, or the first that tried to submit, failed or not',
      ),
  })
  .superRefine((options, context) => {
    const scored = options.rules.filter((rule) => rule !== 'whole');
    if (scored.length > 0 && options.quality === null) {
      context.addIssue({
        code: 'custom',
        path: ['quality'],
        message: `needed by rule ${scored.join(' and ')}: median, bronze, silver, gold, {score: x} or {quantile: q}`,
      });
    }
    if (options.rules.length === 0 && (options.quality !== null || options.degradation !== null)) {
      context.addIssue({
        code: 'custom',
        path: ['rules'],
        message: 'thresholds without a rule select nothing: name whole, initial or best',
      });
    }
    if (options.rules.includes('best') && options.degradation === null) {
      context.addIssue({
        code: 'custom',
        path: ['degradation'],
        message: 'needed by rule best: {threshold: x}, for example 0.05',
      });
    }
  });

export type SelectionOptions = z.infer<typeof selectionSchema>;
export type SelectionOptionsInput = z.input<typeof selectionSchema>;
export type Quality = z.infer<typeof qualitySchema>;
export type Degradation = z.infer<typeof degradationSchema>;
