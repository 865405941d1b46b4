import { TrajmillError } from '../errors.js';
import { isPaid, type WindowFacts } from './rl-sources.js';

/** What a user must say before rewards are exported that are not what a trainer takes them for. */
export interface RlConsent {
  /** rows without recorded policy data may go out: the policy correction cannot be computed for them */
  readonly offlinePolicy: boolean;
  /** rewards of this scale may go out beside those of the hidden test; null for none */
  readonly scoreScale: string | null;
}

export interface ConsentedWindows {
  readonly windows: number;
  readonly trained: number;
  readonly without_reward: number;
  readonly without_trained_tokens: number;
  readonly offline: number;
}

/**
 * Counts the windows that an export would hold. Throws TrajmillError E_USAGE where some of them need a consent
 * that was not given; then nothing has been written.
 */
export async function askConsent(
  facts: AsyncIterable<WindowFacts>,
  consent: RlConsent,
): Promise<ConsentedWindows> {
  const counts = { windows: 0, trained: 0, without_reward: 0, without_trained_tokens: 0, offline: 0 };
  const otherScales = new Map<string, number>();
  for await (const window of facts) {
    if (!isPaid(window)) {
      if (window.reward === null) counts.without_reward++;
      else counts.without_trained_tokens++;
      continue;
    }
    counts.windows++;
    counts.trained += window.n_trained;
    if (window.policy_data !== 'recorded') counts.offline++;
    const scale = window.score_scale ?? 'test';
    if (scale !== 'test' && scale !== consent.scoreScale) {
      otherScales.set(scale, (otherScales.get(scale) ?? 0) + 1);
    }
  }
  refuse(counts, otherScales, consent);
  return counts;
}

function refuse(
  { windows, offline }: ConsentedWindows,
  otherScales: ReadonlyMap<string, number>,
  consent: RlConsent,
): void {
  for (const [scale, count] of otherScales) {
    throw new TrajmillError(
      'E_USAGE',
      `${count} of ${windows} windows are paid by scores of scale ${scale}, not by the hidden test; ` +
        `--score-scale ${scale} exports them all the same`,
    );
  }
  if (offline > 0 && !consent.offlinePolicy) {
    throw new TrajmillError(
      'E_USAGE',
      `${offline} of ${windows} windows have no recorded policy data: their tokens were encoded anew and have no ` +
        'log-probabilities, so the policy correction cannot be computed; --offline-policy exports them with ' +
        'is_correction none',
    );
  }
}
