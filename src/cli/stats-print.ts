import { POLICY_SECTION } from '../report/policy/policy-figures.js';
import { STATS_SECTIONS } from '../report/stats/corpus-stats.js';
import { type Figure, isShare } from '../report/stats/figure.js';
import { formatCount } from '../report/units.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

const COLUMNS: readonly TableColumn[] = [
  { title: 'of' },
  { title: 'figure' },
  { title: 'value', align: 'right' },
  { title: '95% interval', align: 'right' },
  { title: 'n', align: 'right' },
];

/** Keys of one kind (tasks, models, ...) that are shown of a section, those with most observations. */
const SHOWN_KEYS = 5;
const NAME_LIMIT = 48;
const NOTHING = '-';

export interface StatsPrintOptions {
  readonly paint: Paint;
  /** every figure, also of small groups and zero shares */
  readonly all: boolean;
}

/** The figures as sections for people. */
export function formatStats(figures: readonly Figure[], { paint, all }: StatsPrintOptions): string {
  const parts: string[] = [];
  for (const { name, title } of [...STATS_SECTIONS, POLICY_SECTION]) {
    const own = figures.filter(({ section }) => section === name);
    if (own.length === 0) continue;
    const shown = all ? own : mostTelling(own);
    const left = own.length - shown.length;
    const table = formatTable(COLUMNS, rowsOf(shown), { indent: 2, heading: (text) => paint('dim', text) });
    const more = left === 0 ? '' : `  ${paint('dim', `and ${formatCount(left)} more with --all`)}\n`;
    parts.push(`${paint('bold', title)}\n${table}${more}`);
  }
  return parts.length === 0 ? 'the corpus holds nothing to count\n' : parts.join('\n');
}

/** Without zero shares and figures of nothing, and of each kind of key only those with most observations. */
function mostTelling(figures: readonly Figure[]): Figure[] {
  const weights = new Map<string, number>();
  for (const { key, n } of figures) weights.set(key, Math.max(weights.get(key) ?? 0, n));
  const kinds = new Map<string, string[]>();
  for (const key of weights.keys()) {
    const kind = key.includes(':') ? key.slice(0, key.indexOf(':')) : key;
    kinds.set(kind, [...(kinds.get(kind) ?? []), key]);
  }
  const kept = new Set<string>();
  for (const [kind, keys] of kinds) {
    const limit = kind === 'task' || kind === 'model' || kind === 'scaffold' ? SHOWN_KEYS : keys.length;
    const heaviest = keys.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
    for (const key of heaviest.slice(0, limit)) kept.add(key);
  }
  return figures.filter(
    ({ key, value, n, interval }) => kept.has(key) && n > 0 && !(interval === 'wilson' && value === 0),
  );
}

function rowsOf(figures: readonly Figure[]): string[][] {
  return figures.map((figure, i) => {
    const { key, low, high, n } = figure;
    const write = isShare(figure) ? percent : short;
    const show = (x: number | null): string => (x === null ? NOTHING : write(x));
    return [
      figures[i - 1]?.key === key ? '' : oneLine(key, NAME_LIMIT),
      oneLine(figure.figure, NAME_LIMIT),
      show(figure.value),
      low === null || high === null ? NOTHING : `${show(low)} to ${show(high)}`,
      formatCount(n),
    ];
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** At most four significant digits. */
const short = (x: number): string => String(Number(x.toPrecision(4)));
