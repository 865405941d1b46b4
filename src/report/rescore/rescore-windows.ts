import { compareScores, MEDAL_RANK, medalOf } from '../../grading/medals.js';
import type { Medal, TaskRecord } from '../../grading/task-record.js';
import { isMaskedByLate, timeoutReading } from '../../rewards/timeouts.js';
import { wirlReward } from '../../rewards/wirl.js';
import type { ScoreScale } from '../../trajectory/execution.js';
import type { WindowOptions } from '../../windows/options.js';
import { gradableFor } from '../../windows/outcome.js';
import type { Outcome, Trend } from '../../windows/window.js';
import { copyOf, type StoredExecution, type StoredRun, type StoredWindow } from './stored-run.js';

export interface RescoredWindow {
  readonly window_id: string;
  readonly old_outcome: Outcome;
  readonly outcome: Outcome;
  readonly trend: Trend | null;
  readonly old_reward: number | null;
  /** null where it pays nothing, and where `reproducible` is false */
  readonly new_reward: number | null;
  /** false where the tables do not tell in which order the scores of the run were observed */
  readonly reproducible: boolean;
}

export interface WindowRules {
  readonly options: WindowOptions;
  readonly task: TaskRecord | null;
}

/** A window with its outcome under some rules. */
interface Judged {
  readonly window: StoredWindow;
  readonly outcome: Outcome;
  /** on the scale of the rules, where the window has one that counts */
  readonly score: number | null;
  readonly medal: Medal | null;
}

const MEDAL_OUTCOME = { none: 'below_medal', bronze: 'bronze', silver: 'silver', gold: 'gold' } as const;

/** Outcomes that no score and no threshold can change. */
const FIXED: ReadonlySet<Outcome> = new Set(['error', 'no_submission', 'infrastructure']);

/** Reasons for being ungraded that no threshold and no scale can mend. */
const UNGRADABLE: readonly string[] = ['other_grader', 'score_unknown', 'submissions_not_recorded'];

/**
 * Rewards of a run's windows under other rules, from its stored outcomes and scores. `planned` are the rules that the
 * corpus was made by: where trend and scale are the same, the stored reference is taken; else the order in which scores
 * were observed is that of the feedback, where that is certain, and a window that needs it is marked where it is not.
 */
export function rescoreWindows(run: StoredRun, planned: WindowRules, asked: WindowRules): RescoredWindow[] {
  const copies = new Map<string, StoredWindow[]>();
  for (const window of run.windows) {
    const copy = copyOf(window.window_id);
    copies.set(copy, [...(copies.get(copy) ?? []), window]);
  }
  return [...copies.values()].flatMap((windows) => rescoreCopy({ ...run, windows }, planned, asked));
}

function rescoreCopy(run: StoredRun, planned: WindowRules, asked: WindowRules): RescoredWindow[] {
  const judged = run.windows.map((window) => judge(window, run, asked));
  const { options, task } = asked;
  const sameReference =
    options.trend === planned.options.trend && options.score_scale === planned.options.score_scale;
  const orderKnown = isOrderKnown(run, planned, options.score_scale);
  const maskedRun = isRunMasked(run, options);
  const withheld = options.base === 'new_tier' ? repeatedTiers(judged, run) : new Set<StoredWindow>();
  return judged.map(({ window, outcome, score }): RescoredWindow => {
    const reference = sameReference ? window.previous_score : referenceOf({ window, run, rules: asked });
    const trend = trendOf(score, reference, task);
    const masked = maskedRun || (options.timeouts === 'masked' && window.flags.includes('timeout'));
    const usesOrder =
      score !== null && ((!sameReference && options.trend !== 'none') || options.base === 'new_tier');
    const reproducible = orderKnown || !usesOrder;
    const reward = wirlReward(outcome, trend, { base_paid: !withheld.has(window) });
    return {
      window_id: window.window_id,
      old_outcome: window.outcome,
      outcome,
      trend,
      old_reward: window.reward,
      new_reward: masked || !reproducible ? null : reward,
      reproducible,
    };
  });
}

/** Whether timeouts mask the run as a whole. */
function isRunMasked(
  { executions }: StoredRun,
  { timeouts, timeout_seconds: seconds }: WindowOptions,
): boolean {
  if (timeouts === 'error' || timeouts === 'masked') return false;
  const experiments = executions.filter(({ kind }) => kind === 'experiment');
  return isMaskedByLate(experiments, { ...timeoutReading(timeouts), seconds });
}

function judge(window: StoredWindow, run: StoredRun, { options, task }: WindowRules): Judged {
  const as = (outcome: Outcome, score: number | null = null, medal: Medal | null = null): Judged => {
    return { window, outcome, score, medal };
  };
  if (FIXED.has(window.outcome)) return as(window.outcome);
  if (window.flags.some((flag) => UNGRADABLE.includes(flag))) return as('ungraded');
  const execution = run.executions.find(({ execution_id }) => execution_id === window.execution_id);
  const scale = options.score_scale;
  const score =
    window.score_scale === scale ? window.score : execution === undefined ? null : scoreOn(execution, scale);
  if (score === null) return as('ungraded');
  const gradable = gradableFor(task, options);
  const medal = gradable === null ? null : medalOf(score, gradable);
  return medal === null ? as('ungraded', score) : as(MEDAL_OUTCOME[medal], score, medal);
}

