import { createHash } from 'node:crypto';

/**
 * The split of a task family: a hash of seed and family, so that it depends on nothing else and no family
 * stands in two splits. Trajectories without a task are families of their own.
 */
export function splitOf(options: {
  family: string;
  seed: number;
  validation: number;
}): 'train' | 'validation' {
  if (options.validation <= 0) return 'train';
  const digest = createHash('sha256').update(`${options.seed}\n${options.family}`).digest();
  return digest.readUInt32BE(0) / 2 ** 32 < options.validation ? 'validation' : 'train';
}
