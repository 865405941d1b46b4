import { CorpusThresholds } from './corpus-thresholds.js';
import type { Decisions } from './decisions.js';
import type { Plan } from './plan.js';

/** What the corpus decided, as building a trajectory asks for it. */
export interface CorpusDecisions {
  readonly thresholds: CorpusThresholds;
  /** mix weight of a stage and source */
  weightOf(stage: string | null, source: string | null): number;
}

export function corpusDecisionsOf(plan: Plan, decisions: Decisions): CorpusDecisions {
  const keyOf = (stage: string | null, source: string | null): string => JSON.stringify([stage, source]);
  const weights = new Map(
    decisions.weights.map(({ stage, source, weight }) => [keyOf(stage, source), weight]),
  );
  return {
    thresholds: new CorpusThresholds({ records: plan.body.task_records, ...decisions }),
    weightOf: (stage, source) => weights.get(keyOf(stage, source)) ?? 1,
  };
}
