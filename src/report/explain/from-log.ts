import { existsSync } from 'node:fs';
import { TrajmillError } from '../../errors.js';
import { resolveTask, type TaskSource } from '../../grading/resolve.js';
import { TaskIndex } from '../../grading/task-index.js';
import type { TaskRecord } from '../../grading/task-record.js';
import { createSecretMasker } from '../../logs/secrets.js';
import { admitted } from '../../pipeline/admission.js';
import { type Piece, type Plan, requirePlan } from '../../pipeline/plan.js';
import type { RunFolder } from '../../pipeline/run-folder.js';
import { stageOf } from '../../pipeline/stage.js';
import { StagedReject } from '../../pipeline/staged-reject.js';
import { readTask, siblingNames } from '../../pipeline/task-input.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { RuleOutcome } from '../../selection/decision.js';
import { selectPrefixes } from '../../selection/select.js';
import type { Trajectory } from '../../trajectory/trajectory.js';

/** What only the source log tells of a trajectory. */
export interface LogFacts {
  readonly detected_because: string;
  readonly session_id: string | null;
  readonly task_found_by: TaskSource;
  readonly line: number | null;
  readonly tools: readonly { readonly execution_id: string; readonly tool: string }[];
  readonly rules: readonly RuleOutcome[];
  /** why its task refuses it, or null */
  readonly refused: string | null;
}

export type LogReading =
  | { readonly read: true; readonly facts: LogFacts }
  | { readonly read: false; readonly because: string };

/** A reading with the trajectory itself: masked and redacted as the run did it. */
export type TrajectoryReading =
  | { readonly read: true; readonly facts: LogFacts; readonly trajectory: Trajectory }
  | { readonly read: false; readonly because: string };

export interface LogRequest {
  readonly run: { readonly folder: RunFolder; readonly plan: Plan } | null;
  readonly tasks: readonly TaskRecord[];
  readonly scores: CorpusScores;
  readonly trajectory_id: string;
  readonly source_path: string;
  readonly byte_start: number;
  readonly byte_end: number;
  /** of those bytes, when the corpus was made */
  readonly sha256: string;
}

/** Reads a trajectory again from where its log lay when the corpus was made, as the run read it. */
export async function readFromLog(request: LogRequest): Promise<TrajectoryReading> {
  const { run } = request;
  if (run === null) return { read: false, because: 'there is no plan beside the corpus' };
  if (!existsSync(run.folder.location)) return { read: false, because: 'location.json is gone' };
  const pieces = piecesOf(run.plan, request);
  if (pieces.length === 0) return { read: false, because: 'the plan names no such input' };
  try {
    const { location } = requirePlan(run.folder);
    const plan = { ...run.plan, body: { ...run.plan.body, tasks: [pieces] } };
    const siblings = siblingNames(run.plan);
    let because = 'its source no longer holds it';
    for await (const { result, input } of readTask({ plan, location, task: 0, siblings })) {
      if (result.kind !== 'trajectory') continue;
      if (result.trajectory.trajectory_id !== request.trajectory_id) continue;
      if (result.trajectory.source.sha256 !== request.sha256) {
        because = 'its source has changed since';
        continue;
      }
      const masker = createSecretMasker({ enabled: run.plan.body.config.secrets === 'mask' });
      const { trajectory } = await masker.maskTrajectory(result.trajectory);
      const { selection } = stageOf(run.plan.body.config, input);
      const reason = (await masker.maskText(result.detection.reason)).text;
      return { read: true, ...factsOf({ trajectory, reason, plan: run.plan, selection, request }) };
    }
    return { read: false, because };
  } catch (error) {
    if (error instanceof TrajmillError) return { read: false, because: error.message };
    throw error;
  }
}

/** The pieces that hold it; a member of an archive lies below the archive's own path. */
function piecesOf(
  { body }: Plan,
  { source_path: path, byte_start: start, byte_end: end }: LogRequest,
): Piece[] {
  return body.tasks.flat().filter((piece) => {
    const input = body.inputs[piece.input]?.path;
    if (input === undefined) return false;
    if (input === path) return piece.whole || (piece.byte_start <= start && end <= piece.byte_end);
    return path.startsWith(input);
  });
}

interface FactsInput {
  readonly trajectory: Trajectory;
  readonly reason: string;
  readonly plan: Plan;
  readonly selection: Parameters<typeof selectPrefixes>[2];
  readonly request: LogRequest;
}

function factsOf({ trajectory: read, reason, plan, selection, request }: FactsInput): {
  readonly facts: LogFacts;
  readonly trajectory: Trajectory;
} {
  const { config } = plan.body;
  const { task, how } = resolveTask(read, {
    index: TaskIndex.of(request.tasks),
    pathPatterns: config.tasks.path_patterns.map((pattern) => new RegExp(pattern)),
    mapping: config.tasks.mapping,
  });
  let trajectory = read;
  let refused: string | null = null;
  try {
    trajectory = admitted(read, task, config);
  } catch (error) {
    if (!(error instanceof StagedReject)) throw error;
    refused = error.message;
  }
  const facts = {
    detected_because: reason,
    session_id: trajectory.session_id,
    task_found_by: how,
    line: trajectory.source.line,
    tools: trajectory.executions.map(({ execution_id, tool }) => ({ execution_id, tool })),
    rules: refused === null ? selectPrefixes(trajectory, task, selection, request.scores).outcomes : [],
    refused,
  };
  return { facts, trajectory };
}
