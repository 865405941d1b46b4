import { z } from 'zod';
import { selectionSchema } from './options.js';

const most = z.int().min(0).nullable().default(null);

/** A training stage with its own selection: stage 1 general agent runs, stage 2 ML engineering (MLExpert). */
export const stageSchema = z
  .strictObject({
    name: z.string().min(1).describe('written to every row; inputs name it'),
    selection: selectionSchema.prefault({}).describe('in the place of the selection of the pipeline'),
    max_trajectories: most.describe('most kept trajectories of this stage, in the place of caps.stage'),
    max_per_task: most.describe('most kept trajectories of one task within this stage'),
    weight: z.number().min(0).nullable().default(null).describe('mix weight, in the place of mix.stages'),
  })
  .describe('a training stage');

export const stagesSchema = z
  .array(stageSchema)
  .default([])
  .describe('stages with their own selection; every input then names one');

export type Stage = z.infer<typeof stageSchema>;
