import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { type CorpusManifest, readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { duckRows, plain } from '../tables/duck.js';
import { repository, temporaryFolder, trajmill } from './child-run.js';

const home = temporaryFolder();
const pipelines = readdirSync(join(repository, 'pipelines')).filter((name) => name.endsWith('.yaml'));

/** How the sample logs are to be read, for pipelines that leave tasks and inputs to their users. */
function withSamples(pipeline: Record<string, unknown>): Record<string, unknown> {
  const demo = parse(readFileSync(join(repository, 'pipelines/demo.yaml'), 'utf8')) as Record<
    string,
    unknown
  >;
  return { tasks: demo['tasks'], experiments: demo['experiments'], ...pipeline };
}

/** Runs a shipped pipeline over the samples in a copy of the project's folders. */
async function runPipeline(name: string): Promise<{ out: string; summary: RunSummary }> {
  const pipeline = parse(readFileSync(join(repository, 'pipelines', name), 'utf8')) as Record<
    string,
    unknown
  >;
  const path = join(home, 'pipelines', `samples-${name}`);
  writeFileSync(path, stringify(withSamples(pipeline)));
  const out = join(home, 'out', name);
  const input = Object.hasOwn(pipeline, 'inputs') ? [] : ['--input', join(home, 'data/samples/logs')];
  const run = await trajmill(['run', path, ...input, '--out', out, '--json', '--workers', '1']);
  expect(run.code, run.stderr).toBe(0);
  return { out, summary: JSON.parse(run.stdout) as RunSummary };
}

beforeAll(() => {
  mkdirSync(join(home, 'out'));
  for (const folder of ['pipelines', 'data']) {
    cpSync(join(repository, folder), join(home, folder), { recursive: true });
  }
});

describe.each(pipelines)('%s', (name) => {
  let out = '';
  let summary: RunSummary;
  let corpus = '';
  let manifest: CorpusManifest;

  beforeAll(async () => {
    ({ out, summary } = await runPipeline(name));
    ({ corpus, manifest } = await readManifest(out));
  });

  it('accounts for every trajectory', () => {
    const { read, kept, filtered, rejected, duplicates } = summary;
    expect(read).toBe(kept + filtered + rejected + duplicates);
    expect(kept).toBeGreaterThan(0);
    const sum = (counts: Readonly<Record<string, number>>): number =>
      Object.values(counts).reduce((total, n) => total + n, 0);
    expect(sum(summary.filtered_by_reason)).toBe(filtered);
    expect(sum(summary.rejected_by_code)).toBe(rejected);
    const rejects = readFileSync(join(out, 'rejects.jsonl'), 'utf8').split('\n').filter(Boolean);
    expect(rejects).toHaveLength(rejected);
  });

  it('every shard is the same to two readers', async () => {
    const rowsOf: Record<string, number> = {};
    for (const { path, table, rows } of manifest.files) {
      const shard = join(corpus, path);
      const own: unknown[] = [];
      for await (const row of readShard(shard, TABLES[table])) own.push(plain(row));
      const other = await duckRows(`SELECT * FROM read_parquet('${shard}')`);
      expect(own, path).toEqual(other.map(plain));
      expect(own).toHaveLength(rows);
      rowsOf[table] = (rowsOf[table] ?? 0) + rows;
    }
    expect(rowsOf).toEqual(summary.rows);
  });

  it('holds what verify checks', async () => {
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
