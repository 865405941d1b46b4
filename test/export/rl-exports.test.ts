import { beforeAll, describe, expect, it } from 'vitest';
import { rlRow, secondWindow, windowRow } from '../tables/corpus.js';
import { duckRows, plain } from '../tables/duck.js';
import { exported, RL_ROWS, WINDOW_ROWS, wholeCorpus, writeSplits } from './corpus.js';

let corpus = '';
beforeAll(async () => {
  corpus = await wholeCorpus();
});

describe('windows of recorded sequences', () => {
  it('slime-samples: mask and log-probabilities over the response', async () => {
    const { lines, splits } = await exported(corpus, 'slime-samples');
    const samples = lines('train', 'samples.jsonl');
    expect(samples).toHaveLength(2);
    expect(samples[0]).toMatchObject({
      index: 0,
      tokens: [1, 2, 3],
      response_length: 2,
      loss_mask: [1, 1],
      rollout_log_probs: [-0.5, -0.25],
      reward: -1,
      weight_versions: ['7'],
      status: 'completed',
    });
    expect(samples[1]).toMatchObject({
      group_index: 1,
      tokens: [1, 2, 3, 4, 5, 6, 7],
      response_length: 3,
      loss_mask: [1, 0, 1],
      rollout_log_probs: [-1, 0, -2],
      reward: 1.2,
      metadata: { window_id: 'w1', outcome: 'bronze', is_correction: 'recorded', score_scale: 'test' },
    });
    expect(splits[0]?.counts).toMatchObject({
      windows: 2,
      windows_left_out_without_reward: 2,
      windows_without_policy_data: 0,
    });
  });

  it('areal-rl: lists as long as the ids, versions -1 off the policy', async () => {
    const { lines } = await exported(corpus, 'areal-rl', { options: { denominator: 'tokens' } });
    expect(lines('train', 'trajectories.jsonl')[1]).toEqual({
      input_ids: [1, 2, 3, 4, 5, 6, 7],
      // the first window is context of the second
      loss_mask: [0, 0, 0, 0, 1, 0, 1],
      logprobs: [0, 0, 0, 0, -1, 0, -2],
      versions: [-1, -1, -1, -1, 7, -1, 7],
      rewards: 1.2,
      window_reward: 1.2,
      window_id: 'w1',
      is_correction: 'recorded',
    });
  });

  it('areal-rl: a trajectory ends with its last trained token, where AReaL pays the reward', async () => {
    const windows = WINDOW_ROWS.map((row) => (row.window_id === 'w1' ? { ...row, token_end: 8 } : row));
    const dir = await writeSplits({ train: { rl: RL_ROWS, windows } });
    const { lines } = await exported(dir, 'areal-rl');
    for (const { loss_mask } of lines('train', 'trajectories.jsonl')) {
      expect((loss_mask as number[]).at(-1)).toBe(1);
    }
  });

  it('prime-rl-samples: a sequence with an advantage per token', async () => {
    const { lines } = await exported(corpus, 'prime-rl-samples', { options: { denominator: 'tokens' } });
    const samples = lines('train', 'samples.jsonl');
    expect(samples).toHaveLength(1);
    expect(samples[0]).toEqual({
      token_ids: [1, 2, 3, 4, 5, 6, 7, 8],
      mask: [false, true, true, false, true, false, true, false],
      logprobs: [0, -0.5, -0.25, 0, -1, 0, -2, 0],
      temperatures: [1, 1, 1, 1, 1, 1, 1, 1],
      env_name: 'titanic',
      advantages: [0, -1, -1, 0, 1.2, 0, 1.2, 0],
      reward: expect.closeTo(0.1, 12),
      window_ids: ['w0', 'w1'],
      is_correction: 'recorded',
    });
  });

  it('rllm: a step is one run of trained tokens', async () => {
    const { lines } = await exported(corpus, 'rllm');
    const [episode] = lines('train', 'episodes.jsonl');
    expect(episode).toMatchObject({ id: 'titanic:0', termination_reason: 'unknown', is_correct: false });
    const trajectories = episode?.['trajectories'] as { steps: Record<string, unknown>[]; reward: number }[];
    expect(trajectories.map(({ reward, steps }) => [reward, steps.length])).toEqual([
      [-1, 1],
      [1.2, 2],
    ]);
    expect(trajectories[1]?.steps).toMatchObject([
      {
        // rLLM takes the prompt from the output where the step has none
        prompt_ids: [],
        response_ids: [5],
        logprobs: [-1],
        model_output: { prompt_ids: [1, 2, 3, 4], completion_ids: [5], logprobs: [-1], weight_version: 7 },
        advantage: [1.2],
        reward: 0,
        done: false,
        weight_version: 7,
      },
      {
        prompt_ids: [],
        response_ids: [7],
        logprobs: [-2],
        model_output: { prompt_ids: [1, 2, 3, 4, 5, 6], completion_ids: [7] },
        advantage: [1.2],
        reward: 1.2,
        done: true,
      },
    ]);
  });

  it('verl-rl: a window a row, the mask of response token i', async () => {
    const { path } = await exported(corpus, 'verl-rl');
    const rows = await duckRows(`SELECT * FROM '${path('train', 'part-00000.parquet')}'`);
    expect(rows.map(plain)[1]).toEqual({
      prompt_ids: [1, 2, 3, 4],
      response_ids: [5, 6, 7],
      response_mask: [1, 0, 1],
      rollout_log_probs: [-1, 0, -2],
      reward: 1.2,
      window_id: 'w1',
      sequence_id: 's0',
      data_source: 'titanic',
      is_correction: 'recorded',
    });
  });
});

