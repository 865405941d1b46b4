import type { TaskRecord } from '../../grading/task-record.js';
import type { ExecutionRow, SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';
import type { CorpusFacts, ExecutionFact, PrefixFact, RunFact, TrajectoryFact, WindowFact } from './facts.js';
import { byCodeUnit } from './groups.js';

type Lineage = 'trajectory_id' | 'source_path' | 'task_id' | 'scaffold' | 'model';

/** Columns that are read of each table; tokens and texts are not. */
export const FACT_COLUMNS = {
  executions: [
    'trajectory_id',
    'source_path',
    'task_id',
    'scaffold',
    'model',
    'execution_id',
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
  windows: [
    'trajectory_id',
    'source_path',
    'task_id',
    'scaffold',
    'model',
    'flags',
    'window_id',
    'outcome',
    'trend',
    'reward',
  ],
  trajectories: [
    'trajectory_id',
    'task_id',
    'scaffold',
    'model',
    'flags',
    'termination',
    'feedback_exposes_test_score',
    'decision',
    'reason',
  ],
  sft: [
    'trajectory_id',
    'source_path',
    'row_id',
    'rules',
    'anchor_turn',
    'cut_turns',
    'cut_tokens',
    'n_tokens',
    'n_trained',
  ],
} as const satisfies {
  executions: readonly (keyof ExecutionRow)[];
  windows: readonly (keyof WindowRow)[];
  trajectories: readonly (keyof TrajectoryRow)[];
  sft: readonly (keyof SftRow)[];
};

type ExecutionInput = ExecutionFact & Pick<ExecutionRow, Lineage>;
type WindowInput = Omit<WindowFact, 'index'> & Pick<WindowRow, Lineage | 'window_id'>;
type PrefixInput = PrefixFact & Pick<SftRow, 'row_id'>;

interface OpenRun extends Omit<RunFact, 'executions' | 'windows'> {
  readonly key: string;
  readonly executions: Map<string, ExecutionFact>;
  readonly windows: Map<number, WindowFact & { readonly copy: number }>;
}

/**
 * Gathers what the statistics need, row by row, in any order. A run is a trajectory of one source file; equal
 * trajectories within a file count once. Memory: a small object for each execution, window, trajectory and prefix.
 */
export class FactsBuilder {
  readonly #runs = new Map<string, OpenRun>();
  readonly #trajectories: TrajectoryFact[] = [];
  readonly #prefixes = new Map<string, PrefixFact>();

  execution(row: ExecutionInput): void {
    // written out: a copy of the row would keep its lineage in memory
    this.#runOf(row).executions.set(row.execution_id, {
      execution_id: row.execution_id,
      order: row.order,
      call_turn: row.call_turn,
      feedback_turn: row.feedback_turn,
      kind: row.kind,
      status: row.status,
      seconds: row.seconds,
      gradable: row.gradable,
      score_test: row.score_test,
      score_validation: row.score_validation,
      score_self_reported: row.score_self_reported,
    });
  }

  window(row: WindowInput): void {
    const { copy, index } = placeOf(row.window_id);
    const { windows } = this.#runOf(row);
    const before = windows.get(index);
    if (before !== undefined && before.copy <= copy) return;
    const { outcome, trend, reward, flags } = row;
    windows.set(index, { copy, index, outcome, trend, reward, flags });
  }

  trajectory(row: TrajectoryFact): void {
    this.#trajectories.push(row);
  }

  /** Stretches of one prefix are added up; what was cut is the same in all of them. */
  prefix(row: PrefixInput): void {
    const name = row.row_id.replace(/\.e\d+\.s\d+$/, '');
    const before = this.#prefixes.get(name);
    const { trajectory_id, source_path, anchor_turn, rules, cut_turns, cut_tokens, n_tokens, n_trained } =
      row;
    this.#prefixes.set(name, {
      trajectory_id,
      source_path,
      anchor_turn,
      rules,
      cut_turns,
      cut_tokens,
      n_tokens: n_tokens + (before?.n_tokens ?? 0),
      n_trained: n_trained + (before?.n_trained ?? 0),
    });
  }

  build(rest: Pick<CorpusFacts, 'rejects' | 'tasks'>): CorpusFacts {
    const runs = [...this.#runs.values()].sort((a, b) => byCodeUnit(a.key, b.key));
    return {
      ...rest,
      runs: runs.map(({ key: _key, executions, windows, ...run }) => ({
        ...run,
        executions: [...executions.values()].sort((a, b) => a.order - b.order),
        windows: [...windows.values()].sort((a, b) => a.index - b.index),
      })),
      trajectories: this.#trajectories,
      prefixes: [...this.#prefixes].sort(([a], [b]) => byCodeUnit(a, b)).map(([, prefix]) => prefix),
    };
  }

  #runOf(row: Pick<ExecutionRow, Lineage>): OpenRun {
    const key = `${row.trajectory_id}\n${row.source_path}`;
    const found = this.#runs.get(key);
    if (found !== undefined) return found;
    const { trajectory_id, source_path, task_id, scaffold, model } = row;
    const run: OpenRun = {
      key,
      trajectory_id,
      source_path,
      task_id,
      scaffold,
      model,
      executions: new Map(),
      windows: new Map(),
    };
    this.#runs.set(key, run);
    return run;
  }
}

/** Which of several equal trajectories a window is of, and its place in the run: `<id>[+copy].w<index>`. */
function placeOf(windowId: string): { copy: number; index: number } {
  const [, copy = '0', index = '0'] = /(?:\+(\d+))?\.w(\d+)$/.exec(windowId) ?? [];
  return { copy: Number(copy), index: Number(index) };
}

/** Task records by every name that a row may hold. */
export function tasksByName(records: readonly TaskRecord[]): Map<string, TaskRecord> {
  return new Map(records.flatMap((task) => [task.task_id, ...task.aliases].map((name) => [name, task])));
}
