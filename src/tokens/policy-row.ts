import type { Segment } from '../chat/segment.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { PolicyTokens } from '../trajectory/turn.js';
import type { RowPlan } from './stretches.js';
import type { TokenRow } from './token-row.js';

/** A sequence made of the policy's own tokens, never tokenised again. All arrays have one entry a token. */
export interface PolicyRow
  extends Pick<TokenRow, 'input_ids' | 'loss_mask' | 'segment_of_token' | 'segments'> {
  /** rollout log-probability of each sampled token, null for prompt tokens and where none was recorded */
  readonly rollout_log_probs: readonly (number | null)[] | null;
  /** distinct versions in order, joined by commas; null where none was recorded */
  readonly weight_version: string | null;
  /** the responses in order: turn, first token, token after the last one; what stands between them is prompt */
  readonly steps: readonly PolicyStep[];
}

export interface PolicyStep {
  readonly turn: number;
  readonly start: number;
  readonly end: number;
}

const CONTEXT: Segment = { text: '', part: 'context', turn: -1, span: -1, glue: true };

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  if (ids.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (ids[i] !== prefix[i]) return false;
  return true;
}

/**
 * The recorded tokens of an epoch as one append-only sequence: each turn's prompt must begin with everything
 * before it. Null where a turn to be trained has no recorded prompt and response, or where the chain breaks, so
 * that the sequence would not be what the policy saw.
 */
export function policyRow(trajectory: Trajectory, plan: RowPlan): PolicyRow | null {
  const steps: { turn: number; policy: PolicyTokens; prompt: readonly number[] }[] = [];
  for (const turn of plan.indices) {
    const { policy, spans } = trajectory.turns[turn] ?? { policy: null, spans: [] };
    const generated = spans.some((span) => span.origin === 'model');
    if (!plan.trains.has(turn) || !generated) continue;
    if (policy === null || policy.prompt_ids === null) return null;
    steps.push({ turn, policy, prompt: policy.prompt_ids });
  }
  const last = steps.at(-1);
  if (last === undefined) return null;
  let sequence: readonly number[] = [];
  for (const { prompt, policy } of steps) {
    if (!startsWith(prompt, sequence)) return null;
    sequence = [...prompt, ...policy.response_ids];
  }

  const n = sequence.length;
  const lossMask = new Uint8Array(n);
  const segmentOfToken = new Int32Array(n);
  const logProbs: (number | null)[] = new Array(n).fill(null);
  const segments: Segment[] = [CONTEXT];
  const versions = new Set<string>();
  let hasLogProbs = false;
  for (const { turn, policy, prompt } of steps) {
    // the part name makes the whole response go with the window of the turn's last action
    segments.push({ text: '', part: 'stop', turn, span: -1, glue: true });
    const start = prompt.length;
    const end = start + policy.response_ids.length;
    lossMask.fill(1, start, end);
    segmentOfToken.fill(segments.length - 1, start, end);
    if (policy.weight_version !== null) versions.add(policy.weight_version);
    policy.logprobs?.forEach((value, i) => {
      // a log-probability above zero is none
      if (i >= policy.response_ids.length || value === null || value > 0) return;
      logProbs[start + i] = value;
      hasLogProbs = true;
    });
  }
  return {
    input_ids: Int32Array.from(sequence),
    loss_mask: lossMask,
    segment_of_token: segmentOfToken,
    segments,
    rollout_log_probs: hasLogProbs ? logProbs : null,
    weight_version: versions.size > 0 ? [...versions].join(',') : null,
    steps: steps.map(({ turn, prompt, policy }) => ({
      turn,
      start: prompt.length,
      end: prompt.length + policy.response_ids.length,
    })),
  };
}
