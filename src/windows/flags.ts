/** Flags that a window can carry, with what they mean; the docs list them from here. */
export const WINDOW_FLAGS = {
  timeout: "the execution ran into the agent's own time limit",
  timeout_masked: 'a timeout that pays nothing by option: not trained',
  run_timeout_masked:
    'an experiment of the run timed out, and the option masks such runs: pays nothing, not trained',
  retried: 'an infrastructure failure and its retry share the window; the result is that of the retry',
  retry_apart:
    'a retry of an earlier infrastructure failure, with other executions between: a window of its own',
  merged_executions:
    'several executions of one turn that cannot be parted by call span; the last result counts',
  call_truncated: 'a launching call before it was cut off and does not count as an execution',
  feedback_missing: 'the log ends before the feedback of the execution',
  status_unknown: 'the log does not say how the execution ended',
  failed_with_submission: 'the execution failed but left a submission, which does not count',
  stale_submission: 'a submission left over from an earlier execution was found and does not count',
  several_submissions: 'the execution has several graded submissions; the last observed counts',
  other_scale: 'its only score is on another scale than the one asked for',
  other_grader: 'its score is of another grader than the first one of the run',
  submissions_not_recorded: 'the log does not show whether something was submitted',
  score_unknown: 'the grader accepted the submission but the log has no score',
  no_task: 'no task record, so no direction and no thresholds',
  no_thresholds: 'the task has no thresholds that decide the medal',
  repeat: 'the same code (normalised) and the same score as an earlier window of the run',
  base_withheld: 'a medal tier no better than one reached before: base not paid by option',
  invalidated: 'the log invalidates the execution; reward and reference stay',
  crosses_epochs: 'its spans were generated in more than one context',
  outside_epochs: 'some of its spans lie on a rewound branch and are not actions of any context',
  no_action_spans: 'nothing in it can be trained',
  context_cut:
    'the middle of its context was left out to make it fit: its log-probabilities are not those of the rollout',
  sub_agent: 'the window is of a sub-agent: not trained by default',
} as const satisfies Record<string, string>;

export type WindowFlag = keyof typeof WINDOW_FLAGS;
