import { compareScores, MEDAL_RANK } from '../grading/medals.js';
import type { ValidSubmission } from '../grading/valid-submissions.js';
import type { Launch } from './launches.js';
import type { WindowOptions } from './options.js';
import type { ExecutionOutcome } from './outcome.js';
import type { Trend } from './window.js';

/** A launch with what became of it. */
export interface JudgedLaunch extends ExecutionOutcome {
  readonly launch: Launch;
}

/** What the score of a window is compared with. */
export interface Reference {
  readonly score: number | null;
  /** null where there is nothing to compare, or no direction to compare in */
  readonly trend: Trend | null;
}

export const NO_REFERENCE: Reference = { score: null, trend: null };

export interface TrendOptions {
  readonly trend: WindowOptions['trend'];
  readonly is_lower_better: boolean | null;
}

/** A valid submission and the launch it belongs to, null where it is linked to no experiment. */
interface Observed {
  readonly score: number;
  readonly order: number;
  readonly owner: Launch | null;
}

/**
 * The reference of each launch with a graded submission: among the valid submissions of others observed before it,
 * the latest (`previous`, by MLExpert), the best, or the latest of its parent node. Errors and missing submissions are
 * never a reference; of launches that share a window only the result that counts is one.
 */
export function references(
  judged: readonly JudgedLaunch[],
  valid: readonly ValidSubmission[],
  options: TrendOptions,
): Map<Launch, Reference> {
  const observed = observedSubmissions(judged, valid);
  const found = new Map<Launch, Reference>();
  for (const { launch, graded, score } of judged) {
    if (graded === null || score === null) continue;
    const before = observed.filter(({ order, owner }) => order < graded.order && owner !== launch);
    const reference = pick(before, launch, options);
    found.set(launch, { score: reference, trend: trendOf(score, reference, options.is_lower_better) });
  }
  return found;
}

function pick(before: readonly Observed[], launch: Launch, options: TrendOptions): number | null {
  const latest = (list: readonly Observed[]): number | null => list[list.length - 1]?.score ?? null;
  switch (options.trend) {
    case 'none':
      return null;
    case 'previous':
      return latest(before);
    case 'best': {
      const lower = options.is_lower_better;
      if (lower === null) return null;
      return before.reduce<number | null>(
        (best, { score }) => (best === null || compareScores(score, best, lower) > 0 ? score : best),
        null,
      );
    }
    case 'parent': {
      const parent = launch.result.parent_execution;
      return latest(before.filter(({ owner }) => owner?.executions.some((e) => e.execution_id === parent)));
    }
  }
}

function trendOf(score: number, reference: number | null, isLowerBetter: boolean | null): Trend | null {
  if (reference === null || isLowerBetter === null) return null;
  const sign = compareScores(score, reference, isLowerBetter);
  return sign > 0 ? 'rose' : sign < 0 ? 'fell' : 'same';
}

function observedSubmissions(judged: readonly JudgedLaunch[], valid: readonly ValidSubmission[]): Observed[] {
  const owners = new Map<string, Launch>();
  for (const { launch } of judged) {
    for (const execution of launch.executions) owners.set(execution.execution_id, launch);
  }
  const observed: Observed[] = [];
  for (const { submission, score, execution } of valid) {
    const owner = execution === null ? null : (owners.get(execution.execution_id) ?? null);
    if (owner === null || owner.result === execution)
      observed.push({ score, order: submission.order, owner });
  }
  return observed;
}

/**
 * The launches whose base is not paid under `base: new_tier`: those with a medal no better than one observed before.
 */
export function repeatedTiers(judged: readonly JudgedLaunch[]): Set<Launch> {
  const withheld = new Set<Launch>();
  const byObservation = judged
    .filter(({ graded }) => graded !== null)
    .sort((a, b) => (a.graded?.order ?? 0) - (b.graded?.order ?? 0));
  let best: number = MEDAL_RANK.none;
  for (const { launch, medal } of byObservation) {
    const rank = medal === null ? MEDAL_RANK.none : MEDAL_RANK[medal];
    if (rank > best) best = rank;
    else if (rank > MEDAL_RANK.none) withheld.add(launch);
  }
  return withheld;
}
