import type { Figure } from '../../../report/stats/figure.js';
import { count, percent } from '../../common/numbers.js';
import { splitKey, words } from '../names.js';
import { figureTable, intervalText } from '../parts/figure-text.js';
import { type HeatCell, heatMap } from '../parts/heat-map.js';
import type { Panel } from '../parts/panel.js';

const TREND = /^trend /;

interface TransitionOptions {
  readonly id: string;
  readonly title: string;
  /** what a row of the chart says, behind its title */
  readonly meaning: string;
  readonly xLabel: string;
  readonly isOwn: (figure: string) => boolean;
  /** columns that are there even where nothing leads to them */
  readonly always: readonly string[];
}

/** From the outcome of a window to the outcome, or the trend, of the one after it. */
function transitionPanel({ id, title, meaning, xLabel, isOwn, always }: TransitionOptions): Panel {
  return {
    id,
    title,
    draw: ({ view, width }) => {
      const all = view.figuresOf('transitions');
      const own = all.filter(({ figure, n }) => n > 0 && isOwn(figure));
      // outcomes that nothing leads to have no column
      const reached = new Set([
        ...always,
        ...own.filter(({ value }) => (value ?? 0) > 0).map(({ figure }) => figure),
      ]);
      const figures = own.filter(({ figure }) => reached.has(figure));
      if (figures.length === 0) {
        return {
          chart: null,
          sentence: 'No window of these trajectories has one to be compared with.',
          table: null,
        };
      }
      const cells = figures.map((figure): HeatCell => {
        const share = figure.value ?? 0;
        const from = fromOf(figure);
        const name = words(figure.figure.replace(TREND, ''));
        return {
          group: from,
          name,
          share,
          of: figure.n,
          text: `after ${from}: ${name}\n${percent(share)} of ${count(figure.n)} (95%: ${intervalText(figure)})`,
        };
      });
      const sentence = `${title}: ${meaning}.`;
      return {
        chart: heatMap({
          label: sentence,
          width,
          cells,
          x: [...new Set(cells.map(({ name }) => name))],
          xLabel,
        }),
        sentence,
        table: figureTable(title, own),
      };
    },
  };
}

const fromOf = (figure: Figure): string => words(splitKey(figure.key).name);

export const outcomeTransitions = transitionPanel({
  id: 'transitions-outcomes',
  title: 'From one outcome to the next',
  meaning: 'each row shows how the windows right after that outcome ended',
  xLabel: 'next outcome →',
  isOwn: (figure) => !TREND.test(figure),
  always: [],
});
export const trendTransitions = transitionPanel({
  id: 'transitions-trends',
  title: 'How the score moves after an outcome',
  meaning:
    'each row shows the trend of the windows right after that outcome; those without a score to compare make up the rest',
  xLabel: 'trend of the next window →',
  isOwn: (figure) => TREND.test(figure),
  always: ['trend fell', 'trend same', 'trend rose'],
});
