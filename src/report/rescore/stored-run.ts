import type { ExecutionRow, SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';

/** Columns that rescoring reads. */
export const STORED_COLUMNS = {
  executions: [
    'trajectory_id',
    'source_path',
    'execution_id',
    'order',
    'call_turn',
    'feedback_turn',
    'kind',
    'status',
    'seconds',
    'submitted',
    'gradable',
    'score_test',
    'score_validation',
    'score_self_reported',
    'parent_execution',
    'invalidated',
  ],
  windows: [
    'trajectory_id',
    'source_path',
    'task_id',
    'flags',
    'window_id',
    'execution_id',
    'outcome',
    'score',
    'score_scale',
    'previous_score',
    'trend',
    'reward',
  ],
  trajectories: [
    'trajectory_id',
    'source_path',
    'task_id',
    'flags',
    'n_turns',
    'stage',
    'decision',
    'reason',
  ],
  sft: ['trajectory_id', 'source_path', 'row_id', 'rules', 'anchor_turn'],
} as const satisfies {
  executions: readonly (keyof ExecutionRow)[];
  windows: readonly (keyof WindowRow)[];
  trajectories: readonly (keyof TrajectoryRow)[];
  sft: readonly (keyof SftRow)[];
};

type Columns = typeof STORED_COLUMNS;
export type StoredExecution = Pick<ExecutionRow, Columns['executions'][number]>;
export type StoredWindow = Pick<WindowRow, Columns['windows'][number]>;
export type StoredTrajectory = Pick<TrajectoryRow, Columns['trajectories'][number]>;
export type StoredPrefix = Pick<SftRow, Columns['sft'][number]>;

/** What the tables hold of one trajectory of one source file. */
export interface StoredRun {
  readonly task_id: string | null;
  /** null in a corpus without table `trajectories` */
  readonly trajectory: StoredTrajectory | null;
  /** in the order of launch */
  readonly executions: readonly StoredExecution[];
  /** in the order of the calls, the copies of equal trajectories one after the other */
  readonly windows: readonly StoredWindow[];
  readonly prefixes: readonly StoredPrefix[];
}

interface OpenRun {
  trajectory: StoredTrajectory | null;
  readonly executions: Map<string, StoredExecution>;
  readonly windows: StoredWindow[];
  readonly prefixes: StoredPrefix[];
}

/** Gathers the rows of the four tables by run, whatever their order. */
export class StoredRuns {
  readonly #runs = new Map<string, OpenRun>();

  execution(row: StoredExecution): void {
    this.#of(row).executions.set(row.execution_id, row);
  }

  window(row: StoredWindow): void {
    this.#of(row).windows.push(row);
  }

  prefix(row: StoredPrefix): void {
    this.#of(row).prefixes.push(row);
  }

  /** Of equal trajectories in one file the one that went through counts, not its duplicates. */
  trajectory(row: StoredTrajectory): void {
    const run = this.#of(row);
    const standing = row.decision === 'kept' || row.decision === 'filtered';
    if (run.trajectory === null || standing) run.trajectory = row;
  }

  /** In code-unit order of trajectory and path. */
  runs(): StoredRun[] {
    const sorted = [...this.#runs].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([, { trajectory, executions, windows, prefixes }]) => ({
      task_id: trajectory?.task_id ?? windows[0]?.task_id ?? null,
      trajectory,
      executions: [...executions.values()].sort((a, b) => a.order - b.order),
      windows: windows.sort((a, b) => windowOrder(a.window_id) - windowOrder(b.window_id)),
      prefixes,
    }));
  }

  #of({
    trajectory_id,
    source_path,
  }: {
    readonly trajectory_id: string;
    readonly source_path: string;
  }): OpenRun {
    const key = `${trajectory_id}\n${source_path}`;
    const found = this.#runs.get(key);
    if (found !== undefined) return found;
    const run: OpenRun = { trajectory: null, executions: new Map(), windows: [], prefixes: [] };
    this.#runs.set(key, run);
    return run;
  }
}

/** Copies first, then the place in the run: `<id>[+copy].w<index>`. */
function windowOrder(windowId: string): number {
  const [, copy = '0', index = '0'] = /(?:\+(\d+))?\.w(\d+)$/.exec(windowId) ?? [];
  return Number(copy) * 1e6 + Number(index);
}

/** Which copy of equal trajectories a window is of. */
export function copyOf(windowId: string): string {
  return windowId.replace(/\.w\d+$/, '');
}
