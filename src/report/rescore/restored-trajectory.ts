import { makeExecution, makeSubmission, makeTurn } from '../../trajectory/build.js';
import {
  type Execution,
  SCORE_SCALES,
  type ScoreScale,
  type Submission,
} from '../../trajectory/execution.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import { scoreOn } from './rescore-windows.js';
import type { StoredExecution, StoredRun } from './stored-run.js';

/**
 * A trajectory as far as the tables remember it: executions, one submission an execution and scale, no texts. The order
 * of observation is that of the feedback. What a log marks as a complete solution is not stored.
 */
export function restoredTrajectory({
  trajectory,
  executions,
}: Pick<StoredRun, 'trajectory' | 'executions'>): Trajectory {
  const turns = Array.from({ length: trajectory?.n_turns ?? 0 }, () => makeTurn('assistant', []));
  return {
    trajectory_id: trajectory?.trajectory_id ?? '',
    source: {
      path: trajectory?.source_path ?? '',
      line: null,
      byte_start: 0,
      byte_end: 0,
      sha256: '',
      format: '',
      adapter_version: '',
      sidecars: [],
    },
    session_id: null,
    parent_session: null,
    group: null,
    task_id: trajectory?.task_id ?? null,
    task_claims: null,
    scaffold: null,
    scaffold_version: null,
    model: null,
    policy_version: null,
    tools: null,
    turns,
    executions: executions.map(restoredExecution),
    submissions: restoredSubmissions(executions),
    epochs: [{ turns: [...turns.keys()], reason: null }],
    termination: 'unknown',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: false,
    flags: [...(trajectory?.flags ?? [])],
  };
}

function restoredExecution(row: StoredExecution): Execution {
  const { execution_id, order, kind, call_turn, status } = row;
  return {
    ...makeExecution({ execution_id, order, kind, tool: '', call_turn, status }),
    feedback_turn: row.feedback_turn,
    parent_execution: row.parent_execution,
    invalidated: row.invalidated,
  };
}

interface RestoredSubmission {
  readonly row: StoredExecution;
  readonly scale: ScoreScale;
  readonly score: number | null;
  readonly gradable: boolean;
}

function restoredSubmissions(executions: readonly StoredExecution[]): Submission[] {
  const seen = executions.toSorted(
    (a, b) => (a.feedback_turn ?? a.call_turn) - (b.feedback_turn ?? b.call_turn) || a.order - b.order,
  );
  return seen.flatMap(submissionsOf).map(({ row, scale, score, gradable }, order) => ({
    ...makeSubmission({ execution_id: row.execution_id, order, gradable, score, scale }),
    observed_turn: row.feedback_turn,
  }));
}

function submissionsOf(row: StoredExecution): RestoredSubmission[] {
  const scored = SCORE_SCALES.flatMap((scale): RestoredSubmission[] => {
    const score = scoreOn(row, scale);
    return score === null ? [] : [{ row, scale, score, gradable: true }];
  });
  const { submitted, gradable } = row;
  return scored.length > 0 || !submitted ? scored : [{ row, scale: 'test', score: null, gradable }];
}
