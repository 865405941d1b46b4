import type { Figure } from '../../../report/stats/figure.js';
import { counted } from '../../common/numbers.js';
import { splitKey, words } from '../names.js';
import { figureTable } from './figure-text.js';
import { intervalChart, type NamedFigure } from './interval-chart.js';
import type { Choice, Panel } from './panel.js';

interface FigurePanelOptions {
  readonly id: string;
  readonly section: string;
  readonly title: string;
  readonly lead?: string;
  readonly isWide?: boolean;
  /** said where the corpus has nothing to show */
  readonly empty: string;
  readonly colourOf?: (name: string) => string | undefined;
  /** a name as it is read; else as it stands in the statistics */
  readonly nameOf?: (name: string) => string;
  /** the largest share first */
  readonly isRanked?: boolean;
}

/** Rows of a chart. */
const SHOWN_ROWS = 20;

const different = (values: readonly string[]): string[] => [...new Set(values)];

/** One figure of a section, compared between tasks, scaffolds, models or whatever its keys name. */
export function comparisonPanel({
  id,
  section,
  title,
  lead,
  isWide = false,
  empty,
}: FigurePanelOptions): Panel {
  const choices: Choice[] = [
    {
      name: 'figure',
      label: 'Figure',
      options: (view) =>
        different(view.figuresOf(section).map((each) => each.figure))
          // single rewards have a chart of their own
          .filter((name) => !/^reward -?[\d.]/.test(name))
          .map((name) => [name, name]),
    },
    {
      name: 'by',
      label: 'By',
      options: (view) => {
        const kinds = different(view.figuresOf(section).map(({ key }) => splitKey(key).kind));
        return kinds.filter((kind) => kind !== '').map((kind) => [kind, words(kind)]);
      },
    },
  ];
  return {
    id,
    title,
    isWide,
    ...(lead === undefined ? {} : { lead }),
    choices,
    draw: ({ view, width, chosen }) => {
      const own = view.figuresOf(section).filter(({ figure }) => figure === chosen['figure']);
      const isChosen = ({ key }: Figure): boolean => [chosen['by'] ?? '', ''].includes(splitKey(key).kind);
      const rows = own.filter(isChosen).map((figure) => ({ name: splitKey(figure.key).name, figure }));
      return drawing({ title: `${title}: ${chosen['figure'] ?? ''}`, rows, width, empty, isRanked: false });
    },
  };
}

/** All figures of a section that stand under one key, as the outcomes of a task. */
export function profilePanel({
  id,
  section,
  title,
  lead,
  empty,
  colourOf,
  nameOf = (name) => name,
  isRanked = false,
  isWide = false,
}: FigurePanelOptions): Panel {
  return {
    id,
    title,
    isWide,
    ...(lead === undefined ? {} : { lead }),
    choices: [
      {
        name: 'of',
        label: 'Of',
        options: (view) =>
          different(view.figuresOf(section).map(({ key }) => key)).map((key) => [key, words(key)]),
      },
    ],
    draw: ({ view, width, chosen }) => {
      const own = view.figuresOf(section).filter(({ key }) => key === chosen['of']);
      const rows = own.map((figure): NamedFigure => {
        const colour = colourOf?.(figure.figure);
        return { name: nameOf(figure.figure), figure, ...(colour === undefined ? {} : { colour }) };
      });
      const ranked = isRanked ? rows.toSorted((a, b) => (b.figure.value ?? 0) - (a.figure.value ?? 0)) : rows;
      return drawing({
        title: `${title}: ${words(chosen['of'] ?? '')}`,
        rows: ranked,
        width,
        empty,
        isRanked,
      });
    },
  };
}

interface DrawingOptions {
  readonly title: string;
  readonly rows: readonly NamedFigure[];
  readonly width: number;
  readonly empty: string;
  /** the first rows are those that say most; else the ones with most observations */
  readonly isRanked: boolean;
}

function drawing({ title, rows, width, empty, isRanked }: DrawingOptions) {
  const known = rows.filter(({ figure }) => figure.value !== null);
  if (known.length === 0) return { chart: null, sentence: empty, table: null };
  const weighed = isRanked ? known : known.toSorted((a, b) => b.figure.n - a.figure.n);
  const first = weighed.slice(0, SHOWN_ROWS);
  const shown = known.filter((row) => first.includes(row));
  const left = known.length - shown.length;
  const sentence = shown.some(({ figure }) => figure.low !== null)
    ? `${title}, with 95% intervals.`
    : `${title}.`;
  return {
    chart: intervalChart({ rows: shown, width, label: sentence }),
    sentence,
    note:
      left === 0
        ? null
        : `The ${SHOWN_ROWS} ${isRanked ? 'largest' : 'with most observations'} of ${counted(known.length, 'row')}; the table has all.`,
    table: figureTable(
      title,
      rows.map(({ figure }) => figure),
    ),
  };
}
