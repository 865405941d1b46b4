/** Flags that a selected prefix can carry, with what they mean; the docs list them from here. */
export const SELECTION_FLAGS = {
  feedback_missing: 'the log ends before the feedback of the anchor: the prefix ends at its call',
  anchor_without_execution:
    'the submission is linked to no execution: the anchor is the turn that shows its score',
  parallel_feedback_cut: 'the turn of the anchor launched other calls whose feedback lies after the cut',
  commit_kept: "the model's next turn, which only commits the anchor, is kept",
  best_tied: 'several submissions share the best score; the first is the best',
  drop_relative: 'the span of the task is unknown or zero: drop measured as a share of |best|',
  drop_absolute: 'the best score is 0: drop measured in score points',
  several_submissions: 'the execution has several graded submissions; the last observed counts',
  other_grader: 'submissions of another grader than the first one of the run were left out',
  failed_with_submission: 'a submission that a failed execution left behind was left out',
  stale_submission: 'a submission left over from an earlier execution was left out',
  invalidated_skipped: 'submissions of invalidated executions were left out',
  anchor_invalidated: 'the log invalidates the anchor; kept by option',
  lineage_unknown:
    'the log does not tell which nodes led to the anchor: the prefix of this search tree is chronological',
  thresholds_of_test_scale: "the task's thresholds speak of test scores, the scores are on another scale",
} as const satisfies Record<string, string>;

export type SelectionFlag = keyof typeof SELECTION_FLAGS;
