import { compareScores } from './medals.js';
import type { TaskRecord } from './task-record.js';

export interface SanityViolation {
  readonly rule: 'order' | 'sample';
  /** a sentence with both values */
  readonly detail: string;
}

export interface SanityReport {
  readonly violations: readonly SanityViolation[];
  /** whether the strongest threshold beats the sample submission; unknown where one of them is */
  readonly sample: 'ok' | 'violated' | 'unknown';
  /** a violation removes a synthetic task; of an official one it is a warning */
  readonly verdict: 'ok' | 'warn' | 'remove';
}

const TIERS = ['gold', 'silver', 'bronze', 'median'] as const;

/**
 * The sanity rule of SandMLE for generated tasks: the known thresholds get strictly weaker from gold to median, and the
 * strongest beats the score of the sample submission, in the direction of the metric.
 */
export function sanityReport(record: TaskRecord): SanityReport {
  const lower = record.is_lower_better;
  const known = TIERS.flatMap((tier) => {
    const value = record.thresholds?.[tier] ?? null;
    return value === null ? [] : [{ tier, value }];
  });
  const violations: SanityViolation[] = [];
  known.forEach((stronger, i) => {
    const weaker = known[i + 1];
    if (weaker === undefined || compareScores(stronger.value, weaker.value, lower) > 0) return;
    const detail = `${stronger.tier} ${stronger.value} is not stronger than ${weaker.tier} ${weaker.value}`;
    violations.push({ rule: 'order', detail });
  });
  const strongest = known[0];
  const sampleScore = record.sample_submission_score;
  let sample: SanityReport['sample'] = 'unknown';
  if (strongest !== undefined && sampleScore !== null) {
    sample = compareScores(strongest.value, sampleScore, lower) > 0 ? 'ok' : 'violated';
    if (sample === 'violated') {
      const detail = `${strongest.tier} ${strongest.value} does not beat the sample submission ${sampleScore}`;
      violations.push({ rule: 'sample', detail });
    }
  }
  const bad = record.origin === 'synthetic' ? 'remove' : 'warn';
  return { violations, sample, verdict: violations.length === 0 ? 'ok' : bad };
}
