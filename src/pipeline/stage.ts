import type { MixOptions } from '../selection/mix.js';
import type { SelectionOptions } from '../selection/options.js';
import type { Stage } from '../selection/stages.js';
import { weightsOfStages } from './config.js';
import type { PlanBody, PlanInput } from './plan.js';

type Config = PlanBody['config'];

/** The stage that an input belongs to, with what the pipeline says of it. */
export interface StageOfInput {
  /** null where the pipeline names none */
  readonly name: string | null;
  readonly source: string | null;
  readonly selection: SelectionOptions;
  /** the entry in `stages`; null in a pipeline without */
  readonly entry: Stage | null;
}

export function stageOf(config: Config, input: Pick<PlanInput, 'stage' | 'source'>): StageOfInput {
  const name = input.stage ?? config.stage;
  const entry = config.stages.find((stage) => stage.name === name) ?? null;
  return { name, source: input.source, selection: entry?.selection ?? config.selection, entry };
}

/** Mix weights with those that stages state themselves. */
export function mixOf(config: Config): MixOptions {
  return { ...config.mix, stages: { ...config.mix.stages, ...weightsOfStages(config.stages) } };
}

/** Every selection that some input of the pipeline may be taken by. */
export function selectionsOf(config: Config): SelectionOptions[] {
  return config.stages.length > 0 ? config.stages.map(({ selection }) => selection) : [config.selection];
}
