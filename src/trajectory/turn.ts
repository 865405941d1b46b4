import { z } from 'zod';
import { spanSchema } from './span.js';

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

/** Why generation of an assistant turn stopped before its end; null for a completed turn. */
export const TRUNCATIONS = ['length', 'error', 'aborted', 'cut'] as const;

export const policyTokensSchema = z
  .strictObject({
    prompt_ids: z.array(z.int()).nullable().describe('token ids of the prompt, where the log has them'),
    response_ids: z.array(z.int()).describe('the sampled token ids, exactly as logged'),
    logprobs: z
      .array(z.number().nullable())
      .nullable()
      .describe('rollout log-probability of each response id'),
    weight_version: z.string().nullable().describe('version of the weights that sampled them'),
  })
  .describe("the policy's own tokens, kept exact and never tokenised again");

export const turnSchema = z
  .strictObject({
    role: z.enum(ROLES),
    name: z.string().nullable().describe('name of the tool or speaker'),
    tool_call_id: z.string().nullable().describe('of a tool turn: the call that it answers'),
    spans: z.array(spanSchema),
    truncated: z.enum(TRUNCATIONS).nullable().describe('why the turn stopped early; null when completed'),
    weight: z
      .number()
      .describe('training weight that the log itself states, 1 by default; 0 is never trained'),
    timestamp: z.string().nullable().describe('ISO 8601, as logged'),
    policy: policyTokensSchema.nullable(),
    flags: z.array(z.string()),
  })
  .describe('one message');

export type Role = (typeof ROLES)[number];
export type Truncation = (typeof TRUNCATIONS)[number];
export type PolicyTokens = z.infer<typeof policyTokensSchema>;
export type Turn = z.infer<typeof turnSchema>;
