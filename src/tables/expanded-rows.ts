import { TrajmillError } from '../errors.js';
import type { ExpandedRow, RlRow, WindowRow } from './table-specs.js';
import type { ReadRlRow, ReadWindowRow } from './verify-rows.js';
import { rlTokensProblem, sequenceProblem, sequenceRewardsProblem, windowPlace } from './verify-rows.js';

/** A sequence of the stored form with all its windows. */
export interface StoredSequence {
  readonly rl: RlRow;
  /** in the order of their tokens */
  readonly windows: readonly WindowRow[];
}

const LINEAGE = [
  'trajectory_id',
  'task_id',
  'source_path',
  'source_format',
  'adapter_version',
  'scaffold',
  'model',
] as const;

type LogProbs = readonly (number | null)[] | null;

const fault = (sequence: string, problem: string): TrajmillError =>
  new TrajmillError('E_VERIFY', `sequence ${sequence}: ${problem}`);

/**
 * One self-contained row a window: the sequence up to the window's last token, with the mask of that window alone.
 * Each trained token is trained in exactly one of them. `collapseSequence` is its inverse. Throws TrajmillError
 * E_VERIFY where sequence and windows do not agree, since the way back would not lead to them.
 */
export function expandSequence({ rl, windows }: StoredSequence): ExpandedRow[] {
  const ordered = [...windows].sort((a, b) => (a.token_start ?? 0) - (b.token_start ?? 0));
  const problem = storedProblem(rl, ordered);
  if (problem !== null) throw fault(rl.sequence_id, problem);
  const ids = Int32Array.from(rl.input_ids);
  const logProbs: LogProbs = rl.rollout_log_probs === null ? null : Array.from(rl.rollout_log_probs);
  return ordered.map((window, position): ExpandedRow => {
    const start = window.token_start ?? 0;
    const end = window.token_end ?? 0;
    const isLast = position === ordered.length - 1;
    const loss_mask = new Int8Array(end);
    for (let i = start; i < end; i++) loss_mask[i] = rl.loss_mask[i] ?? 0;
    return {
      ...window,
      split: rl.split,
      window: position,
      n_windows: ordered.length,
      input_ids: ids.slice(0, end),
      loss_mask,
      rollout_log_probs: logProbs?.slice(0, end) ?? null,
      weight_version: rl.weight_version,
      policy_data: rl.policy_data,
      is_correction: rl.policy_data === 'recorded' ? 'recorded' : 'none',
      sequence_flags: rl.flags,
      tail_ids: isLast ? ids.slice(end) : new Int32Array(),
      tail_log_probs: logProbs === null ? null : isLast ? logProbs.slice(end) : [],
    };
  });
}

/** What keeps a sequence and its windows from being turned into each other, or null. */
function storedProblem(rl: RlRow, windows: readonly WindowRow[]): string | null {
  if (windows.length === 0) return 'has no windows';
  for (const window of windows) {
    const other = LINEAGE.find((name) => window[name] !== rl[name]);
    if (other !== undefined) return `window ${window.window_id} has another ${other}`;
  }
  const row: ReadRlRow = {
    ...rl,
    input_ids: Int32Array.from(rl.input_ids),
    loss_mask: Int8Array.from(rl.loss_mask),
    window_index: Int32Array.from(rl.window_index),
    window_rewards: Array.from(rl.window_rewards),
    window_n_trained: Int32Array.from(rl.window_n_trained),
    rollout_log_probs: rl.rollout_log_probs === null ? null : Array.from(rl.rollout_log_probs),
  };
  const places = [];
  for (const window of windows) {
    const { place, problem } = windowPlace(window as ReadWindowRow);
    if (place === null || problem !== null) return problem ?? `window ${window.window_id} names no tokens`;
    places.push(place);
  }
  return rlTokensProblem(row) ?? sequenceProblem(row, places) ?? sequenceRewardsProblem(row, places);
}

/**
 * The stored form of all expanded rows of one sequence, in any order. Throws TrajmillError E_VERIFY where a window
 * is missing or the rows do not continue one another.
 */
