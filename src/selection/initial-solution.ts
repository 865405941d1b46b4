import { ranThrough } from '../grading/experiments.js';
import { byObservation, type ValidSubmission } from '../grading/valid-submissions.js';
import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { anchorOf } from './anchor.js';
import { candidatesOf } from './candidates.js';
import { short } from './degradation.js';
import type { SelectionOptions } from './options.js';
import { passes, qualityThreshold } from './quality.js';
import { type Rule, UNKNOWN_TASK } from './rule.js';

/**
 * Rule 1 of MLExpert: if the first complete solution ran and its score passes the quality threshold, the prefix up to
 * its feedback. Complete is what left a gradable submission or what the log marks as a full solution; with `complete:
 * attempt` whatever first tried to submit.
 */
export const selectInitial: Rule = ({ trajectory, task, options, corpus }) => {
  const found = candidatesOf(trajectory, { ...options, invalidated_anchors: true });
  if ('reason' in found) return found;
  if (task === null) return UNKNOWN_TASK;
  if (options.quality === null) return { reason: 'no_threshold', detail: 'no quality threshold is stated' };
  const threshold = qualityThreshold({ quality: options.quality, task, scale: options.score_scale, corpus });
  if ('reason' in threshold) return threshold;

  const first = found.experiments.find((execution) =>
    isComplete(execution, { trajectory, options, counted: found.submissions }),
  );
  const own = found.submissions.filter(({ execution }) => execution !== null && execution === first);
  const chosen = own[own.length - 1];
  if (first === undefined) {
    return { reason: 'first_solution_failed', detail: 'no experiment is a complete solution' };
  }
  const name = `the first complete solution, ${first.execution_id},`;
  if (!ranThrough(first))
    return { reason: 'first_solution_failed', detail: `${name} ended in ${first.status}` };
  if (first.invalidated && !options.invalidated_anchors) {
    return { reason: 'first_solution_failed', detail: `${name} is invalidated` };
  }
  if (chosen === undefined) {
    return {
      reason: 'first_solution_failed',
      detail: `${name} has no score on scale ${options.score_scale}`,
    };
  }
  const { score } = chosen;
  if (!passes(score, threshold, task)) {
    const detail = `${name} scored ${short(score)} and does not reach ${threshold.name}`;
    return { reason: 'first_solution_failed', detail, score };
  }
  return {
    anchor: anchorOf(trajectory, chosen, options),
    score,
    threshold_source: threshold.source,
    flags: own.length > 1 ? [...found.flags, 'several_submissions'] : found.flags,
    detail: `${name} scored ${short(score)} and reaches ${threshold.name}`,
  };
};

interface CompleteInput {
  readonly trajectory: Trajectory;
  readonly options: SelectionOptions;
  readonly counted: readonly ValidSubmission[];
}

function isComplete(execution: Execution, { trajectory, options, counted }: CompleteInput): boolean {
  if (execution.complete_solution === true) return true;
  if (counted.some((candidate) => candidate.execution === execution)) return true;
  if (options.complete === 'first') return false;
  return byObservation(trajectory.submissions).some(
    (submission) =>
      submission.execution_id === execution.execution_id &&
      submission.scale === options.score_scale &&
      !submission.stale,
  );
}
