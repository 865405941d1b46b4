import type { TaskRecord } from '../../grading/task-record.js';
import { thresholdSource } from '../../grading/threshold-mapping.js';
import type { RlRow, WindowRow } from '../../tables/table-specs.js';
import { planRows } from '../../tokens/stretches.js';
import type { TokenRow } from '../../tokens/token-row.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { WindowFlag } from '../../windows/flags.js';
import type { ExecutionWindow, WindowSegmentation } from '../../windows/window.js';
import type { TaskContext } from '../task-context.js';
import { lineage, rowName } from './lineage.js';
import { dividedSequence, type Sequence, wholeSequence } from './sequences.js';

/** Where a window lies in its sequence, and how many of its tokens are trained. */
interface Laid {
  readonly window: ExecutionWindow;
  readonly token_start: number;
  readonly token_end: number;
  readonly n_trained: number;
}

/** What of a row windows are laid over. */
type WindowedTokens = Pick<TokenRow, 'input_ids' | 'loss_mask' | 'segment_of_token' | 'segments'>;

const UNTRAINED_FLAGS = ['timeout_masked', 'run_timeout_masked'] as const satisfies readonly WindowFlag[];

/** Windows whose tokens stay context: the feedback says nothing of the agent, or the pipeline masks timeouts. */
function isUntrained(window: ExecutionWindow): boolean {
  return window.outcome === 'infrastructure' || UNTRAINED_FLAGS.some((flag) => window.flags.includes(flag));
}

/**
 * Lays windows over the tokens of a row. A window reaches from its first to after its last trainable token;
 * `window_index` holds the position in the result for every token in between, -1 outside. Trained tokens outside
 * all windows (the trailing segment) and those of untrained outcomes are taken out of the mask.
 */
export function layWindows(
  row: WindowedTokens,
  windows: readonly ExecutionWindow[],
): { laid: Laid[]; windowIndex: Int32Array; lossMask: Uint8Array } {
  const n = row.input_ids.length;
  const lossMask = row.loss_mask.slice();
  const windowIndex = new Int32Array(n).fill(-1);
  const ownerOfSpan = new Map<number, Map<number, number>>();
  const lastOwnerOfTurn = new Map<number, number>();
  windows.forEach((window, position) => {
    for (const [turn, span] of window.spans) {
      const spans = ownerOfSpan.get(turn) ?? new Map<number, number>();
      spans.set(span, position);
      ownerOfSpan.set(turn, spans);
      lastOwnerOfTurn.set(turn, position);
    }
  });

  // glue belongs with the words before it; glue that opens a turn belongs with the first words of that turn
  const ownerOfSegment = new Int32Array(row.segments.length).fill(-1);
  let turn = -1;
  let current = -1;
  row.segments.forEach((segment, index) => {
    if (segment.turn !== turn) {
      turn = segment.turn;
      current = firstOwner(ownerOfSpan.get(turn));
    }
    if (segment.span >= 0) current = ownerOfSpan.get(turn)?.get(segment.span) ?? -1;
    else if (segment.part === 'stop') current = lastOwnerOfTurn.get(turn) ?? -1;
    ownerOfSegment[index] = current;
  });

  const start = new Int32Array(windows.length).fill(-1);
  const end = new Int32Array(windows.length);
  const trained = new Int32Array(windows.length);
  for (let i = 0; i < n; i++) {
    if (lossMask[i] === 0) continue;
    const owner = ownerOfSegment[row.segment_of_token[i] ?? 0] ?? -1;
    const window = windows[owner];
    if (window === undefined) {
      lossMask[i] = 0;
      continue;
    }
    if (start[owner] === -1) start[owner] = i;
    end[owner] = i + 1;
    if (isUntrained(window)) lossMask[i] = 0;
    else trained[owner] = (trained[owner] ?? 0) + 1;
  }

  const laid: Laid[] = [];
  windows.forEach((window, position) => {
    const from = start[position] ?? -1;
    if (from === -1) return;
    const to = end[position] ?? from;
    windowIndex.fill(laid.length, from, to);
    laid.push({ window, token_start: from, token_end: to, n_trained: trained[position] ?? 0 });
  });
  return { laid, windowIndex, lossMask };
}

function firstOwner(spans: ReadonlyMap<number, number> | undefined): number {
  let first = -1;
  for (const owner of spans?.values() ?? []) if (first === -1 || owner < first) first = owner;
  return first;
}

export interface RlRows {
  readonly rl: readonly RlRow[];
  readonly windows: readonly WindowRow[];
  /** windows that have no trainable token in any sequence */
  readonly dropped: number;
  /** windows that are too long for any sequence, or to which the limit leaves no room */
  readonly overLong: number;
}

export const NO_RL_ROWS: RlRows = { rl: [], windows: [], dropped: 0, overLong: 0 };

interface RlOptions {
  readonly context: TaskContext;
  readonly trajectory: Trajectory;
  readonly task: TaskRecord | null;
  readonly taskId: string | null;
  readonly segmentation: WindowSegmentation;
  readonly occurrence: number;
  readonly split: string;
}

