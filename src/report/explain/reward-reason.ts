import type { TaskRecord } from '../../grading/task-record.js';
import { MEDAL_OUTCOMES, WIRL_BASE_TENTHS, WIRL_TREND_TENTHS } from '../../rewards/wirl.js';
import type { WindowRow } from '../../tables/table-specs.js';

export type ReasonedWindow = Pick<
  WindowRow,
  'outcome' | 'score' | 'score_scale' | 'previous_score' | 'trend' | 'reward' | 'flags'
>;

/** A sentence: why a window has its outcome and what its reward adds up from. */
export function rewardReason(window: ReasonedWindow, task: TaskRecord | null): string {
  const why = outcomeReason(window, task);
  const { reward, outcome, trend, previous_score: previous, flags } = window;
  if (reward === null) return `${why}: pays nothing`;
  const withheld = flags.includes('base_withheld');
  const base = withheld ? 0 : (WIRL_BASE_TENTHS[outcome] ?? 0);
  const parts = [withheld ? 'base withheld (no new tier)' : `base ${tenths(base)}`];
  if (trend !== null) {
    const term = WIRL_TREND_TENTHS[trend];
    parts.push(`${trend} against ${previous} ${term < 0 ? '-' : '+'} ${tenths(Math.abs(term))}`);
  } else if (MEDAL_OUTCOMES.has(outcome) || outcome === 'below_medal') {
    parts.push('nothing to compare with');
  }
  return `${why}: ${parts.join(', ')} = ${reward.toFixed(1)}`;
}

const tenths = (value: number): string => (value / 10).toFixed(1);

function outcomeReason(
  { outcome, score, score_scale: scale, flags }: ReasonedWindow,
  task: TaskRecord | null,
): string {
  switch (outcome) {
    case 'error': {
      if (flags.includes('timeout_masked')) return 'timeout, masked by option';
      return flags.includes('timeout') ? 'timeout of its own' : 'execution error';
    }
    case 'infrastructure':
      return "a failure that is not the agent's";
    case 'no_submission':
      return 'ran, but nothing gradable';
    case 'ungraded':
      return score === null ? 'not graded' : `${score} (${scale}) is not graded`;
    case 'below_medal':
      return `${score} does not reach ${threshold('bronze', scale, task)}`;
    case 'bronze':
    case 'silver':
    case 'gold':
      return `${score} reaches ${threshold(outcome, scale, task)}`;
  }
}

/** The thresholds of a record speak of test scores. */
function threshold(
  tier: 'bronze' | 'silver' | 'gold',
  scale: string | null,
  task: TaskRecord | null,
): string {
  const value = scale === 'test' ? (task?.thresholds?.[tier] ?? null) : null;
  return value === null ? tier : `${tier} ${value}`;
}
