import type { StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { groupBy } from './groups.js';
import { meanFigure, shareFigure } from './intervals.js';

interface Gap {
  readonly key: string;
  /** how much better the validation score is than the test score, in points of the metric */
  readonly points: number;
  /** the same as a share of |gold - median| of the task; null where that is unknown or 0 */
  readonly spans: number | null;
}

/**
 * Validation against test, for every execution that has both scores: positive where the agent's own split flatters.
 * Points of different metrics are never averaged; over all tasks the gap is in units of |gold - median|.
 */
export const gapFigures: StatsSection = ({ runs, tasks }) => {
  const gaps: Gap[] = [];
  for (const run of runs) {
    const task = tasks.get(run.task_id ?? '');
    if (task === undefined) continue;
    const { gold = null, median = null } = task.thresholds ?? {};
    const span = gold === null || median === null ? 0 : Math.abs(gold - median);
    for (const { score_validation: validation, score_test: test } of run.executions) {
      if (validation === null || test === null) continue;
      const points = task.is_lower_better ? test - validation : validation - test;
      gaps.push({ key: `task:${task.task_id}`, points, spans: span > 0 ? points / span : null });
    }
  }
  if (gaps.length === 0) return [];
  const section = 'validation_gap';
  const flattering = gaps.filter(({ points }) => points > 0).length;
  const spans = gaps.flatMap((gap) => (gap.spans === null ? [] : [gap.spans]));
  const figures: Figure[] = [
    shareFigure({ section, key: 'all', figure: 'validation better than test' }, flattering, gaps.length),
    meanFigure({ section, key: 'all', figure: 'mean gap in |gold - median|' }, spans),
  ];
  for (const [key, own] of groupBy(gaps, (gap) => gap.key)) {
    const points = own.map((gap) => gap.points);
    figures.push(meanFigure({ section, key, figure: 'mean gap in points' }, points));
  }
  return figures;
};
