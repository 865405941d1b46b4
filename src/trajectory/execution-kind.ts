/** What an agent launched: a run of its solution, a call that scores one, or anything else. */
export const EXECUTION_KINDS = ['experiment', 'scoring', 'other'] as const;
