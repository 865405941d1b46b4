import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { duckRows, plain } from '../tables/duck.js';
import { exported, SFT_ROWS, wholeCorpus } from './corpus.js';

let corpus = '';
beforeAll(async () => {
  corpus = await wholeCorpus();
});

const ids = SFT_ROWS.map(({ input_ids }) => input_ids);
/** The first token of the second row is trained, but nothing predicts it: no export may train it. */
const masks = [
  [0, 1, 1],
  [0, 0, 1, 0, 1],
  [0, 0, 0, 1],
];
const ones = ids.map((list) => Array.from(list, () => 1));

/** Written out: the alignment of every format is stated here by hand, not computed like the code does. */
const LABELS = [
  [-100, 12, 13],
  [-100, -100, 23, -100, 25],
  [-100, -100, -100, 34],
];

async function parquet(path: string): Promise<Record<string, unknown>[]> {
  return (await duckRows(`SELECT * FROM '${path}'`)).map((row) => plain(row) as Record<string, unknown>);
}

async function types(path: string): Promise<string[]> {
  const rows = await duckRows(`DESCRIBE SELECT * FROM '${path}'`);
  return rows.map((row) => `${String(row['column_name'])} ${String(row['column_type'])}`);
}

describe('labels of token i itself', () => {
  it('trl: input_ids and labels, nothing else', async () => {
    const { path } = await exported(corpus, 'trl');
    const file = path('train', 'part-00000.parquet');
    expect(await parquet(file)).toEqual(ids.map((input_ids, i) => ({ input_ids, labels: LABELS[i] })));
    expect(await types(file)).toEqual(['input_ids INTEGER[]', 'labels INTEGER[]']);
  });

  it('axolotl: all three columns', async () => {
    const { path } = await exported(corpus, 'axolotl');
    const file = path('train', 'part-00000.parquet');
    expect(await parquet(file)).toEqual(
      ids.map((input_ids, i) => ({ input_ids, attention_mask: ones[i], labels: LABELS[i] })),
    );
    expect(await types(file)).toEqual([
      'input_ids INTEGER[]',
      'attention_mask TINYINT[]',
      'labels INTEGER[]',
    ]);
  });

  it('llama-factory: a folder as save_to_disk writes it, a split each', async () => {
    const { path } = await exported(corpus, 'llama-factory');
    expect(JSON.parse(readFileSync(path('dataset_dict.json'), 'utf8'))).toEqual({
      splits: ['train', 'validation'],
    });
    const state = JSON.parse(readFileSync(path('train', 'state.json'), 'utf8')) as Record<string, unknown>;
    expect(state['_data_files']).toEqual([{ filename: 'data-00000.arrow' }]);
    expect(state['_split']).toBe('train');
    const table = tableFromIPC(readFileSync(path('train', 'data-00000.arrow')));
    const rows = table.toArray().map((row) => plain(JSON.parse(JSON.stringify(row))));
    expect(rows).toEqual(
      ids.map((input_ids, i) => ({ input_ids, attention_mask: ones[i], labels: LABELS[i] })),
    );
  });
});

