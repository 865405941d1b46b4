import { type TaskRecord, taskRecordSchema } from '../../../src/grading/task-record.js';
import type {
  CorpusFacts,
  ExecutionFact,
  PrefixFact,
  RunFact,
  TrajectoryFact,
  WindowFact,
} from '../../../src/report/stats/facts.js';
import { tasksByName } from '../../../src/report/stats/facts-builder.js';
import type { Figure } from '../../../src/report/stats/figure.js';

/** The i-th experiment of a run, launched by turn 2i+1: ok, ten seconds, no score. */
export function execution(order: number, change: Partial<ExecutionFact> = {}): ExecutionFact {
  const { score_test = null, score_validation = null, score_self_reported = null } = change;
  return {
    execution_id: `e${order}`,
    order,
    call_turn: 2 * order + 1,
    feedback_turn: 2 * order + 2,
    kind: 'experiment',
    status: 'ok',
    seconds: 10,
    gradable: score_test !== null || score_validation !== null || score_self_reported !== null,
    score_test,
    score_validation,
    score_self_reported,
    ...change,
  };
}

export function window(index: number, change: Partial<WindowFact> = {}): WindowFact {
  return { index, outcome: 'error', trend: null, reward: -1, flags: [], ...change };
}

export function run(name: string, change: Partial<RunFact> = {}): RunFact {
  return {
    trajectory_id: name,
    source_path: 'a.jsonl',
    task_id: 'task',
    scaffold: 'scaffold',
    model: 'model',
    executions: [],
    windows: [],
    ...change,
  };
}

export function trajectory(name: string, change: Partial<TrajectoryFact> = {}): TrajectoryFact {
  return {
    trajectory_id: name,
    task_id: 'task',
    scaffold: 'scaffold',
    model: 'model',
    flags: [],
    termination: 'submitted',
    feedback_exposes_test_score: false,
    decision: 'kept',
    reason: null,
    ...change,
  };
}

export function prefix(change: Partial<PrefixFact> = {}): PrefixFact {
  return {
    trajectory_id: 't0',
    source_path: 'a.jsonl',
    anchor_turn: 2,
    rules: ['best'],
    cut_turns: 0,
    cut_tokens: 0,
    n_tokens: 100,
    n_trained: 40,
    ...change,
  };
}

/** Gold .9, silver .8, bronze .7, median .6, higher is better. */
export function taskRecord(change: Partial<TaskRecord> = {}): TaskRecord {
  return taskRecordSchema.parse({
    task_id: 'task',
    is_lower_better: false,
    thresholds: { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 },
    ...change,
  });
}

export function facts(
  change: Partial<Omit<CorpusFacts, 'tasks'>> & { readonly tasks?: readonly TaskRecord[] } = {},
): CorpusFacts {
  const { tasks = [taskRecord()], ...rest } = change;
  return { runs: [], trajectories: [], prefixes: [], rejects: {}, ...rest, tasks: tasksByName(tasks) };
}

/** [value, low, high, n] of a figure, rounded to four decimals. */
export function numbersOf(figures: readonly Figure[], key: string, figure: string) {
  const found = figures.filter((each) => each.key === key && each.figure === figure);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} figures ${key} ${figure}`);
  const round = (x: number | null): number | null => (x === null ? null : Math.round(x * 1e4) / 1e4);
  return [round(only.value), round(only.low), round(only.high), only.n];
}
