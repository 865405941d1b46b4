import { compareScores } from '../grading/medals.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { SelectionOptions } from './options.js';
import { selectPrefixes } from './select.js';

/**
 * Whether selection will keep a run, as far as it can be told without the rest of the corpus: yes, no, or where the
 * quality threshold is itself taken from the corpus the score that must reach it.
 */
export type Prospect = boolean | number;

/** Whether the quality threshold of a task waits for the corpus: a quantile, or a tier that quantiles will give. */
export function waitsForCorpus(options: SelectionOptions, taskHasQuantiles: boolean): boolean {
  const { quality } = options;
  if (quality === null) return false;
  return typeof quality === 'string' ? taskHasQuantiles : 'quantile' in quality;
}

/** The prospect of a run. `waits` is what waitsForCorpus says of its task. */
export function prospectOf(
  trajectory: Trajectory,
  task: TaskRecord | null,
  options: SelectionOptions,
  waits: boolean,
): Prospect {
  if (!waits || task === null) {
    // without a record no scored rule keeps anything, whatever the corpus holds
    const settled = waits ? withScore(options, 0) : options;
    return selectPrefixes(trajectory, task, settled).prefixes.length > 0;
  }
  const lower = task.is_lower_better;
  const decision = selectPrefixes(trajectory, task, withScore(options, unreachable(lower)));
  if (decision.prefixes.length > 0) return true;
  // each rule that judges a score has named the score that missed
  return decision.outcomes.reduce<number | false>((best, { score }) => {
    if (score === null) return best;
    return best === false || compareScores(score, best, lower) > 0 ? score : best;
  }, false);
}

function withScore(options: SelectionOptions, score: number): SelectionOptions {
  return { ...options, quality: { score } };
}

function unreachable(isLowerBetter: boolean): number {
  return isLowerBetter ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
