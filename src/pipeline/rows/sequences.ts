import { cutPolicyRow, policyByTurns } from '../../tokens/cut-policy-row.js';
import type { RowRequest } from '../../tokens/encode-row.js';
import type { DividedRow, FittedRow } from '../../tokens/fitted-row.js';
import { moveWindow } from '../../tokens/move-window.js';
import { type PolicyRow, policyRow } from '../../tokens/policy-row.js';
import type { RowPlan } from '../../tokens/stretches.js';
import type { TokenRow } from '../../tokens/token-row.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { Turn } from '../../trajectory/turn.js';
import type { ExecutionWindow } from '../../windows/window.js';
import type { TaskContext } from '../task-context.js';

/** A sequence of tokens over which windows are laid: a context epoch, or a part of one that is too long. */
export interface Sequence {
  readonly tokens: Pick<TokenRow, 'input_ids' | 'loss_mask' | 'segment_of_token' | 'segments'>;
  readonly rollout_log_probs: readonly (number | null)[] | null;
  readonly weight_version: string | null;
  readonly policy_data: 'recorded' | 'offline';
  readonly flags: readonly string[];
  /** number of the part, from 0 */
  readonly part: number;
  /** the middle of the context was left out, so that it is not what the policy saw */
  readonly context_cut: boolean;
}

type Engines = Pick<TaskContext, 'encoder' | 'rlRowEncoder'>;

export interface SequenceRequest {
  readonly context: Engines;
  readonly trajectory: Trajectory;
  readonly plan: RowPlan;
  /** windows of the epoch */
  readonly windows: readonly ExecutionWindow[];
}

/**
 * The sequence of a context epoch: the policy's recorded tokens where the log has them unbroken, else our encoding.
 */
export function wholeSequence({ context, trajectory, plan }: SequenceRequest): Sequence {
  const recorded = policyRow(trajectory, plan);
  if (recorded !== null) {
    const sequence = recordedSequence(recorded, { context, part: 0, context_cut: false });
    const isEmpty = [...plan.trains].some((turn) => saysNothing(trajectory.turns[turn]));
    return isEmpty ? { ...sequence, flags: [...sequence.flags, 'empty_turn'] } : sequence;
  }
  return encodedSequence(context.rlRowEncoder.encode({ trajectory, plan }), {
    trajectory,
    part: 0,
    context_cut: false,
  });
}

/**
 * A sequence that is longer than the limit as several: each shows the task and the newest turns before the windows
 * that it trains. No window is ever parted or cut; windows that fit in none are left out. Arrays are views that live
 * until the next one is asked for.
 */
export function* dividedSequence(request: SequenceRequest, maxTokens: number): Generator<Sequence> {
  const { context, trajectory, plan, windows } = request;
  const trains = new Set(windows.flatMap(({ spans }) => spans.map(([turn]) => turn)));
  for (const turn of trains) if (!plan.trains.has(turn)) trains.delete(turn);
  const divided = { trajectory, plan: { ...plan, trains }, maxTokens, joined: joinedBy(windows), onDropped };
  const recorded = policyRow(trajectory, plan);
  if (recorded !== null) {
    const row: DividedRow = policyByTurns(recorded, plan.indices);
    const encode = ({ plan: shown }: RowRequest) => cutPolicyRow(recorded, shown);
    for (const fitted of moveWindow<DividedRow>({ ...divided, row, encode })) {
      const part = cutPolicyRow(recorded, fitted.plan);
      yield recordedSequence(part, { context, part: fitted.part, context_cut: isCut(fitted) });
    }
    return;
  }
  const encode = (each: RowRequest): TokenRow => context.rlRowEncoder.encode(each);
  const row = encode({ trajectory, plan });
  for (const fitted of moveWindow({ ...divided, row, encode })) {
    const sequence = encodedSequence(fitted.row, {
      trajectory,
      part: fitted.part,
      context_cut: isCut(fitted),
    });
    yield { ...sequence, flags: [...sequence.flags, ...fitted.flags] };
  }

  function isCut({ plan: shown }: FittedRow<DividedRow>): boolean {
    return shown.indices.some((turn, at) => turn !== plan.indices[at]);
  }
}

/** A reply without words and calls; the encoding of text finds it by its rendering. */
function saysNothing(turn: Turn | undefined): boolean {
  return turn?.spans.every(({ text, call }) => text === '' && call === null) ?? false;
}

/** The caller sees which windows no sequence holds. */
function onDropped(): void {}

/** Turns that one window spans are trained by one row. */
function joinedBy(windows: readonly ExecutionWindow[]): (turn: number, next: number) => boolean {
  const ranges = windows.flatMap(({ spans }) => {
    const first = spans[0]?.[0];
    const last = spans.at(-1)?.[0];
    return first === undefined || last === undefined ? [] : [{ first, last }];
  });
  return (turn, next) => ranges.some(({ first, last }) => first <= turn && next <= last);
}

type Part = Pick<Sequence, 'part' | 'context_cut'>;

/**
 * It is `recorded` only where every trained token has its log-probability, and these were sampled in this very
 * context: without them a policy correction cannot be made.
 */
function recordedSequence(row: PolicyRow, { context, ...part }: Part & { context: Engines }): Sequence {
  const { rollout_log_probs: logProbs, weight_version, steps: _steps, ...tokens } = row;
  const complete = tokens.loss_mask.every((trained, i) => trained === 0 || logProbs?.[i] != null);
  const vocabulary = context.encoder.byteLengths?.length ?? Number.POSITIVE_INFINITY;
  const foreign = tokens.input_ids.some((id) => id >= vocabulary);
  return {
    tokens,
    rollout_log_probs: part.context_cut ? null : logProbs,
    weight_version,
    policy_data: complete && !part.context_cut ? 'recorded' : 'offline',
    flags: [
      ...(complete ? [] : ['policy_log_probs_missing']),
      ...(foreign ? ['policy_ids_out_of_vocabulary'] : []),
      ...(part.context_cut ? ['context_cut'] : []),
    ],
    ...part,
  };
}

function encodedSequence(
  tokens: TokenRow,
  { trajectory, ...part }: Part & { trajectory: Trajectory },
): Sequence {
  const hasPolicy = trajectory.turns.some((turn) => turn.policy !== null);
  return {
    tokens,
    rollout_log_probs: null,
    weight_version: null,
    policy_data: 'offline',
    flags: [
      // what the mask left out: empty turns, turns of zero weight
      ...tokens.flags,
      ...tokens.ids_differ_because.map((reason) => `ids_differ_${reason}`),
      ...(hasPolicy ? ['policy_chain_broken'] : []),
      ...(part.context_cut ? ['context_cut'] : []),
    ],
    ...part,
  };
}
