import { beforeAll, describe, expect, it } from 'vitest';
import { windowRow } from '../tables/corpus.js';
import { duckRows } from '../tables/duck.js';
import { exported, RL_ROWS, SFT_ROWS, VALIDATION_ROWS, WINDOW_ROWS, writeTasks } from './corpus.js';

const [paid] = RL_ROWS;
if (paid === undefined) throw new Error('no sequence');

/** What the second task wrote: the paid sequence again under other ids, with rewards of its own. */
const LATER_RL = [{ ...paid, sequence_id: 's2', window_rewards: [0.5, 2], weight_version: 'w-9' }];
const LATER_WINDOWS = WINDOW_ROWS.slice(0, 2).map((row, i) => ({
  ...row,
  window_id: `w${i + 4}`,
  sequence_id: 's2',
  reward: [0.5, 2][i] ?? null,
}));
const lone = (window_id: string) =>
  windowRow({ window_id, sequence_id: null, token_start: null, token_end: null, n_trained: 0 });

const first = { sft: SFT_ROWS.slice(0, 1), rl: RL_ROWS, windows: [...WINDOW_ROWS, lone('a')] };
const second = { sft: SFT_ROWS.slice(1), rl: LATER_RL, windows: [...LATER_WINDOWS, lone('b')] };

let corpus = '';
beforeAll(async () => {
  corpus = await writeTasks([{ train: first, validation: { sft: VALIDATION_ROWS } }, { train: second }]);
});

describe('a corpus of several shards', () => {
  it.each(['trl', 'skyrl'])(
    '%s: rows of all of them, in order, in the split that they belong to',
    async (name) => {
      const { path, splits } = await exported(corpus, name);
      expect(splits.map(({ split, rows }) => [split, rows])).toEqual([
        ['train', 3],
        ['validation', 1],
      ]);
      const idsIn = async (split: string) =>
        (await duckRows(`SELECT input_ids[1] AS id FROM '${path(split, 'part-00000.parquet')}'`)).map(
          ({ id }) => id,
        );
      expect(await idsIn('train')).toEqual([11, 21, 31]);
      expect(await idsIn('validation')).toEqual([41]);
    },
  );

  it('verl: messages of all of them', async () => {
    const { path, splits } = await exported(corpus, 'verl', { split: 'train' });
    expect(splits[0]?.rows).toBe(3);
    expect(await duckRows(`SELECT * FROM '${path('train', 'part-00000.parquet')}'`)).toHaveLength(3);
  });

  it('slime-samples: windows of all of them, each with the reward of its own', async () => {
    const { lines, splits } = await exported(corpus, 'slime-samples');
    const samples = lines('train', 'samples.jsonl');
    expect(
      samples.map(({ metadata, reward }) => [(metadata as { window_id: string }).window_id, reward]),
    ).toEqual([
      ['w0', -1],
      ['w1', 1.2],
      ['w4', 0.5],
      ['w5', 2],
    ]);
    expect(splits[0]?.counts['windows']).toBe(4);
  });

  it('areal-rl: a version that is no number counts as 0', async () => {
    const { lines } = await exported(corpus, 'areal-rl');
    const versions = lines('train', 'trajectories.jsonl').map((row) => (row['versions'] as number[]).at(-1));
    expect(versions).toEqual([7, 7, 0, 0]);
  });

  it('expanded: windows without tokens of all of them', async () => {
    const { path } = await exported(corpus, 'expanded');
    const rows = await duckRows(`SELECT window_id FROM '${path('train', 'without-tokens-00000.parquet')}'`);
    expect(rows.map(({ window_id }) => window_id)).toEqual(['a', 'b']);
  });

  it('asks for the consent that only the last one needs', async () => {
    const offline = LATER_RL.map((row) => ({
      ...row,
      policy_data: 'offline' as const,
      rollout_log_probs: null,
      weight_version: null,
    }));
    const unrecorded = await writeTasks([{ train: first }, { train: { ...second, rl: offline } }]);
    await expect(exported(unrecorded, 'rllm')).rejects.toMatchObject({
      message: expect.stringContaining('2 of 4 windows have no recorded policy data'),
    });
    const validated = LATER_WINDOWS.map((row) => ({ ...row, score_scale: 'validation' as const }));
    const scored = await writeTasks([{ train: first }, { train: { ...second, windows: validated } }]);
    await expect(exported(scored, 'rllm')).rejects.toMatchObject({
      message: expect.stringContaining('2 of 4 windows are paid by scores of scale validation'),
    });
  });

  it('leaves out a split that holds no rows, and refuses it by name', async () => {
    const dir = await writeTasks([{ train: first, empty: { sft: [] } }]);
    const { splits } = await exported(dir, 'trl');
    expect(splits.map(({ split }) => split)).toEqual(['train']);
    await expect(exported(dir, 'trl', { split: 'empty' })).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringContaining('there are train'),
    });
  });

  it('takes no window of another split', async () => {
    const elsewhere = LATER_WINDOWS.map((row) => ({ ...row, sequence_id: 's0' }));
    const dir = await writeTasks([{ train: first, test: { windows: elsewhere } }]);
    const { lines } = await exported(dir, 'slime-samples');
    expect(lines('train', 'samples.jsonl')).toHaveLength(2);
  });
});
