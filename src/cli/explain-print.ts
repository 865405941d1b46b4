import type { Explanation } from '../report/explain/explanation.js';
import { factLines, ruleLines } from '../report/explain/lines.js';
import type { Match } from '../report/explain/stored-rows.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

const NOTHING = '-';
const TEXT_LIMIT = 140;
/** Of the sentence that decided: nowhere else is it told whole to people. */
const DETAIL_LIMIT = 600;
const NAME_LIMIT = 32;
const LABEL_WIDTH = 12;

const MATCH_COLUMNS: readonly TableColumn[] = [
  { title: 'trajectory' },
  { title: 'decision' },
  { title: 'reason' },
  { title: 'source' },
];

const EXECUTION_COLUMNS: readonly TableColumn[] = [
  { title: 'execution' },
  { title: 'turns' },
  { title: 'kind' },
  { title: 'tool' },
  { title: 'status' },
  { title: 'seconds', align: 'right' },
  { title: 'test', align: 'right' },
  { title: 'validation', align: 'right' },
  { title: 'self-reported', align: 'right' },
  { title: 'medal' },
];

const WINDOW_COLUMNS: readonly TableColumn[] = [
  { title: 'turns' },
  { title: 'execution' },
  { title: 'outcome' },
  { title: 'trend' },
  { title: 'reward', align: 'right' },
  { title: 'trained', align: 'right' },
  { title: 'why' },
];

const ROW_COLUMNS: readonly TableColumn[] = [{ title: 'table' }, { title: 'row' }, { title: 'what' }];

/** The trajectories that an ambiguous name fits. */
export function formatMatches(matches: readonly Match[], paint: Paint): string {
  const rows = matches.map(({ trajectory_id: id, decision, reason, source }) => [
    id ?? NOTHING,
    decision,
    reason ?? '',
    oneLine(source, TEXT_LIMIT),
  ]);
  return formatTable(MATCH_COLUMNS, rows, { heading: (text) => paint('dim', text) });
}

/** One trajectory for people, stage by stage. */
export function formatExplanation(explanation: Explanation, paint: Paint): string {
  const parts = [
    `${paint('bold', explanation.trajectory_id ?? 'a record that never became a trajectory')}\n`,
    facts(explanation, paint),
    table('Executions', EXECUTION_COLUMNS, executionRows(explanation), paint),
    rules(explanation, paint),
    table('Windows', WINDOW_COLUMNS, windowRows(explanation), paint),
    table('Rows', ROW_COLUMNS, rowRows(explanation), paint),
    flags(explanation, paint),
  ];
  return parts.filter((part) => part !== '').join('');
}

function facts(explanation: Explanation, paint: Paint): string {
  return factLines(explanation)
    .map(([label, text]) => `  ${paint('dim', label.padEnd(LABEL_WIDTH))}${oneLine(text, TEXT_LIMIT * 2)}\n`)
    .join('');
}

function table(
  title: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  if (rows.length === 0) return '';
  const heading = (text: string): string => paint('dim', text);
  return `\n${paint('bold', title)}\n${formatTable(columns, rows, { indent: 2, heading })}`;
}

const number = (value: number | null): string => (value === null ? NOTHING : String(value));

function executionRows({ executions, source_log: log }: Explanation): string[][] {
  const tools = new Map(
    log.read ? log.facts.tools.map(({ execution_id, tool }) => [execution_id, tool]) : [],
  );
  return executions.map((row) => [
    oneLine(row.execution_id, NAME_LIMIT) + (row.invalidated ? ' (invalidated)' : ''),
    `${row.call_turn}-${row.feedback_turn ?? ''}`,
    row.kind,
    oneLine(tools.get(row.execution_id) ?? NOTHING, NAME_LIMIT),
    row.status,
    number(row.seconds),
    number(row.score_test),
    number(row.score_validation),
    number(row.score_self_reported),
    row.medal ?? NOTHING,
  ]);
}

function rules(explanation: Explanation, paint: Paint): string {
  const lines = ruleLines(explanation).map(
    ({ rule, verdict, detail, cut }) =>
      `  ${rule.padEnd(LABEL_WIDTH - 2)}  ${verdict}: ${oneLine(detail, DETAIL_LIMIT)}${cut}\n`,
  );
  if (lines.length === 0) return '';
  const said = explanation.rules.from === 'tables' ? paint('dim', ' (from the tables)') : '';
  return `\n${paint('bold', 'Selection')}${said}\n${lines.join('')}`;
}

function windowRows({ windows }: Explanation): string[][] {
  return windows.map((row) => [
    `${row.turn_start}-${row.turn_end}`,
    oneLine(row.execution_id, NAME_LIMIT),
    row.outcome,
    row.trend ?? NOTHING,
    row.reward === null ? 'none' : row.reward.toFixed(1),
    String(row.n_trained),
    oneLine(row.why, TEXT_LIMIT),
  ]);
}

function rowRows({ sft, rl }: Explanation): string[][] {
  return [
    ...sft.map((row) => [
      'sft',
      row.row_id,
      `${row.rules.join(' and ')} to turn ${row.anchor_turn}: ${row.n_tokens} tokens, ${row.n_trained} trained, ${row.split}`,
    ]),
    ...rl.map((row) => {
      const trained = Array.from(row.window_n_trained);
      const sum = trained.reduce((total, n) => total + n, 0);
      return [
        'rl',
        row.sequence_id,
        `${trained.length} windows, ${sum} trained, ${row.policy_data}, ${row.split}`,
      ];
    }),
  ];
}

function flags({ flags: list }: Explanation, paint: Paint): string {
  if (list.length === 0) return '';
  const lines = list.map(({ flag, meaning }) => `  ${flag}${meaning === null ? '' : `: ${meaning}`}\n`);
  return `\n${paint('bold', 'Flags')}\n${lines.join('')}`;
}
