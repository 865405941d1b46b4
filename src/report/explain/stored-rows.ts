import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Reject } from '../../logs/reject.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import type { ExecutionRow, RlRow, SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';
import type { RowIndex } from '../row-index.js';
import { tableRows } from '../table-rows.js';

const SFT_COLUMNS = [
  'trajectory_id',
  'source_path',
  'flags',
  'row_id',
  'stage',
  'split',
  'rules',
  'stretch',
  'epoch',
  'anchor_turn',
  'anchor_score',
  'score_scale',
  'medal',
  'weight',
  'n_tokens',
  'n_trained',
  'n_turns',
  'cut_turns',
  'cut_tokens',
  'off_path_turns',
  'off_path_tokens',
  'straddled_tokens',
  'mask_policy',
  'ids_differ_because',
] as const satisfies readonly (keyof SftRow)[];

const RL_COLUMNS = [
  'trajectory_id',
  'source_path',
  'flags',
  'sequence_id',
  'split',
  'window_n_trained',
  'policy_data',
] as const satisfies readonly (keyof RlRow)[];

const EXECUTION_COLUMNS = [
  'trajectory_id',
  'source_path',
  'task_id',
  'flags',
  'execution_id',
  'order',
  'call_turn',
  'feedback_turn',
  'kind',
  'status',
  'exit_code',
  'seconds',
  'submitted',
  'gradable',
  'score_test',
  'score_validation',
  'score_self_reported',
  'medal',
  'parent_execution',
  'invalidated',
] as const satisfies readonly (keyof ExecutionRow)[];

const WINDOW_COLUMNS = [
  'trajectory_id',
  'source_path',
  'task_id',
  'flags',
  'window_id',
  'sequence_id',
  'turn_start',
  'turn_end',
  'execution_id',
  'outcome',
  'score',
  'score_scale',
  'previous_score',
  'trend',
  'medal',
  'reward',
  'n_trained',
] as const satisfies readonly (keyof WindowRow)[];

const TRAJECTORY_COLUMNS = [
  'trajectory_id',
  'task_id',
  'source_path',
  'source_format',
  'adapter_version',
  'scaffold',
  'model',
  'flags',
  'byte_start',
  'byte_end',
  'sha256',
  'n_turns',
  'n_calls',
  'n_executions',
  'n_submissions',
  'first_score',
  'best_score',
  'last_score',
  'termination',
  'feedback_exposes_test_score',
  'stage',
  'decision',
  'reason',
  'detail',
  'duplicate_of',
] as const satisfies readonly (keyof TrajectoryRow)[];

export type ExplainedSft = Pick<SftRow, (typeof SFT_COLUMNS)[number]>;
export type ExplainedRl = Pick<RlRow, (typeof RL_COLUMNS)[number]>;
export type ExplainedExecution = Pick<ExecutionRow, (typeof EXECUTION_COLUMNS)[number]>;
export type ExplainedWindow = Pick<WindowRow, (typeof WINDOW_COLUMNS)[number]>;
export type ExplainedTrajectory = Pick<TrajectoryRow, (typeof TRAJECTORY_COLUMNS)[number]>;

/** A trajectory or a rejected record that answers to a name. */
export interface Match {
  /** null for a record that never became a trajectory */
  readonly trajectory_id: string | null;
  readonly source: string;
  readonly decision: string;
  readonly reason: string | null;
}

export interface CorpusTables {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  /** rejects.jsonl of the run; null without its folder */
  readonly rejects: string | null;
}

export interface NamedRows {
  readonly trajectories: readonly ExplainedTrajectory[];
  readonly rejects: readonly Reject[];
}

/** Trajectories and rejects whose id begins with `name`, or whose source path is `name`. */
export async function rowsNamed(of: CorpusTables, name: string): Promise<NamedRows> {
  const answers = (id: string | null, path: string): boolean =>
    path === name || (id !== null && name !== '' && id.startsWith(name.toLowerCase()));
  const trajectories: ExplainedTrajectory[] = [];
  for await (const row of tableRows({ ...of, table: 'trajectories', columns: TRAJECTORY_COLUMNS })) {
    if (answers(row.trajectory_id, row.source_path)) trajectories.push(row);
  }
  const rejects: Reject[] = [];
  for await (const reject of of.rejects === null ? [] : rejectLines(of.rejects)) {
    if (answers(reject.trajectory_id, reject.source)) rejects.push(reject);
  }
  return { trajectories, rejects };
}

/** The rows of table `trajectories` of one trajectory, found in the index. */
export async function inputsOfTrajectory(
  of: Omit<CorpusTables, 'rejects'>,
  { id, index }: { readonly id: string; readonly index: RowIndex },
): Promise<ExplainedTrajectory[]> {
  const groupsOf = (path: string): ReadonlySet<number> => index.groupsOf('trajectories', id, path);
  const rows: ExplainedTrajectory[] = [];
  for await (const row of tableRows({
    ...of,
    table: 'trajectories',
    columns: TRAJECTORY_COLUMNS,
    groupsOf,
  })) {
    if (row.trajectory_id === id) rows.push(row);
  }
  return rows;
}

/** The lines of a rejects.jsonl. */
export async function* rejectLines(path: string): AsyncGenerator<Reject> {
  const lines = createInterface({
    input: createReadStream(path, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as Reject;
}

/** One line a distinct trajectory or rejected record. */
export function matchesOf({ trajectories, rejects }: NamedRows): Match[] {
  const matches = new Map<string, Match>();
  for (const { trajectory_id, source_path: source, decision, reason } of trajectories) {
    const before = matches.get(trajectory_id);
    if (before === undefined || before.decision === 'duplicate') {
      matches.set(trajectory_id, { trajectory_id, source, decision, reason });
    }
  }
  rejects.forEach(({ trajectory_id, source, code, line }) => {
    const key = trajectory_id ?? `${source}:${line}`;
    if (matches.has(key)) return;
    matches.set(key, {
      trajectory_id,
      source: line === null ? source : `${source}:${line}`,
      decision: 'rejected',
      reason: code,
    });
  });
  return [...matches.values()];
}

export interface RunRows {
  readonly executions: readonly ExplainedExecution[];
  readonly windows: readonly ExplainedWindow[];
  readonly sft: readonly ExplainedSft[];
  readonly rl: readonly ExplainedRl[];
}

/** Everything that the tables hold of one trajectory, texts and tokens aside; without an index all of them is read. */
export async function rowsOfTrajectory(of: CorpusTables, id: string, index?: RowIndex): Promise<RunRows> {
  const own = ({ trajectory_id }: { readonly trajectory_id: string }): boolean => trajectory_id === id;
  const request = <T extends 'executions' | 'windows' | 'sft' | 'rl'>(table: T) => ({
    ...of,
    table,
    ...(index === undefined ? {} : { groupsOf: (path: string) => index.groupsOf(table, id, path) }),
  });
  const executions: ExplainedExecution[] = [];
  for await (const row of tableRows({ ...request('executions'), columns: EXECUTION_COLUMNS }))
    if (own(row)) executions.push(row);
  const windows: ExplainedWindow[] = [];
  for await (const row of tableRows({ ...request('windows'), columns: WINDOW_COLUMNS }))
    if (own(row)) windows.push(row);
  const sft: ExplainedSft[] = [];
  for await (const row of tableRows({ ...request('sft'), columns: SFT_COLUMNS })) if (own(row)) sft.push(row);
  const rl: ExplainedRl[] = [];
  for await (const row of tableRows({ ...request('rl'), columns: RL_COLUMNS })) if (own(row)) rl.push(row);
  return { executions, windows, sft, rl };
}
