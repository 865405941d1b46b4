import type { Outcome, Trend } from '../windows/window.js';
import type { ReadRow } from './read-shard.js';
import type { RL_TABLE } from './specs/rl.js';
import type { SFT_TABLE } from './specs/sft.js';
import { PROOF_NAMES } from './specs/sft.js';
import type { WINDOWS_TABLE } from './specs/windows.js';

export type ReadSftRow = ReadRow<typeof SFT_TABLE>;
export type ReadRlRow = ReadRow<typeof RL_TABLE>;
export type ReadWindowRow = ReadRow<typeof WINDOWS_TABLE>;

/** Ones among the mask of the tokens in [start, end); null where a value is neither 0 nor 1. */
function countOnes(mask: Int8Array, start = 0, end = mask.length): number | null {
  let ones = 0;
  for (let i = start; i < end; i++) {
    const value = mask[i];
    if (value !== 0 && value !== 1) return null;
    ones += value;
  }
  return ones;
}

/** Ids and mask agree in length and hold what they may. */
function maskProblem(row: { readonly input_ids: Int32Array; readonly loss_mask: Int8Array }): string | null {
  const { input_ids: ids, loss_mask: mask } = row;
  if (ids.length === 0) return 'input_ids is empty';
  if (mask.length !== ids.length) return `loss_mask has ${mask.length} entries for ${ids.length} ids`;
  if (countOnes(mask) === null) return 'loss_mask holds a value that is neither 0 nor 1';
  const negative = ids.findIndex((id) => id < 0);
  return negative === -1 ? null : `input_ids[${negative}] is ${ids[negative]}`;
}

/** What is wrong with the token columns of an sft row, or null. */
export function sftTokensProblem(row: ReadSftRow): string | null {
  const problem = maskProblem(row);
  if (problem !== null) return problem;
  const ones = countOnes(row.loss_mask) ?? 0;
  if (row.n_tokens !== row.input_ids.length) {
    return `n_tokens is ${row.n_tokens}, input_ids has ${row.input_ids.length}`;
  }
  if (row.n_trained !== ones) return `n_trained is ${row.n_trained}, loss_mask has ${ones} ones`;
  return ones === 0 ? 'no token is trained' : null;
}

/** Which of the mask proofs an sft row lacks, or null. */
export function sftProofsProblem(row: ReadSftRow): string | null {
  const missing = PROOF_NAMES.filter((name) => !row.proofs.includes(name));
  return missing.length === 0 ? null : `lacks the proof ${missing.join(', ')}`;
}

/** What is wrong with the token columns of an rl row by themselves, or null. */
export function rlTokensProblem(row: ReadRlRow): string | null {
  const problem = maskProblem(row);
  if (problem !== null) return problem;
  const { input_ids: ids, window_index: index, rollout_log_probs: logProbs } = row;
  if (index.length !== ids.length) return `window_index has ${index.length} entries for ${ids.length} ids`;
  if (logProbs !== null && logProbs.length !== ids.length) {
    return `rollout_log_probs has ${logProbs.length} entries for ${ids.length} ids`;
  }
  if (row.window_n_trained.length !== row.window_rewards.length) {
    return `window_n_trained has ${row.window_n_trained.length} entries for ${row.window_rewards.length} rewards`;
  }
  return windowCountsProblem(row);
}

/** The counts of window_n_trained against mask and window_index. */
function windowCountsProblem(row: ReadRlRow): string | null {
  const counts = new Int32Array(row.window_rewards.length);
  for (let i = 0; i < row.window_index.length; i++) {
    const window = row.window_index[i] ?? -1;
    if (window < -1 || window >= counts.length) {
      return `window_index[${i}] is ${window}, there are ${counts.length} windows`;
    }
    if (row.loss_mask[i] !== 1) continue;
    if (window === -1) return `token ${i} is trained but in no window`;
    counts[window] = (counts[window] ?? 0) + 1;
  }
  const wrong = counts.findIndex((count, i) => count !== row.window_n_trained[i]);
  return wrong === -1
    ? null
    : `window ${wrong} has ${counts[wrong]} trained tokens, window_n_trained says ${row.window_n_trained[wrong]}`;
}

/** Rewards of WIRL by outcome, for a trend that fell, stayed (or has nothing to compare) and rose. */
const WIRL_VALUES: Readonly<Record<Outcome, readonly [number, number, number] | null>> = {
  error: [-1, -1, -1],
  no_submission: [-0.6, -0.6, -0.6],
  below_medal: [-0.6, -0.4, -0.2],
  bronze: [0.8, 1, 1.2],
  silver: [0.8, 1, 1.2],
  gold: [1.8, 2, 2.2],
  ungraded: null,
  infrastructure: null,
};