export function scoreOn(execution: StoredExecution, scale: ScoreScale): number | null {
  switch (scale) {
    case 'test':
      return execution.score_test;
    case 'validation':
      return execution.score_validation;
    case 'self_reported':
      return execution.score_self_reported;
  }
}

function trendOf(score: number | null, reference: number | null, task: TaskRecord | null): Trend | null {
  if (score === null || reference === null || task === null) return null;
  const sign = compareScores(score, reference, task.is_lower_better);
  return sign > 0 ? 'rose' : sign < 0 ? 'fell' : 'same';
}

/** Executions whose scores count on a scale, in the order in which their feedback was shown. */
function observed(run: StoredRun, scale: ScoreScale): StoredExecution[] {
  const skipped = new Set(
    run.windows.filter(({ flags }) => flags.includes('other_grader')).map(({ execution_id }) => execution_id),
  );
  return run.executions
    .filter((execution) => {
      const ran = execution.status === 'ok' || execution.status === 'unknown';
      return ran && scoreOn(execution, scale) !== null && !skipped.has(execution.execution_id);
    })
    .filter((execution) => !isMergedAway(execution, run))
    .sort((a, b) => feedbackOf(a) - feedbackOf(b) || a.order - b.order);
}

const feedbackOf = ({ feedback_turn, call_turn }: StoredExecution): number => feedback_turn ?? call_turn;

/** Of executions that share a window only the one whose result counts is a reference. */
function isMergedAway(execution: StoredExecution, run: StoredRun): boolean {
  if (run.windows.some((window) => window.execution_id === execution.execution_id)) return false;
  return run.windows.some((window) => {
    if (!window.flags.includes('merged_executions') && !window.flags.includes('retried')) return false;
    const result = run.executions.find(({ execution_id }) => execution_id === window.execution_id);
    return result?.call_turn === execution.call_turn;
  });
}

interface ReferenceInput {
  readonly window: StoredWindow;
  readonly run: StoredRun;
  readonly rules: WindowRules;
}

/** What the score of a window is compared with, out of the order of the feedback. */
function referenceOf({ window, run, rules }: ReferenceInput): number | null {
  const { trend, score_scale: scale } = rules.options;
  const list = observed(run, scale);
  const place = list.findIndex(({ execution_id }) => execution_id === window.execution_id);
  const before = list.slice(0, Math.max(0, place));
  const scores = before.map((execution) => scoreOn(execution, scale));
  switch (trend) {
    case 'none':
      return null;
    case 'previous':
      return scores[scores.length - 1] ?? null;
    case 'best': {
      if (rules.task === null) return null;
      const lower = rules.task.is_lower_better;
      return scores.reduce((best, score) => {
        if (score === null) return best;
        return best === null || compareScores(score, best, lower) > 0 ? score : best;
      }, null);
    }
    case 'parent': {
      const own = list[place];
      const parent = before.findLast(({ execution_id }) => execution_id === own?.parent_execution);
      return parent === undefined ? null : scoreOn(parent, scale);
    }
  }
}

/**
 * Whether the scores of a scale were certainly observed in the order of the feedback. Either the stored references of the planned
 * trend show it, each to the score before it; or each score came with feedback of its own, and no scoring call showed it.
 */
export function isOrderKnown(run: StoredRun, planned: WindowRules, scale: ScoreScale): boolean {
  const scored = observed(run, scale);
  if (scored.length <= 1) return true;
  if (!reproducesReferences(run, planned)) return false;
  const { trend, score_scale: own } = planned.options;
  if (trend === 'previous' && own === scale && run.windows.length > 0) return true;
  const isTold = new Set(scored.map(feedbackOf)).size === scored.length;
  return isTold && run.executions.every(({ kind }) => kind !== 'scoring');
}

function reproducesReferences(run: StoredRun, planned: WindowRules): boolean {
  return run.windows.every((window) => {
    if (window.score === null || window.score_scale !== planned.options.score_scale) return true;
    if (window.flags.includes('other_grader')) return true;
    return referenceOf({ window, run, rules: planned }) === window.previous_score;
  });
}

/** Windows with a medal no better than one observed before: their base is not paid under `base: new_tier`. */
function repeatedTiers(judged: readonly Judged[], run: StoredRun): Set<StoredWindow> {
  const seenAt = new Map(run.executions.map((each) => [each.execution_id, feedbackOf(each)]));
  const at = ({ window }: Judged): number => seenAt.get(window.execution_id) ?? 0;
  const withheld = new Set<StoredWindow>();
  let best = 0;
  for (const { window, medal } of judged.toSorted((a, b) => at(a) - at(b))) {
    const rank = medal === null ? 0 : MEDAL_RANK[medal];
    if (rank > best) best = rank;
    else if (rank > 0) withheld.add(window);
  }
  return withheld;
}
