import type { TaskRecord } from '../../grading/task-record.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { SelectionOptions } from '../../selection/options.js';
import { nearestRankQuantile } from '../../selection/quality.js';
import type { ScoreScale } from '../../trajectory/execution.js';
import type { WindowOptions } from '../../windows/options.js';
import { tasksByName } from '../stats/facts-builder.js';
import { type RescoredPrefix, rescoreSelection } from './rescore-selection.js';
import { type RescoredWindow, rescoreWindows, scoreOn } from './rescore-windows.js';
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
    windows.push(
      ...rescoreWindows(
        run,
        { options: planned.windows, task: taskOf(before) },
        { options: asked.windows, task: taskOf(after) },
      ),
    );
    const stage = run.trajectory?.stage ?? null;
    prefixes.push(
      ...rescoreSelection(
        run,
        { options: planned.selectionOf(stage), task: taskOf(before), scores: planned.scores },
        { options: asked.selectionOf(stage), task: taskOf(after), scores: asked.scores },
      ),
    );
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
  return {
    quantile(taskId: string, scale: ScoreScale, q: number): number | null {
      const decided = known.quantile(taskId, scale, q);
      if (decided !== null) return decided;
      const scores = runs.flatMap((run) => {
        if (byName.get(run.task_id ?? '')?.task_id !== taskId) return [];
        return run.executions.flatMap((execution) => {
          const score = scoreOn(execution, scale);
          const ran = execution.status === 'ok' || execution.status === 'unknown';
          return ran && score !== null ? [score] : [];
        });
      });
      return nearestRankQuantile(scores, q, byName.get(taskId)?.is_lower_better ?? false);
    },
  };
}
