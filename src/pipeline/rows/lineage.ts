import type { Trajectory } from '../../trajectory/trajectory.js';

/** The lineage columns that stand in every table. `flags` are the trajectory's, plus those of the row. */
export function lineage(trajectory: Trajectory, taskId: string | null, rowFlags: readonly string[] = []) {
  return {
    trajectory_id: trajectory.trajectory_id,
    task_id: taskId,
    source_path: trajectory.source.path,
    source_format: trajectory.source.format,
    adapter_version: trajectory.source.adapter_version,
    scaffold: trajectory.scaffold,
    model: trajectory.model,
    flags: [...new Set([...trajectory.flags, ...rowFlags])].sort(),
  };
}

/**
 * Names a row: the identity of its trajectory, which of several equal ones it is (nothing for the first), and
 * what the row is of it.
 */
export function rowName(trajectoryId: string, occurrence: number, suffix: string): string {
  const copy = occurrence === 0 ? '' : `+${occurrence}`;
  return `${trajectoryId.slice(0, 32)}${copy}.${suffix}`;
}
