import { existsSync } from 'node:fs';
import type { TaskRecord } from '../../grading/task-record.js';
import type { Plan } from '../../pipeline/plan.js';
import type { RunFolder } from '../../pipeline/run-folder.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import type { RowIndex } from '../row-index.js';
import { tasksByName } from '../stats/facts-builder.js';
import { type Explanation, explain, standingFirst } from './explanation.js';
import { readFromLog, type TrajectoryReading } from './from-log.js';
import { explainedRules } from './rules.js';
import { type CorpusTables, type NamedRows, rowsOfTrajectory } from './stored-rows.js';

/** A committed corpus with what its run says of it; see cli/corpus-folder.ts. */
export interface ExplainedCorpus {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  readonly run: { readonly folder: RunFolder; readonly plan: Plan } | null;
  readonly tasks: readonly TaskRecord[];
  readonly scores: CorpusScores;
}

/** Its tables, with the rejects of its run where they are at hand. */
export function tablesOf({ corpus, manifest, run }: ExplainedCorpus): CorpusTables {
  const rejects = run?.folder.rejects ?? null;
  return { corpus, manifest, rejects: rejects !== null && existsSync(rejects) ? rejects : null };
}

export interface ExplainedReading {
  readonly explanation: Explanation;
  /** the trajectory itself where its log could be read again */
  readonly source_log: TrajectoryReading;
}

/**
 * Explains what answers to a name: `id` is its trajectory_id, null for a record that never became a trajectory. The
 * source log is read again where it still lies as it lay.
 */
export async function explainTrajectory(
  of: ExplainedCorpus,
  { named, id, index }: { readonly named: NamedRows; readonly id: string | null; readonly index?: RowIndex },
): Promise<ExplainedReading> {
  const { run, tasks, scores } = of;
  const inputs = standingFirst(named.trajectories);
  const [standing = null] = inputs;
  const rows =
    id === null
      ? { executions: [], windows: [], sft: [], rl: [] }
      : await rowsOfTrajectory(tablesOf(of), id, index);
  const taskId = rows.executions[0]?.task_id ?? rows.windows[0]?.task_id ?? standing?.task_id ?? '';
  const task = tasksByName(tasks).get(taskId) ?? null;
  const reading: TrajectoryReading =
    standing === null
      ? { read: false, because: 'it never became a trajectory' }
      : await readFromLog({ ...standing, run, tasks, scores });
  const config = run?.plan.body.config;
  const selection =
    config?.stages.find((stage) => stage.name === standing?.stage)?.selection ?? config?.selection ?? null;
  const told = reading.read ? { read: true as const, facts: reading.facts } : reading;
  const explanation = explain({
    trajectory_id: id,
    inputs,
    rejects: named.rejects,
    rows,
    task,
    source_log: told,
    rules: explainedRules({
      source_log: told,
      trajectory: standing,
      executions: rows.executions,
      task,
      selection,
      scores,
    }),
  });
  return { explanation, source_log: reading };
}
