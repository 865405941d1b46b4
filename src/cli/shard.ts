import { TrajmillError } from '../errors.js';

/** A share of the plan's tasks: tasks[index::count]. */
export interface Shard {
  /** 0-based */
  readonly index: number;
  readonly count: number;
}

/** Where a rank may come from, in the order in which they are asked; the flag --shard comes before all. */
export const RANK_VARIABLES: readonly {
  readonly index: string;
  readonly count: string;
  readonly first?: string;
}[] = [
  { index: 'TRAJMILL_SHARD_INDEX', count: 'TRAJMILL_SHARD_COUNT' },
  { index: 'SLURM_ARRAY_TASK_ID', count: 'SLURM_ARRAY_TASK_COUNT', first: 'SLURM_ARRAY_TASK_MIN' },
  { index: 'SLURM_PROCID', count: 'SLURM_NTASKS' },
  { index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS' },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
];

/** Reads `i/n`, i from 0 to n-1. Throws an Error with what is wrong. */
export function parseShard(input: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(input);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  if (match === null || count < 1 || index >= count) {
    throw new Error(
      `expected i/n with i from 0 to n-1, for example 0/4 up to 3/4, not ${JSON.stringify(input)}`,
    );
  }
  return { index, count };
}

/** The share that the scheduler gave this process, or null where it gave none (or all). Throws E_USAGE. */
export function shardFromEnv(env: Readonly<Partial<Record<string, string>>>): Shard | null {
  for (const names of RANK_VARIABLES) {
    const rank = env[names.index];
    if (rank === undefined || rank === '') continue;
    const total = env[names.count];
    if (total === undefined || total === '') {
      throw new TrajmillError(
        'E_USAGE',
        `${names.index} is set (${rank}) but ${names.count} is not: set it, or give the share with --shard i/n`,
      );
    }
    const first = names.first === undefined ? 0 : Number(env[names.first] ?? 0);
    const index = Number(rank) - first;
    const count = Number(total);
    if (!Number.isInteger(index) || !Number.isInteger(count) || index < 0 || index >= count) {
      throw new TrajmillError(
        'E_USAGE',
        `${names.index}=${rank} and ${names.count}=${total} are no rank of a number of ranks; give --shard i/n`,
      );
    }
    return count === 1 ? null : { index, count };
  }
  return null;
}
