import type { Reject } from '../logs/reject.js';
import { expandSequence } from '../tables/expanded-rows.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { BuiltTrajectory } from './build-trajectory.js';
import type { DecisionRow } from './decisions.js';
import type { PartWriters } from './part-writers.js';
import type { RejectWriter } from './reject-writer.js';
import { executionRows } from './rows/execution-rows.js';
import { trajectoryRow, type Verdict } from './rows/trajectory-row.js';
import type { StageOfInput } from './stage.js';
import type { StagedReject } from './staged-reject.js';
import type { TotalsBuilder } from './task-totals.js';

/** Split of rows that belong to no task family: trajectories that no stage took further. */
const UNSPLIT = 'train';

/** A trajectory that no stage takes further. */
export interface Untaken {
  readonly trajectory: Trajectory;
  readonly stage: StageOfInput;
  readonly taskId: string | null;
}

/**
 * Writes what became of each record of a task and counts it, in one place, so that the sum always holds:
 * read = kept + filtered + rejected + duplicates.
 */
export class TaskLedger {
  readonly #writers: PartWriters;
  readonly #rejects: RejectWriter;
  readonly #totals: TotalsBuilder;

  constructor(options: { writers: PartWriters; rejects: RejectWriter; totals: TotalsBuilder }) {
    this.#writers = options.writers;
    this.#rejects = options.rejects;
    this.#totals = options.totals;
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
  async rejectTrajectory(untaken: Untaken, error: StagedReject, message: string): Promise<void> {
    const { trajectory } = untaken;
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
    await this.#writeUntaken(untaken, {
      decision: 'rejected',
      reason: error.code,
      duplicate_of: null,
      detail: message,
    });
  }

  /** A trajectory that the whole corpus decided against: a duplicate, a contaminated one, one above a cap. */
  async leaveOut(untaken: Untaken, { decision, reason, ...why }: DecisionRow): Promise<void> {
    this.#totals.add('read');
    if (decision === 'duplicate') {
      this.#totals.add('duplicates');
      this.#totals.tally('duplicates_by_reason').add(reason);
    } else {
      this.#totals.add('filtered');
      this.#totals.tally('filtered_by_reason').add(reason);
      this.#totals.tally('by_task').add(untaken.taskId ?? 'unknown');
    }
    await this.#writeUntaken(untaken, {
      decision: decision === 'duplicate' ? 'duplicate' : 'filtered',
      reason,
      duplicate_of: why.duplicate_of,
      detail: why.detail,
    });
  }

  async #writeUntaken(untaken: Untaken, verdict: Omit<Verdict, 'flags'>): Promise<void> {
    const row = trajectoryRow({ ...untaken, task: null, verdict: { ...verdict, flags: [] } });
    await this.#writers.append('trajectories', UNSPLIT, row);
  }

  /** A trajectory that went the whole way, kept or filtered. Returns its sft tokens. */
  async take(built: BuiltTrajectory): Promise<number> {
    const { trajectory, split, task, taskId, stage, verdict } = built;
    const writers = this.#writers;
    for (const row of built.sft) await writers.append('sft', split, row);
    for (const row of built.rl.rl) await writers.append('rl', split, row);
    for (const row of built.rl.windows) await writers.append('windows', split, row);
    if (writers.wants('expanded')) await this.#expand(built);
    if (writers.wants('executions')) {
      for (const row of executionRows(trajectory, task, taskId)) {
        await writers.append('executions', split, row);
      }
    }
    if (writers.wants('trajectories')) {
      const row = trajectoryRow({ trajectory, task, taskId, stage, verdict });
      await writers.append('trajectories', split, row);
    }
    return this.#count(built);
  }

  async #expand({ rl: { rl, windows }, split }: BuiltTrajectory): Promise<void> {
    for (const sequence of rl) {
      const own = windows.filter((window) => window.sequence_id === sequence.sequence_id);
      const expanded = expandSequence({ rl: sequence, windows: own });
      for (const row of expanded) await this.#writers.append('expanded', split, row);
    }
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

    totals.tally('over_long').merge(built.overLong);

    let tokens = 0;
    const prefixes = new Set<string>();
    for (const row of built.sft) {
      tokens += row.n_tokens;
      totals.add('trained_tokens', row.n_trained);
      totals.add('straddled_tokens', row.straddled_tokens);
      totals.tally('strategies').add(row.strategy);
      totals.tally('ids_differ_because').addAll(row.ids_differ_because);
      totals.tally('proofs').addAll(row.proofs);
      // stretches of one prefix share what it leaves out
      const prefix = row.rules.join(' ');
      if (prefixes.has(prefix)) continue;
      prefixes.add(prefix);
      totals.add('turns_cut', row.cut_turns);
      totals.add('tokens_cut', row.cut_tokens);
      totals.add('turns_off_path', row.off_path_turns);
      totals.add('tokens_off_path', row.off_path_tokens);
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
