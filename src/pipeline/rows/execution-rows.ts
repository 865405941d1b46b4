import { medalOf } from '../../grading/medals.js';
import type { TaskRecord } from '../../grading/task-record.js';
import type { ExecutionRow } from '../../tables/table-specs.js';
import type { ScoreScale, Submission } from '../../trajectory/execution.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import { lineage } from './lineage.js';

/** The last gradable score on a scale, in order of observation. */
function scoreOn(submissions: readonly Submission[], scale: ScoreScale): number | null {
  const graded = submissions.filter((each) => each.scale === scale && each.gradable && !each.stale);
  return graded.at(-1)?.score ?? null;
}

/** One row for every execution of a trajectory, in order of launch. */
export function executionRows(
  trajectory: Trajectory,
  task: TaskRecord | null,
  taskId: string | null,
): ExecutionRow[] {
  return trajectory.executions.map((execution) => {
    const own = trajectory.submissions.filter((each) => each.execution_id === execution.execution_id);
    const test = scoreOn(own, 'test');
    return {
      execution_id: execution.execution_id,
      order: execution.order,
      call_turn: execution.call_turn,
      feedback_turn: execution.feedback_turn,
      kind: execution.kind,
      status: execution.status,
      exit_code: execution.exit_code,
      seconds: execution.seconds,
      submitted: own.some((each) => !each.stale),
      gradable: own.some((each) => each.gradable && !each.stale),
      score_test: test,
      score_validation: scoreOn(own, 'validation'),
      score_self_reported: scoreOn(own, 'self_reported'),
      medal: test === null || task === null ? null : medalOf(test, task),
      parent_execution: execution.parent_execution,
      invalidated: execution.invalidated,
      ...lineage(trajectory, taskId, execution.flags),
    };
  });
}
