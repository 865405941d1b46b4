import type { CorrectionBand } from './policy-correction.js';

/** Log-probabilities of a row, token by token; null where one was not recorded. */
export interface AuditedRow {
  readonly loss_mask: ArrayLike<number>;
  readonly old: ArrayLike<number | null>;
  readonly rollout: ArrayLike<number | null>;
}

export interface OffPolicyAudit {
  /** trained tokens */
  readonly trained: number;
  /** trained tokens of which both log-probabilities are known: the shares below are of these */
  readonly known: number;
  /** tokens whose ratio q = exp(old - rollout) lies below or above the band; they would leave the gradient */
  readonly below: number;
  readonly above: number;
  /** (below + above) / known, null where nothing is known */
  readonly off_policy_share: number | null;
  readonly mean_q: number | null;
  readonly max_q: number | null;
  readonly min_q: number | null;
  /** mean k3 estimate of KL(rollout || old), in nats */
  readonly kl: number | null;
}

/** How far trained tokens are from the policy that a trainer starts with, where both log-probabilities are known. */
export function auditOffPolicy(rows: Iterable<AuditedRow>, band: CorrectionBand): OffPolicyAudit {
  let trained = 0;
  let known = 0;
  let below = 0;
  let above = 0;
  let sum = 0;
  let divergence = 0;
  let max = Number.NEGATIVE_INFINITY;
  let min = Number.POSITIVE_INFINITY;
  for (const { loss_mask: mask, old, rollout } of rows) {
    if (old.length !== mask.length || rollout.length !== mask.length) {
      throw new RangeError(
        `${mask.length} tokens, but ${old.length} old and ${rollout.length} rollout values`,
      );
    }
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] !== 1) continue;
      trained += 1;
      const before = old[i] ?? null;
      const sampled = rollout[i] ?? null;
      if (before === null || sampled === null) continue;
      if (!Number.isFinite(before) || !Number.isFinite(sampled)) continue;
      known += 1;
      const q = Math.exp(before - sampled);
      if (q < band.q_min) below += 1;
      if (q > band.q_max) above += 1;
      sum += q;
      divergence += Math.expm1(before - sampled) - (before - sampled);
      max = Math.max(max, q);
      min = Math.min(min, q);
    }
  }
  const ofKnown = (value: number): number | null => (known === 0 ? null : value);
  return {
    trained,
    known,
    below,
    above,
    off_policy_share: ofKnown((below + above) / known),
    mean_q: ofKnown(sum / known),
    max_q: ofKnown(max),
    min_q: ofKnown(min),
    kl: ofKnown(divergence / known),
  };
}
