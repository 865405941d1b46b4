import { basename, dirname } from 'node:path';
import { readTrajectories } from '../formats/reader.js';
import type { ReadDetection } from '../formats/record.js';
import { contradiction, resolveTask, type TaskSource, taskFlags } from '../grading/resolve.js';
import type { TaskIndex } from '../grading/task-index.js';
import type { Medal } from '../grading/task-record.js';
import type { Reject } from '../logs/reject.js';
import type { SecretCounts, SecretMasker } from '../logs/secrets.js';
import { executionRows } from '../pipeline/rows/execution-rows.js';
import type { RuleOutcome, SelectionRule } from '../selection/decision.js';
import { selectionSchema } from '../selection/options.js';
import { selectPrefixes } from '../selection/select.js';
import type { Execution, ScoreScale } from '../trajectory/execution.js';
import type { Termination, Trajectory } from '../trajectory/trajectory.js';
import { windowSchema } from '../windows/options.js';
import { segmentWindows } from '../windows/segment.js';
import type { Outcome, Trend } from '../windows/window.js';

export interface InspectedExecution {
  readonly execution_id: string;
  readonly order: number;
  readonly kind: Execution['kind'];
  readonly tool: string;
  readonly call_turn: number;
  readonly feedback_turn: number | null;
  readonly status: Execution['status'];
  readonly exit_code: number | null;
  readonly seconds: number | null;
  readonly submitted: boolean;
  readonly gradable: boolean;
  /** the last graded score, on the best scale there is: test, validation, self-reported */
  readonly score: number | null;
  readonly score_scale: ScoreScale | null;
  readonly medal: Medal | null;
  readonly parent_execution: string | null;
  readonly invalidated: boolean;
  readonly flags: readonly string[];
}

export interface InspectedWindow {
  readonly index: number;
  readonly execution_id: string;
  readonly turn_start: number;
  readonly turn_end: number;
  readonly outcome: Outcome;
  readonly score: number | null;
  readonly score_scale: ScoreScale | null;
  readonly trend: Trend | null;
  readonly medal: Medal | null;
  readonly reward: number | null;
  readonly flags: readonly string[];
}

export type InspectedAnchor = Omit<RuleOutcome, 'rule'>;

export interface InspectedTrajectory {
  readonly trajectory_id: string;
  readonly line: number | null;
  readonly session_id: string | null;
  readonly task_id: string | null;
  readonly task_found_by: TaskSource;
  /** a task record with direction and thresholds exists */
  readonly task_known: boolean;
  readonly scaffold: string | null;
  readonly model: string | null;
  readonly n_turns: number;
  readonly n_epochs: number;
  readonly termination: Termination;
  readonly feedback_exposes_test_score: boolean;
  readonly executions: readonly InspectedExecution[];
  readonly windows: readonly InspectedWindow[];
  readonly anchors: Readonly<Record<SelectionRule, InspectedAnchor>>;
  readonly flags: readonly string[];
  readonly secrets_masked: SecretCounts;
  /** why a run would reject it although it can be read, or null */
  readonly contradiction: string | null;
}

export interface FileInspection {
  readonly file: string;
  readonly format: string | null;
  readonly detected_because: string | null;
  /** where the file holds no trajectory of its own: its main log */
  readonly sidecar_of: string | null;
  readonly trajectories: readonly InspectedTrajectory[];
  readonly rejects: readonly Reject[];
}

export interface InspectOptions {
  readonly absolute: string;
  /** `auto` or a format */
  readonly format: string;
  readonly tasks: TaskIndex;
  readonly masker: SecretMasker;
}

/** What the anchors are shown for: the settings of the shipped SFT pipeline. */
export const SHOWN_SELECTION = selectionSchema.parse({
  rules: ['whole', 'initial', 'best'],
  quality: 'median',
  degradation: { threshold: 0.05 },
});
const SHOWN_WINDOWS = windowSchema.parse({});

