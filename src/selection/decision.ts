import type { Medal } from '../grading/task-record.js';
import type { ScoreScale } from '../trajectory/execution.js';

/** Selection rules of SEMANTICS section 3: 0 whole, 1 initial solution, 2 best submission. */
export const SELECTION_RULES = ['whole', 'initial', 'best'] as const;
export type SelectionRule = (typeof SELECTION_RULES)[number];

/** What a prefix holds before its anchor: every turn, or those on the path of a search tree. */
export const PREFIX_KINDS = ['chronological', 'lineage'] as const;
export type PrefixKind = (typeof PREFIX_KINDS)[number];

/** Why a rule kept nothing of a trajectory; counted in the summary. */
export const FILTER_REASONS = {
  no_rule: 'no selection rule is on',
  not_complete: 'the run did not end normally',
  not_resolved: 'the joined report says it is not resolved',
  no_execution: 'nothing was executed',
  no_submission: 'no gradable submission on the chosen scale',
  other_scale: 'scores exist only on another scale than the one asked for',
  no_threshold: 'the task has no such threshold',
  unknown_task: 'no task record, so no threshold',
  below_threshold: 'no submission passes the quality threshold',
  first_solution_failed: 'the first complete solution failed or is below the threshold',
  no_trained_tokens: 'nothing in the prefix can be trained',
  over_long: 'every row of it is longer than the limit',
  masked_by_timeouts: 'experiments ran into their time limit and the mask leaves such runs out',
  no_windows: 'no execution windows',
  no_experiment_boundary: 'the scaffold marks no experiments',
  decontaminated: 'its task is on a list, or its description overlaps a text, that the corpus must not hold',
  unsound_task: 'the thresholds of its synthetic task break the sanity rule',
  cap_task: 'its task has as many trajectories as the pipeline allows',
  cap_source: 'its source has as many trajectories as the pipeline allows',
  cap_stage: 'its stage has as many trajectories as the pipeline allows',
} as const;
export type FilterReason = keyof typeof FILTER_REASONS;

/** Why a trajectory counts as a duplicate. */
export const DUPLICATE_REASONS = {
  equal_turns: 'its turns equal those of another trajectory',
  near_duplicate: 'its text is nearly that of another trajectory',
} as const;
export type DuplicateReason = keyof typeof DUPLICATE_REASONS;

/** A prefix that one or more rules chose. */
export interface SelectedPrefix {
  readonly rules: readonly SelectionRule[];
  /** index of the last kept turn (inclusive) */
  readonly last_turn: number;
  readonly kind: PrefixKind;
  /** turns before the anchor that are left out, since they lie off its path; rising */
  readonly off_path: readonly number[];
  /** execution whose feedback is the anchor; null for `whole` */
  readonly anchor_execution: string | null;
  readonly anchor_turn: number;
  readonly anchor_score: number | null;
  readonly score_scale: ScoreScale | null;
  readonly medal: Medal | null;
  /** where the quality threshold came from; null for `whole` alone */
  readonly threshold_source: string | null;
  readonly flags: readonly string[];
}

export interface RuleOutcome {
  readonly rule: SelectionRule;
  /** null where the rule kept nothing */
  readonly anchor_turn: number | null;
  readonly anchor_execution: string | null;
  readonly score: number | null;
  readonly reason: FilterReason | 'kept';
  /** a sentence with the numbers that decided */
  readonly detail: string;
}

export interface SelectionDecision {
  readonly prefixes: readonly SelectedPrefix[];
  readonly outcomes: readonly RuleOutcome[];
}
