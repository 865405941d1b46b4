import { TrajmillError } from '../errors.js';
import { type ReadRow, readShard } from '../tables/read-shard.js';
import { RL_TABLE } from '../tables/specs/rl.js';
import { WINDOWS_TABLE } from '../tables/specs/windows.js';
import type { SequenceSource, WindowSource } from './exporter.js';

/** A shard of `rl` and the shards of `windows` that the same task wrote. */
export interface RlShard {
  readonly rl: string;
  readonly windows: readonly string[];
}

const WINDOW_COLUMNS = [
  'window_id',
  'sequence_id',
  'token_start',
  'token_end',
  'outcome',
  'score_scale',
  'reward',
  'n_trained',
] as const;

type ReadWindow = Pick<ReadRow<typeof WINDOWS_TABLE>, (typeof WINDOW_COLUMNS)[number]>;

/** Windows that have tokens, by sequence, in the order of their tokens. */
async function windowsBySequence(paths: readonly string[]): Promise<Map<string, ReadWindow[]>> {
  const found = new Map<string, ReadWindow[]>();
  for (const path of paths) {
    for await (const row of readShard(path, WINDOWS_TABLE, { columns: WINDOW_COLUMNS })) {
      if (row.sequence_id === null) continue;
      const own = found.get(row.sequence_id) ?? [];
      own.push(row);
      found.set(row.sequence_id, own);
    }
  }
  for (const own of found.values()) own.sort((a, b) => (a.token_start ?? 0) - (b.token_start ?? 0));
  return found;
}

/** Every window with its sequence's policy data, without tokens: what consent is asked about. */
export interface WindowFacts {
  readonly window_id: string;
  readonly policy_data: string;
  readonly score_scale: string | null;
  readonly reward: number | null;
  readonly n_trained: number;
}

export async function* windowFacts(shards: readonly RlShard[]): AsyncGenerator<WindowFacts> {
  for (const shard of shards) {
    const windows = await windowsBySequence(shard.windows);
    for await (const row of readShard(shard.rl, RL_TABLE, { columns: ['sequence_id', 'policy_data'] })) {
      for (const { window_id, score_scale, reward, n_trained } of windows.get(row.sequence_id) ?? []) {
        yield { window_id, policy_data: row.policy_data, score_scale, reward, n_trained };
      }
    }
  }
}

/** A window is exported if something pays for it and something of it is trained. */
export const isPaid = ({ reward, n_trained }: { reward: number | null; n_trained: number }): boolean =>
  reward !== null && n_trained > 0;

/** Sequences with at least one exported window; tokens of the other windows are context. */
export async function* sequenceSources(shards: readonly RlShard[]): AsyncGenerator<SequenceSource> {
  for (const shard of shards) {
    const windows = await windowsBySequence(shard.windows);
    for await (const row of readShard(shard.rl, RL_TABLE)) {
      const own = (windows.get(row.sequence_id) ?? []).map((window, index) => placed(window, index));
      if (own.length !== row.window_rewards.length) {
        throw new TrajmillError(
          'E_VERIFY',
          `sequence ${row.sequence_id} has ${row.window_rewards.length} windows, table windows has ${own.length}`,
          { place: shard.rl },
        );
      }
      const paid = own.filter((window) => window !== null);
      if (paid.length > 0) yield sequenceOf(row, paid);
    }
  }
}

function placed(window: ReadWindow, index: number): WindowSource | null {
  const { window_id, token_start, token_end, outcome, score_scale, reward, n_trained } = window;
  if (reward === null || n_trained === 0 || token_start === null || token_end === null) return null;
  return { window_id, index, token_start, token_end, n_trained, reward, outcome, score_scale };
}

function sequenceOf(row: ReadRow<typeof RL_TABLE>, windows: readonly WindowSource[]): SequenceSource {
  const { sequence_id, trajectory_id, task_id, input_ids, weight_version } = row;
  const kept = new Set(windows.map(({ index }) => index));
  const loss_mask = row.loss_mask.map((trained, i) => (kept.has(row.window_index[i] ?? -1) ? trained : 0));
  const recorded = row.policy_data === 'recorded';
  return {
    sequence_id,
    trajectory_id,
    task_id,
    input_ids,
    loss_mask,
    rollout_log_probs: recorded ? row.rollout_log_probs : null,
    weight_version,
    is_correction: recorded ? 'recorded' : 'none',
    windows,
  };
}

/**
 * Log-probabilities of a range of tokens, 0.0 where a token is not trained; null without policy data. Throws
 * TrajmillError E_VERIFY where a trained token of a recorded sequence has none.
 */
export function logProbsOf(sequence: SequenceSource, start: number, end: number): number[] | null {
  const { rollout_log_probs: recorded, loss_mask, sequence_id } = sequence;
  if (recorded === null) return null;
  const values: number[] = [];
  for (let i = start; i < end; i++) {
    const value = loss_mask[i] === 1 ? recorded[i] : 0;
    if (value === null || value === undefined || !Number.isFinite(value)) {
      throw new TrajmillError(
        'E_VERIFY',
        `sequence ${sequence_id}: trained token ${i} has no log-probability`,
      );
    }
    values.push(value);
  }
  return values;
}
