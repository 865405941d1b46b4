import type { Comparison, NamedPair, Pair, RowsDifference } from '../report/compare/compare.js';
import { formatCount } from '../report/units.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

interface ComparisonNames {
  readonly a: string;
  readonly b: string;
  readonly paint: Paint;
}

const SHOWN = 10;
const VALUE_LIMIT = 60;

/** A comparison for people. */
export function formatComparison(comparison: Comparison, { a, b, paint }: ComparisonNames): string {
  const heading = (text: string): string => paint('dim', text);
  const columns: readonly TableColumn[] = [
    { title: '' },
    { title: oneLine(a, 24), align: 'right' },
    { title: oneLine(b, 24), align: 'right' },
    { title: 'difference', align: 'right' },
  ];
  const section = (title: string, pairs: readonly NamedPair[]): string => {
    const rows = pairs.map(({ name, ...pair }) => [name, ...pairCells(pair)]);
    if (rows.length === 0) return '';
    return `${paint('bold', title)}\n${formatTable(columns, rows, { indent: 2, heading })}\n`;
  };
  const { tokens, trained } = comparison;
  const parts = [
    `${comparison.same_plan ? 'the same plan' : 'different plans'}\n\n`,
    section('Decisions', comparison.decisions),
    section('Reasons', comparison.reasons),
    section('Tokens of sft rows', [
      { name: 'tokens', ...tokens },
      { name: 'trained', ...trained },
    ]),
    `  trained share ${share(trained.a, tokens.a)} and ${share(trained.b, tokens.b)}\n\n`,
    section('Outcomes of windows', comparison.outcomes),
    section('Rewards', comparison.rewards),
    trajectories(comparison, paint),
    rows('Rows of sft', comparison.sft, paint),
    rows('Rows of rl', comparison.rl, paint),
    `${paint('bold', 'Windows')}  ${formatCount(comparison.windows_paid_otherwise)} of both pay otherwise\n`,
    config(comparison, { a, b, paint }),
  ];
  return parts.join('');
}

function pairCells({ a, b }: Pair): string[] {
  const difference = b - a;
  return [
    formatCount(a),
    formatCount(b),
    difference === 0 ? '' : `${difference > 0 ? '+' : ''}${formatCount(difference)}`,
  ];
}

const share = (part: number, of: number): string => (of === 0 ? '-' : `${((100 * part) / of).toFixed(1)}%`);

/** Names, shortened where they are hashes, and how many more there are. */
function list(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => (/^[0-9a-f]{64}$/.test(name) ? name.slice(0, 12) : name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${formatCount(more)} more` : ''}`;
}

function trajectories({ trajectories: found }: Comparison, paint: Paint): string {
  const { both, only_a, only_b, decided_otherwise: otherwise } = found;
  const lines = [
    `${paint('bold', 'Trajectories')}  ${formatCount(both)} in both, ${formatCount(only_a.length)} only in the first, ${formatCount(only_b.length)} only in the second`,
  ];
  if (only_a.length > 0) lines.push(`  only in the first: ${list(only_a)}`);
  if (only_b.length > 0) lines.push(`  only in the second: ${list(only_b)}`);
  for (const { trajectory_id: id, a, b } of otherwise.slice(0, SHOWN)) {
    lines.push(`  ${id.slice(0, 12)}  ${a}  becomes  ${b}`);
  }
  const more = otherwise.length - SHOWN;
  if (more > 0) lines.push(`  and ${formatCount(more)} more are decided otherwise`);
  return `${lines.join('\n')}\n`;
}

function rows(title: string, difference: RowsDifference, paint: Paint): string {
  const { same, only_a, only_b, ids, mask, anchor } = difference;
  const counts = [
    `${formatCount(same)} equal`,
    `${formatCount(only_a.length)} only in the first`,
    `${formatCount(only_b.length)} only in the second`,
  ];
  const lines = [`${paint('bold', title)}  ${counts.join(', ')}`];
  for (const [name, keys] of Object.entries({ ids, mask, anchor })) {
    if (keys.length > 0)
      lines.push(
        `  ${name} differ${name === 'ids' ? '' : 's'} in ${formatCount(keys.length)}: ${list(keys)}`,
      );
  }
  return `${lines.join('\n')}\n`;
}

function config({ config: differences }: Comparison, { a, b, paint }: ComparisonNames): string {
  const title = `\n${paint('bold', 'Plans')}`;
  if (differences === null) return `${title}  not compared: a plan is missing\n`;
  if (differences.length === 0) return `${title}  ask for the same\n`;
  const value = (x: unknown): string => (x === undefined ? '-' : oneLine(JSON.stringify(x), VALUE_LIMIT));
  const cells = differences.map((each) => [each.path, value(each.a), value(each.b)]);
  const columns = [{ title: 'setting' }, { title: oneLine(a, 24) }, { title: oneLine(b, 24) }];
  return `${title}\n${formatTable(columns, cells, { indent: 2, heading: (text) => paint('dim', text) })}`;
}