describe('the denominator of a trainer that averages over all tokens', () => {
  it('gives each window the same weight', async () => {
    // windows of 1 and 3 trained tokens; f is an arbitrary function of a token
    const row = rlRow({
      input_ids: [9, 1, 9, 2, 3, 4],
      loss_mask: [0, 1, 0, 1, 1, 1],
      window_index: [-1, 0, -1, 1, 1, 1],
      window_rewards: [-0.6, 2],
      window_n_trained: [1, 3],
      policy_data: 'recorded',
      rollout_log_probs: [null, -1, null, -1, -1, -1],
    });
    const windows = [
      windowRow({ outcome: 'no_submission', reward: -0.6, token_start: 1, token_end: 2, n_trained: 1 }),
      secondWindow({ outcome: 'gold', reward: 2, token_start: 3, token_end: 6, n_trained: 3 }),
    ];
    const dir = await writeSplits({ train: { rl: [row], windows } });
    const f = [0.3, 0.7, 0.1, -0.4, 0.9, 1.7];
    const wanted = (-0.6 * 0.7 + (2 * (-0.4 + 0.9 + 1.7)) / 3) / 2;
    const [sample] = (await exported(dir, 'prime-rl-samples')).lines('train', 'samples.jsonl');
    const advantages = sample?.['advantages'] as number[];
    const mean = advantages.reduce((sum, advantage, i) => sum + advantage * (f[i] ?? 0), 0) / 4;
    expect(mean).toBeCloseTo(wanted, 12);
    const trajectories = (await exported(dir, 'areal-rl')).lines('train', 'trajectories.jsonl');
    const sums = trajectories.map(({ rewards, loss_mask }) =>
      (loss_mask as number[]).reduce((sum, bit, i) => sum + bit * (rewards as number) * (f[i] ?? 0), 0),
    );
    expect(sums.reduce((total, sum) => total + sum, 0) / 4).toBeCloseTo(wanted, 12);
    expect(trajectories.map(({ window_reward }) => window_reward)).toEqual([-0.6, 2]);
  });
});

describe('a window without a reward', () => {
  it('is context in a sequence that is exported for another one', async () => {
    const rl = [{ ...(RL_ROWS[0] ?? rlRow()), window_rewards: [-1, null] }];
    const windows = [windowRow(), secondWindow({ window_id: 'w1' })];
    const dir = await writeSplits({ train: { rl, windows } });
    const { lines, splits } = await exported(dir, 'prime-rl-samples');
    const [sample] = lines('train', 'samples.jsonl');
    expect(sample).toMatchObject({
      mask: [false, true, true, false, false, false, false, false],
      advantages: [0, -1, -1, 0, 0, 0, 0, 0],
      logprobs: [0, -0.5, -0.25, 0, 0, 0, 0, 0],
      window_ids: ['w0'],
    });
    expect(splits[0]?.counts).toMatchObject({ windows: 1, windows_left_out_without_reward: 1 });
  });
});

