import { RejectError } from '../logs/reject.js';
import { contentSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { wrongType } from './fields.js';
import { rawTrajectory } from './raw-trajectory.js';

const TOOL = 'train';

/** Columns that measure what a run cost, not what it reached. */
const COSTS = /memory|latency|cost|_gb$|_mb$|_s$|seconds|minutes|time|lines|tokens|params|flops/i;
const TEXTS: ReadonlySet<string> = new Set(['commit', 'status', 'description', 'reject_reason']);

const STATUSES: Readonly<Record<string, ExecutionStatus>> = {
  keep: 'ok',
  discard: 'ok',
  run: 'ok',
  baseline: 'ok',
  crash: 'error',
  error: 'error',
  oom: 'error',
  timeout: 'timeout',
};

export const autoresearchTsv: FormatAdapter = {
  name: 'autoresearch-tsv',
  version: '1',
  unit: 'text',
  // Each row is one training run of one commit.
  experiments: { experiment: [TOOL], scoring: [] },
  notes: {
    title: 'autoresearch results.tsv: one training run a commit',
    recognised_by: 'a table with tabs whose header has commit, status and description',
    scores:
      'the metric column on the validation split; with several none is the objective and each stands as a flag; rows of crashed runs have none, whatever stands there',
    executions: 'one experiment a row: crash is an error, keep and discard ran',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the conversation: of what the model wrote the table keeps the description of each change (flags text_rebuilt, prompts_absent)',
      'the direction of the metric is not recorded: none is claimed',
      'rows with another number of fields than the header (flag ragged_rows)',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0) return null;
  const end = sniff.head.indexOf('\n');
  const columns = header(end === -1 ? sniff.head : sniff.head.slice(0, end));
  const found = ['commit', 'status', 'description'].every((name) => columns.includes(name));
  return found ? { confidence: 'certain', reason: 'a table of commits with status and description' } : null;
}

function header(line: string): string[] {
  return line
    .replace(/\r$/, '')
    .split('\t')
    .map((name) => name.trim());
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('table', 'a text', input);
  const [first = '', ...lines] = input.split('\n').map((line) => line.replace(/\r$/, ''));
  const columns = header(first);
  const flags = new Set(['text_rebuilt', 'prompts_absent', 'direction_not_recorded']);
  const rows = lines.flatMap((line) => {
    if (line.trim() === '') return [];
    const fields = line.split('\t');
    if (fields.length === columns.length)
      return [new Map(columns.map((name, index) => [name, fields[index] ?? '']))];
    flags.add('ragged_rows');
    return [];
  });
  if (rows.length === 0) throw new RejectError('no_turns', 'a table without rows');
  const metrics = columns.filter(
    (name) => !TEXTS.has(name) && !COSTS.test(name) && rows.some((row) => isNumber(row.get(name))),
  );
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  rows.forEach((row, order) => {
    const description = row.get('description') ?? '';
    const status = STATUSES[(row.get('status') ?? '').toLowerCase()] ?? 'unknown';
    const call_turn = turns.length;
    const shown = columns
      .filter((name) => name !== 'description')
      .map((name) => `${name}: ${row.get(name) ?? ''}`);
    turns.push(
      makeTurn('assistant', [contentSpan('text', 'model', description)]),
      makeTurn('tool', [contentSpan('observation', 'environment', shown.join('\n'))], { name: TOOL }),
    );
    const commit = row.get('commit') ?? '';
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
    // A crashed run's 0.000000 would be a perfect loss.
    if (status === 'error' || status === 'timeout') return;
    submissions.push(
      submissionOf(row, { metrics, execution_id, observed_turn: call_turn + 1, order: submissions.length }),
    );
  });
  const [metric] = metrics;
  return [
    rawTrajectory(
      { turns, executions },
      {
        submissions,
        task_claims:
          metrics.length === 1 && metric !== undefined
            ? { metric, is_lower_better: null, gold: null, silver: null, bronze: null, median: null }
            : null,
        scaffold: 'autoresearch',
        flags: [...flags],
      },
    ),
  ];
}

function submissionOf(
  row: ReadonlyMap<string, string>,
  at: { metrics: readonly string[]; execution_id: string; observed_turn: number; order: number },
): Submission {
  const values = at.metrics.map(
    (name) => [name, isNumber(row.get(name)) ? Number(row.get(name)) : null] as const,
  );
  const [only, ...others] = values;
  const single = others.length === 0 ? only : undefined;
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable: values.some(([, value]) => value !== null),
      score: single?.[1] ?? null,
      scale: 'validation',
    },
    {
      observed_turn: at.observed_turn,
      grader: single === undefined ? 'autoresearch:several' : `autoresearch:${single[0]}`,
      flags: single === undefined ? values.map(([name, value]) => `metric:${name}=${value ?? 'null'}`) : [],
    },
  );
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '' && Number.isFinite(Number(text));
}
