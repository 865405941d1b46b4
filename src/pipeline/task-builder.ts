import { TrajmillError } from '../errors.js';
import type { ReadResult } from '../formats/reader.js';
import { withRepeated } from '../selection/repeated-replies.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { buildTrajectory, taskOf } from './build-trajectory.js';
import type { Completion } from './completion.js';
import type { CorpusDecisions } from './corpus-decisions.js';
import { type DecisionRow, goesOn } from './decisions.js';
import { faultPoint } from './fault.js';
import { PartWriters } from './part-writers.js';
import type { Piece, PlanInput } from './plan.js';
import { RejectWriter } from './reject-writer.js';
import { stageOf } from './stage.js';
import { StagedReject } from './staged-reject.js';
import { attemptName } from './task-attempts.js';
import type { TaskContext } from './task-context.js';
import { TaskLedger } from './task-ledger.js';
import type { WorkerProgress } from './task-message.js';
import { TotalsBuilder } from './task-totals.js';

/** One record of a task as it is read. */
export interface TaskRead {
  readonly result: ReadResult;
  readonly piece: Piece;
  readonly input: PlanInput;
}

/**
 * Builds the records of one task as they come: decides, encodes, and writes Parquet parts and rejects into a staging
 * folder of its own.
 */
export class TaskBuilder {
  readonly #context: TaskContext;
  readonly #corpus: CorpusDecisions;
  readonly #task: number;
  readonly #writers: PartWriters;
  readonly #rejects: RejectWriter;
  readonly #totals = new TotalsBuilder();
  readonly #ledger: TaskLedger;
  #reportedPiece: Piece | null = null;

  constructor(context: TaskContext, { task, corpus }: { task: number; corpus: CorpusDecisions }) {
    const { folder, plan } = context;
    const { config } = plan.body;
    const attempt = attemptName(task);
    this.#context = context;
    this.#corpus = corpus;
    this.#task = task;
    this.#writers = new PartWriters(folder, attempt, {
      tables: config.tables,
      metadata: { plan_id: plan.plan_id },
      rowGroup: { maxRows: config.row_groups.max_rows, maxTokens: config.row_groups.max_tokens },
    });
    this.#rejects = new RejectWriter(folder, attempt);
    this.#ledger = new TaskLedger({ writers: this.#writers, rejects: this.#rejects, totals: this.#totals });
  }

  /** Takes the next record; `decision` is what the corpus decided on it, null where that is nothing. */
  async take({ result, piece, input }: TaskRead, decision: DecisionRow | null): Promise<WorkerProgress> {
    const bytes = piece === this.#reportedPiece ? 0 : piece.byte_end - piece.byte_start;
    this.#reportedPiece = piece;
    const done = await this.#record(result, input, decision);
    faultPoint('build-trajectory');
    return { bytes, trajectories: result.kind === 'sidecar' ? 0 : 1, ...done };
  }

  /** Closes the parts. The completion counts once its marker stands. */
  async finish(): Promise<Completion> {
    const parts = [...(await this.#writers.close()), this.#rejects.close()];
    return {
      plan_id: this.#context.plan.plan_id,
      task: this.#task,
      parts,
      totals: this.#totals.toTotals(),
    };
  }

  /** Drops everything that was written. */
  async abort(): Promise<void> {
    this.#rejects.abort();
    await this.#writers.abort();
  }

  async #record(
    result: ReadResult,
    input: PlanInput,
    decision: DecisionRow | null,
  ): Promise<{ tokens: number; rejected: number }> {
    const { secrets } = this.#context;
    if (result.kind === 'sidecar') {
      this.#ledger.sidecar();
      return { tokens: 0, rejected: 0 };
    }
    if (result.kind === 'reject') {
      const { text } = await secrets.maskText(result.reject.message);
      this.#ledger.reject({ ...result.reject, message: text });
      return { tokens: 0, rejected: 1 };
    }
    assertUnchanged(result.trajectory, input);
    this.#totals.tally('by_format').add(result.trajectory.source.format);
    const { trajectory, counts } = await secrets.maskTrajectory(result.trajectory);
    this.#totals.tally('secrets_by_kind').merge(counts);
    return this.#trajectory(trajectory, input, decision);
  }

  async #trajectory(
    trajectory: Trajectory,
    input: PlanInput,
    decision: DecisionRow | null,
  ): Promise<{ tokens: number; rejected: number }> {
    const context = this.#context;
    const stage = stageOf(context.plan.body.config, input);
    const taskId = taskOf(context, this.#corpus, trajectory).task_id;
    if (decision !== null && !goesOn(decision)) {
      await this.#ledger.leaveOut({ trajectory, stage, taskId }, decision);
      return { tokens: 0, rejected: 0 };
    }
    try {
      const repeated = decision?.repeated ?? [];
      const built = buildTrajectory(context, withRepeated(trajectory, repeated), {
        corpus: this.#corpus,
        occurrence: decision?.occurrence ?? 0,
        stage,
      });
      this.#totals.add('repeated_replies', repeated.length);
      const { verdict } = built;
      const told = { ...verdict, detail: verdict.detail ?? decision?.detail ?? null };
      return { tokens: await this.#ledger.take({ ...built, verdict: told }), rejected: 0 };
    } catch (error) {
      if (!(error instanceof StagedReject)) throw error;
      const { text } = await context.secrets.maskText(error.message);
      await this.#ledger.rejectTrajectory({ trajectory, stage, taskId }, error, text);
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
