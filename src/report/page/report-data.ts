import type {
  ExecutionRecord,
  LengthRecord,
  Origin,
  PrefixRecord,
  RejectRecord,
  ReportData,
  ReportTables,
  ReportTask,
  RowRecord,
  TrajectoryRecord,
  WindowRecord,
} from '../../browser/report/data.js';
import type { Reject } from '../../logs/reject.js';
import { corpusStats } from '../stats/corpus-stats.js';
import type { CorpusFacts } from '../stats/facts.js';
import { packTable } from './pack.js';
import type { ReportFacts } from './report-facts.js';
import { sampleFacts } from './sample.js';

/** Above so many trajectories the page holds a sample, so that a browser still opens it. */
export const HELD_TRAJECTORIES = 50_000;

type Facts = Pick<ReportData, 'tables' | 'tasks' | 'rejects' | 'rejected' | 'sample'>;

/** What the page computes its figures from. A function of the facts alone. */
export function reportTables(all: ReportFacts, limit = HELD_TRAJECTORIES): Facts {
  const held = sampleFacts(all, limit);
  const rejects = all.facts.rejects;
  return {
    tables: packAll(held),
    tasks: namedTasks(held.facts),
    rejects,
    rejected: Object.values(rejects).reduce((sum, count) => sum + count, 0),
    sample: held === all ? null : { of: all.trajectories.length, figures: corpusStats(all.facts) },
  };
}

function packAll({ facts, trajectories, rows, lengths, rejects }: ReportFacts): ReportData['tables'] {
  const origins = new Origins();
  const trajectoryRecords = trajectories.map(
    (row): TrajectoryRecord => ({ ...row, origin: origins.of(row) }),
  );
  const rowRecords = rows.map((row): RowRecord => ({ ...row, origin: origins.of(row) }));
  const lengthRecords = lengths.map((row): LengthRecord => ({ ...row, origin: origins.of(row) }));
  const runs = facts.runs.map((run) => ({ origin: origins.of(run) }));
  const executions = facts.runs.flatMap((own, run) =>
    own.executions.map((row): ExecutionRecord => ({ ...row, run })),
  );
  const windows = facts.runs.flatMap((own, run) => own.windows.map((row): WindowRecord => ({ ...row, run })));
  const prefixes = facts.prefixes.map((row): PrefixRecord => ({ ...row, origin: origins.at(row) }));
  return {
    trajectories: pack('trajectories', trajectoryRecords),
    runs: pack('runs', runs),
    executions: pack('executions', executions),
    windows: pack('windows', windows),
    prefixes: pack('prefixes', prefixes),
    rows: pack('rows', rowRecords),
    lengths: pack('lengths', lengthRecords),
    rejects: pack('rejects', rejectRecords(rejects, trajectories)),
    // last: the others have named them by now
    origins: pack('origins', origins.all),
  };
}

const COLUMNS: { readonly [Name in keyof ReportTables]: readonly (keyof ReportTables[Name] & string)[] } = {
  origins: ['trajectory_id', 'source_path', 'task_id', 'scaffold', 'model'],
  trajectories: [
    'origin',
    'source_format',
    'adapter_version',
    'flags',
    'termination',
    'feedback_exposes_test_score',
    'decision',
    'reason',
    'detail',
    'duplicate_of',
    'n_turns',
  ],
  runs: ['origin'],
  executions: [
    'run',
    'order',
    'call_turn',
    'feedback_turn',
    'kind',
    'status',
    'seconds',
    'gradable',
    'score_test',
    'score_validation',
    'score_self_reported',
  ],
  windows: ['run', 'index', 'outcome', 'trend', 'reward', 'flags'],
  prefixes: ['origin', 'anchor_turn', 'rules', 'cut_turns', 'cut_tokens', 'n_tokens', 'n_trained'],
  rows: ['origin', 'n_tokens', 'n_trained', 'split', 'mask_policy', 'proofs', 'ids_differ_because'],
  lengths: ['origin', 'n_tokens', 'n_trained'],
  rejects: [
    'source',
    'line',
    'stage',
    'code',
    'message',
    'format',
    'trajectory_id',
    'task_id',
    'scaffold',
    'model',
  ],
};

function pack<Name extends keyof ReportTables>(name: Name, rows: readonly ReportTables[Name][]) {
  return packTable(rows, COLUMNS[name]);
}

/** The different places that rows come from. */
class Origins {
  readonly all: Origin[] = [];
  readonly #places = new Map<string, number>();
  readonly #bySource = new Map<string, number>();

  of(origin: Origin): number {
    const { trajectory_id, source_path, task_id, scaffold, model } = origin;
    const key = JSON.stringify([trajectory_id, source_path, task_id, scaffold, model]);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.all.push({ trajectory_id, source_path, task_id, scaffold, model }) - 1;
    this.#places.set(key, place);
    const source = `${trajectory_id}\n${source_path}`;
    if (!this.#bySource.has(source)) this.#bySource.set(source, place);
    return place;
  }

  /** of rows that name their trajectory and source alone; they stand beside others that name it all */
  at({ trajectory_id, source_path }: Pick<Origin, 'trajectory_id' | 'source_path'>): number {
    const known = this.#bySource.get(`${trajectory_id}\n${source_path}`);
    return known ?? this.of({ trajectory_id, source_path, task_id: null, scaffold: null, model: null });
  }
}

/** Rejected records with the task and the model of the trajectory that they became, if they became one. */
function rejectRecords(
  rejects: readonly Reject[] | null,
  trajectories: ReportFacts['trajectories'],
): RejectRecord[] {
  const rejected = trajectories.filter(({ decision }) => decision === 'rejected');
  if (rejects === null) {
    return rejected.map((row) => ({
      ...row,
      source: row.source_path,
      line: null,
      stage: '',
      code: row.reason ?? '',
      message: row.detail ?? '',
      format: row.source_format,
    }));
  }
  const known = new Map(rejected.map((row) => [`${row.trajectory_id}\n${row.source_path}`, row]));
  return rejects.map((reject) => {
    const row = known.get(`${reject.trajectory_id}\n${reject.source}`);
    const { task_id = null, scaffold = null, model = null } = row ?? {};
    return { ...reject, task_id, scaffold, model };
  });
}

/** The task records that rows name, each with all of its names. */
function namedTasks({ runs, trajectories, tasks }: CorpusFacts): ReportTask[] {
  const used = new Set([...runs, ...trajectories].flatMap(({ task_id: id }) => tasks.get(id ?? '') ?? []));
  return [...used].map((record) => ({
    names: [...tasks].flatMap(([name, task]) => (task === record ? [name] : [])),
    record,
  }));
}
