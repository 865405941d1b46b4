import type { Figure } from '../../../report/stats/figure.js';
import { count, percent } from '../../common/numbers.js';
import { splitKey, words } from '../names.js';
import { marginFor } from '../parts/chart.js';
import { figureTable, intervalText } from '../parts/figure-text.js';
import type { Panel } from '../parts/panel.js';
import { type HeatCell, heatMap } from './rewards.js';

const TREND = /^trend /;

/** From the outcome of a window to the outcome, or the trend, of the one after it. */
function transitionPanel(id: string, title: string, isOwn: (figure: string) => boolean): Panel {
  return {
    id,
    title,
    draw: ({ view, width }) => {
      const all = view.figuresOf('transitions');
      const own = all.filter(({ figure, n }) => n > 0 && isOwn(figure));
      // outcomes that nothing leads to have no column
      const reached = new Set(own.filter(({ value }) => (value ?? 0) > 0).map(({ figure }) => figure));
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
          label: share === 0 ? '' : `${Math.round(100 * share)}%`,
          text: `after ${from}: ${name}\n${percent(share)} of ${count(figure.n)} (95%: ${intervalText(figure)})`,
        };
      });
      const y = [...new Set(cells.map(({ group }) => group))];
      const sentence = `${title}: each row shows where windows go on after that outcome.`;
      return {
        chart: heatMap({
          label: sentence,
          width,
          cells,
          x: [...new Set(cells.map(({ name }) => name))],
          y,
          xLabel: 'next →',
          marginLeft: marginFor(y, width),
        }),
        sentence,
        table: figureTable(title, own),
      };
    },
  };
}

const fromOf = (figure: Figure): string => words(splitKey(figure.key).name);

export const outcomeTransitions = transitionPanel(
  'transitions-outcomes',
  'From one outcome to the next',
  (figure) => !TREND.test(figure),
);
export const trendTransitions = transitionPanel(
  'transitions-trends',
  'How the score moves after an outcome',
  (figure) => TREND.test(figure),
);
