import { dot, gridX, pointerY, ruleX, ruleY, text, tip } from '@observablehq/plot';
import { type Figure, isShare } from '../../../report/stats/figure.js';
import { count, short } from '../../common/numbers.js';
import { axisName, chart, marginFor, percentTick, TIP, textWidth } from './chart.js';
import { intervalText, unitOf, valueText } from './figure-text.js';

export interface NamedFigure {
  readonly name: string;
  readonly figure: Figure;
  readonly colour?: string;
}

interface IntervalChartOptions {
  readonly rows: readonly NamedFigure[];
  readonly width: number;
  readonly label: string;
}

/** Narrower charts have no room for the observations behind the values. */
const WIDTH_WITH_N = 480;

/** Values as dots with their 95% intervals as lines, one row a name, with the value at its end. */
export function intervalChart({ rows, width, label }: IntervalChartOptions): Element {
  const known = rows.filter(({ figure }) => figure.value !== null);
  const shares = known.every(({ figure }) => isShare(figure));
  const first = known[0]?.figure;
  const names = rows.map(({ name }) => name);
  const drawn = known.map(({ name, figure, colour = 'var(--c1)' }) => ({
    name,
    colour,
    value: figure.value,
    low: figure.low ?? figure.value,
    high: figure.high ?? figure.value,
    label: [
      valueText(figure, figure.value),
      ...(width < WIDTH_WITH_N ? [] : [`n = ${count(figure.n)}`]),
    ].join('   '),
    text: `${name}\n${valueText(figure, figure.value)}  (95%: ${intervalText(figure)})\nn = ${count(figure.n)}`,
  }));
  const y = 'name';
  const ticks = Math.max(2, Math.min(6, Math.floor(width / 140)));
  return chart({
    label,
    width,
    height: 66 + 26 * rows.length,
    marginLeft: marginFor(names, width),
    marginRight: 16 + textWidth(drawn.map((row) => row.label)),
    x: {
      label: first === undefined ? null : `${unitOf(first)} →`,
      labelAnchor: 'right',
      nice: true,
      ...(shares ? { domain: [0, 1], tickFormat: percentTick } : { tickFormat: short, zero: true }),
      ticks,
    },
    y: {
      type: 'point',
      domain: names,
      label: null,
      tickSize: 0,
      padding: 0.6,
      tickFormat: (name: string) => axisName(name, width),
    },
    marks: [
      gridX({ ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
      ...(shares ? [] : [ruleX([0], { stroke: 'var(--line-strong)' })]),
      ruleY(drawn, { y, x1: 'low', x2: 'high', stroke: 'colour', strokeWidth: 2.5, strokeLinecap: 'round' }),
      dot(drawn, { y, x: 'value', r: 4.5, fill: 'colour', stroke: 'var(--surface)', strokeWidth: 1.5 }),
      text(drawn, {
        y,
        text: 'label',
        frameAnchor: 'right',
        textAnchor: 'start',
        dx: 14,
        fill: 'var(--text)',
      }),
      tip(drawn, pointerY({ y, x: 'value', title: 'text', ...TIP })),
    ],
    color: { type: 'identity' },
  });
}
