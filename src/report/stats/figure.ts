/**
 * How the 95% interval of a figure was made: `wilson` for shares, `t` for means (Student), `order` for medians and
 * other quantiles (order statistics, no assumption on the distribution), `none` where there is no such interval.
 */
export const INTERVALS = ['wilson', 't', 'order', 'none'] as const;
export type IntervalKind = (typeof INTERVALS)[number];

/** One number about a corpus, with what it rests on. */
export interface Figure {
  readonly section: string;
  /** what the figure is about: `all`, `task:<id>`, `model:<name>`, ... */
  readonly key: string;
  readonly figure: string;
  /** null where there is nothing to compute it from */
  readonly value: number | null;
  /** ends of the 95% interval; null where there is none */
  readonly low: number | null;
  readonly high: number | null;
  /** how many observations it rests on */
  readonly n: number;
  readonly interval: IntervalKind;
}

/** Where a figure belongs. */
export interface FigurePlace {
  readonly section: string;
  readonly key: string;
  readonly figure: string;
}

/** Whether a figure is a part of a whole, 0 to 1, which people read as a percentage. */
export function isShare({ interval, figure }: Pick<Figure, 'interval' | 'figure'>): boolean {
  return interval === 'wilson' || figure.startsWith('share ');
}