const TREND_PLACE: Readonly<Record<Trend, 0 | 1 | 2>> = { fell: 0, same: 1, rose: 2 };

/** The ten values that a WIRL reward can take. */
const WIRL_TEN: ReadonlySet<number> = new Set(Object.values(WIRL_VALUES).flatMap((row) => row ?? []));

/** What is wrong with the reward of a window, or null. Rewards of other names are only required to be finite. */
export function rewardProblem(row: ReadWindowRow): string | null {
  const { reward, reward_name: name, outcome, trend } = row;
  if (reward === null) return null;
  if (name === null) return `reward ${reward} has no reward_name`;
  if (name !== 'wirl') return null;
  const values = WIRL_VALUES[outcome as Outcome];
  if (values === null) return `outcome ${outcome} has the reward ${reward}, expected none`;
  const expected = values[trend === null ? 1 : TREND_PLACE[trend as Trend]];
  return reward === expected
    ? null
    : `outcome ${outcome}, trend ${trend}: the reward is ${reward}, expected ${expected}`;
}

/** Where a window says that it lies, and what its sequence must agree with. */
export interface WindowPlace {
  readonly window_id: string;
  readonly token_start: number;
  readonly token_end: number;
  readonly n_trained: number;
  readonly reward: number | null;
}

/** The place of a window, null where it names no sequence, or what is wrong with it. */
export function windowPlace(row: ReadWindowRow): { place: WindowPlace | null; problem: string | null } {
  const { sequence_id: sequence, token_start: start, token_end: end } = row;
  if (sequence === null && start === null && end === null) {
    const problem = row.n_trained === 0 ? null : `${row.n_trained} trained tokens without a sequence`;
    return { place: null, problem };
  }
  if (sequence === null || start === null || end === null) {
    return { place: null, problem: 'sequence_id, token_start and token_end must be given together' };
  }
  const { window_id, n_trained, reward } = row;
  const problem = start >= 0 && start < end ? null : `tokens ${start} to ${end} are no range`;
  return { place: { window_id, token_start: start, token_end: end, n_trained, reward }, problem };
}

/**
 * What is wrong between a sequence and its windows (in the order of their tokens), or null: window i covers
 * exactly the tokens whose window_index is i.
 */
export function sequenceProblem(row: ReadRlRow, windows: readonly WindowPlace[]): string | null {
  if (windows.length !== row.window_rewards.length) {
    return `table windows has ${windows.length} windows of it, window_rewards has ${row.window_rewards.length}`;
  }
  let end = 0;
  for (const [i, window] of windows.entries()) {
    if (window.token_start < end) return `window ${window.window_id} starts before token ${end}`;
    const outside = firstOther(row.window_index, -1, [end, window.token_start]);
    if (outside !== -1)
      return `token ${outside} lies in no window, window_index is ${row.window_index[outside]}`;
    const inside = firstOther(row.window_index, i, [window.token_start, window.token_end]);
    if (inside !== -1) {
      return `token ${inside} lies in window ${i}, window_index is ${row.window_index[inside] ?? 'absent'}`;
    }
    if (window.n_trained !== row.window_n_trained[i]) {
      return `window ${window.window_id} has n_trained ${window.n_trained}, its sequence says ${row.window_n_trained[i]}`;
    }
    end = window.token_end;
  }
  const after = firstOther(row.window_index, -1, [end, row.window_index.length]);
  return after === -1 ? null : `token ${after} lies in no window, window_index is ${row.window_index[after]}`;
}

/** First position of a range that holds another value, or -1. Positions beyond the list hold none. */
function firstOther(list: Int32Array, value: number, [start, end]: readonly [number, number]): number {
  for (let i = start; i < end; i++) if (list[i] !== value) return i;
  return -1;
}

/** Rewards of a sequence against those of its windows; without windows against the ten values. */
export function sequenceRewardsProblem(
  row: ReadRlRow,
  windows: readonly WindowPlace[] | undefined,
): string | null {
  for (const [i, reward] of row.window_rewards.entries()) {
    if (windows === undefined) {
      if (reward !== null && !WIRL_TEN.has(reward)) return `window_rewards[${i}] is ${reward}`;
    } else if (windows[i] !== undefined && windows[i]?.reward !== reward) {
      return `window_rewards[${i}] is ${reward}, window ${windows[i]?.window_id} has ${windows[i]?.reward}`;
    }
  }
  return null;
}
