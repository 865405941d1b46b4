import { redactScores } from '../formats/redact-scores.js';
import { contradiction } from '../grading/resolve.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { PlanBody } from './plan.js';
import { atStage, StagedReject } from './staged-reject.js';

/**
 * A run as its task admits it: with the scores that its feedback exposes taken out where the pipeline asks for that.
 *
 * @throws StagedReject where the log contradicts the task record, or exposes scores that may not be shown
 */
export function admitted(
  trajectory: Trajectory,
  task: TaskRecord | null,
  config: PlanBody['config'],
): Trajectory {
  const conflict = task === null ? null : contradiction(trajectory, task);
  if (conflict !== null) throw new StagedReject('task', 'direction_contradicts_task', conflict);
  if (!trajectory.feedback_exposes_test_score) return trajectory;
  switch (config.tasks.feedback_exposes_test_score) {
    case 'keep':
      return trajectory;
    case 'reject':
      throw new StagedReject('task', 'exposes_test_score', 'its feedback shows scores on hidden labels');
    case 'redact': {
      const rule = config.experiments.tools[trajectory.source.format]?.score ?? null;
      return atStage('task', () => redactScores(trajectory, rule));
    }
  }
}
