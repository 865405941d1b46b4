import { contradiction, resolveTask, taskFlags } from '../grading/resolve.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { FilterReason, SelectionDecision } from '../selection/decision.js';
import { selectPrefixes } from '../selection/select.js';
import type { SftRow } from '../tables/table-specs.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { segmentWindows } from '../windows/segment.js';
import type { WindowSegmentation } from '../windows/window.js';
import { type RlRows, rlRows } from './rows/rl-rows.js';
import { sftRows } from './rows/sft-rows.js';
import type { Verdict } from './rows/trajectory-row.js';
import { splitOf } from './split.js';
import { atStage, StagedReject } from './staged-reject.js';
import type { TaskContext } from './task-context.js';

/** Everything that a kept or filtered trajectory gives. It is whole before any of it is written. */
export interface BuiltTrajectory {
  /** the trajectory with the flags that its task adds */
  readonly trajectory: Trajectory;
  readonly task: TaskRecord | null;
  readonly taskId: string | null;
  readonly split: string;
  readonly sft: readonly SftRow[];
  readonly rl: RlRows;
  readonly verdict: Verdict;
  /** selection rules that kept it, or `windows` in a pipeline without rules */
  readonly keptBy: readonly string[];
}

/**
 * Takes one trajectory through every stage: task, selection, encoding, windows. `occurrence` is how many equal
 * trajectories stand before it.
 *
 * @throws StagedReject where a stage refuses it
 */
export function buildTrajectory(context: TaskContext, read: Trajectory, occurrence: number): BuiltTrajectory {
  const { config } = context.plan.body;
  const { task, task_id: taskId } = resolveTask(read, {
    index: context.tasks,
    pathPatterns: context.pathPatterns,
    mapping: config.tasks.mapping,
  });
  refuseContradictions(context, read, task);
  const extra = task === null ? [] : taskFlags(read, task);
  const trajectory = extra.length === 0 ? read : { ...read, flags: [...read.flags, ...extra] };
  const split = splitOf({
    family: task?.family ?? taskId ?? trajectory.trajectory_id,
    seed: config.seed,
    validation: config.splits.validation,
  });
  const shared = { context, trajectory, taskId, occurrence, split };

  const decision = atStage('select', () => selectPrefixes(trajectory, task, config.selection));
  const wantsSft = config.tables.includes('sft') && config.selection.rules.length > 0;
  const prefixes = wantsSft ? decision.prefixes : [];
  const sft = atStage('encode', () => prefixes.flatMap((prefix) => sftRows({ ...shared, prefix })));

  const segmentation = segmentWindows(trajectory, task, config.windows);
  const wantsWindows = config.tables.includes('rl') || config.tables.includes('windows');
  const rl: RlRows = wantsWindows
    ? atStage('encode', () => rlRows({ ...shared, segmentation }))
    : { rl: [], windows: [], dropped: 0 };

  const kept = wantsSft ? sft.length > 0 : rl.windows.length > 0;
  const keptBy = wantsSft ? [...new Set(prefixes.flatMap((prefix) => prefix.rules))] : ['windows'];
  const reason = wantsSft ? selectionReason(decision) : windowsReason(trajectory, segmentation);
  return {
    trajectory,
    task,
    taskId,
    split,
    sft,
    rl,
    verdict: {
      decision: kept ? 'kept' : 'filtered',
      reason: kept ? null : reason,
      duplicate_of: null,
      flags: rl.dropped > 0 ? ['window_without_tokens'] : [],
    },
    keptBy: kept ? keptBy : [],
  };
}

function refuseContradictions(context: TaskContext, trajectory: Trajectory, task: TaskRecord | null): void {
  const conflict = task === null ? null : contradiction(trajectory, task);
  if (conflict !== null) throw new StagedReject('task', 'direction_contradicts_task', conflict);
  const exposed = context.plan.body.config.tasks.feedback_exposes_test_score;
  if (exposed === 'reject' && trajectory.feedback_exposes_test_score) {
    throw new StagedReject('task', 'exposes_test_score', 'its feedback shows scores on hidden labels');
  }
}

/** Why selection kept nothing: what the last rule said, since rules go from the first solution to the best. */
function selectionReason(decision: SelectionDecision): FilterReason {
  if (decision.prefixes.length > 0) return 'no_trained_tokens';
  const reasons = decision.outcomes.flatMap(({ reason }) => (reason === 'kept' ? [] : [reason]));
  return reasons.at(-1) ?? 'no_rule';
}

function windowsReason(trajectory: Trajectory, segmentation: WindowSegmentation): FilterReason {
  if (trajectory.flags.includes('no_experiment_boundary')) return 'no_experiment_boundary';
  return segmentation.windows.length === 0 ? 'no_windows' : 'no_trained_tokens';
}
