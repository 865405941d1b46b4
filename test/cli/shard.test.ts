import { describe, expect, it } from 'vitest';
import { parseShard, RANK_VARIABLES, shardFromEnv } from '../../src/cli/shard.js';

describe('a share of the tasks', () => {
  it.each([
    ['0/1', { index: 0, count: 1 }],
    ['3/16', { index: 3, count: 16 }],
  ])('%s is read', (input, shard) => {
    expect(parseShard(input)).toEqual(shard);
  });

  it.each(['', '1', '1/1', '-1/2', '1/0', '0.5/2', ' 0/2', '0/2/3', 'a/b'])('%j is refused', (input) => {
    expect(() => parseShard(input)).toThrow('expected i/n');
  });

  it.each(RANK_VARIABLES.map(({ index, count }) => [index, count]))(
    'comes from %s and %s',
    (index, count) => {
      expect(shardFromEnv({ [index]: '2', [count]: '5' })).toEqual({ index: 2, count: 5 });
      expect(shardFromEnv({ [index]: '0', [count]: '1' })).toBeNull();
      expect(() => shardFromEnv({ [index]: '5', [count]: '5' })).toThrow(index);
      expect(() => shardFromEnv({ [index]: '2' })).toThrow(`${count} is not`);
    },
  );

  it('counts a Slurm array from its first id', () => {
    const env = { SLURM_ARRAY_TASK_ID: '4', SLURM_ARRAY_TASK_COUNT: '4', SLURM_ARRAY_TASK_MIN: '1' };
    expect(shardFromEnv(env)).toEqual({ index: 3, count: 4 });
  });

  it('asks the variables in their order', () => {
    const env = { JOB_COMPLETION_INDEX: '1', JOB_COMPLETIONS: '2', SLURM_PROCID: '0', SLURM_NTASKS: '3' };
    expect(shardFromEnv(env)).toEqual({ index: 0, count: 3 });
    expect(shardFromEnv({})).toBeNull();
  });
});
