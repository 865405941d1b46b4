export interface GroupAdvantageOptions {
  /** degrees of freedom of the deviation: 1 as verl divides, 0 as rLLM does */
  readonly ddof: 0 | 1;
  /** a group of one: no advantage, or r / (1 + 1e-6) as verl has it */
  readonly single?: 'null' | 'verl_singleton';
  /** whether a masked member still shapes the statistics (after_advantage, SandMLE's release) or not */
  readonly masking?: 'after_advantage' | 'before_grouping';
}

export interface GroupMember {
  /** null where the run has no reward: it is left out of the statistics and gets no advantage */
  readonly reward: number | null;
  readonly masked?: boolean;
}

const EPSILON = 1e-6;

/**
 * GRPO advantages of one group of runs: (r - mean) / (std + 1e-6), null for masked members and those without reward.
 * Equal rewards give exactly 0: the division would leave rounding noise of either sign.
 */
export function groupAdvantages(
  members: readonly GroupMember[],
  options: GroupAdvantageOptions,
): (number | null)[] {
  const { ddof, single = 'null', masking = 'after_advantage' } = options;
  const rewards = members.flatMap(({ reward, masked = false }) =>
    reward === null || (masked && masking === 'before_grouping') ? [] : [reward],
  );
  const advantage = advantageWithin(rewards, ddof, single);
  return members.map(({ reward, masked = false }) => (reward === null || masked ? null : advantage(reward)));
}

function advantageWithin(
  rewards: readonly number[],
  ddof: 0 | 1,
  single: 'null' | 'verl_singleton',
): (reward: number) => number | null {
  if (rewards.length <= 1) {
    return (reward) => (single === 'null' ? null : reward / (1 + EPSILON));
  }
  if (Math.max(...rewards) === Math.min(...rewards)) return () => 0;
  const mean = rewards.reduce((sum, r) => sum + r, 0) / rewards.length;
  const squares = rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (rewards.length - ddof));
  return (reward) => (reward - mean) / (deviation + EPSILON);
}