/** Everything that one log file holds, as a run would see it, free of secrets. */
export async function inspectFile(file: string, options: InspectOptions): Promise<FileInspection> {
  const { absolute, format, masker } = options;
  let detection: ReadDetection | null = null;
  let sidecarOf: string | null = null;
  const trajectories: InspectedTrajectory[] = [];
  const rejects: Reject[] = [];
  const results = readTrajectories({
    root: dirname(absolute),
    path: basename(absolute),
    range: null,
    format,
    siblings: null,
  });
  for await (const result of results) {
    if (result.kind === 'sidecar') sidecarOf = result.of;
    else if (result.kind === 'reject') {
      const { text } = masker.maskText(result.reject.message);
      rejects.push({ ...result.reject, message: text });
    } else {
      detection ??= result.detection;
      trajectories.push(inspectTrajectory(result.trajectory, options));
    }
  }
  return {
    file,
    format: detection?.format ?? rejects[0]?.format ?? null,
    detected_because: detection?.reason ?? null,
    sidecar_of: sidecarOf,
    trajectories,
    rejects,
  };
}

function inspectTrajectory(read: Trajectory, { tasks, masker }: InspectOptions): InspectedTrajectory {
  const { trajectory, counts } = masker.maskTrajectory(read);
  const { task, task_id: taskId, how } = resolveTask(trajectory, { index: tasks });
  const decision = selectPrefixes(trajectory, task, SHOWN_SELECTION);
  const { windows } = segmentWindows(trajectory, task, SHOWN_WINDOWS);
  return {
    trajectory_id: trajectory.trajectory_id,
    line: trajectory.source.line,
    session_id: trajectory.session_id,
    task_id: taskId,
    task_found_by: how,
    task_known: task !== null,
    scaffold: trajectory.scaffold,
    model: trajectory.model,
    n_turns: trajectory.turns.length,
    n_epochs: trajectory.epochs.length,
    termination: trajectory.termination,
    feedback_exposes_test_score: trajectory.feedback_exposes_test_score,
    executions: executionRows(trajectory, task, taskId).map((row, index) => {
      const [score, scale] = shownScore(row);
      return {
        execution_id: row.execution_id,
        order: row.order,
        kind: row.kind,
        tool: trajectory.executions[index]?.tool ?? '',
        call_turn: row.call_turn,
        feedback_turn: row.feedback_turn,
        status: row.status,
        exit_code: row.exit_code,
        seconds: row.seconds,
        submitted: row.submitted,
        gradable: row.gradable,
        score,
        score_scale: scale,
        medal: row.medal,
        parent_execution: row.parent_execution,
        invalidated: row.invalidated,
        flags: trajectory.executions[index]?.flags ?? [],
      };
    }),
    windows: windows.map((window) => ({
      index: window.index,
      execution_id: window.execution_id,
      turn_start: window.turn_start,
      turn_end: window.turn_end,
      outcome: window.outcome,
      score: window.score,
      score_scale: window.score_scale,
      trend: window.trend,
      medal: window.medal,
      reward: window.reward,
      flags: window.flags,
    })),
    anchors: anchorsOf(decision.outcomes),
    flags: [...trajectory.flags, ...(task === null ? [] : taskFlags(trajectory, task))],
    secrets_masked: counts,
    contradiction: task === null ? null : contradiction(trajectory, task),
  };
}

function shownScore(row: {
  readonly score_test: number | null;
  readonly score_validation: number | null;
  readonly score_self_reported: number | null;
}): [number | null, ScoreScale | null] {
  if (row.score_test !== null) return [row.score_test, 'test'];
  if (row.score_validation !== null) return [row.score_validation, 'validation'];
  if (row.score_self_reported !== null) return [row.score_self_reported, 'self_reported'];
  return [null, null];
}

function anchorsOf(outcomes: readonly RuleOutcome[]): Record<SelectionRule, InspectedAnchor> {
  const off: InspectedAnchor = {
    anchor_turn: null,
    anchor_execution: null,
    score: null,
    reason: 'no_rule',
    detail: 'the rule is off',
  };
  const anchors: Record<SelectionRule, InspectedAnchor> = { whole: off, initial: off, best: off };
  for (const { rule, ...anchor } of outcomes) anchors[rule] = anchor;
  return anchors;
}
