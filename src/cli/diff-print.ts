import type { DiffData, DiffMark, DiffRow, DiffRowHead, DiffTrajectory } from '../browser/diff/data.js';
import { type SpanGroup, spanGroups } from '../report/diff/span-groups.js';
import { escapeUnit } from '../report/terminal-text.js';
import { formatCount } from '../report/units.js';
import type { Paint } from './style.js';
import { formatTable, oneLine } from './table.js';

const TEXT_LIMIT = 60;
const TURNS_SHOWN = 8;
const SETTINGS_SHOWN = 20;

/** A difference for people. */
export function formatDiff(data: DiffData, paint: Paint): string {
  const { settings, trajectories, same, left_out: left } = data;
  const parts = [`${paint('bold', 'A')} ${data.a}\n${paint('bold', 'B')} ${data.b}\n`];
  if (settings === null) parts.push('\nThe plan of one of them is not at hand.\n');
  else if (settings.length > 0) {
    const rows = settings
      .slice(0, SETTINGS_SHOWN)
      .map(({ path, a, b }) => [path, oneLine(a, TEXT_LIMIT), oneLine(b, TEXT_LIMIT)]);
    const columns = [{ title: 'setting' }, { title: 'A' }, { title: 'B' }];
    const heading = (text: string): string => paint('dim', text);
    parts.push(`\n${paint('bold', 'Settings')}\n${formatTable(columns, rows, { indent: 2, heading })}`);
    const more = settings.length - SETTINGS_SHOWN;
    if (more > 0) parts.push(`  and ${more} more\n`);
  }
  for (const trajectory of trajectories) parts.push(formatTrajectory(trajectory, paint));
  const rest = left > 0 ? `, ${formatCount(left)} more that may differ (--limit)` : '';
  parts.push(
    `\n${formatCount(trajectories.length)} trajectories differ, ${formatCount(same)} are the same${rest}\n`,
  );
  return parts.join('');
}

function formatTrajectory(
  { trajectory_id: id, task, a, b, unmarked, rows, same_rows }: DiffTrajectory,
  paint: Paint,
): string {
  const name = `${id.slice(0, 12)}${task === null ? '' : ` (${oneLine(task, TEXT_LIMIT)})`}`;
  const decided = a === b ? '' : `  ${a} in A, ${b} in B\n`;
  const unread = unmarked === null ? '' : `  rows cannot be decoded: ${unmarked}\n`;
  const same = same_rows === 0 ? '' : `  ${same_rows} rows are the same\n`;
  return `\n${paint('bold', name)}\n${decided}${unread}${rows.map((row) => formatRow(row, paint)).join('')}${same}`;
}

function formatRow(row: DiffRow, paint: Paint): string {
  const { a, b, only_a, only_b, same_turns } = row;
  if (a === null || b === null) {
    const head = a ?? b;
    return head === null ? '' : `  ${head.label}: only in ${a === null ? 'B' : 'A'}, ${counts(head)}\n`;
  }
  const label = a.label === b.label ? a.label : `${a.label} -> ${b.label}`;
  const numbers = counts(a) === counts(b) ? counts(a) : `${counts(a)} -> ${counts(b)}`;
  const lines = [`  ${label}: ${numbers}\n`];
  const lineOf = (text: string): void => void lines.push(`    ${text}\n`);
  if (only_a.length > 0) lineOf(`${turnList(only_a)} only in A`);
  if (only_b.length > 0) lineOf(`${turnList(only_b)} only in B`);
  for (const group of spanGroups(row)) lineOf(formatGroup(group, paint));
  if (same_turns > 0) lineOf(paint('dim', `${same_turns} turns are the same`));
  return lines.join('');
}

const counts = ({ n_tokens, n_trained }: DiffRowHead): string =>
  `${formatCount(n_tokens)} tokens, ${formatCount(n_trained)} trained`;

function formatGroup({ part, a, b, text, characters, turns }: SpanGroup, paint: Paint): string {
  const what = text === null ? `${formatCount(characters)} characters` : quoted(text);
  return `${part.padEnd(12)} ${what}: ${mark(a, paint)} -> ${mark(b, paint)}, ${turnList(turns)}`;
}

function mark(value: DiffMark | null, paint: Paint): string {
  if (value === null) return 'absent';
  return value === 'trained' ? paint('green', 'trained') : paint('dim', 'masked');
}

/** Text of a log with its control characters as escapes. */
function quoted(text: string): string {
  const shown = JSON.stringify(text).replace(/[\p{Cc}\p{Cf}]/gu, escapeUnit);
  return shown.length <= TEXT_LIMIT ? shown : `${shown.slice(0, TEXT_LIMIT - 1)}…`;
}

function turnList(turns: readonly number[]): string {
  const shown = turns.slice(0, TURNS_SHOWN).join(', ');
  const more = turns.length - TURNS_SHOWN;
  return `${turns.length === 1 ? 'turn' : 'turns'} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
