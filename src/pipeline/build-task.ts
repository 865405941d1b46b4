import { threadId } from 'node:worker_threads';
import { TrajmillError } from '../errors.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { buildTrajectory, taskOf } from './build-trajectory.js';
import { completionPath, writeMarker } from './completion.js';
import type { DecisionRow } from './decisions.js';
import { faultPoint } from './fault.js';
import { PartWriters } from './part-writers.js';
import type { Piece, PlanInput } from './plan.js';
import { RejectWriter } from './reject-writer.js';
import { taskName } from './run-folder.js';
import { stageOf } from './stage.js';
import { StagedReject } from './staged-reject.js';
import type { TaskContext } from './task-context.js';
import { readTask } from './task-input.js';
import { TaskLedger } from './task-ledger.js';
import type { WorkerProgress } from './task-message.js';
import { TotalsBuilder } from './task-totals.js';

/**
 * Builds one task: reads its logs, decides, encodes, and writes its Parquet parts and rejects into a staging folder
 * of its own; last of all its completion.
 */
export async function buildTask(
  context: TaskContext,
  task: number,
  report: (delta: WorkerProgress) => void,
): Promise<void> {
  const { plan, location, folder, siblings } = context;
  const { config } = plan.body;
  const decided = context.taskDecisions(task);
  const attempt = `${taskName(task)}.${process.pid}-${threadId}-${Date.now().toString(36)}`;
  const writers = new PartWriters(folder, attempt, {
    tables: config.tables,
    metadata: { plan_id: plan.plan_id },
    rowGroup: { maxRows: config.row_groups.max_rows, maxTokens: config.row_groups.max_tokens },
  });
  const rejects = new RejectWriter(folder, attempt);
  const totals = new TotalsBuilder();
  const ledger = new TaskLedger({ writers, rejects, totals });
  let order = -1;
  let reportedPiece: Piece | null = null;

  try {
    for await (const { result, piece, input } of readTask({ plan, location, task, siblings })) {
      const bytes = piece === reportedPiece ? 0 : piece.byte_end - piece.byte_start;
      reportedPiece = piece;
      let tokens = 0;
      let rejected = 0;
      if (result.kind === 'sidecar') {
        ledger.sidecar();
      } else if (result.kind === 'reject') {
        const { text } = await context.secrets.maskText(result.reject.message);
        ledger.reject({ ...result.reject, message: text });
        rejected = 1;
      } else {
        order++;
        assertUnchanged(result.trajectory, input);
        totals.tally('by_format').add(result.trajectory.source.format);
        const { trajectory, counts } = await context.secrets.maskTrajectory(result.trajectory);
        totals.tally('secrets_by_kind').merge(counts);
        const taken = await take(trajectory, input, decided.get(order) ?? null);
        tokens = taken.tokens;
        rejected = taken.rejected;
      }
      report({ bytes, trajectories: result.kind === 'sidecar' ? 0 : 1, rejected, tokens });
      faultPoint('build-trajectory');
    }
    const parts = [...(await writers.close()), rejects.close()];
    faultPoint('before-completion');
    writeMarker(completionPath(folder, task), {
      plan_id: plan.plan_id,
      task,
      parts,
      totals: totals.toTotals(),
    });
    faultPoint('after-completion');
  } catch (error) {
    rejects.abort();
    await writers.abort();
    throw error;
  }

  async function take(trajectory: Trajectory, input: PlanInput, decision: DecisionRow | null) {
    const stage = stageOf(config, input);
    const taskId = taskOf(context, trajectory).task_id;
    if (decision !== null && decision.decision !== 'copy') {
      await ledger.leaveOut({ trajectory, stage, taskId }, decision);
      return { tokens: 0, rejected: 0 };
    }
    try {
      const built = buildTrajectory(context, trajectory, {
        occurrence: decision?.occurrence ?? 0,
        stage,
      });
      return { tokens: await ledger.take(built), rejected: 0 };
    } catch (error) {
      if (!(error instanceof StagedReject)) throw error;
      const { text } = await context.secrets.maskText(error.message);
      await ledger.rejectTrajectory({ trajectory, stage, taskId }, error, text);
      return { tokens: 0, rejected: 1 };
    }
  }
}

/** A document read whole has the sum that the plan recorded. */
function assertUnchanged(trajectory: Trajectory, input: PlanInput): void {
  const { source } = trajectory;
  // a member of an archive has a path of its own
  const whole = source.path === input.path && source.byte_start === 0 && source.byte_end === input.bytes;
  if (!whole || source.sha256 === input.sha256) return;
  throw new TrajmillError(
    'E_INPUT_CHANGED',
    'its content changed since it was planned; plan again into a new folder',
    { place: source.path },
  );
}
