import type {
  CorpusFacts,
  ExecutionFact,
  PrefixFact,
  RunFact,
  TrajectoryFact,
  WindowFact,
} from '../../report/stats/facts.js';
import type {
  LengthRecord,
  Origin,
  RejectRecord,
  ReportData,
  ReportTables,
  RowRecord,
  TrajectoryRecord,
} from './data.js';
import { unpackTable } from './unpack.js';

export type TaskRecord = CorpusFacts['tasks'] extends ReadonlyMap<string, infer T> ? T : never;

/** A row with the place that it comes from written out. */
export type Placed<T> = Omit<T, 'origin'> & Origin;
export type TrajectoryRow = Placed<TrajectoryRecord> & TrajectoryFact;
export type TokenRow = Placed<RowRecord>;
export type LengthRow = Placed<LengthRecord>;

/** All that the page knows of a corpus, with or without a filter. */
export interface PageFacts {
  readonly runs: readonly RunFact[];
  readonly trajectories: readonly TrajectoryRow[];
  readonly prefixes: readonly (PrefixFact & Origin)[];
  readonly rows: readonly TokenRow[];
  readonly lengths: readonly LengthRow[];
  readonly rejects: readonly RejectRecord[];
  readonly tasks: ReadonlyMap<string, TaskRecord>;
}

/** The rows that the page carries. */
export function readFacts({ tables, tasks }: Pick<ReportData, 'tables' | 'tasks'>): PageFacts {
  const rowsOf = <Name extends keyof ReportTables>(name: Name): ReportTables[Name][] =>
    unpackTable(tables[name]);
  const origins = rowsOf('origins');
  // the rows are the page's own: completing them in place spares a copy of each
  const place = <T extends { readonly origin: number }>(rows: readonly T[]): (T & Origin)[] =>
    rows.map((row) => Object.assign(row, origins[row.origin]) as T & Origin);
  // no figure needs the id of an execution, and it would be most of the page
  const executions = byRun<ExecutionFact>(unpackTable(tables.executions, { execution_id: '' }));
  const windows = byRun<WindowFact>(rowsOf('windows'));
  return {
    runs: place(rowsOf('runs')).map((run, i) =>
      Object.assign(run, { executions: executions.get(i) ?? [], windows: windows.get(i) ?? [] }),
    ),
    trajectories: place(rowsOf('trajectories')),
    prefixes: place(rowsOf('prefixes')),
    rows: place(rowsOf('rows')),
    lengths: place(rowsOf('lengths')),
    rejects: rowsOf('rejects'),
    tasks: new Map(tasks.flatMap(({ names, record }) => names.map((name) => [name, record as TaskRecord]))),
  };
}

function byRun<T>(rows: readonly (T & { readonly run: number })[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const own = groups.get(row.run);
    if (own === undefined) groups.set(row.run, [row]);
    else own.push(row);
  }
  return groups;
}
