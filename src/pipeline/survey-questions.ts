import { DescriptionOverlap, ListedTasks } from '../selection/decontamination.js';
import { MinHasher } from '../selection/minhash.js';
import { SCORE_SCALES, type ScoreScale } from '../trajectory/execution.js';
import type { Location, Plan, PlanBody } from './plan.js';
import { plannedTexts } from './plan-decontamination.js';
import { selectionsOf } from './stage.js';

/** What the options of a pipeline ask of the survey, with the engines for it. */
export interface SurveyQuestions {
  readonly hasher: MinHasher | null;
  readonly listed: ListedTasks | null;
  readonly overlap: DescriptionOverlap | null;
  /** scales whose scores some quantile is taken over */
  readonly scales: readonly ScoreScale[];
  readonly prospects: boolean;
  readonly tasksWithQuantiles: ReadonlySet<string>;
}

export function surveyQuestions(plan: Plan, location: Location): SurveyQuestions {
  const { config, task_records: records, decontamination, corpus_thresholds: thresholds } = plan.body;
  const { near_duplicates: near, decontamination: options, seed } = config;
  return {
    hasher: near === null ? null : new MinHasher({ ...near, seed }),
    listed: decontamination.lists.length === 0 ? null : new ListedTasks(decontamination.lists, records),
    overlap:
      options === 'none' || decontamination.texts.length === 0
        ? null
        : new DescriptionOverlap(plannedTexts(plan, location), options),
    scales: askedScales(plan.body),
    prospects: asksProspects(config),
    tasksWithQuantiles: new Set(thresholds.map(({ task_id }) => task_id)),
  };
}

/** Scales whose scores some quantile is taken over. */
export function askedScales({ config, corpus_thresholds: thresholds }: PlanBody): ScoreScale[] {
  const asked = new Set<ScoreScale>(thresholds.length > 0 ? ['test'] : []);
  for (const { quality, score_scale } of selectionsOf(config)) {
    if (quality !== null && typeof quality !== 'string' && 'quantile' in quality) asked.add(score_scale);
  }
  return SCORE_SCALES.filter((scale) => asked.has(scale));
}

/** Caps and shares are counted over what selection keeps. */
export function asksProspects(config: PlanBody['config']): boolean {
  const { caps, mix, stages } = config;
  const staged = stages.some((stage) => stage.max_trajectories !== null || stage.max_per_task !== null);
  return staged || mix.as === 'share' || caps.task !== null || caps.source !== null || caps.stage !== null;
}
