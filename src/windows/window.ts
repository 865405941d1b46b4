import type { Medal } from '../grading/task-record.js';
import type { ScoreScale } from '../trajectory/execution.js';

/** Outcomes of an execution window (SEMANTICS section 5), in the order in which tables list them. */
export const OUTCOMES = [
  'error',
  'no_submission',
  'below_medal',
  'bronze',
  'silver',
  'gold',
  'ungraded',
  'infrastructure',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const TRENDS = ['fell', 'same', 'rose'] as const;
export type Trend = (typeof TRENDS)[number];

/** All action spans after the feedback of execution m-1, up to and including the call that launched m. */
export interface ExecutionWindow {
  readonly index: number;
  /** context epoch in which the window was generated */
  readonly epoch: number;
  readonly execution_id: string;
  /** index of the window of the parent node in a search tree; null without one */
  readonly parent: number | null;
  /** first and last turn with an action span of the window */
  readonly turn_start: number;
  readonly turn_end: number;
  /**
   * [turn, span] of every action span, in order: the launching call, and what the model wrote after it in the same
   * turn, last
   */
  readonly spans: readonly (readonly [number, number])[];
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly score_scale: ScoreScale | null;
  readonly previous_score: number | null;
  /** null where there is nothing to compare */
  readonly trend: Trend | null;
  readonly medal: Medal | null;
  /** null where the outcome pays nothing; else one of the ten values of WIRL */
  readonly reward: number | null;
  readonly seconds: number | null;
  readonly completed_at: string | null;
  readonly flags: readonly string[];
}

/** What windows leave over: action spans after the last execution. */
export interface WindowSegmentation {
  readonly windows: readonly ExecutionWindow[];
  readonly trailing: readonly (readonly [number, number])[];
}
