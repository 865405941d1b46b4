import type { TaskRecord } from '../grading/task-record.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Anchor } from './anchor.js';
import type { CorpusScores } from './corpus-scores.js';
import type { FilterReason } from './decision.js';
import type { SelectionFlag } from './flags.js';
import type { SelectionOptions } from './options.js';

export interface RuleInput {
  readonly trajectory: Trajectory;
  readonly task: TaskRecord | null;
  readonly options: SelectionOptions;
  readonly corpus: CorpusScores | null;
}

export interface Kept {
  readonly anchor: Anchor;
  readonly score: number | null;
  /** where the quality threshold came from; null where none was asked */
  readonly threshold_source: string | null;
  readonly flags: readonly SelectionFlag[];
  readonly detail: string;
}

export interface NotKept {
  readonly reason: FilterReason;
  readonly detail: string;
  /** the score that decided, where there is one */
  readonly score?: number;
}

/** A selection rule: the prefix of a run that it keeps, or why it keeps none. Pure. */
export type Rule = (input: RuleInput) => Kept | NotKept;

/** Without a task record there is neither threshold nor direction. */
export const UNKNOWN_TASK: NotKept = {
  reason: 'unknown_task',
  detail: 'no task record, so neither a threshold nor a direction to compare in',
};
