import type { Execution } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory } from './adapter.js';

/** A trajectory with the defaults of what most logs leave unsaid: one context that holds every turn. */
export function rawTrajectory(
  required: { readonly turns: Turn[]; readonly executions: Execution[] },
  rest: Partial<RawTrajectory> = {},
): RawTrajectory {
  const submissions = rest.submissions ?? [];
  return {
    session_id: null,
    parent_session: null,
    group: null,
    task_id: null,
    task_claims: null,
    scaffold: null,
    scaffold_version: null,
    model: null,
    policy_version: null,
    tools: null,
    submissions,
    epochs: [{ turns: required.turns.map((_, index) => index), reason: null }],
    termination: 'unknown',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: submissions.some(({ scale }) => scale === 'test'),
    flags: [],
    ...required,
    ...rest,
  };
}
