import type { TaskRecord } from '../../grading/task-record.js';
import type { TrajectoryRow } from '../../tables/table-specs.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { StageOfInput } from '../stage.js';
import { lineage } from './lineage.js';

export interface Verdict {
  readonly decision: 'kept' | 'filtered' | 'rejected' | 'duplicate';
  /** filter reason or reject code */
  readonly reason: string | null;
  readonly duplicate_of: string | null;
  /** a sentence with what decided, where there is one */
  readonly detail: string | null;
  readonly flags: readonly string[];
}

/** The row that every input trajectory gets, kept or not. */
export function trajectoryRow(options: {
  trajectory: Trajectory;
  task: TaskRecord | null;
  taskId: string | null;
  stage: StageOfInput;
  verdict: Verdict;
}): TrajectoryRow {
  const { trajectory, task, verdict, stage } = options;
  const scores = trajectory.submissions
    .filter((each) => each.scale === stage.selection.score_scale && each.gradable && !each.stale)
    .sort((a, b) => a.order - b.order)
    .flatMap((each) => (each.score === null ? [] : [each.score]));
  const isLowerBetter = task?.is_lower_better ?? trajectory.task_claims?.is_lower_better ?? null;
  let best: number | null = null;
  if (isLowerBetter !== null) {
    for (const score of scores) {
      if (best === null || (isLowerBetter ? score < best : score > best)) best = score;
    }
  }
  let calls = 0;
  for (const turn of trajectory.turns) {
    for (const span of turn.spans) if (span.kind === 'tool_call' && span.origin === 'model') calls++;
  }
  return {
    byte_start: trajectory.source.byte_start,
    byte_end: trajectory.source.byte_end,
    sha256: trajectory.source.sha256,
    n_turns: trajectory.turns.length,
    n_calls: calls,
    n_executions: trajectory.executions.length,
    n_submissions: trajectory.submissions.length,
    first_score: scores[0] ?? null,
    best_score: best,
    last_score: scores.at(-1) ?? null,
    termination: trajectory.termination,
    feedback_exposes_test_score: trajectory.feedback_exposes_test_score,
    stage: stage.name,
    source: stage.source,
    decision: verdict.decision,
    reason: verdict.reason,
    duplicate_of: verdict.duplicate_of,
    detail: verdict.detail,
    ...lineage(trajectory, options.taskId, verdict.flags),
  };
}
