import { describe, expect, it } from 'vitest';
import { croissant } from '../../src/tables/croissant.js';
import { type ManifestFile, makeManifest, shardPath } from '../../src/tables/manifest.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';

const file = (table: TableName, split: string, index: number, of: number): ManifestFile => ({
  path: shardPath(table, split, { index, of }),
  table,
  split,
  rows: 3,
  tokens: 30,
  bytes: 1000 + index,
  sha256: String(index).repeat(64),
  row_groups: 1,
  task: index,
});

const files = [
  file('sft', 'train', 0, 2),
  file('sft', 'train', 1, 2),
  file('sft', 'validation', 0, 1),
  file('windows', 'train', 0, 1),
];

const manifest = makeManifest({
  plan_id: 'the-plan',
  tool_version: '1.2.3',
  files,
  rejects: {},
  counts: {},
});

const plan = {
  body: {
    config: { template: 'qwen3', tokenizer: 't', strategy: 'split', mask: { policy: 'sampled' } },
    template_sha256: 'aaaa',
    tokenizer_sha256: 'bbbb',
  },
};

interface Described {
  readonly distribution: readonly Record<string, unknown>[];
  readonly recordSet: readonly { '@id': string; field: readonly Record<string, unknown>[] }[];
}

const described = JSON.parse(croissant(manifest, plan)) as Described;

describe('croissant.json', () => {
  it('names every file of the manifest with its sum and size, and no other', () => {
    const objects = described.distribution.filter((entry) => entry['@type'] === 'cr:FileObject');
    expect(objects.map((entry) => [entry['contentUrl'], entry['sha256'], entry['contentSize']])).toEqual(
      files.map(({ path, sha256, bytes }) => [path, sha256, `${bytes} B`]),
    );
  });

  it('has a record set for each table and a field for each column, lists as arrays', () => {
    expect(described.recordSet.map((set) => set['@id'])).toEqual(['sft', 'windows']);
    for (const { '@id': table, field } of described.recordSet) {
      const { columns } = TABLES[table as TableName];
      expect(field.map(({ name, isArray }) => [name, isArray ?? false])).toEqual(
        columns.map(({ name, type }) => [`${table}/${name}`, type.startsWith('list<')]),
      );
      for (const { source } of field) {
        expect(source).toMatchObject({ fileSet: { '@id': `shards-of-${table}` } });
      }
    }
    const types = described.recordSet.flatMap(({ field }) => field.map(({ dataType }) => dataType));
    expect(types).not.toContain(undefined);
  });

  it('refers only to what it describes', () => {
    const ids = new Set<unknown>();
    const references: unknown[] = [];
    const visit = (value: unknown): void => {
      if (value === null || typeof value !== 'object') return;
      const entries = Object.entries(value);
      const id = (value as Record<string, unknown>)['@id'];
      if (entries.length === 1 && id !== undefined) references.push(id);
      else if (id !== undefined) ids.add(id);
      for (const [, each] of entries) visit(each);
    };
    const { '@context': _, ...rest } = described as Described & { '@context': unknown };
    visit(rest);
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('is the same for the same manifest, and holds no time', () => {
    const again = croissant(makeManifest({ ...manifest, files: [...files] }), plan);
    expect(again).toBe(croissant(manifest, plan));
    expect(again).not.toMatch(/date|\d{4}-\d\d-\d\d/);
  });
});