/**
 * The `rl` rows of a trajectory, one a context epoch with at least one window (several where the epoch is longer than
 * the limit), and its `windows` rows. All reasoning is kept in the rendering, since the policy saw its own tokens when
 * it went on. Sub-agents are not trained: their windows have no sequence.
 */
export function rlRows(options: RlOptions): RlRows {
  const { context, trajectory, segmentation } = options;
  if (trajectory.parent_session !== null) {
    const windows = segmentation.windows.map((window) => windowRow(options, window, NO_PLACE));
    return { ...NO_RL_ROWS, windows: withKnownParents(windows) };
  }
  const rows = { rl: [] as RlRow[], windows: [] as WindowRow[], overLong: 0 };
  const plans = planRows({
    trajectory,
    lastTurn: trajectory.turns.length - 1,
    strategy: 'preserve',
    renderer: context.renderer,
  });
  const { length, windows: rules } = context.plan.body.config;
  for (const plan of plans) {
    const windows = segmentation.windows.filter((window) => window.epoch === plan.epoch);
    if (windows.length === 0) continue;
    const request = { context, trajectory, plan, windows };
    const whole = wholeSequence(request);
    const isLong = length.max_tokens !== null && whole.tokens.input_ids.length > length.max_tokens;
    if (length.max_tokens === null || !isLong || rules.over_long === 'keep') {
      addSequence(whole);
      continue;
    }
    let expected = layWindows(whole.tokens, windows).laid.length;
    for (const part of dividedSequence(request, length.max_tokens)) {
      if (rules.over_long === 'cut-context' || !part.context_cut) expected -= addSequence(part);
    }
    rows.overLong += expected;

    /** Gives the number of windows that lie in it. */
    function addSequence(sequence: Sequence): number {
      const { laid, ...columns } = layWindows(sequence.tokens, windows);
      if (laid.length === 0) return 0;
      const part = sequence.part === 0 ? '' : `.p${sequence.part}`;
      const name = rowName(trajectory.trajectory_id, options.occurrence, `rl.e${plan.epoch}${part}`);
      rows.rl.push(rlRow(options, sequence, { name, laid, ...columns }));
      const flags = sequence.context_cut ? ['context_cut'] : [];
      for (const { window, ...place } of laid) {
        rows.windows.push(windowRow(options, window, { sequence_id: name, ...place }, flags));
      }
      return laid.length;
    }
  }
  const dropped = segmentation.windows.length - rows.windows.length - rows.overLong;
  return { ...rows, windows: withKnownParents(rows.windows), dropped };
}

/** A parent that has no row is none that could be looked up. */
function withKnownParents(rows: readonly WindowRow[]): WindowRow[] {
  const known = new Set(rows.map(({ window_id }) => window_id));
  return rows.map((row) =>
    row.parent_window === null || known.has(row.parent_window) ? row : { ...row, parent_window: null },
  );
}

interface LaidSequence extends ReturnType<typeof layWindows> {
  readonly name: string;
}

function rlRow(options: RlOptions, sequence: Sequence, laid: LaidSequence): RlRow {
  return {
    sequence_id: laid.name,
    split: options.split,
    input_ids: options.context.arena.copyIds(sequence.tokens.input_ids),
    loss_mask: options.context.arena.copyMask(laid.lossMask),
    window_index: laid.windowIndex,
    window_rewards: laid.laid.map(({ window }) => window.reward),
    window_n_trained: laid.laid.map(({ n_trained }) => n_trained),
    rollout_log_probs: sequence.rollout_log_probs,
    weight_version: sequence.weight_version,
    policy_data: sequence.policy_data,
    ...lineage(options.trajectory, options.taskId, sequence.flags),
  };
}

type WindowPlace = Pick<WindowRow, 'sequence_id' | 'token_start' | 'token_end' | 'n_trained'>;

const NO_PLACE: WindowPlace = { sequence_id: null, token_start: null, token_end: null, n_trained: 0 };

function windowRow(
  options: RlOptions,
  window: ExecutionWindow,
  place: WindowPlace,
  flags: readonly string[] = [],
): WindowRow {
  const { context, trajectory, taskId, occurrence } = options;
  const { base, score_scale: scale } = context.plan.body.config.windows;
  return {
    window_id: rowName(trajectory.trajectory_id, occurrence, `w${window.index}`),
    ...place,
    turn_start: window.turn_start,
    turn_end: window.turn_end,
    execution_id: window.execution_id,
    outcome: window.outcome,
    score: window.score,
    score_scale: window.score_scale,
    previous_score: window.previous_score,
    trend: window.trend,
    medal: window.medal,
    threshold_source: scale === 'test' ? thresholdSource(options.task) : 'pipeline',
    reward: window.reward,
    reward_name: base === 'every' ? 'wirl' : 'wirl_new_tier',
    seconds: window.seconds,
    completed_at: window.completed_at,
    parent_window:
      window.parent === null ? null : rowName(trajectory.trajectory_id, occurrence, `w${window.parent}`),
    ...lineage(trajectory, taskId, [...window.flags, ...flags]),
  };
}
