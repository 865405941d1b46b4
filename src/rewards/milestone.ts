import { z } from 'zod';
import { compareScores, isAboveMedian, MEDAL_RANK, medalOf, reaches } from '../grading/medals.js';
import type { TaskRecord } from '../grading/task-record.js';
import { byObservation, finiteScore, validSubmissions } from '../grading/valid-submissions.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { formatShare } from './format-share.js';

const weight = z.number().min(0).max(1).default(0);

export const milestoneWeightsSchema = z
  .strictObject({
    format: weight.describe('times the share of assistant turns that think in the asked form'),
    execute: weight.describe('for a valid submission'),
    median: weight.describe('for reaching the median'),
    bronze: weight,
    silver: weight,
    gold: weight,
  })
  .refine((w) => Math.abs(w.format + w.execute + w.median + w.bronze + w.silver + w.gold - 1) <= 1e-9, {
    message: 'weights must sum to 1',
  });
export type MilestoneWeights = z.infer<typeof milestoneWeightsSchema>;

export interface MilestoneOptions {
  readonly weights: MilestoneWeights;
  /** whether equal to the median counts as reaching it */
  readonly median: 'strict' | 'inclusive';
  /** final: the last submission, graded or not; last_scored: the last that got a score; best: the best of them */
  readonly submission: 'final' | 'last_scored' | 'best';
  /** how a turn must think for the format term, see formatShare */
  readonly format: 'used' | 'opening';
}

const paperWeights = { format: 0.1, execute: 0.3, median: 0.1, bronze: 0.2, silver: 0.2, gold: 0.1 };
const releaseWeights = { format: 0.1, execute: 0.2, median: 0.1, bronze: 0.4, silver: 0.1, gold: 0.1 };
const sparseWeights = { format: 0.1, execute: 0, median: 0, bronze: 0, silver: 0, gold: 0.9 };

/** The readings of SandMLE: of its paper, of its released code, and its sparse ablation. */
export const MILESTONE_PRESETS = {
  paper: { weights: paperWeights, median: 'strict', submission: 'final', format: 'used' },
  release: { weights: releaseWeights, median: 'inclusive', submission: 'last_scored', format: 'opening' },
  sparse: { weights: sparseWeights, median: 'strict', submission: 'final', format: 'used' },
} as const satisfies Record<string, MilestoneOptions>;
export type MilestonePreset = keyof typeof MILESTONE_PRESETS;

/** What the milestone reward is computed from. */
export interface MilestoneFacts {
  /** 0 to 1 */
  readonly format: number;
  readonly valid: boolean;
  readonly median: boolean;
  readonly bronze: boolean;
  readonly silver: boolean;
  readonly gold: boolean;
}

/** The milestone reward of SandMLE, 0 to 1: the weighted sum of its facts. */
export function milestoneReward(facts: MilestoneFacts, weights: MilestoneWeights): number {
  const indicators = [
    facts.valid ? weights.execute : 0,
    facts.median ? weights.median : 0,
    facts.bronze ? weights.bronze : 0,
    facts.silver ? weights.silver : 0,
    facts.gold ? weights.gold : 0,
  ];
  // Rounded at 1e-12 so that a full score is 1 and equal facts give equal rewards whatever the order of the terms.
  const sum = indicators.reduce((total, term) => total + term, weights.format * facts.format);
  return Math.round(sum * 1e12) / 1e12;
}

/**
 * The facts of a run, on test scores. Tiers are cumulative: gold also counts as silver, bronze and median. Null where
 * the run has a valid submission but the task record does not tell what it is worth.
 */
export function milestoneFacts(
  trajectory: Trajectory,
  task: TaskRecord | null,
  options: MilestoneOptions,
): MilestoneFacts | null {
  const format = formatShare(trajectory, options.format);
  const score = decidingScore(trajectory, task, options.submission);
  if (score === null) {
    return { format, valid: false, median: false, bronze: false, silver: false, gold: false };
  }
  if (task === null) return null;
  const medal = medalOf(score, task);
  const median = task.thresholds?.median ?? null;
  if (medal === null || median === null) return null;
  const rank = MEDAL_RANK[medal];
  const above = isAboveMedian(score, task) === true;
  return {
    format,
    valid: true,
    median: options.median === 'strict' ? above : reaches(score, median, task.is_lower_better),
    bronze: rank >= MEDAL_RANK.bronze,
    silver: rank >= MEDAL_RANK.silver,
    gold: rank >= MEDAL_RANK.gold,
  };
}

function decidingScore(
  trajectory: Trajectory,
  task: TaskRecord | null,
  which: MilestoneOptions['submission'],
): number | null {
  const valid = validSubmissions(trajectory, 'test');
  const scores = valid.list.map(({ score }) => score);
  switch (which) {
    case 'final': {
      const last = byObservation(trajectory.submissions).findLast((s) => s.scale === 'test' && !s.stale);
      return last !== undefined && valid.counted.has(last) ? finiteScore(last) : null;
    }
    case 'last_scored':
      return scores[scores.length - 1] ?? null;
    case 'best': {
      const lower = task?.is_lower_better ?? false;
      return scores.reduce<number | null>((best, score) => {
        return best === null || compareScores(score, best, lower) > 0 ? score : best;
      }, null);
    }
  }
}
