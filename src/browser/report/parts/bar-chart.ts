import { axisX, barX, gridX, pointerY, text, tip } from '@observablehq/plot';
import { count } from '../../common/numbers.js';
import { axisName, chart, marginFor, TIP, textWidth, wholeTicks } from './chart.js';

export interface Bar {
  /** unique in the chart */
  readonly id: string;
  readonly name: string;
  readonly n: number;
  readonly colour: string;
  /** behind the bar */
  readonly label: string;
  /** of the tooltip */
  readonly text: string;
}

interface BarChartOptions {
  readonly bars: readonly Bar[];
  readonly width: number;
  readonly label: string;
  readonly xLabel: string;
}

/** Counts as bars, one row a name, with the count behind the bar. */
export function barChart({ bars, width, label, xLabel }: BarChartOptions): Element {
  const names = new Map(bars.map(({ id, name }) => [id, name]));
  const most = Math.max(1, ...bars.map(({ n }) => n));
  const ticks = wholeTicks(most, Math.max(2, Math.min(8, Math.floor(width / 140))));
  return chart({
    label,
    width,
    height: 66 + 26 * bars.length,
    marginLeft: marginFor([...names.values()], width),
    marginRight: 12 + textWidth(bars.map((bar) => bar.label)),
    x: { domain: [0, most] },
    y: {
      type: 'band',
      domain: bars.map(({ id }) => id),
      label: null,
      tickSize: 0,
      tickFormat: (id: string) => axisName(names.get(id) ?? id, width),
      padding: 0.25,
    },
    color: { type: 'identity' },
    marks: [
      gridX({ ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
      axisX({
        ticks: Math.max(2, Math.min(8, Math.floor(width / 140))),
        tickFormat: count,
        label: xLabel,
      }),
      barX(bars, { y: 'id', x: 'n', fill: 'colour', rx: 2 }),
      text(bars, { y: 'id', x: 'n', text: 'label', textAnchor: 'start', dx: 6, fill: 'var(--text)' }),
      tip(bars, pointerY({ y: 'id', x: 'n', title: 'text', ...TIP, lineWidth: 34 })),
    ],
  });
}
