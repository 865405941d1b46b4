import { type ResolvedTask, resolveTask, taskFlags } from '../grading/resolve.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { FilterReason, SelectionDecision } from '../selection/decision.js';
import { selectPrefixes } from '../selection/select.js';
import type { NewTableRow } from '../tables/table-specs.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { segmentWindows } from '../windows/segment.js';
import type { WindowSegmentation } from '../windows/window.js';
import { admitted } from './admission.js';
import type { CorpusDecisions } from './corpus-decisions.js';
import { Tally } from './counts.js';
import { NO_RL_ROWS, type RlRows, rlRows } from './rows/rl-rows.js';
import { sftRows } from './rows/sft-rows.js';
import { isMaskedWhole } from './rows/timeout-mask.js';
import type { Verdict } from './rows/trajectory-row.js';
import type { Counts } from './run-summary.js';
import { splitOf } from './split.js';
import type { StageOfInput } from './stage.js';
import { atStage } from './staged-reject.js';
import type { TaskContext } from './task-context.js';

/**
 * Everything that a kept or filtered trajectory gives. It is whole before any of it is written; its token lists live
 * until the next trajectory is built.
 */
export interface BuiltTrajectory {
  /** the trajectory with the flags that its task adds */
  readonly trajectory: Trajectory;
  readonly task: TaskRecord | null;
  readonly taskId: string | null;
  readonly stage: StageOfInput;
  readonly split: string;
  readonly sft: readonly NewTableRow<'sft'>[];
  /** sft rows and windows that were too long, by what became of them */
  readonly overLong: Counts;
  readonly rl: RlRows;
  readonly verdict: Verdict;
  /** selection rules that kept it, or `windows` in a pipeline without rules */
  readonly keptBy: readonly string[];
}

const WINDOW_TABLES = ['rl', 'windows', 'expanded'] as const;

/** The task of a trajectory, with the thresholds that the corpus gives it. */
export function taskOf(context: TaskContext, corpus: CorpusDecisions, trajectory: Trajectory): ResolvedTask {
  return resolveTask(trajectory, {
    index: corpus.thresholds.tasks,
    pathPatterns: context.pathPatterns,
    mapping: context.plan.body.config.tasks.mapping,
  });
}

/**
 * Takes one trajectory through every stage: task, selection, encoding, windows. `occurrence` is how many equal
 * trajectories stand before it.
 *
 * @throws StagedReject where a stage refuses it
 */
export function buildTrajectory(
  context: TaskContext,
  read: Trajectory,
  { corpus, occurrence, stage }: { corpus: CorpusDecisions; occurrence: number; stage: StageOfInput },
): BuiltTrajectory {
  const { config } = context.plan.body;
  context.arena.clear();
  const { task, task_id: taskId } = taskOf(context, corpus, read);
  const shown = admitted(read, task, config);
  const extra = task === null ? [] : taskFlags(shown, task);
  const trajectory = extra.length === 0 ? shown : { ...shown, flags: [...shown.flags, ...extra] };
  const split = splitOf({
    family: task?.family ?? taskId ?? trajectory.trajectory_id,
    seed: config.seed,
    validation: config.splits.validation,
  });
  const shared = { context, corpus, trajectory, task, taskId, occurrence, split, stage };

  const { scores } = corpus.thresholds;
  const { selection } = stage;
  const decision = atStage('select', () => selectPrefixes(trajectory, task, selection, scores));
  const wantsSft = config.tables.includes('sft') && selection.rules.length > 0;
  const prefixes = wantsSft ? decision.prefixes : [];
  const overLong = new Tally();
  const timedOut = isMaskedWhole(trajectory, config.mask);
  const sft = timedOut
    ? []
    : atStage('encode', () => prefixes.flatMap((prefix) => sftRows({ prefix, overLong, ...shared })));

  const segmentation = segmentWindows(trajectory, task, config.windows);
  const wantsWindows = WINDOW_TABLES.some((table) => config.tables.includes(table));
  const rl: RlRows = wantsWindows ? atStage('encode', () => rlRows({ segmentation, ...shared })) : NO_RL_ROWS;

  overLong.add('windows_dropped', rl.overLong);
  overLong.add('windows_context_cut', rl.windows.filter(({ flags }) => flags.includes('context_cut')).length);

  const kept = wantsSft ? sft.length > 0 : rl.windows.length > 0;
  const keptBy = wantsSft ? [...new Set(prefixes.flatMap((prefix) => prefix.rules))] : ['windows'];
  const why = wantsSft
    ? sftReason(decision, { timedOut, overLong })
    : windowsReason(trajectory, segmentation);
  return {
    trajectory,
    task,
    taskId,
    stage,
    split,
    sft,
    overLong: overLong.toCounts(),
    rl,
    verdict: {
      decision: kept ? 'kept' : 'filtered',
      reason: kept ? null : why.reason,
      duplicate_of: null,
      detail: kept ? null : why.detail,
      flags: [
        ...(rl.dropped > 0 ? ['window_without_tokens'] : []),
        ...(rl.overLong > 0 ? ['window_over_long'] : []),
      ],
    },
    keptBy: kept ? keptBy : [],
  };
}

interface Filtered {
  readonly reason: FilterReason;
  readonly detail: string | null;
}

/** Why there is no sft row. Of rules the last one tells, since they go from the first solution to the best. */
function sftReason(
  decision: SelectionDecision,
  { timedOut, overLong }: { timedOut: boolean; overLong: Tally },
): Filtered {
  if (decision.prefixes.length > 0) {
    if (timedOut) return { reason: 'masked_by_timeouts', detail: null };
    return { reason: overLong.has('dropped') ? 'over_long' : 'no_trained_tokens', detail: null };
  }
  const said = decision.outcomes.flatMap(({ reason, detail }) =>
    reason === 'kept' ? [] : [{ reason, detail }],
  );
  return said.at(-1) ?? { reason: 'no_rule', detail: null };
}

function windowsReason(trajectory: Trajectory, segmentation: WindowSegmentation): Filtered {
  const bare = trajectory.flags.includes('no_experiment_boundary');
  if (bare) return { reason: 'no_experiment_boundary', detail: null };
  return { reason: segmentation.windows.length === 0 ? 'no_windows' : 'no_trained_tokens', detail: null };
}
