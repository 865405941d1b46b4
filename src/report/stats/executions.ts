import { EXECUTION_KINDS } from '../../trajectory/execution-kind.js';
import type { StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { groupBy, UNKNOWN } from './groups.js';
import { plainFigure, quantileFigure, shareFigure } from './intervals.js';

const ENDINGS = ['timeout', 'error', 'infrastructure'] as const;

/**
 * Wall seconds of executions (median, 90% quantile by nearest rank, longest) and how they ended, by kind, and for
 * experiments by scaffold.
 */
export const executionFigures: StatsSection = ({ runs }) => {
  const all = runs.flatMap((run) =>
    run.executions.map((execution) => ({ execution, scaffold: run.scaffold ?? UNKNOWN })),
  );
  const groups = new Map(
    EXECUTION_KINDS.map((kind) => [`kind:${kind}`, all.filter(({ execution }) => execution.kind === kind)]),
  );
  const experiments = all.filter(({ execution }) => execution.kind === 'experiment');
  for (const [scaffold, list] of groupBy(experiments, (each) => each.scaffold)) {
    groups.set(`scaffold:${scaffold}`, list);
  }

  const figures: Figure[] = [];
  for (const [key, list] of groups) {
    if (list.length === 0) continue;
    const section = 'executions';
    const seconds = list.flatMap(({ execution }) => (execution.seconds === null ? [] : [execution.seconds]));
    figures.push(
      quantileFigure({ section, key, figure: 'seconds, median' }, seconds, 0.5),
      quantileFigure({ section, key, figure: 'seconds, p90' }, seconds, 0.9),
      plainFigure(
        { section, key, figure: 'seconds, max' },
        seconds.reduce<number | null>((most, each) => (most === null || each > most ? each : most), null),
        seconds.length,
      ),
    );
    for (const ending of ENDINGS) {
      const count = list.filter(({ execution }) => execution.status === ending).length;
      figures.push(shareFigure({ section, key, figure: ending }, count, list.length));
    }
  }
  return figures;
};
