import type { TaskRecord } from '../../src/grading/task-record.js';
import { selectionSchema } from '../../src/selection/options.js';
import { nearestRankQuantile } from '../../src/selection/quality.js';
import { selectPrefixes } from '../../src/selection/select.js';
import type { ScoreScale } from '../../src/trajectory/execution.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { runOf, taskOf } from '../windows/synthetic-run.js';
import { SeededRandom } from './random.js';

type Scale = Exclude<ScoreScale, 'self_reported'>;
type Thresholds = { gold: number; silver: number; bronze: number; median: number | null };

/** A case as semantics_reference.py takes it; see there. */
export interface SemanticsCase {
  readonly id: string;
  readonly lower: boolean;
  readonly thresholds: Thresholds | null;
  readonly executions: readonly {
    readonly status: 'ok' | 'error' | 'timeout' | 'infrastructure';
    readonly observed: number;
    readonly feedback_turn: number;
    readonly submission: { readonly score: number | string | null; readonly scale: Scale } | null;
    readonly invalidated: boolean;
  }[];
  readonly windows: {
    readonly scale: Scale;
    readonly trend: 'previous' | 'best' | 'none';
    readonly timeout: 'error' | 'masked';
  };
  readonly selection: {
    readonly quality:
      | 'median'
      | 'bronze'
      | 'silver'
      | 'gold'
      | { readonly score: number }
      | { readonly quantile: number };
    readonly corpus: readonly number[];
    readonly drop: number;
    readonly drop_to: 'last' | 'worst';
    readonly unit: 'span' | 'absolute' | 'tiers';
    readonly scale: Scale;
    readonly invalidated: boolean;
  };
}

export interface SemanticsAnswer {
  readonly id: string;
  readonly windows: readonly {
    readonly outcome: string;
    /** -1, 0, 1; null where the window pays no trend */
    readonly trend: number | null;
    readonly reward: number | null;
  }[];
  readonly initial: number | null;
  readonly best: number | null;
}

/** Scores on a coarse grid tie often and meet thresholds exactly; some lie between. */
function score(random: SeededRandom): number {
  if (random.chance(0.1)) return random.next() * 2 - 0.5;
  return (random.below(25) - 2) / 20;
}

function thresholds(random: SeededRandom, lower: boolean): Thresholds | null {
  if (random.chance(0.1)) return null;
  const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3]
    .map(() => score(random))
    .sort((x, y) => (lower ? x - y : y - x));
  return { gold: a, silver: b, bronze: c, median: random.chance(0.1) ? null : d };
}

/** Mostly the order of the calls; parallel executions are observed in another one. */
function observationOrder(random: SeededRandom, n: number): number[] {
  const order = Array.from({ length: n }, (_, i) => i);
  return random.chance(0.25) ? random.shuffle(order) : order;
}

/** `count` cases, the same for the same seed. */
export function semanticsCases(seed: number, count: number): SemanticsCase[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, (_, id): SemanticsCase => {
    const lower = random.chance(0.5);
    const main: Scale = random.chance(0.85) ? 'test' : 'validation';
    const other: Scale = main === 'test' ? 'validation' : 'test';
    const bars = thresholds(random, lower);
    const order = observationOrder(random, random.below(9));
    return {
      id: `case ${id}`,
      lower,
      thresholds: bars,
      executions: order.map((observed) => ({
        status: random.pick('ok', 'ok', 'ok', 'ok', 'ok', 'error', 'timeout', 'infrastructure'),
        observed,
        feedback_turn: 2 + 2 * observed,
        submission: random.chance(0.15)
          ? null
          : {
              score: random.chance(0.12)
                ? random.pick<string | null>('NaN', 'Infinity', '-Infinity', null)
                : score(random),
              scale: random.chance(0.12) ? other : main,
            },
        invalidated: random.chance(0.1),
      })),
      windows: {
        scale: main,
        trend: random.pick('previous', 'previous', 'best', 'none'),
        timeout: random.pick('error', 'error', 'masked'),
      },
      selection: {
        quality: random.pick<SemanticsCase['selection']['quality']>(
          'median',
          'bronze',
          'silver',
          'gold',
          { score: score(random) },
          // products such as .07 * 100 and .55 * 20 lie a little above a whole number in doubles
          { quantile: random.pick(0, 0.07, 0.1, 0.25, 0.29, 0.5, 0.55, 0.57, 0.75, 0.9, 1) },
        ),
        corpus: Array.from({ length: random.pick(0, 1, 4, 10, 20, 100) }, () => score(random)),
        drop: random.pick(0, 0.05, 0.1, 0.3, 1),
        drop_to: random.pick('last', 'last', 'worst'),
        // without thresholds there are no tiers to measure a drop in
        unit:
          bars === null ? random.pick('span', 'absolute') : random.pick('span', 'span', 'absolute', 'tiers'),
        scale: main,
        invalidated: random.chance(0.3),
      },
    };
  });
}

