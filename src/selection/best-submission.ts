import { compareScores } from '../grading/medals.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { ValidSubmission } from '../grading/valid-submissions.js';
import { anchorOf } from './anchor.js';
import { candidatesOf } from './candidates.js';
import { type Drop, dropBetween, short } from './degradation.js';
import type { SelectionFlag } from './flags.js';
import { passes, qualityThreshold } from './quality.js';
import { type Rule, UNKNOWN_TASK } from './rule.js';

/**
 * Rule 2 of MLExpert: where a submission passes the quality threshold, the prefix up to the first best submission if
 * performance drops after it by more than the degradation threshold, else up to the last submission.
 */
export const selectBest: Rule = ({ trajectory, task, options, corpus }) => {
  const found = candidatesOf(trajectory, options);
  if ('reason' in found) return found;
  if (task === null) return UNKNOWN_TASK;
  const { quality, degradation, score_scale: scale } = options;
  if (quality === null || degradation === null) {
    return { reason: 'no_threshold', detail: 'no quality or degradation threshold is stated' };
  }
  const threshold = qualityThreshold({ quality, task, scale, corpus });
  if ('reason' in threshold) return threshold;

  const ranked = rank(found.submissions, task, degradation.drop);
  if (ranked === null) return { reason: 'no_submission', detail: 'no submission' };
  const { best, last, compared, tied } = ranked;
  const n = found.submissions.length;
  if (!passes(best.score, threshold, task)) {
    const detail = `the best of ${n} submissions scored ${short(best.score)} and does not reach ${threshold.name}`;
    return { reason: 'below_threshold', detail, score: best.score };
  }
  const drop = dropBetween(best.score, compared.score, { task, degradation });
  if (drop === null) {
    return { reason: 'no_threshold', detail: `task ${task.task_id} has no thresholds to tell medal tiers` };
  }
  const chosen = drop.cuts ? best : last;
  const flags: SelectionFlag[] = [...found.flags, ...drop.flags];
  if (tied) flags.push('best_tied');
  return {
    anchor: anchorOf(trajectory, chosen, options),
    score: chosen.score,
    threshold_source: threshold.source,
    flags,
    detail: sentence({ n, best, compared, drop, threshold: degradation.threshold, drops: degradation.drop }),
  };
};

interface Ranked {
  /** the first of the best */
  readonly best: ValidSubmission;
  readonly last: ValidSubmission;
  /** what the drop is measured to: the last, or the worst from the best on */
  readonly compared: ValidSubmission;
  readonly tied: boolean;
}

function rank(list: readonly ValidSubmission[], task: TaskRecord, drop: 'last' | 'worst'): Ranked | null {
  const first = list[0];
  const last = list[list.length - 1];
  if (first === undefined || last === undefined) return null;
  const lower = task.is_lower_better;
  const best = list.reduce((a, b) => (compareScores(b.score, a.score, lower) > 0 ? b : a), first);
  const after = list.slice(list.indexOf(best));
  const worst = after.reduce((a, b) => (compareScores(b.score, a.score, lower) < 0 ? b : a), best);
  const tied = list.filter(({ score }) => score === best.score).length > 1;
  return { best, last, compared: drop === 'last' ? last : worst, tied };
}

interface SentenceInput {
  readonly n: number;
  readonly best: ValidSubmission;
  readonly compared: ValidSubmission;
  readonly drop: Drop;
  readonly threshold: number;
  readonly drops: 'last' | 'worst';
}

function sentence({ n, best, compared, drop, threshold, drops }: SentenceInput): string {
  const from = `best of ${n} submissions ${short(best.score)}, ${drops} ${short(compared.score)}`;
  const amount = `drop ${short(drop.amount)} ${drop.measure}`;
  return drop.cuts
    ? `${from}: ${amount} is greater than ${threshold}, so the first best is the anchor`
    : `${from}: ${amount} is not greater than ${threshold}, so the last is the anchor`;
}
