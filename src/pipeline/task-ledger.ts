import type { Reject } from '../logs/reject.js';
import type { ScoreScale } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { BuiltTrajectory } from './build-trajectory.js';
import type { PartWriters } from './part-writers.js';
import type { RejectWriter } from './reject-writer.js';
import { executionRows } from './rows/execution-rows.js';
import { trajectoryRow, type Verdict } from './rows/trajectory-row.js';
import type { StagedReject } from './staged-reject.js';
import type { TotalsBuilder } from './task-totals.js';

/** Split of rows that belong to no task family: trajectories that no stage took further. */
const UNSPLIT = 'train';

/**
 * Writes what became of each record of a task and counts it, in one place, so that the sum always holds:
 * read = kept + filtered + rejected + duplicates.
 */
export class TaskLedger {
  readonly #writers: PartWriters;
  readonly #rejects: RejectWriter;
  readonly #totals: TotalsBuilder;
  readonly #scale: ScoreScale;

  constructor(options: {
    writers: PartWriters;
    rejects: RejectWriter;
    totals: TotalsBuilder;
    scale: ScoreScale;
  }) {
    this.#writers = options.writers;
    this.#rejects = options.rejects;
    this.#totals = options.totals;
    this.#scale = options.scale;
  }

  sidecar(): void {
    this.#totals.add('sidecars');
  }

  /** A record or file that was refused; its message is free of secrets. */
  reject(entry: Reject): void {
    this.#rejects.append(entry);
    this.#totals.add('read');
    this.#totals.add('rejected');
    this.#totals.tally('rejected_by_code').add(entry.code);
  }

  /** A trajectory that was read but refused by a later stage. */
  async rejectTrajectory(trajectory: Trajectory, error: StagedReject, message: string): Promise<void> {
    const { source } = trajectory;
    this.reject({
      source: source.path,
      line: source.line,
      byte_start: source.byte_start,
      byte_end: source.byte_end,
      sha256: source.sha256,
      stage: error.stage,
      code: error.code,
      message,
      format: source.format,
      trajectory_id: trajectory.trajectory_id,
    });
    await this.#writeUntaken(trajectory, { decision: 'rejected', reason: error.code, duplicate_of: null });
  }

  /** A trajectory whose turns equal those of an earlier one. */
  async duplicate(trajectory: Trajectory): Promise<void> {
    this.#totals.add('read');
    this.#totals.add('duplicates');
    const duplicateOf = trajectory.trajectory_id;
    await this.#writeUntaken(trajectory, {
      decision: 'duplicate',
      reason: 'equal_turns',
      duplicate_of: duplicateOf,
    });
  }

  async #writeUntaken(trajectory: Trajectory, verdict: Omit<Verdict, 'flags'>): Promise<void> {
    const row = trajectoryRow({
      trajectory,
      task: null,
      taskId: trajectory.task_id,
      scale: this.#scale,
      verdict: { ...verdict, flags: [] },
    });
    await this.#writers.append('trajectories', UNSPLIT, row);
  }

  /** A trajectory that went the whole way, kept or filtered. Returns its sft tokens. */
  async take(built: BuiltTrajectory): Promise<number> {
    const { trajectory, split, task, taskId, verdict } = built;
    const writers = this.#writers;
    for (const row of built.sft) await writers.append('sft', split, row);
    for (const row of built.rl.rl) await writers.append('rl', split, row);
    for (const row of built.rl.windows) await writers.append('windows', split, row);
    for (const row of executionRows(trajectory, task, taskId)) await writers.append('executions', split, row);
    await writers.append(
      'trajectories',
      split,
      trajectoryRow({ trajectory, task, taskId, scale: this.#scale, verdict }),
    );
    return this.#count(built);
  }

  #count(built: BuiltTrajectory): number {
    const totals = this.#totals;
    totals.add('read');
    totals.add(built.verdict.decision === 'kept' ? 'kept' : 'filtered');
    totals.tally('kept_by_rule').addAll(built.keptBy);
    if (built.verdict.reason !== null) totals.tally('filtered_by_reason').add(built.verdict.reason);
    totals.tally('by_task').add(built.taskId ?? 'unknown');
    totals.tally('splits').add(built.split, built.sft.length);
    totals.tally('flags').addAll(new Set([...built.trajectory.flags, ...built.verdict.flags]));

    let tokens = 0;
    const anchors = new Set<number>();
    for (const row of built.sft) {
      tokens += row.n_tokens;
      totals.add('trained_tokens', row.n_trained);
      totals.add('straddled_tokens', row.straddled_tokens);
      totals.tally('strategies').add(row.strategy);
      totals.tally('ids_differ_because').addAll(row.ids_differ_because);
      totals.tally('proofs').addAll(row.proofs);
      // stretches of one prefix share its cut
      if (anchors.has(row.anchor_turn)) continue;
      anchors.add(row.anchor_turn);
      totals.add('turns_cut', row.cut_turns);
      totals.add('tokens_cut', row.cut_tokens);
    }
    totals.add('tokens', tokens);
    for (const row of built.rl.windows) {
      totals.tally('windows_by_outcome').add(row.outcome);
      totals.tally('windows_by_trend').add(row.trend ?? 'none');
      if (row.reward !== null) totals.tally('reward_histogram').add(String(row.reward));
    }
    return tokens;
  }
}