export function collapseSequence(rows: readonly ExpandedRow[]): StoredSequence {
  const ordered = [...rows].sort((a, b) => a.window - b.window);
  const last = ordered.at(-1);
  if (last === undefined) throw new RangeError('no rows');
  for (const [position, row] of ordered.entries()) {
    const problem = expandedRowProblem(row) ?? continuityProblem(row, { last, position, rows });
    if (problem !== null) throw fault(last.sequence_id ?? '', `window ${row.window_id} ${problem}`);
  }
  const ids = [...last.input_ids, ...last.tail_ids];
  const lossMask = new Int8Array(ids.length);
  const windowIndex = new Int32Array(ids.length).fill(-1);
  for (const { window, token_start: start, token_end: end, loss_mask: mask } of ordered) {
    windowIndex.fill(window, start ?? 0, end ?? 0);
    for (let i = start ?? 0; i < (end ?? 0); i++) lossMask[i] = mask[i] ?? 0;
  }
  const rl: RlRow = {
    trajectory_id: last.trajectory_id,
    task_id: last.task_id,
    source_path: last.source_path,
    source_format: last.source_format,
    adapter_version: last.adapter_version,
    scaffold: last.scaffold,
    model: last.model,
    flags: last.sequence_flags,
    sequence_id: last.sequence_id ?? '',
    split: last.split,
    input_ids: Int32Array.from(ids),
    loss_mask: lossMask,
    window_index: windowIndex,
    window_rewards: ordered.map(({ reward }) => reward),
    window_n_trained: Int32Array.from(ordered, ({ n_trained }) => n_trained),
    rollout_log_probs:
      last.rollout_log_probs === null ? null : [...last.rollout_log_probs, ...(last.tail_log_probs ?? [])],
    weight_version: last.weight_version,
    policy_data: last.policy_data,
  };
  return { rl, windows: ordered.map(windowOf) };
}

function windowOf(row: ExpandedRow): WindowRow {
  const {
    split: _split,
    window: _window,
    n_windows: _windows,
    input_ids: _ids,
    loss_mask: _mask,
    rollout_log_probs: _logProbs,
    weight_version: _version,
    policy_data: _policy,
    is_correction: _correction,
    sequence_flags: _flags,
    tail_ids: _tail,
    tail_log_probs: _tailLogProbs,
    ...window
  } = row;
  return window;
}

/** What is wrong with the tokens of an expanded row by themselves, or null. */
export function expandedRowProblem(row: ExpandedRow): string | null {
  const { input_ids: ids, loss_mask: mask, token_start: start, token_end: end } = row;
  if (row.sequence_id === null || start === null || end === null) return 'names no tokens';
  if (ids.length !== end || start < 0 || start >= end) {
    return `has ${ids.length} ids for tokens ${start} to ${end}`;
  }
  if (mask.length !== ids.length) return `has ${mask.length} entries of loss_mask for ${ids.length} ids`;
  let ones = 0;
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue;
    if (mask[i] !== 1) return `has ${mask[i]} in loss_mask`;
    if (i < start) return `trains token ${i} of its context`;
    ones += 1;
  }
  if (ones !== row.n_trained) return `trains ${ones} tokens, n_trained is ${row.n_trained}`;
  const isRecorded = row.policy_data === 'recorded';
  if (isRecorded !== (row.is_correction === 'recorded')) {
    return `has is_correction ${row.is_correction}, policy_data ${row.policy_data}`;
  }
  const { rollout_log_probs: logProbs, tail_log_probs: tail } = row;
  if (logProbs === null) return tail === null ? null : 'has log-probabilities of its tail alone';
  if (logProbs.length !== ids.length) return `has ${logProbs.length} log-probabilities for ${ids.length} ids`;
  return tail?.length === row.tail_ids.length ? null : 'has log-probabilities unlike its tail';
}

interface Neighbours {
  readonly last: ExpandedRow;
  readonly position: number;
  readonly rows: readonly ExpandedRow[];
}

const OF_SEQUENCE = [
  ...LINEAGE,
  'sequence_id',
  'split',
  'n_windows',
  'weight_version',
  'policy_data',
] as const;

function continuityProblem(row: ExpandedRow, { last, position, rows }: Neighbours): string | null {
  if (row.window !== position || row.n_windows !== rows.length) {
    return `is number ${row.window} of ${row.n_windows}, but ${rows.length} are here`;
  }
  const other = OF_SEQUENCE.find((name) => row[name] !== last[name]);
  if (other !== undefined) return `has another ${other} than the last one of its sequence`;
  if (row.sequence_flags.join() !== last.sequence_flags.join()) return 'has other flags of its sequence';
  if (row !== last && row.tail_ids.length > 0) return 'has a tail but is not the last';
  const before = rows.find(({ window }) => window === position - 1);
  if ((before?.token_end ?? 0) > (row.token_start ?? 0)) return 'starts before the one before it ends';
  for (let i = 0; i < row.input_ids.length; i++) {
    if (row.input_ids[i] !== last.input_ids[i]) return `differs from its sequence at token ${i}`;
    if ((row.rollout_log_probs?.[i] ?? null) !== (last.rollout_log_probs?.[i] ?? null)) {
      return `has another log-probability of token ${i}`;
    }
  }
  return null;
}
