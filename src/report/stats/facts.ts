import type { TaskRecord } from '../../grading/task-record.js';
import type { ExecutionRow, SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';
import type { Figure } from './figure.js';

/** What the figures need of a row of `executions`. */
export type ExecutionFact = Pick<
  ExecutionRow,
  | 'execution_id'
  | 'order'
  | 'call_turn'
  | 'feedback_turn'
  | 'kind'
  | 'status'
  | 'seconds'
  | 'gradable'
  | 'score_test'
  | 'score_validation'
  | 'score_self_reported'
>;

/** What they need of a row of `windows`; `index` is its place in the run, from 0. */
export interface WindowFact extends Pick<WindowRow, 'outcome' | 'trend' | 'reward' | 'flags'> {
  readonly index: number;
}

/** What they need of a row of `trajectories`: one for every input, equal ones included. */
export type TrajectoryFact = Pick<
  TrajectoryRow,
  | 'trajectory_id'
  | 'task_id'
  | 'scaffold'
  | 'model'
  | 'flags'
  | 'termination'
  | 'feedback_exposes_test_score'
  | 'decision'
  | 'reason'
>;

/** A selected prefix: the rows of its stretches taken together. */
export interface PrefixFact extends Pick<SftRow, 'trajectory_id' | 'source_path' | 'anchor_turn'> {
  readonly rules: readonly string[];
  readonly cut_turns: number;
  readonly cut_tokens: number;
  readonly n_tokens: number;
  readonly n_trained: number;
}

/** One distinct trajectory that went through all stages, with what it ran. */
export interface RunFact {
  readonly trajectory_id: string;
  readonly source_path: string;
  readonly task_id: string | null;
  readonly scaffold: string | null;
  readonly model: string | null;
  /** in the order of launch */
  readonly executions: readonly ExecutionFact[];
  /** in the order of the calls */
  readonly windows: readonly WindowFact[];
}

/** What a corpus's tables say, without tokens and texts. */
export interface CorpusFacts {
  /** ordered by trajectory_id; equal trajectories count once */
  readonly runs: readonly RunFact[];
  readonly trajectories: readonly TrajectoryFact[];
  readonly prefixes: readonly PrefixFact[];
  /** rejected records by code, also those that never became a trajectory */
  readonly rejects: Readonly<Record<string, number>>;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
}

/** A part of the statistics. Pure. */
export type StatsSection = (facts: CorpusFacts) => Figure[];
