import type { Rescored, RewardChange } from '../report/rescore/rescore.js';
import { type RescoredPrefix, SCORED_RULES, type ScoredRule } from '../report/rescore/rescore-selection.js';
import { formatCount } from '../report/units.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

/** What a rescoring would change. */
export interface Difference {
  readonly windows: {
    readonly total: number;
    readonly changed: number;
    readonly outcome_changed: number;
    readonly not_reproducible: number;
    readonly changes: readonly RewardChange[];
  };
  readonly selection: readonly RuleDifference[];
  /** prefixes that would move, be gained or be lost */
  readonly prefixes: readonly RescoredPrefix[];
}

export interface RuleDifference {
  readonly rule: ScoredRule;
  readonly runs: number;
  readonly same: number;
  readonly moved: number;
  readonly gained: number;
  readonly lost: number;
  readonly not_reproducible: number;
}

export function differenceOf({ windows, prefixes, changes }: Rescored): Difference {
  const known = windows.filter(({ reproducible }) => reproducible);
  return {
    windows: {
      total: windows.length,
      changed: known.filter(({ old_reward, new_reward }) => old_reward !== new_reward).length,
      outcome_changed: windows.filter(({ old_outcome, outcome }) => old_outcome !== outcome).length,
      not_reproducible: windows.length - known.length,
      changes,
    },
    selection: SCORED_RULES.flatMap((rule) => {
      const own = prefixes.filter((prefix) => prefix.rule === rule);
      return own.length === 0 ? [] : [ruleDifference(rule, own)];
    }),
    prefixes: prefixes.filter(isChanged),
  };
}

function ruleDifference(rule: ScoredRule, prefixes: readonly RescoredPrefix[]): RuleDifference {
  const known = prefixes.filter(({ reproducible }) => reproducible);
  const count = (test: (before: number | null, after: number | null) => boolean): number =>
    known.filter(({ old_anchor, new_anchor }) => test(old_anchor, new_anchor)).length;
  return {
    rule,
    runs: prefixes.length,
    same: count((before, after) => before === after),
    moved: count((before, after) => before !== null && after !== null && before !== after),
    gained: count((before, after) => before === null && after !== null),
    lost: count((before, after) => before !== null && after === null),
    not_reproducible: prefixes.length - known.length,
  };
}

const isChanged = ({ reproducible, old_anchor, new_anchor }: RescoredPrefix): boolean =>
  reproducible && old_anchor !== new_anchor;

const CHANGE_COLUMNS: readonly TableColumn[] = [
  { title: 'reward', align: 'right' },
  { title: 'becomes', align: 'right' },
  { title: 'windows', align: 'right' },
];

const RULE_COLUMNS: readonly TableColumn[] = [
  { title: 'rule' },
  ...['runs', 'same', 'moved', 'gained', 'lost', 'not reproducible'].map((title) => ({
    title,
    align: 'right' as const,
  })),
];

const PREFIX_COLUMNS: readonly TableColumn[] = [
  { title: 'trajectory' },
  { title: 'rule' },
  { title: 'anchor', align: 'right' },
  { title: 'becomes', align: 'right' },
  { title: 'because' },
];

const SHOWN_PREFIXES = 20;
const NOTHING = '-';

export function formatDifference({ windows, selection, prefixes }: Difference, paint: Paint): string {
  const heading = (text: string): string => paint('dim', text);
  const { total, changed, outcome_changed: outcomes, not_reproducible: unknown } = windows;
  const lines = [
    `${paint('bold', 'Rewards')}  ${formatCount(changed)} of ${formatCount(total)} windows change, ` +
      `${formatCount(outcomes)} by another outcome${leftOut(unknown)}\n`,
    formatTable(
      CHANGE_COLUMNS,
      windows.changes.map(({ from, to, windows: n }) => [shown(from), shown(to), formatCount(n)]),
      { indent: 2, heading },
    ),
  ];
  if (selection.length > 0) {
    lines.push(`\n${paint('bold', 'Selection')}\n`);
    const rows = selection.map(({ rule, ...counts }) => [rule, ...Object.values(counts).map(formatCount)]);
    lines.push(formatTable(RULE_COLUMNS, rows, { indent: 2, heading }));
  }
  if (prefixes.length > 0) {
    const rows = prefixes
      .slice(0, SHOWN_PREFIXES)
      .map(({ trajectory_id, rule, old_anchor, new_anchor, detail }) => [
        trajectory_id.slice(0, 12),
        rule,
        turn(old_anchor),
        turn(new_anchor),
        oneLine(detail, 100),
      ]);
    lines.push('\n', formatTable(PREFIX_COLUMNS, rows, { indent: 2, heading }));
    const more = prefixes.length - rows.length;
    if (more > 0) lines.push(`  and ${formatCount(more)} more with --json\n`);
  }
  return lines.join('');
}

const leftOut = (n: number): string => (n === 0 ? '' : `, ${formatCount(n)} are not reproducible`);
const shown = (reward: number | null): string => (reward === null ? 'none' : reward.toFixed(1));
const turn = (anchor: number | null): string => (anchor === null ? NOTHING : `turn ${anchor}`);
