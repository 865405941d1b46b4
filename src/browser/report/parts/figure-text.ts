import { type Figure, isShare } from '../../../report/stats/figure.js';
import { count, percent, short } from '../../common/numbers.js';
import type { DataTable } from './table.js';

const NOTHING = '–';

/** The unit of a figure's value, as its axis names it. */
export function unitOf(figure: Pick<Figure, 'section' | 'figure' | 'interval'>): string {
  if (isShare(figure)) return 'share';
  const name = figure.figure;
  if (name.includes('|gold - median|')) return 'gap in |gold − median|';
  const unit = ['seconds', 'turns', 'tokens', 'points'].find((each) => name.includes(each));
  if (unit === 'points') return 'points of the metric';
  return unit ?? (figure.section === 'rewards' ? 'reward' : 'value');
}

/** A value of a figure as people read it. */
export function valueText(figure: Pick<Figure, 'figure' | 'interval'>, value: number | null): string {
  if (value === null) return NOTHING;
  return isShare(figure) ? percent(value) : short(value);
}

export function intervalText(figure: Figure): string {
  const { low, high } = figure;
  if (low === null || high === null) return NOTHING;
  return `${valueText(figure, low)} to ${valueText(figure, high)}`;
}

const INTERVALS: Readonly<Record<Figure['interval'], string>> = {
  wilson: 'Wilson',
  t: 'Student',
  order: 'order statistics',
  none: 'none',
};

/** Figures as they stand in `trajmill stats`, with their exact values. */
export function figureTable(caption: string, figures: readonly Figure[]): DataTable {
  return {
    caption,
    columns: [
      { title: 'of' },
      { title: 'figure' },
      { title: 'value', isNumber: true },
      { title: '95% interval', isNumber: true },
      { title: 'n', isNumber: true },
      { title: 'interval by' },
    ],
    rows: figures.map((figure) => [
      figure.key,
      figure.figure,
      { text: valueText(figure, figure.value), value: figure.value },
      intervalText(figure),
      { text: count(figure.n), value: figure.n },
      INTERVALS[figure.interval],
    ]),
  };
}
