import { axisX, cell, pointer, text, tip } from '@observablehq/plot';
import { count } from '../../common/numbers.js';
import { axisName, chart, marginFor, TIP, textWidth } from './chart.js';

export interface HeatCell {
  readonly group: string;
  readonly name: string;
  readonly share: number;
  /** how many observations the shares of the group are of */
  readonly of: number;
  readonly text: string;
}

/** Less than half of the colour: the numbers on it stay readable in both themes. */
const DARKEST = 0.45;

interface HeatMapOptions {
  readonly label: string;
  readonly width: number;
  readonly cells: readonly HeatCell[];
  readonly x: readonly string[];
  readonly xLabel: string;
}

/**
 * Shares as cells, one row a group: the darker, the larger. The share itself stands in the cell where there is room,
 * and the observations of the group behind its row.
 */
export function heatMap({ label, width, cells, x, xLabel }: HeatMapOptions): Element {
  const observed = [...new Map(cells.map(({ group, of }) => [group, of]))].map(([group, of]) => ({
    group,
    label: `n = ${count(of)}`,
  }));
  const y = observed.map(({ group }) => group);
  const marginLeft = marginFor(y, width);
  const marginRight = 16 + textWidth(observed.map((row) => row.label));
  const cellWidth = (width - marginLeft - marginRight) / Math.max(1, x.length);
  const longest = Math.max(0, ...x.map((name) => name.length));
  const isTight = longest * 7 > cellWidth;
  return chart({
    label,
    width,
    height: 30 * y.length + 20 + (isTight ? 24 + Math.min(110, longest * 6) : 36),
    marginLeft,
    marginRight,
    marginTop: 8,
    marginBottom: isTight ? 30 + Math.min(110, longest * 6) : 42,
    x: { type: 'band', domain: x, padding: 0.04 },
    y: {
      type: 'band',
      domain: y,
      label: null,
      tickSize: 0,
      tickFormat: (name: string) => axisName(name, width),
      padding: 0.06,
    },
    marks: [
      axisX({ label: xLabel, tickSize: 0, ...(isTight ? { tickRotate: -60 } : {}) }),
      cell(cells, { x: 'name', y: 'group', fill: 'var(--surface-2)' }),
      cell(cells, {
        x: 'name',
        y: 'group',
        fill: 'var(--accent)',
        fillOpacity: ({ share }: HeatCell) => share * DARKEST,
      }),
      ...(cellWidth < 34
        ? []
        : [
            text(cells, {
              x: 'name',
              y: 'group',
              text: ({ share }: HeatCell) => shareLabel(share),
              fill: 'var(--text)',
            }),
          ]),
      text(observed, {
        y: 'group',
        text: 'label',
        frameAnchor: 'right',
        textAnchor: 'start',
        dx: 10,
        fill: 'var(--muted)',
      }),
      tip(cells, pointer({ x: 'name', y: 'group', title: 'text', ...TIP })),
    ],
  });
}

const shareLabel = (share: number): string =>
  share === 0 ? '' : share < 0.01 ? '<1%' : `${Math.round(100 * share)}%`;
