import { RejectError } from '../logs/reject.js';
import { contentSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { wrongType } from './fields.js';
import { rawTrajectory } from './raw-trajectory.js';

const TOOL = 'train';

/** Columns that measure what a run cost, not what it reached. */
const COSTS =
  /memory|vram|latency|cost|budget|_(?:gb|mb|s|sec|secs|ms|us|usd)$|seconds|minutes|hours|time|lines|tokens|params|flops/i;
/** Speed is a result: what is counted per second is no cost. */
const RATES = /per_?s(?:ec(?:ond)?)?$|throughput|speedup/i;
/** Columns that name a run, its setting or its words, and what is counted against another run. */
const NO_METRICS =
  /^(?:commit|git_commit|sha|status|description|hypothesis|notes?|reject_reason|(?:run_?)?id|run|exp(?:eriment)?|iter(?:ation)?|gen(?:eration)?|round|cycle|trial|idx|index|step|steps|epochs?|seed|delta\w*|improvement\w*|#)$/i;
/** Among several, the column of the validation split or the one that is named for what is optimised. */
const OBJECTIVE = /^(?:val|valid|validation)_|^(?:score|objective|fitness)$/i;
const COMMITS: readonly string[] = ['commit', 'git_commit', 'commit_hash', 'sha'];
const WORDS: readonly string[] = ['description', 'hypothesis', 'notes', 'note'];

/** By words of a status, as `screen_discard` or `crash: OOM` have them; a failure counts before the verdict on it. */
const STATUSES: readonly (readonly [ExecutionStatus, ReadonlySet<string>])[] = [
  ['timeout', new Set(['timeout', 'timed'])],
  ['error', new Set(['crash', 'crashed', 'error', 'oom', 'fail', 'failed', 'failure'])],
  [
    'ok',
    new Set(
      'keep kept discard discarded revert reverted accept accepted reject rejected run baseline ok pass success'.split(
        ' ',
      ),
    ),
  ],
];

export const autoresearchTsv: FormatAdapter = {
  name: 'autoresearch-tsv',
  version: '1',
  unit: 'text',
  // Each row is one training run of one commit.
  experiments: { experiment: [TOOL], scoring: [] },
  notes: {
    title: 'autoresearch results.tsv: one training run a commit',
    recognised_by:
      'a table with tabs whose header has commit (or git_commit, sha), status and description (or hypothesis, notes)',
    scores:
      'the metric column on the validation split, which a column of costs is only where there is no other; of several the only one named val_..., score, objective or fitness, else none; each other stands as a flag; rows of crashed runs have none, whatever stands there, nor rows of nothing but zeros',
    executions:
      'one experiment a row: crash and failed are errors; keep, discard and revert ran; other words are unknown',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the conversation: of what the model wrote the table keeps the description of each change (flags text_rebuilt, prompts_absent)',
      'the direction of the metric is not recorded: none is claimed',
      'rows with another number of fields than the header (flag ragged_rows), but for tabs in the words of the last column',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0) return null;
  const head = sniff.head.split('\n').find((line) => !isRemark(line));
  return head !== undefined && isHead(header(head))
    ? { confidence: 'certain', reason: 'a table of commits with status and description' }
    : null;
}

/** What people write above or between rows. */
function isRemark(line: string): boolean {
  return line.trim() === '' || /^#[^\t]*$/.test(line);
}

function header(line: string): string[] {
  return line
    .replace(/\r$/, '')
    .split('\t')
    .map((name) => name.trim());
}

function first(columns: readonly string[], names: readonly string[]): string | null {
  return names.find((name) => columns.includes(name)) ?? null;
}

/** Columns of numbers. */
interface Measures {
  readonly all: readonly string[];
  /** those that may be what was optimised */
  readonly metrics: readonly string[];
  /** the one that was; null where several may be */
  readonly objective: string | null;
}

function measuresOf(columns: readonly string[], rows: readonly ReadonlyMap<string, string>[]): Measures {
  const all = columns.filter((name) => !NO_METRICS.test(name) && rows.some((row) => isNumber(row.get(name))));
  const reached = all.filter((name) => !COSTS.test(name) || RATES.test(name));
  const metrics = reached.length > 0 ? reached : all;
  const named = metrics.length === 1 ? metrics : metrics.filter((name) => OBJECTIVE.test(name));
  return { all, metrics, objective: named.length === 1 ? (named[0] ?? null) : null };
}

/** A run that was given up before its validation stands with zeros throughout, its cost included. */
function isBlank(row: ReadonlyMap<string, string>, { all }: Measures): boolean {
  return all.length > 1 && all.every((name) => isNumber(row.get(name)) && Number(row.get(name)) === 0);
}

function statusOf(text: string): ExecutionStatus {
  const words = text.toLowerCase().split(/[^a-z]+/);
  return STATUSES.find(([, known]) => words.some((word) => known.has(word)))?.[0] ?? 'unknown';
}

function isHead(columns: readonly string[]): boolean {
  return first(columns, COMMITS) !== null && columns.includes('status') && first(columns, WORDS) !== null;
}

/** The rows under one head. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: ReadonlyMap<string, string>[];
  ragged: boolean;
}

/** Tables by head: where logs were put together, each head begins a run of its own. */
function tablesOf(text: string): Table[] {
  const tables: Table[] = [];
  for (const line of text.split('\n').map((one) => one.replace(/\r$/, ''))) {
    if (isRemark(line)) continue;
    const columns = header(line);
    const table = tables.at(-1);
    if (table === undefined || isHead(columns)) tables.push({ columns, rows: [], ragged: false });
    else addRow(table, line.split('\t'));
  }
  return tables;
}

function addRow(table: Table, fields: readonly string[]): void {
  const { columns, rows } = table;
  const last = columns.length - 1;
  // Words may hold tabs, which only the last column can take back.
  const taken =
    fields.length > columns.length && WORDS.includes(columns[last] ?? '')
      ? [...fields.slice(0, last), fields.slice(last).join('\t')]
      : fields;
  if (taken.length !== columns.length) table.ragged = true;
  else rows.push(new Map(columns.map((name, index) => [name, taken[index] ?? ''])));
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('table', 'a text', input);
  const tables = tablesOf(input).filter(({ rows }) => rows.length > 0);
  if (tables.length === 0) throw new RejectError('no_turns', 'a table without rows');
  return tables.map((table) => readTable(table, context));
}

function readTable({ columns, rows, ragged }: Table, context: ReadContext): RawTrajectory {
  const flags = new Set(['text_rebuilt', 'prompts_absent', 'direction_not_recorded']);
  if (ragged) flags.add('ragged_rows');
  const measures = measuresOf(columns, rows);
  const { metrics, objective } = measures;
  const words = first(columns, WORDS) ?? '';
  const commits = first(columns, COMMITS) ?? '';
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  rows.forEach((row, order) => {
    const description = row.get(words) ?? '';
    const status = statusOf(row.get('status') ?? '');
    const call_turn = turns.length;
    const shown = columns.filter((name) => name !== words).map((name) => `${name}: ${row.get(name) ?? ''}`);
    turns.push(
      makeTurn('assistant', [contentSpan('text', 'model', description)]),
      makeTurn('tool', [contentSpan('observation', 'environment', shown.join('\n'))], { name: TOOL }),
    );
    const commit = row.get(commits) ?? '';
    const taken = executions.some((execution) => execution.execution_id === commit);
    const execution_id = commit === '' || taken ? `${commit}#${order}` : commit;
    executions.push(
      makeExecution(
        {
          execution_id,
          order,
          kind: context.experiments.experiment.includes(TOOL) ? 'experiment' : 'other',
          tool: TOOL,
          call_turn,
          status,
        },
        { feedback_turn: call_turn + 1, flags: [`status:${row.get('status') ?? ''}`] },
      ),
    );
    // A crashed run's 0.000000 would be a perfect loss; a row that is blocked or still to come has no result at all.
    if (status === 'error' || status === 'timeout') return;
    if (status === 'unknown' && !metrics.some((name) => isNumber(row.get(name)))) return;
    submissions.push(
      submissionOf(row, { measures, execution_id, observed_turn: call_turn + 1, order: submissions.length }),
    );
  });
  return rawTrajectory(
    { turns, executions },
    {
      submissions,
      task_claims:
        objective === null
          ? null
          : {
              metric: objective,
              is_lower_better: null,
              gold: null,
              silver: null,
              bronze: null,
              median: null,
            },
      scaffold: 'autoresearch',
      flags: [...flags],
    },
  );
}

function submissionOf(
  row: ReadonlyMap<string, string>,
  at: { measures: Measures; execution_id: string; observed_turn: number; order: number },
): Submission {
  const { metrics, objective } = at.measures;
  const blank = isBlank(row, at.measures);
  const values = metrics.map(
    (name) => [name, !blank && isNumber(row.get(name)) ? Number(row.get(name)) : null] as const,
  );
  const counted = objective === null ? values : values.filter(([name]) => name === objective);
  const others = objective === null ? values : values.filter(([name]) => name !== objective);
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable: counted.some(([, value]) => value !== null),
      score: objective === null ? null : (counted[0]?.[1] ?? null),
      scale: 'validation',
    },
    {
      observed_turn: at.observed_turn,
      grader: `autoresearch:${objective ?? 'several'}`,
      flags: others.map(([name, value]) => `metric:${name}=${value ?? 'null'}`),
    },
  );
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '' && Number.isFinite(Number(text));
}
