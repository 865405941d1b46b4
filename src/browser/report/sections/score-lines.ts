import type { ExecutionFact, RunFact } from '../../../report/stats/facts.js';
import { groupBy, UNKNOWN } from '../../../report/stats/groups.js';
import type { Origin } from '../data.js';
import type { View } from '../view.js';

export const SCALES = {
  score_test: 'test',
  score_validation: 'validation',
  score_self_reported: 'self-reported',
} as const satisfies Partial<Record<keyof ExecutionFact, string>>;
export type Scale = keyof typeof SCALES;

/** What selection made of a score: kept, kept as the end of a prefix, cut off, or of a trajectory that is not kept. */
export type ScoreState = 'kept' | 'anchor' | 'cut' | 'not kept';

export interface ScorePoint {
  /** of the execution, from 1 */
  readonly order: number;
  /** of the call */
  readonly turn: number;
  readonly score: number;
  readonly state: ScoreState;
}

export interface ScoreLine {
  readonly run: RunFact;
  readonly points: readonly ScorePoint[];
}

/** The scores of every run on a scale, by task; tasks with most scored runs first. */
export function scoreLines(
  view: View,
  scale: Scale,
): { readonly task: string; readonly lines: readonly ScoreLine[] }[] {
  const keyOf = ({ trajectory_id, source_path }: Pick<Origin, 'trajectory_id' | 'source_path'>): string =>
    `${trajectory_id}\n${source_path}`;
  const prefixes = groupBy(view.prefixes, keyOf);
  const scored = view.runs.filter(({ executions }) => executions.some((each) => each[scale] !== null));
  const tasks = groupBy(scored, ({ task_id: id }) => id ?? UNKNOWN);
  return [...tasks]
    .map(([task, runs]) => ({
      task,
      lines: runs.map((run) => ({ run, points: pointsOf(run, scale, prefixes.get(keyOf(run)) ?? []) })),
    }))
    .sort((a, b) => b.lines.length - a.lines.length);
}

function pointsOf(run: RunFact, scale: Scale, prefixes: View['prefixes']): ScorePoint[] {
  const scored = run.executions.flatMap((execution) => {
    const score = execution[scale];
    return score === null ? [] : [{ score, execution }];
  });
  const end = Math.max(-1, ...prefixes.map((prefix) => prefix.anchor_turn));
  // a whole trajectory ends where it ends: that is no choice of a score
  const chosen = prefixes.filter(({ rules }) => rules.some((rule) => rule !== 'whole'));
  const anchors = new Set(
    chosen.map(({ anchor_turn: anchor }) =>
      scored.findLastIndex(({ execution }) => execution.call_turn <= anchor),
    ),
  );
  return scored.map(({ score, execution }, i) => ({
    order: execution.order + 1,
    turn: execution.call_turn,
    score,
    state: stateOf({
      isKept: prefixes.length > 0,
      isAnchor: anchors.has(i),
      isCut: execution.call_turn > end,
    }),
  }));
}

function stateOf({
  isKept,
  isAnchor,
  isCut,
}: {
  isKept: boolean;
  isAnchor: boolean;
  isCut: boolean;
}): ScoreState {
  if (!isKept) return 'not kept';
  if (isAnchor) return 'anchor';
  return isCut ? 'cut' : 'kept';
}
