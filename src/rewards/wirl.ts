import type { Outcome, Trend } from '../windows/window.js';

/** Base reward of an outcome in tenths; null pays nothing. */
export const WIRL_BASE_TENTHS = {
  error: -10,
  no_submission: -6,
  below_medal: -4,
  bronze: 10,
  silver: 10,
  gold: 20,
  ungraded: null,
  infrastructure: null,
} as const satisfies Record<Outcome, number | null>;

/** Trend term T in tenths. */
export const WIRL_TREND_TENTHS = { fell: -2, same: 0, rose: 2 } as const satisfies Record<Trend, number>;

/** Outcomes that hold a graded submission: only they carry the trend term. */
export const GRADED_OUTCOMES: ReadonlySet<Outcome> = new Set(['below_medal', 'bronze', 'silver', 'gold']);

/** Outcomes with a medal: only their base can be withheld. */
export const MEDAL_OUTCOMES: ReadonlySet<Outcome> = new Set(['bronze', 'silver', 'gold']);

export interface WirlOptions {
  /** false leaves a medal window its trend term alone (option `base: new_tier`) */
  readonly base_paid?: boolean;
}

/**
 * The windowed reward of MLExpert (WIRL): the base of the outcome plus T, added in integer tenths. A null trend
 * (nothing to compare with) is T = 0. Null where the outcome pays nothing. With the base paid it is one of the ten
 * values -1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2.
 */
export function wirlReward(outcome: Outcome, trend: Trend | null, options: WirlOptions = {}): number | null {
  const base: number | null = WIRL_BASE_TENTHS[outcome];
  if (base === null) return null;
  const withheld = options.base_paid === false && MEDAL_OUTCOMES.has(outcome);
  const term = trend === null || !GRADED_OUTCOMES.has(outcome) ? 0 : WIRL_TREND_TENTHS[trend];
  return ((withheld ? 0 : base) + term) / 10;
}
