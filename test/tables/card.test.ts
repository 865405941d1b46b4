import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { datasetCard } from '../../src/tables/card.js';
import { featuresOf } from '../../src/tables/features.js';
import { type ManifestFile, makeManifest, manifestSchema, shardPath } from '../../src/tables/manifest.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';

const file = (table: TableName, split: string, index: number, of: number, rows: number): ManifestFile => ({
  path: shardPath(table, split, { index, of }),
  table,
  split,
  rows,
  tokens: rows * 10,
  bytes: 1000 + rows,
  sha256: '0'.repeat(64),
  row_groups: 1,
  task: index,
});

const manifest = makeManifest({
  plan_id: 'the-plan',
  tool_version: '1.2.3',
  files: [
    file('sft', 'train', 0, 2, 900),
    file('sft', 'train', 1, 2, 300),
    file('sft', 'validation', 0, 1, 7),
    file('rl', 'train', 0, 1, 0),
    file('windows', 'train', 0, 1, 5),
  ],
  rejects: { invalid_json: 2, torn_line: 1 },
  counts: { read: 1234567, kept_by_rule: { best: 3, whole: 1 }, filtered_by_reason: {} },
});

const plan = {
  body: {
    config: { template: 'qwen3', tokenizer: 'my-tokenizer', strategy: 'split', mask: { policy: 'sampled' } },
    template_sha256: 'aaaa',
    tokenizer_sha256: 'bbbb',
  },
};

const card = datasetCard(manifest, plan);
const front = parse(card.split('---\n')[1] ?? '');

describe('makeManifest', () => {
  test('sums the files by table', () => {
    expect(manifestSchema.parse(manifest).totals).toEqual({
      sft: { files: 3, rows: 1207, tokens: 12070, bytes: 4207 },
      rl: { files: 1, rows: 0, tokens: 0, bytes: 1000 },
      windows: { files: 1, rows: 5, tokens: 50, bytes: 1005 },
    });
  });

  test('allows only split names that dataset readers take', () => {
    const named = (split: string) =>
      manifestSchema.safeParse({ ...manifest, files: [{ ...manifest.files[0], split }] }).success;
    expect(['train', 'a.b_1'].map(named)).toEqual([true, true]);
    expect(['a-b', '', 'a/b', 'a.'].map(named)).toEqual([false, false, false, false]);
  });
});

describe('datasetCard', () => {
  test('names a configuration for every table with rows, the first by default, with its files by split', () => {
    expect(front.configs).toEqual([
      {
        config_name: 'sft',
        default: true,
        data_files: [
          { split: 'train', path: 'data/sft/train-*' },
          { split: 'validation', path: 'data/sft/validation-*' },
        ],
      },
      { config_name: 'windows', data_files: [{ split: 'train', path: 'data/windows/train-*' }] },
    ]);
    expect(front.size_categories).toEqual(['1K<n<10K']);
  });

  test('declares sizes and the features that stand in the shards', () => {
    const [sft] = front.dataset_info;
    expect(sft.splits).toEqual([
      { name: 'train', num_bytes: 3200, num_examples: 1200 },
      { name: 'validation', num_bytes: 1007, num_examples: 7 },
    ]);
    expect(sft.download_size).toBe(4207);
    const declared = Object.fromEntries(
      sft.features.map(({ name, dtype, list }: { name: string; dtype?: string; list?: string }) => [
        name,
        list === undefined
          ? { dtype, _type: 'Value' }
          : { feature: { dtype: list, _type: 'Value' }, _type: 'List' },
      ]),
    );
    expect(declared).toEqual(featuresOf(TABLES.sft));
  });

  test('tells people what was counted, how the mask reads, and what every column means', () => {
    expect(card).toContain('| read | 1,234,567 |');
    expect(card).toContain('| kept_by_rule | best 3, whole 1 |');
    expect(card).toContain('| filtered_by_reason | - |');
    expect(card).toContain('| rejects | invalid_json 2, torn_line 1 |');
    expect(card).toContain('| rl | train | 0 | 0 | 1 | 1,000 |');
    expect(card).toContain('Mask policy `sampled`');
    expect(card).toContain('my-tokenizer (sha256 bbbb)');
    expect(card).toContain('plan `the-plan`');
    for (const table of ['sft', 'rl', 'windows'] as const) {
      for (const { name } of TABLES[table].columns) expect(card).toContain(`| \`${name}\` |`);
    }
  });

  test('is the same for the same manifest, and can be made of an empty corpus', () => {
    expect(datasetCard(manifest, plan)).toBe(card);
    const none = makeManifest({ plan_id: 'p', tool_version: '1', files: [], rejects: {}, counts: {} });
    expect(datasetCard(none, plan)).toContain('n<1K');
    expect(datasetCard(none, plan)).toContain('there is nothing to load');
    expect(datasetCard(none, plan)).not.toContain('load_dataset');
  });
});