describe('windows without policy data', () => {
  const offline = RL_ROWS.map((row) => ({
    ...row,
    policy_data: 'offline' as const,
    rollout_log_probs: null,
    weight_version: null,
  }));
  const names = ['slime-samples', 'areal-rl', 'prime-rl-samples', 'rllm', 'verl-rl'];

  it.each(names)('%s refuses them unless it is told', async (name) => {
    const dir = await writeSplits({ train: { rl: offline, windows: WINDOW_ROWS } });
    await expect(exported(dir, name)).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringContaining('2 of 2 windows have no recorded policy data'),
    });
  });

  it('say so in every row, with no log-probability that looks like one', async () => {
    const dir = await writeSplits({ train: { rl: offline, windows: WINDOW_ROWS } });
    const consent = { offlinePolicy: true };
    const slime = (await exported(dir, 'slime-samples', consent)).lines('train', 'samples.jsonl');
    expect(slime.map((row) => row['rollout_log_probs'])).toEqual([null, null]);
    expect(slime.map((row) => (row['metadata'] as Record<string, unknown>)['is_correction'])).toEqual([
      'none',
      'none',
    ]);
    const areal = (await exported(dir, 'areal-rl', consent)).lines('train', 'trajectories.jsonl');
    expect(areal.map((row) => [row['is_correction'], new Set(row['versions'] as number[])])).toEqual([
      ['none', new Set([-1])],
      ['none', new Set([-1])],
    ]);
    const [prime] = (await exported(dir, 'prime-rl-samples', consent)).lines('train', 'samples.jsonl');
    expect([prime?.['logprobs'], prime?.['is_correction']]).toEqual([null, 'none']);
    const [episode] = (await exported(dir, 'rllm', consent)).lines('train', 'episodes.jsonl');
    expect(episode?.['info']).toMatchObject({ is_correction: 'none' });
    const { path } = await exported(dir, 'verl-rl', consent);
    const rows = await duckRows(
      `SELECT rollout_log_probs, is_correction FROM '${path('train', 'part-00000.parquet')}'`,
    );
    expect(rows).toEqual(Array(2).fill({ rollout_log_probs: null, is_correction: 'none' }));
  });
});

describe('rewards of another scale', () => {
  const windows = WINDOW_ROWS.map((row) =>
    row.window_id === 'w1' ? { ...row, score_scale: 'validation' as const } : row,
  );

  it('are refused unless that very scale is named', async () => {
    const dir = await writeSplits({ train: { rl: RL_ROWS, windows } });
    await expect(exported(dir, 'slime-samples')).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringContaining('1 of 2 windows are paid by scores of scale validation'),
    });
    await expect(exported(dir, 'slime-samples', { scoreScale: 'self_reported' })).rejects.toMatchObject({
      code: 'E_USAGE',
    });
    const { lines } = await exported(dir, 'slime-samples', { scoreScale: 'validation' });
    expect(lines('train', 'samples.jsonl')).toHaveLength(2);
  });

  it('need the table that names the scale', async () => {
    const dir = await writeSplits({ train: { rl: RL_ROWS } });
    await expect(exported(dir, 'slime-samples')).rejects.toMatchObject({ code: 'E_USAGE' });
  });
});

describe('what is wrong in a corpus', () => {
  it('a trained token without a log-probability ends the export', async () => {
    const rl = RL_ROWS.map((row) => ({ ...row, rollout_log_probs: Array.from(row.input_ids, () => null) }));
    const dir = await writeSplits({ train: { rl, windows: WINDOW_ROWS } });
    await expect(exported(dir, 'slime-samples')).rejects.toMatchObject({ code: 'E_VERIFY' });
  });

  it('a sequence without its windows ends the export', async () => {
    const dir = await writeSplits({ train: { rl: RL_ROWS, windows: WINDOW_ROWS.slice(1) } });
    await expect(exported(dir, 'slime-samples')).rejects.toMatchObject({ code: 'E_VERIFY' });
  });
});
