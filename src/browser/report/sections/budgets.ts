import { axisX, axisY, dot, gridY, line, pointer, ruleX, tip } from '@observablehq/plot';
import type { Figure } from '../../../report/stats/figure.js';
import { count, percent } from '../../common/numbers.js';
import { splitKey, words } from '../names.js';
import { chart, percentTick, TIP } from '../parts/chart.js';
import { figureTable, intervalText } from '../parts/figure-text.js';
import type { Panel } from '../parts/panel.js';

const COLOURS: Readonly<Record<string, string>> = {
  valid_submission: 'var(--c1)',
  above_median: 'var(--c3)',
  any_medal: 'var(--c5)',
};

/** The share of runs that have something to show by a budget: three lines with their intervals. */
function budgetPanel(kind: 'turns' | 'seconds', title: string): Panel {
  return {
    id: `budgets-${kind}`,
    title,
    lead: 'Medians and medals are known of runs whose task has thresholds: each line has its own n.',
    draw: ({ view, width }) => {
      const own = view.figuresOf('budgets').filter((figure) => splitKey(figure.key).kind === kind);
      const points = own.flatMap((figure) => {
        const { value, low, high, n } = figure;
        if (value === null) return [];
        const budget = budgetName(kind, splitKey(figure.key).name);
        const text = `${words(figure.figure)} by ${budget}\n${percent(value)} (95%: ${intervalText(figure)})\nn = ${count(n)}`;
        return [
          {
            budget,
            value,
            low,
            high,
            text,
            name: figure.figure,
            colour: COLOURS[figure.figure] ?? 'var(--c8)',
          },
        ];
      });
      if (points.length === 0) {
        const what = kind === 'turns' ? 'launched an experiment' : 'says how long all of its executions took';
        return { chart: null, sentence: `None of these trajectories ${what}.`, table: null };
      }
      const names = [...new Set(points.map(({ name }) => name))];
      const sentence = `${title}: share of runs, with 95% intervals.`;
      const isTight = kind === 'seconds' && width < 420;
      return {
        chart: chart({
          label: sentence,
          width,
          height: 280,
          marginLeft: 48,
          marginRight: 20,
          marginTop: 26,
          ...(isTight ? { marginBottom: 58 } : {}),
          x: { type: 'point', domain: [...new Set(points.map(({ budget }) => budget))] },
          y: { domain: [0, 1] },
          color: { type: 'identity' },
          marks: [
            gridY({ stroke: 'var(--line)', strokeOpacity: 1 }),
            axisX({
              label: kind === 'turns' ? 'turns that launched something →' : 'time of executions →',
              ...(isTight ? { tickRotate: -45 } : {}),
            }),
            axisY({
              label: '↑ share of runs',
              tickFormat: percentTick,
              ticks: 5,
            }),
            // side by side: equal shares would hide each other
            ...names.flatMap((name, i) => {
              const own = points.filter((point) => point.name === name);
              const dx = 7 * (i - (names.length - 1) / 2);
              const at = { x: 'budget', dx, stroke: 'colour' };
              return [
                ruleX(own, { ...at, y1: 'low', y2: 'high', strokeWidth: 1.5 }),
                line(own, { ...at, y: 'value', strokeWidth: 2 }),
                dot(own, { ...at, y: 'value', r: 3.5, fill: 'colour' }),
              ];
            }),
            tip(points, pointer({ x: 'budget', y: 'value', title: 'text', ...TIP })),
          ],
        }),
        sentence,
        legend: names.map((name) => ({
          text: `${words(name)} (n = ${count(observed(own, name))})`,
          colour: COLOURS[name] ?? '',
          mark: 'line' as const,
        })),
        table: figureTable(title, own),
      };
    },
  };
}

/** Runs behind a line: the same at every budget. */
const observed = (figures: readonly Figure[], name: string): number =>
  Math.max(0, ...figures.filter(({ figure }) => figure === name).map(({ n }) => n));

function budgetName(kind: 'turns' | 'seconds', name: string): string {
  const value = Number(name);
  if (kind === 'turns' || !Number.isFinite(value)) return name;
  return value < 3600 ? `${value / 60} min` : `${value / 3600} h`;
}

export const turnBudgets = budgetPanel('turns', 'Best so far by turns');
export const secondBudgets = budgetPanel('seconds', 'Best so far by time');
