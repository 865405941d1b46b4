import { METRICS } from '../grading/aggregate.js';
import type { Leaderboard } from '../grading/leaderboard-file.js';
import { type MedalPositions, medalPositions } from '../grading/medals.js';
import type { Inconsistency } from '../grading/result-table.js';
import type { SanityReport } from '../grading/sanity.js';
import type { TaskRecord, Thresholds } from '../grading/task-record.js';
import { formatCount } from '../report/units.js';
import type { GradedReports } from './grade-reports.js';
import type { GradedScore } from './grade-scores.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

/** What a leaderboard says of its task. */
export interface BoardFacts {
  readonly task_id: string;
  readonly n_teams: number;
  /** entries without a finite score */
  readonly skipped: number;
  readonly is_lower_better: boolean;
  readonly positions: MedalPositions;
  readonly thresholds: Thresholds | null;
}

export interface Grading {
  readonly leaderboard: BoardFacts | null;
  readonly scores: readonly GradedScore[];
  readonly reports: GradedReports | null;
  readonly sanity: readonly (SanityReport & Pick<TaskRecord, 'task_id' | 'origin'>)[] | null;
  readonly table: readonly Inconsistency[] | null;
}

export function boardFacts({ scores, skipped }: Leaderboard, record: TaskRecord): BoardFacts {
  const { task_id, is_lower_better, thresholds } = record;
  const n_teams = scores.length;
  return { task_id, n_teams, skipped, is_lower_better, positions: medalPositions(n_teams), thresholds };
}

export function isEmpty({ leaderboard, scores, reports, sanity, table }: Grading): boolean {
  return leaderboard === null && scores.length === 0 && reports === null && sanity === null && table === null;
}

const NOTHING = '-';
const right = (title: string): TableColumn => ({ title, align: 'right' });

/** Everything that was graded, for people. */
export function formatGrading(grading: Grading, paint: Paint): string {
  const heading = (text: string): string => paint('dim', text);
  const parts: string[] = [];
  const section = (
    title: string,
    columns: readonly TableColumn[],
    rows: readonly (readonly string[])[],
  ): void => {
    parts.push(
      `${paint('bold', title)}\n${formatTable(columns, rows, { indent: 2, heading }) || '  nothing\n'}`,
    );
  };
  if (grading.leaderboard !== null) {
    const { task_id, n_teams, skipped, is_lower_better: lower, positions, thresholds } = grading.leaderboard;
    const left = skipped === 0 ? '' : `, ${formatCount(skipped)} entries without a score left out`;
    const title = `${task_id}: ${formatCount(n_teams)} teams, ${lower ? 'lower' : 'higher'} is better${left}`;
    const tiers = (['gold', 'silver', 'bronze'] as const).map((tier) => [
      tier,
      String(positions[tier]),
      String(thresholds?.[tier] ?? NOTHING),
    ]);
    section(
      title,
      [{ title: 'tier' }, right('position'), right('threshold')],
      [...tiers, ['median', NOTHING, String(thresholds?.median ?? NOTHING)]],
    );
  }
  if (grading.scores.length > 0) section('Scores', SCORE_COLUMNS, grading.scores.map(scoreCells));
  if (grading.reports !== null) reports(grading.reports, section);
  if (grading.sanity !== null) {
    const broken = grading.sanity.filter(({ violations }) => violations.length > 0);
    const rows = broken.flatMap(({ task_id, origin, verdict, violations }) =>
      violations.map(({ rule, detail }) => [task_id, origin, verdict, rule, oneLine(detail, 120)]),
    );
    const title = `Sanity: ${formatCount(broken.length)} of ${formatCount(grading.sanity.length)} tasks break the rule`;
    section(
      title,
      ['task', 'origin', 'verdict', 'rule', 'detail'].map((name) => ({ title: name })),
      rows,
    );
  }
  if (grading.table !== null) inconsistencies('Table of results', grading.table, section);
  return parts.join('\n');
}

type AddSection = (
  title: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
) => void;

const SCORE_COLUMNS: readonly TableColumn[] = [
  { title: 'task' },
  right('score'),
  { title: 'medal' },
  { title: 'any medal' },
  { title: 'above median' },
  right('private'),
  right('public'),
  right('rank (paper)'),
  right('rank (code)'),
  { title: 'notes' },
];

const yesNo = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no');

function scoreCells({
  task_id,
  score,
  gradable,
  medal,
  any_medal,
  above_median,
  human_rank: rank,
}: GradedScore) {
  const place = (board: 'private' | 'public'): string => {
    const found = rank?.[board] ?? null;
    return found === null ? NOTHING : `${found.position} of ${found.total}`;
  };
  const six = (value: number | null = null): string => (value === null ? NOTHING : value.toFixed(6));
  return [
    task_id,
    String(score ?? NOTHING),
    medal ?? 'unknown',
    yesNo(any_medal),
    yesNo(above_median),
    place('private'),
    place('public'),
    six(rank?.paper),
    six(rank?.code),
    [...(gradable ? [] : ['not gradable']), ...(rank?.flags ?? [])].join(', '),
  ];
}

function reports(
  { reports: seeds, over_seeds: shares, by_task: tasks }: GradedReports,
  section: AddSection,
): void {
  const counts = METRICS.map((metric) => right(metric.replaceAll('_', ' ')));
  section(
    'Reports',
    [{ title: 'file' }, right('runs'), ...counts],
    seeds.map(({ file, counts: own }) => [
      oneLine(file, 60),
      formatCount(own.n),
      ...METRICS.map((metric) => formatCount(own[metric])),
    ]),
  );
  const percent = (x: number | null): string => (x === null ? NOTHING : `${(100 * x).toFixed(2)}%`);
  section(
    'Over seeds',
    [{ title: 'figure' }, right('mean'), right('SEM'), right('95% interval'), right('n')],
    METRICS.map((metric) => {
      const { mean, sem, ci95, n } = shares[metric];
      const interval = ci95 === null ? NOTHING : `${percent(ci95[0])} to ${percent(ci95[1])}`;
      return [metric.replaceAll('_', ' '), percent(mean), percent(sem), interval, String(n)];
    }),
  );
  section(
    'By task',
    [{ title: 'task' }, right('runs'), ...counts],
    tasks.map(({ task_id, counts: own }) => [
      task_id,
      formatCount(own.n),
      ...METRICS.map((metric) => formatCount(own[metric])),
    ]),
  );
  const flagged = seeds.flatMap(({ rows }) =>
    rows.flatMap(({ competition_id, flags }) => flags.map((flag) => [competition_id, flag])),
  );
  if (flagged.length > 0)
    section(
      'Rows that the rules grade otherwise, or in doubt',
      [{ title: 'task' }, { title: 'flag' }],
      flagged,
    );
  for (const { file, inconsistencies: found } of seeds) {
    if (found.length > 0) inconsistencies(`Inconsistencies of ${file}`, found, section);
  }
}

function inconsistencies(title: string, found: readonly Inconsistency[], section: AddSection): void {
  section(
    `${title}: ${found.length === 0 ? 'consistent' : `${formatCount(found.length)} inconsistencies`}`,
    [{ title: 'row' }, { title: 'rule' }, { title: 'detail' }],
    found.map(({ row, rule, detail }) => [row, rule, oneLine(detail, 120)]),
  );
}