describe('a mask of token i itself', () => {
  it.each(['skyrl', 'areal', 'verl-tokens'])('%s: input_ids and loss_mask, nothing else', async (name) => {
    const { path } = await exported(corpus, name);
    const file = path('train', 'part-00000.parquet');
    expect(await parquet(file)).toEqual(ids.map((input_ids, i) => ({ input_ids, loss_mask: masks[i] })));
    expect(await types(file)).toEqual(['input_ids INTEGER[]', 'loss_mask TINYINT[]']);
    expect(readdirSync(path('train'))).toEqual(['part-00000.parquet']);
  });

  it('olmo-core: headerless arrays, and the bounds of each row', async () => {
    const { path } = await exported(corpus, 'olmo-core');
    const raw = readFileSync(path('train', 'token_ids_part_0000.npy'));
    const tokens = Array.from({ length: raw.length / 4 }, (_, i) => raw.readUInt32LE(4 * i));
    expect(tokens).toEqual(ids.flatMap((list) => [...list]));
    const mask = readFileSync(path('train', 'labels_mask_part_0000.npy'));
    expect([...mask]).toEqual(masks.flat());
    const bounds = gunzipSync(readFileSync(path('train', 'token_ids_part_0000.csv.gz'))).toString();
    expect(bounds).toBe('0,3\n3,8\n8,12\n');
  });

  it('olmo-core: --eos-token ends each row, untrained', async () => {
    const { path } = await exported(corpus, 'olmo-core', { options: { eosToken: 99 }, split: 'validation' });
    const raw = readFileSync(path('validation', 'token_ids_part_0000.npy'));
    expect([0, 4, 8].map((at) => raw.readUInt32LE(at))).toEqual([41, 42, 99]);
    expect([...readFileSync(path('validation', 'labels_mask_part_0000.npy'))]).toEqual([0, 1, 0]);
    const bounds = gunzipSync(readFileSync(path('validation', 'token_ids_part_0000.csv.gz'))).toString();
    expect(bounds).toBe('0,3\n');
  });
});

describe('packs', () => {
  it('megatron-bridge: the mask is shifted left by one inside each row', async () => {
    const { path, splits } = await exported(corpus, 'megatron-bridge', { options: { pack: 6 } });
    // of n tokens a row takes n-1 places: 4 + 2 fill the first pack, 3 the second
    const file = path('train', 'packed-00000.idx.parquet');
    expect(await parquet(file)).toEqual([
      {
        input_ids: [21, 22, 23, 24, 25, 11, 12, 13],
        loss_mask: [0, 1, 0, 1, 0, 1, 1, 0],
        seq_start_id: [0, 5],
      },
      { input_ids: [31, 32, 33, 34], loss_mask: [0, 0, 1, 0], seq_start_id: [0] },
    ]);
    expect(await types(file)).toEqual([
      'input_ids INTEGER[]',
      'loss_mask TINYINT[]',
      'seq_start_id INTEGER[]',
    ]);
    expect(splits[0]?.counts).toMatchObject({ packs: 2, packed_rows: 3, packing_efficiency_percent: 75 });
  });

  it('trl: no row trains the end of the row before it', async () => {
    const { path, splits } = await exported(corpus, 'trl', { options: { pack: 9 }, split: 'train' });
    expect(await parquet(path('train', 'part-00000.parquet'))).toEqual([
      {
        input_ids: [21, 22, 23, 24, 25, 31, 32, 33, 34],
        labels: [-100, -100, 23, -100, 25, -100, -100, -100, 34],
        seq_lengths: [5, 4],
      },
      { input_ids: [11, 12, 13], labels: [-100, 12, 13], seq_lengths: [3] },
    ]);
    expect(splits[0]?.counts).toMatchObject({ packs: 2, packing_efficiency_percent: 66.67 });
  });

  it('leave overlong rows out only where they are told to', async () => {
    await expect(exported(corpus, 'trl', { options: { pack: 4 } })).rejects.toMatchObject({
      code: 'E_USAGE',
    });
    const { splits } = await exported(corpus, 'trl', { options: { pack: 4, overlong: 'drop' } });
    expect(splits[0]?.counts).toMatchObject({
      packed_rows: 2,
      overlong_rows_dropped: 1,
      overlong_trained_tokens_dropped: 2,
    });
  });
});

describe('splits', () => {
  it('have a folder each, and one can be chosen', async () => {
    const all = await exported(corpus, 'trl');
    expect(all.splits.map(({ split, rows, tokens, trained }) => [split, rows, tokens, trained])).toEqual([
      ['train', 3, 12, 5],
      ['validation', 1, 2, 1],
    ]);
    const counts = all.splits.map((split) => split.counts['first_tokens_taken_out_of_the_mask']);
    expect(counts).toEqual([1, 0]);
    const one = await exported(corpus, 'trl', { split: 'validation' });
    expect(readdirSync(one.path()).sort()).toEqual(['README.md', 'validation']);
  });
});
