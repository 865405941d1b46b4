import { styleText } from 'node:util';
import { REJECT_CODES } from '../logs/reject.js';
import type { Counts, RunSummary } from '../pipeline/run-summary.js';
import { DUPLICATE_REASONS, FILTER_REASONS } from '../selection/decision.js';
import { OUTCOMES } from '../windows/window.js';
import { nameText } from './terminal-text.js';
import { formatBytes, formatCount, formatCounted, formatDuration } from './units.js';

export interface SummaryOptions {
  readonly color: boolean;
}

const LABEL_WIDTH = 14;
const BAR_WIDTH = 24;
/** Every reward that WIRL can pay, worst first. */
const REWARDS = [-1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2] as const;
/** Names of flags are many; the summary shows the most frequent. */
const SHOWN_FLAGS = 8;
const SHOWN_FILES = 12;

/** The end of a run for people: what was read and where it went, and what the rows hold. */
export function formatSummary(summary: RunSummary, { color }: SummaryOptions): string {
  const paint = (format: 'bold' | 'dim', text: string): string =>
    color ? styleText(format, text, { validateStream: false }) : text;
  const lines: string[] = [];
  const section = (label: string, text: readonly string[]): void => {
    text.forEach((line, index) => {
      const head = index === 0 ? label : '';
      lines.push(`${paint('bold', head.padEnd(LABEL_WIDTH))}  ${line}`.trimEnd());
    });
  };
  section('Trajectories', trajectoryLines(summary));
  section('  kept', countsLine('by rule: ', summary.kept_by_rule));
  section('  filtered', explained(summary.filtered_by_reason, FILTER_REASONS));
  section('  rejected', explained(summary.rejected_by_code, REJECT_CODES));
  section('  duplicates', explained(summary.duplicates_by_reason, DUPLICATE_REASONS));
  section('  formats', countsLine('', summary.by_format));
  section('  tasks', countsLine('', summary.by_task, SHOWN_FLAGS));
  section('Held out', [heldOut(summary.decontamination)]);
  section('Rows', rowsLine(summary.rows));
  section('  splits', countsLine('', summary.splits));
  section('Tokens', tokenLines(summary));
  section('Proofs', countsLine('', summary.proofs));
  section('Windows', windowLines(summary));
  section('Rewards', rewardLines(summary.reward_histogram));
  section('Secrets', countsLine('masked: ', summary.secrets_by_kind));
  section('Flags', countsLine('', summary.flags, SHOWN_FLAGS));
  section('Files', fileLines(summary));
  const time = summary.seconds === null ? '' : ` in ${formatDuration(summary.seconds)}`;
  section('Plan', [paint('dim', `${summary.plan_id.slice(0, 16)}${time}`)]);
  return `${lines.join('\n')}\n`;
}

function trajectoryLines(summary: RunSummary): string[] {
  const { read, kept, filtered, rejected, duplicates, sidecars } = summary;
  const parts = [
    `${formatCount(kept)} kept`,
    `${formatCount(filtered)} filtered`,
    `${formatCount(rejected)} rejected`,
    formatCounted(duplicates, 'duplicate'),
  ];
  const joined = sidecars === 0 ? '' : `, ${formatCount(sidecars)} companion files joined`;
  return [`${formatCount(read)} read = ${parts.join(' + ')}${joined}`];
}

/** What the corpus was decontaminated against: to be silent on it would read as if it were clean. */
function heldOut(names: readonly string[]): string {
  return names.length === 0 ? 'none: not decontaminated against any benchmark' : names.join(', ');
}

/** Counts by name, the largest first, names in code-unit order among equals. */
function sorted(counts: Counts): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
}

function countsLine(prefix: string, counts: Counts, limit = Number.POSITIVE_INFINITY): string[] {
  const all = sorted(counts);
  if (all.length === 0) return [];
  const shown = all.slice(0, limit).map(([name, count]) => `${nameText(name)} ${formatCount(count)}`);
  const more = all.length > shown.length ? `, and ${all.length - shown.length} more` : '';
  return [prefix + shown.join(', ') + more];
}

/** Tables in the order of the corpus, also the empty ones. */
function rowsLine(rows: Counts): string[] {
  const parts = Object.entries(rows).map(([table, count]) => `${table} ${formatCount(count)}`);
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function explained(counts: Counts, meanings: Readonly<Record<string, string>>): string[] {
  return sorted(counts).map(([name, count]) => {
    const meaning = Object.hasOwn(meanings, name) ? `: ${meanings[name]}` : '';
    return `${formatCount(count)} ${name}${meaning}`;
  });
}

function tokenLines(summary: RunSummary): string[] {
  const { tokens, trained_tokens: trained, straddled_tokens: straddled, turns_cut: turns } = summary;
  const share = tokens === 0 ? '' : ` (${((100 * trained) / tokens).toFixed(1)}%)`;
  const lines = [`${formatCount(tokens)} in sft rows, ${formatCount(trained)} trained${share}`];
  if (straddled > 0) lines.push(`${formatCount(straddled)} across the edge of trained text, not trained`);
  const { repeated_replies: repeated } = summary;
  if (repeated > 0)
    lines.push(`${formatCounted(repeated, 'reply', 'replies')} not trained: they stand in another log too`);
  lines.push(`cut by selection: ${formatCount(turns)} turns, ${formatCount(summary.tokens_cut)} tokens`);
  const { turns_off_path: off, tokens_off_path: offTokens } = summary;
  if (off > 0) lines.push(`off the path: ${formatCount(off)} turns, ${formatCount(offTokens)} tokens`);
  lines.push(...countsLine('ids differ from the template: ', summary.ids_differ_because));
  lines.push(...countsLine('over-long rows: ', summary.over_long));
  return lines;
}

function windowLines(summary: RunSummary): string[] {
  const total = Object.values(summary.windows_by_outcome).reduce((sum, count) => sum + count, 0);
  if (total === 0) return ['none'];
  const outcomes = OUTCOMES.filter((name) => (summary.windows_by_outcome[name] ?? 0) > 0);
  const parts = outcomes.map((name) => `${name} ${formatCount(summary.windows_by_outcome[name] ?? 0)}`);
  return [`${formatCount(total)}: ${parts.join(', ')}`, ...countsLine('trend: ', summary.windows_by_trend)];
}

function rewardLines(histogram: Counts): string[] {
  const byValue = new Map(Object.entries(histogram).map(([reward, count]) => [Number(reward), count]));
  const most = Math.max(0, ...byValue.values());
  if (most === 0) return [];
  // the ten values of WIRL always; a custom reward's values in between
  const values = [...new Set<number>([...REWARDS, ...byValue.keys()])].sort((a, b) => a - b);
  return values.map((value) => {
    const count = byValue.get(value) ?? 0;
    const bar = count === 0 ? '' : '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * count) / most)));
    return `${value.toFixed(1).padStart(4)}  ${bar}${bar === '' ? '' : ' '}${formatCount(count)}`;
  });
}

function fileLines(summary: RunSummary): string[] {
  const bytes = summary.files.reduce((sum, file) => sum + file.bytes, 0);
  const lines = [
    `${summary.out_dir}  (${formatCounted(summary.files.length, 'shard')}, ${formatBytes(bytes)})`,
  ];
  for (const { path, rows, bytes: size } of summary.files.slice(0, SHOWN_FILES)) {
    lines.push(`  ${path}  ${rows === null ? '' : `${formatCounted(rows, 'row')}, `}${formatBytes(size)}`);
  }
  const more = summary.files.length - SHOWN_FILES;
  if (more > 0) lines.push(`  and ${more} more, listed in corpus/manifest.json`);
  return lines;
}
