import { axisX, axisY, gridY, pointerX, rectY, ruleX, ruleY, tip } from '@observablehq/plot';
import { ascending, median } from '../../../report/stats/intervals.js';
import { count, percent, short } from '../../common/numbers.js';
import { chart, logTicks, percentTick, TIP, wholeTicks } from '../parts/chart.js';
import type { Choice, Drawing, Panel } from '../parts/panel.js';
import type { View } from '../view.js';

interface Bin {
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

const BINS = 30;

/** Equal steps, of the logarithm where `isLog`; the last bin holds its upper end. */
function binsOf(values: readonly number[], domain: readonly [number, number], isLog: boolean): Bin[] {
  const map = isLog ? Math.log10 : (x: number): number => x;
  const back = isLog ? (x: number): number => 10 ** x : (x: number): number => x;
  const low = map(domain[0]);
  const step = (map(domain[1]) - low) / BINS;
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor((map(value) - low) / step)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((n, i) => ({ low: back(low + i * step), high: back(low + (i + 1) * step), n }));
}

interface HistogramOptions {
  readonly values: readonly number[];
  readonly domain: readonly [number, number];
  readonly isLog: boolean;
  readonly what: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly write: (value: number) => string;
  readonly width: number;
}

function histogram(options: HistogramOptions): Drawing {
  const { values, domain, isLog, what, xLabel, yLabel, write, width } = options;
  const bins = binsOf(values, domain, isLog);
  const middle = median(ascending(values)) ?? 0;
  const drawn = bins
    .filter(({ n }) => n > 0)
    .map((bin) => ({
      ...bin,
      text: `${write(bin.low)} to ${write(bin.high)}\n${count(bin.n)} of ${count(values.length)} (${percent(bin.n / values.length)})`,
    }));
  const sentence = `${what}: ${count(values.length)}, median ${write(middle)}, from ${write(Math.min(...extremes(values)))} to ${write(Math.max(...extremes(values)))}. The line marks the median.`;
  const most = Math.max(1, ...bins.map(({ n }) => n));
  const whole = wholeTicks(most, 5);
  const ticks = isLog ? logTicks(...domain) : Math.max(2, Math.floor(width / 90));
  return {
    chart: chart({
      label: sentence,
      width,
      height: 260,
      marginLeft: 52,
      marginRight: 20,
      x: { type: isLog ? 'log' : 'linear', domain: [...domain] },
      y: { domain: [0, most] },
      marks: [
        gridY({ ticks: whole, stroke: 'var(--line)', strokeOpacity: 1 }),
        axisX({ label: xLabel, ticks, tickFormat: isLog ? write : percentTick }),
        axisY({ label: yLabel, ticks: whole, tickFormat: count }),
        rectY(drawn, { x1: 'low', x2: 'high', y: 'n', fill: 'var(--c1)', insetLeft: 0.5, insetRight: 0.5 }),
        ruleY([0], { stroke: 'var(--line-strong)' }),
        ruleX([middle], { stroke: 'var(--c2)', strokeWidth: 2, strokeDasharray: '5,3' }),
        tip(drawn, pointerX({ x1: 'low', x2: 'high', y: 'n', title: 'text', ...TIP })),
      ],
    }),
    sentence,
    table: {
      caption: what,
      columns: [
        { title: 'from', isNumber: true },
        { title: 'to', isNumber: true },
        { title: yLabel.replace('↑ ', ''), isNumber: true },
      ],
      rows: bins.map(({ low, high, n }) => [write(low), write(high), { text: count(n), value: n }]),
    },
  };
}

/** The least and the greatest; a spread of 100,000 arguments would not fit on the stack. */
function extremes(values: readonly number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

const KINDS = [
  ['rows', 'training rows'],
  ['lengths', 'windows in sequences'],
] as const;

/** What there is lengths of: a corpus may hold rows of one kind alone. */
const OF: Choice = {
  name: 'of',
  label: 'Of',
  options: (view) => {
    const held = KINDS.filter(([kind]) => lengthsOf(view, kind).length > 0);
    return held.length > 0 ? held : KINDS.slice(0, 1);
  },
};

function lengthsOf(view: View, chosen: string | undefined) {
  return chosen === 'lengths' ? view.lengths : view.rows;
}

const NAMES: Readonly<Record<string, string>> = { rows: 'training row', lengths: 'window' };
const EMPTY: Readonly<Record<string, string>> = {
  rows: 'These trajectories have no training rows.',
  lengths: 'No window of these trajectories lies in a sequence of tokens.',
};

export const tokenLengths: Panel = {
  id: 'token-lengths',
  title: 'Token lengths',
  choices: [OF],
  draw: ({ view, width, chosen }) => {
    const of = chosen['of'] ?? 'rows';
    const values = lengthsOf(view, of).map((row) => row.n_tokens);
    if (values.length === 0) return { chart: null, sentence: EMPTY[of] ?? '', table: null };
    const [least, most] = extremes(values);
    const name = NAMES[of] ?? '';
    return histogram({
      values,
      domain: least === most ? [least / 2, Math.max(1, least) * 2] : [Math.max(1, least), most],
      isLog: true,
      what: `Tokens of a ${name}`,
      xLabel: 'tokens (logarithmic) →',
      yLabel: `↑ ${name}s`,
      write: (value) => short(Math.round(value)),
      width,
    });
  },
};

export const trainedShares: Panel = {
  id: 'trained-shares',
  title: 'Trained share',
  choices: [OF],
  draw: ({ view, width, chosen }) => {
    const of = chosen['of'] ?? 'rows';
    const rows = lengthsOf(view, of).filter((row) => row.n_tokens > 0);
    if (rows.length === 0) return { chart: null, sentence: EMPTY[of] ?? '', table: null };
    const name = NAMES[of] ?? '';
    return histogram({
      values: rows.map((row) => row.n_trained / row.n_tokens),
      domain: [0, 1],
      isLog: false,
      what: `Share of the tokens of a ${name} that are trained`,
      xLabel: 'share of tokens trained →',
      yLabel: `↑ ${name}s`,
      write: percent,
      width,
    });
  },
};
