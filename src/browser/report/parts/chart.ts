import { type PlotOptions, plot } from '@observablehq/plot';
import { percent } from '../../common/numbers.js';
import { cropped } from '../names.js';

interface ChartOptions extends PlotOptions {
  /** what a reader who does not see the chart is told */
  readonly label: string;
}

/** A chart as one picture with a name. */
export function chart({ label, ...options }: ChartOptions): Element {
  const drawn = plot({ className: 'plot', marginBottom: 44, ...options });
  // its rules are in page.css: the content policy lets no style in that the page did not begin with
  for (const style of drawn.querySelectorAll('style')) style.remove();
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', label);
  return drawn;
}

const LETTER = 6.6;
const GAP = 16;

/** How much of the width the names on the left axis may take. */
const NAME_SHARE = 0.42;

/** A name as it stands on the left axis of a chart that is so wide. */
export function axisName(name: string, width: number): string {
  const room = Math.floor((NAME_SHARE * width - GAP) / LETTER);
  return cropped(name, Math.max(8, Math.min(34, room)));
}

/** About how wide the longest of the texts is, in pixels. */
export const textWidth = (texts: readonly string[]): number =>
  Math.ceil(LETTER * Math.max(0, ...texts.map(({ length }) => length)));

/** Room for the names on the left axis, in pixels. */
export const marginFor = (names: readonly string[], width: number): number =>
  GAP + textWidth(names.map((name) => axisName(name, width)));

/** The tooltip of every chart. */
export const TIP = {
  fontSize: 12,
  lineHeight: 1.3,
  lineWidth: 28,
  textPadding: 8,
  pathFilter: 'none',
} as const;

/** Ticks of an axis that counts from 0: counts have no halves. */
export function wholeTicks(most: number, ticks: number): number[] {
  const rough = Math.max(1, most / ticks);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil(([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** A tick of an axis of shares. */
export const percentTick = (share: number): string => percent(share).replace('.0%', '%');

/** 1, 2 and 5 times the powers of ten between two positive numbers: the ticks of a logarithmic axis. */
export function logTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const steps = powers.length > 5 ? [1] : [1, 2, 5];
  return powers
    .flatMap((power) => steps.map((step) => step * power))
    .filter((tick) => tick >= low && tick <= high);
}