/** The same run as this package sees it. */
function trajectoryOf({ executions }: SemanticsCase): Trajectory {
  return runOf(
    executions.map(({ status, observed, feedback_turn, submission, invalidated }) => ({
      exec: status,
      execution: { feedback_turn, invalidated },
      ...(submission === null
        ? {}
        : {
            // a score that is not finite stands as none in the canonical model, and is not gradable
            score: typeof submission.score === 'number' ? submission.score : null,
            scale: submission.scale,
            submission: { order: observed, observed_turn: feedback_turn },
          }),
    })),
  );
}

const TREND = { fell: -1, same: 0, rose: 1 } as const;

/** What this package answers. */
export function answerOf(one: SemanticsCase): SemanticsAnswer {
  const trajectory = trajectoryOf(one);
  const { lower, windows: options, selection } = one;
  const task: TaskRecord = taskOf(
    one.thresholds === null ? null : { ...one.thresholds, is_lower_better: lower },
    { is_lower_better: lower },
  );
  const own = one.thresholds === null ? {} : { task: one.thresholds };
  const { windows } = segmentWindows(
    trajectory,
    task,
    windowSchema.parse({
      score_scale: options.scale,
      trend: options.trend,
      timeouts: options.timeout,
      thresholds:
        options.scale === 'test' ? {} : { elsewhere: { gold: 1, silver: 1, bronze: 1, median: 1 }, ...own },
    }),
  );
  const { outcomes } = selectPrefixes(
    trajectory,
    task,
    selectionSchema.parse({
      rules: ['initial', 'best'],
      quality: selection.quality,
      degradation: { threshold: selection.drop, drop: selection.drop_to, unit: selection.unit },
      score_scale: selection.scale,
      invalidated_anchors: selection.invalidated,
    }),
    { quantile: (_task, _scale, q) => nearestRankQuantile(selection.corpus, q, lower) },
  );
  const anchor = (rule: string): number | null =>
    outcomes.find((outcome) => outcome.rule === rule)?.anchor_turn ?? null;
  return {
    id: one.id,
    windows: windows.map(({ outcome, trend, reward }) => ({
      outcome,
      trend: trend === null ? 0 : TREND[trend],
      reward,
    })),
    initial: anchor('initial'),
    best: anchor('best'),
  };
}

const PAYS_TREND: ReadonlySet<string> = new Set(['below_medal', 'bronze', 'silver', 'gold']);

/** Only a window that pays for it has a trend term; elsewhere the trend is nobody's business. */
export function comparable({ id, windows, initial, best }: SemanticsAnswer): SemanticsAnswer {
  return {
    id,
    windows: windows.map(({ outcome, trend, reward }) => ({
      outcome,
      trend: PAYS_TREND.has(outcome) ? trend : null,
      reward,
    })),
    initial,
    best,
  };
}
