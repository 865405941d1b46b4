import type { PolicyTokens } from '../trajectory/turn.js';
import { numbersAt, tokenIdsAt } from './fields.js';
import type { JsonObject } from './shape.js';

/** Where a format keeps the tokens that the policy sampled. */
export interface PolicyKeys {
  readonly prompt_ids: string;
  readonly response_ids: string;
  readonly logprobs: string;
}

/**
 * The policy's own tokens, exactly as logged; null where no response ids are recorded. Log-probabilities that do
 * not match the ids one to one say nothing of them: they are left out, with a flag.
 */
export function policyTokens(
  fields: JsonObject,
  at: { path: string; keys: PolicyKeys; weight_version?: string | null },
): { policy: PolicyTokens | null; flags: string[] } {
  const { path, keys } = at;
  const response_ids = tokenIdsAt(fields, keys.response_ids, path);
  if (response_ids === null) return { policy: null, flags: [] };
  const logprobs = numbersAt(fields, keys.logprobs, path);
  const matching = logprobs === null || logprobs.length === response_ids.length;
  const policy = {
    prompt_ids: tokenIdsAt(fields, keys.prompt_ids, path),
    response_ids,
    logprobs: matching ? logprobs : null,
    weight_version: at.weight_version ?? null,
  };
  return { policy, flags: matching ? [] : ['logprobs_length_mismatch'] };
}
