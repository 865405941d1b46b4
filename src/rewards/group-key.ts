import type { Trajectory } from '../trajectory/trajectory.js';

/**
 * The group of a run for group-relative advantages: the same task, scaffold, model, policy version and budget, and
 * where the log names its own groups of rollouts, the same of those. Runs with equal keys are comparable.
 */
export function groupKey(trajectory: Trajectory, taskId: string | null): string {
  const { group, scaffold, model, policy_version, turn_budget, seconds_budget } = trajectory;
  return JSON.stringify([taskId, group, scaffold, model, policy_version, turn_budget, seconds_budget]);
}
