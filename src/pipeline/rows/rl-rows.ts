import type { TaskRecord } from '../../grading/task-record.js';
import { thresholdSource } from '../../grading/threshold-mapping.js';
import type { RlRow, WindowRow } from '../../tables/table-specs.js';
import { policyRow } from '../../tokens/policy-row.js';
import { planRows, type RowPlan } from '../../tokens/stretches.js';
import type { TokenRow } from '../../tokens/token-row.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { ExecutionWindow, WindowSegmentation } from '../../windows/window.js';
import type { TaskContext } from '../task-context.js';
import { lineage, rowName } from './lineage.js';

/** Where a window lies in its sequence, and how many of its tokens are trained. */
interface Laid {
  readonly window: ExecutionWindow;
  readonly token_start: number;
  readonly token_end: number;
  readonly n_trained: number;
}

/** What of a row windows are laid over. */
type WindowedTokens = Pick<TokenRow, 'input_ids' | 'loss_mask' | 'segment_of_token' | 'segments'>;

/** Windows whose tokens stay context: the feedback says nothing of the agent, or the pipeline masks timeouts. */
function isUntrained(window: ExecutionWindow): boolean {
  return window.outcome === 'infrastructure' || window.flags.includes('timeout_masked');
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
}

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
 * The `rl` rows of a trajectory, one a context epoch with at least one window, and its `windows` rows. All
 * reasoning is kept in the rendering, since the policy saw its own tokens when it went on. Sub-agents are not
 * trained: their windows have no sequence.
 */
export function rlRows(options: RlOptions): RlRows {
  const { context, trajectory, segmentation, split } = options;
  if (trajectory.parent_session !== null) {
    const windows = segmentation.windows.map((window) => windowRow(options, window, NO_PLACE));
    return { rl: [], windows, dropped: 0 };
  }
  const rl: RlRow[] = [];
  const windowRows: WindowRow[] = [];
  const plans = planRows({
    trajectory,
    lastTurn: trajectory.turns.length - 1,
    strategy: 'preserve',
    renderer: context.renderer,
  });
  for (const plan of plans) {
    const own = segmentation.windows.filter((window) => window.epoch === plan.epoch);
    if (own.length === 0) continue;
    const { tokens, policy, flags } = encodeSequence(context, trajectory, plan);
    const { laid, windowIndex, lossMask } = layWindows(tokens, own);
    if (laid.length === 0) continue;
    const sequenceId = rowName(trajectory.trajectory_id, options.occurrence, `rl.e${plan.epoch}`);
    rl.push({
      ...lineage(trajectory, options.taskId, flags),
      sequence_id: sequenceId,
      split,
      input_ids: tokens.input_ids.slice(),
      loss_mask: lossMask,
      window_index: windowIndex,
      window_rewards: laid.map(({ window }) => window.reward),
      window_n_trained: laid.map((each) => each.n_trained),
      ...policy,
    });
    for (const { window, ...place } of laid) {
      windowRows.push(windowRow(options, window, { sequence_id: sequenceId, ...place }));
    }
  }
  return { rl, windows: windowRows, dropped: segmentation.windows.length - windowRows.length };
}

type WindowPlace = Pick<WindowRow, 'sequence_id' | 'token_start' | 'token_end' | 'n_trained'>;

const NO_PLACE: WindowPlace = { sequence_id: null, token_start: null, token_end: null, n_trained: 0 };

function windowRow(options: RlOptions, window: ExecutionWindow, place: WindowPlace): WindowRow {
  const { context, trajectory, taskId, occurrence } = options;
  const { base, score_scale: scale } = context.plan.body.config.windows;
  return {
    ...lineage(trajectory, taskId, window.flags),
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
    parent_window: null,
  };
}

/**
 * The policy's recorded tokens where the log has them unbroken, else our encoding. It is `recorded` only where every
 * trained token has its log-probability: without them a policy correction cannot be made.
 */
function encodeSequence(context: TaskContext, trajectory: Trajectory, plan: RowPlan) {
  const recorded = policyRow(trajectory, plan);
  if (recorded !== null) {
    const { rollout_log_probs, weight_version, ...tokens } = recorded;
    const complete = tokens.loss_mask.every((trained, i) => trained === 0 || rollout_log_probs?.[i] != null);
    const policy_data = complete ? ('recorded' as const) : ('offline' as const);
    const vocabulary = context.encoder.byteLengths?.length ?? Number.POSITIVE_INFINITY;
    const foreign = tokens.input_ids.some((id) => id >= vocabulary);
    return {
      tokens,
      policy: { rollout_log_probs, weight_version, policy_data },
      flags: [
        ...(complete ? [] : ['policy_log_probs_missing']),
        ...(foreign ? ['policy_ids_out_of_vocabulary'] : []),
      ],
    };
  }
  const tokens = context.rlRowEncoder.encode({ trajectory, plan });
  const hasPolicy = trajectory.turns.some((turn) => turn.policy !== null);
  return {
    tokens,
    policy: { rollout_log_probs: null, weight_version: null, policy_data: 'offline' as const },
    flags: [
      ...tokens.ids_differ_because.map((reason) => `ids_differ_${reason}`),
      ...(hasPolicy ? ['policy_chain_broken'] : []),
    ],
  };
}
