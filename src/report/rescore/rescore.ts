import type { TaskRecord } from '../../grading/task-record.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { SelectionOptions } from '../../selection/options.js';
import { nearestRankQuantile } from '../../selection/quality.js';
import type { ScoreScale } from '../../trajectory/execution.js';
import type { WindowOptions } from '../../windows/options.js';
import { tasksByName } from '../stats/facts-builder.js';
import { type RescoredPrefix, rescoreSelection, type SelectionRules } from './rescore-selection.js';
import { isOrderKnown, type RescoredWindow, rescoreWindows, scoreOn } from './rescore-windows.js';
import type { StoredRun } from './stored-run.js';

/** Everything that decides rewards and selection. */
export interface ScoringRules {
  readonly tasks: readonly TaskRecord[];
  readonly windows: WindowOptions;
  /** by stage; null is the pipeline's own */
  readonly selectionOf: (stage: string | null) => SelectionOptions;
  readonly scores: CorpusScores;
}

export interface RewardChange {
  /** as printed: a number, or null for none */
  readonly from: number | null;
  readonly to: number | null;
  readonly windows: number;
}

export interface Rescored {
  readonly windows: readonly RescoredWindow[];
  readonly prefixes: readonly RescoredPrefix[];
  /** changes of reward by from and to, those that stay left out */
  readonly changes: readonly RewardChange[];
}

/** Rewards and selection of stored runs under other rules than those that the corpus was made by. Pure. */
export function rescore(runs: readonly StoredRun[], planned: ScoringRules, asked: ScoringRules): Rescored {
  const before = tasksByName(planned.tasks);
  const after = tasksByName(asked.tasks);
  const windows: RescoredWindow[] = [];
  const prefixes: RescoredPrefix[] = [];
  for (const run of runs) {
    const taskOf = (tasks: ReadonlyMap<string, TaskRecord>): TaskRecord | null =>
      tasks.get(run.task_id ?? '') ?? null;
    const plannedWindows = { options: planned.windows, task: taskOf(before) };
    windows.push(...rescoreWindows(run, plannedWindows, { options: asked.windows, task: taskOf(after) }));
    const selectionBy = (rules: ScoringRules, tasks: ReadonlyMap<string, TaskRecord>): SelectionRules => {
      const options = rules.selectionOf(run.trajectory?.stage ?? null);
      const order_known = isOrderKnown(run, plannedWindows, options.score_scale);
      return { options, task: taskOf(tasks), scores: rules.scores, order_known };
    };
    prefixes.push(...rescoreSelection(run, selectionBy(planned, before), selectionBy(asked, after)));
  }
  return { windows, prefixes, changes: changesOf(windows) };
}

function changesOf(windows: readonly RescoredWindow[]): RewardChange[] {
  const changes = new Map<string, RewardChange>();
  for (const { old_reward: from, new_reward: to, reproducible } of windows) {
    if (!reproducible || from === to) continue;
    const key = `${from} ${to}`;
    changes.set(key, { from, to, windows: (changes.get(key)?.windows ?? 0) + 1 });
  }
  const order = (reward: number | null): number => reward ?? Number.NEGATIVE_INFINITY;
  return [...changes.values()].sort(
    (a, b) => compare(order(a.from), order(b.from)) || compare(order(a.to), order(b.to)),
  );
}

const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Quantiles over the stored submissions of each task: of every execution that ran and was scored on the scale. `known`
 * are those that the run itself decided by, which count first.
 */
export function storedScores(
  runs: readonly StoredRun[],
  tasks: readonly TaskRecord[],
  known: CorpusScores,
): CorpusScores {
  const byName = tasksByName(tasks);
  const found = new Map<string, readonly number[]>();
  const scoresOf = (taskId: string, scale: ScoreScale): readonly number[] => {
    const key = `${scale}\n${taskId}`;
    const scores =
      found.get(key) ??
      runs.flatMap((run) => {
        return byName.get(run.task_id ?? '')?.task_id === taskId ? scoresOn(run, scale) : [];
      });
    found.set(key, scores);
    return scores;
  };
  return {
    quantile(taskId, scale, q) {
      const lower = byName.get(taskId)?.is_lower_better ?? false;
      return known.quantile(taskId, scale, q) ?? nearestRankQuantile(scoresOf(taskId, scale), q, lower);
    },
  };
}

function scoresOn({ executions }: StoredRun, scale: ScoreScale): number[] {
  return executions.flatMap((execution) => {
    const score = scoreOn(execution, scale);
    const ran = execution.status === 'ok' || execution.status === 'unknown';
    return ran && score !== null ? [score] : [];
  });
}
