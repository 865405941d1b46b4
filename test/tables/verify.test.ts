import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ManifestFile } from '../../src/tables/manifest.js';
import { openShardWriter } from '../../src/tables/shard-writer.js';
import { TABLES } from '../../src/tables/table-specs.js';
import { type VerifyOptions, verifyCorpus } from '../../src/tables/verify.js';
import {
  type CorpusRows,
  GOOD_ROWS,
  resealed,
  rlRow,
  secondWindow,
  sftRow,
  windowRow,
  writeCorpus,
  writeManifest,
} from './corpus.js';
import { temporaryFolder } from './temporary.js';

const folder = temporaryFolder();
let corpora = 0;

const SFT = 'data/sft/train-00000-of-00001.parquet';

async function corpus(rows: CorpusRows = GOOD_ROWS): Promise<{ dir: string; files: ManifestFile[] }> {
  const dir = join(folder, `${corpora++}`);
  return { dir, files: await writeCorpus(dir, rows) };
}

/** Failures as "check: place: message". */
async function failures(dir: string, options?: VerifyOptions): Promise<string[]> {
  const report = await verifyCorpus(dir, options);
  expect(report.ok).toBe(report.checks.every((check) => check.failed === 0));
  return report.checks.flatMap(({ name, failures }) =>
    failures.map(({ place, message }) => `${name}: ${place}: ${message}`),
  );
}

const failuresOf = async (rows: CorpusRows) => failures((await corpus(rows)).dir);

describe('verifyCorpus', () => {
  test('finds nothing in a good corpus, and says how much it looked at', async () => {
    const { dir } = await corpus();
    const report = await verifyCorpus(dir);
    expect(report.ok).toBe(true);
    expect(Object.fromEntries(report.checks.map(({ name, checked }) => [name, checked]))).toEqual({
      files: 4,
      sums: 4,
      schema: 4,
      footer: 4,
      rows: 9,
      values: 5,
      tokens: 3,
      keys: 5,
      windows: 3,
      columns: 4,
      rewards: 3,
      proofs: 2,
      beside: 0,
    });
  });

  test('takes the run folder as well', async () => {
    const { dir } = await corpus();
    const run = `${dir}-run`;
    mkdirSync(run);
    renameSync(dir, join(run, 'corpus'));
    expect(await verifyCorpus(run)).toMatchObject({ ok: true, corpus: join(run, 'corpus') });
  });

  test('says that a corpus without manifest is not committed, and refuses one that is none', async () => {
    const { dir } = await corpus();
    rmSync(join(dir, 'manifest.json'));
    await expect(verifyCorpus(dir)).rejects.toMatchObject({ code: 'E_UNCOMMITTED', exitCode: 2 });
    for (const text of ['{', '{"files": []}']) {
      writeFileSync(join(dir, 'manifest.json'), text);
      await expect(verifyCorpus(dir)).rejects.toMatchObject({ code: 'E_VERIFY' });
    }
  });

  test('says that a folder does not exist', async () => {
    const { dir } = await corpus();
    await expect(verifyCorpus(join(dir, 'nowhere'))).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringContaining('no such folder'),
    });
  });

  test('catches any flipped bit of a shard by its sha256', async () => {
    const { dir } = await corpus({ sft: [sftRow()] });
    const good = readFileSync(join(dir, SFT));
    for (const at of [0, 5, good.length >> 1, good.length - 1]) {
      const bad = Buffer.from(good);
      bad.writeUInt8(bad.readUInt8(at) ^ 1, at);
      writeFileSync(join(dir, SFT), bad);
      expect(await failures(dir)).toEqual([expect.stringMatching(`^sums: ${SFT}: has sha256 `)]);
    }
  });

  test('says of a shard that is damaged what was not compared, and lays nothing at other tables', async () => {
    for (const table of ['windows', 'rl', 'sft'] as const) {
      const { dir, files } = await corpus();
      const { path } = files.find((file) => file.table === table) ?? { path: '' };
      const bytes = readFileSync(join(dir, path));
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(join(dir, path), bytes);
      expect(await failures(dir)).toEqual([expect.stringMatching(`^sums: ${path}: has sha256 `)]);
      expect((await verifyCorpus(dir)).unread).toEqual([table]);
    }
  });

  test('catches totals that are not the sums of the files', async () => {
    const { dir } = await corpus();
    const path = join(dir, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    manifest.totals.windows.rows++;
    writeFileSync(path, JSON.stringify(manifest));
    expect(await failures(dir)).toEqual([
      'rows: manifest.json: totals of table windows are not the sums of its files',
    ]);
  });

  test('refuses column lists of another version with 2, and says which versions they are', async () => {
    const { dir } = await corpus();
    const path = join(dir, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, schema_version: 99, a_new_key: true }));
    await expect(verifyCorpus(dir)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /manifest\.json: has column lists of version 99, .* reads version \d+: /,
      ),
    });
  });

  test('reports what the caller finds beside the shards', async () => {
    const { dir } = await corpus();
    const beside = async () => [
      { place: 'here', problem: null },
      { place: 'there', problem: 'is wrong' },
    ];
    expect(await failures(dir, { beside })).toEqual(['beside: there: is wrong']);
  });

  test('catches files that are missing, unnamed, cut off or named twice', async () => {
    const { dir, files } = await corpus();
    rmSync(join(dir, 'data/rl'), { recursive: true });
    truncateSync(join(dir, SFT), 100);
    writeFileSync(join(dir, 'data/sft/train-00001-of-00002.parquet'), 'x');
    const windows = files.filter(({ table }) => table === 'windows');
    writeManifest(dir, [...files, ...windows]);
    const found = await failures(dir);
    expect(found).toContain('files: data/rl/train-00000-of-00001.parquet: is missing');
    expect(found).toContain('files: data/sft/train-00001-of-00002.parquet: is not in the manifest');
    expect(found).toContain('files: data/windows/train-00000-of-00001.parquet: is named twice');
    expect(found).toContainEqual(
      expect.stringMatching(`^sums: ${SFT}: has 100 bytes, the manifest says \\d+$`),
    );
  });

  test('catches a shard under the name of another table, split or place', async () => {
    const { dir, files } = await corpus({ sft: [sftRow()] });
    writeManifest(
      dir,
      files.map((file) => ({ ...file, split: 'validation' })),
    );
    expect(await failures(dir)).toEqual([`files: ${SFT}: is named unlike a shard of sft, split validation`]);
  });

  test('catches a shard with the columns of another table, and a footer of another plan', async () => {
    const { dir, files } = await corpus({ sft: [sftRow()] });
    const writer = await openShardWriter({
      path: join(dir, SFT),
      spec: TABLES.windows,
      metadata: { plan_id: 'other' },
    });
    await writer.close();
    writeManifest(dir, resealed(dir, files));
    expect(await failures(dir)).toEqual([
      `schema: ${SFT}: schema element 10 is "OPTIONAL BYTE_ARRAY(UTF8) window_id", expected "OPTIONAL BYTE_ARRAY(UTF8) row_id"`,
      expect.stringMatching(`^footer: ${SFT}: footer key huggingface is .*, expected `),
      `rows: ${SFT}: has 0 rows, the manifest says 1`,
    ]);
  });

  test('catches a plan that is not the one in the footers', async () => {
    const { dir, files } = await corpus({ sft: [sftRow()] });
    writeManifest(dir, files, 'another');
    expect(await failures(dir)).toEqual([`footer: ${SFT}: footer key plan_id is plan, expected another`]);
  });

  test('compares rows, tokens and row groups with the manifest', async () => {
    const { dir, files } = await corpus({ sft: [sftRow()] });
    const change = (extra: Partial<ManifestFile>) =>
      writeManifest(
        dir,
        files.map((file) => ({ ...file, ...extra })),
      );
    change({ rows: 2 });
    expect(await failures(dir)).toEqual([`rows: ${SFT}: has 1 rows, the manifest says 2`]);
    change({ row_groups: 2 });
    expect(await failures(dir)).toEqual([`rows: ${SFT}: has 1 row groups, the manifest says 2`]);
    change({ tokens: 5 });
    expect(await failures(dir)).toEqual([`rows: ${SFT}: has 4 tokens, the manifest says 5`]);
  });

  test('tells its caller each file before it reads it', async () => {
    const { dir } = await corpus();
    const seen: string[] = [];
    await verifyCorpus(dir, {
      onFile: (path, index, of) => seen.push(`${index}/${of} ${path.split('/')[1]}`),
    });
    expect(seen).toEqual(['0/4 windows', '1/4 rl', '2/4 sft', '3/4 executions']);
  });
});

describe('rows of sft', () => {
  test.each([
    [{ loss_mask: [0, 1, 1] }, 'tokens', 'loss_mask has 3 entries for 4 ids'],
    [{ loss_mask: [0, 2, 0, 0] }, 'tokens', 'loss_mask holds a value that is neither 0 nor 1'],
    [{ loss_mask: [0, -1, 1, 1] }, 'tokens', 'loss_mask holds a value that is neither 0 nor 1'],
    [{ loss_mask: [0, 0, 0, 0], n_trained: 0 }, 'tokens', 'no token is trained'],
    [{ n_tokens: 5 }, 'tokens', 'n_tokens is 5, input_ids has 4'],
    [{ n_trained: 3 }, 'tokens', 'n_trained is 3, loss_mask has 2 ones'],
    [{ input_ids: [5, -6, 7, 8] }, 'tokens', 'input_ids[1] is -6'],
    [{ proofs: ['lengths' as const] }, 'proofs', expect.stringContaining('lacks the proof trained_text')],
  ])('with %j fail the check %s', async (change, check, message) => {
    const report = await verifyCorpus((await corpus({ sft: [sftRow(change)] })).dir);
    expect(report.checks.filter(({ ok }) => !ok)).toMatchObject([
      { name: check, failures: [{ place: `${SFT} row 0 (row_id r0)`, message }] },
    ]);
  });

  test('need unique ids', async () => {
    expect(await failuresOf({ sft: [sftRow(), sftRow({ row_id: 'r1' }), sftRow()] })).toEqual([
      `keys: ${SFT} row 2 (row_id r0): another row has the same id`,
    ]);
  });

  test('are proved anew by the caller, who sees ids and mask', async () => {
    const { dir } = await corpus({ sft: [sftRow(), sftRow({ row_id: 'r1', input_ids: [5, 6, 7, 9] })] });
    const prove: VerifyOptions['prove'] = async ({ input_ids: ids, loss_mask: mask }) =>
      ids[3] === 8 && mask instanceof Int8Array ? null : 'ids differ from the rendering';
    expect(await failures(dir, { prove })).toEqual([
      `proofs: ${SFT} row 1 (row_id r1): ids differ from the rendering`,
    ]);
  });

  test('that lack a value are named, and not looked at further', async () => {
    const { dir, files } = await corpus({ sft: [sftRow()] });
    const loose = TABLES.sft.columns.map((column) => ({ ...column, nullable: true }));
    const writer = await openShardWriter({
      path: join(dir, SFT),
      spec: { ...TABLES.sft, columns: loose },
      metadata: { plan_id: 'plan' },
    });
    await writer.append({ ...sftRow(), n_turns: null });
    await writer.close();
    writeManifest(dir, resealed(dir, files));
    expect(await failures(dir)).toEqual([`values: ${SFT} row 0 (row_id r0): n_turns must not be null`]);
  });
});

describe('windows and sequences', () => {
  const RL = 'data/rl/train-00000-of-00001.parquet row 0 (sequence_id s0)';
  const W0 = 'data/windows/train-00000-of-00001.parquet row 0 (window_id w0)';
  const windows = [windowRow(), secondWindow()];

  test.each<[Partial<Parameters<typeof rlRow>[0]>, string[]]>([
    [{ window_index: [-1, 0, 0, -1, 1, 1, 1] }, [`tokens: ${RL}: window_index has 7 entries for 8 ids`]],
    [
      { window_index: [-1, 0, 0, -1, 2, 1, 1, -1] },
      [`tokens: ${RL}: window_index[4] is 2, there are 2 windows`],
    ],
    [{ window_index: [-1, 0, -1, -1, 1, 1, 1, -1] }, [`tokens: ${RL}: token 2 is trained but in no window`]],
    [
      { loss_mask: [0, 1, 0, 0, 1, 0, 1, 0] },
      [`tokens: ${RL}: window 0 has 1 trained tokens, window_n_trained says 2`],
    ],
    [{ rollout_log_probs: [null, -0.5] }, [`tokens: ${RL}: rollout_log_probs has 2 entries for 8 ids`]],
    [
      { window_index: [-1, 0, 0, 1, 1, 1, 1, -1] },
      [`windows: ${RL}: token 3 lies in no window, window_index is 1`],
    ],
    [
      { window_index: [-1, 0, 0, -1, 1, -1, 1, -1] },
      [`windows: ${RL}: token 5 lies in window 1, window_index is -1`],
    ],
    [
      { window_index: [-1, 0, 0, -1, 1, 1, 1, 1] },
      [`windows: ${RL}: token 7 lies in no window, window_index is 1`],
    ],
    [{ window_rewards: [-0.6, null] }, [`rewards: ${RL}: window_rewards[0] is -0.6, window w0 has -1`]],
    [{ window_rewards: [-1, 0] }, [`rewards: ${RL}: window_rewards[1] is 0, window w1 has null`]],
  ])('of a sequence with %j disagree', async (change, expected) => {
    expect(await failuresOf({ rl: [rlRow(change)], windows })).toEqual(expected);
  });

  test.each<[Partial<Parameters<typeof windowRow>[0]>, string[]]>([
    [{ token_end: 4 }, [`windows: ${RL}: token 3 lies in window 0, window_index is -1`]],
    [
      { token_start: 3 },
      [
        `windows: ${W0}: tokens 3 to 3 are no range`,
        `windows: ${RL}: token 1 lies in no window, window_index is 0`,
      ],
    ],
    [{ token_end: 5 }, [`windows: ${RL}: token 3 lies in window 0, window_index is -1`]],
    [{ n_trained: 1 }, [`windows: ${RL}: window w0 has n_trained 1, its sequence says 2`]],
    [
      { token_end: null },
      [
        `windows: ${W0}: sequence_id, token_start and token_end must be given together`,
        `windows: ${RL}: table windows has 1 windows of it, window_rewards has 2`,
        `rewards: ${RL}: window_rewards[0] is -1, window w1 has null`,
      ],
    ],
    [
      { outcome: 'gold', trend: 'rose' },
      [`rewards: ${W0}: outcome gold, trend rose: the reward is -1, expected 2.2`],
    ],
    [
      { outcome: 'infrastructure' },
      [`rewards: ${W0}: outcome infrastructure has the reward -1, expected none`],
    ],
    [{ reward_name: null }, [`rewards: ${W0}: reward -1 has no reward_name`]],
  ])('of a window with %j disagree', async (change, expected) => {
    expect(await failuresOf({ rl: [rlRow()], windows: [windowRow(change), secondWindow()] })).toEqual(
      expected,
    );
  });

  test('beyond the end of their sequence are found', async () => {
    const found = await failuresOf({ rl: [rlRow()], windows: [windowRow(), secondWindow({ token_end: 9 })] });
    expect(found).toEqual([`windows: ${RL}: token 7 lies in window 1, window_index is -1`]);
  });

  test('may stand alone where a corpus has no table of sequences', async () => {
    expect(await failuresOf({ windows })).toEqual([]);
  });

  test('whose sequence is not there are found', async () => {
    const lost = windowRow({ window_id: 'w9', sequence_id: 's9' });
    expect(await failuresOf({ rl: [rlRow()], windows: [...windows, lost] })).toEqual([
      'windows: window w9: its sequence s9 is not in table rl',
    ]);
    const none = { sequence_id: null, token_start: null, token_end: null, n_trained: 0 };
    expect(await failuresOf({ windows: windows.map((each) => ({ ...each, ...none })) })).toEqual([]);
  });

  test('of sequences without a table of windows are checked against the ten values', async () => {
    expect(await failuresOf({ rl: [rlRow()] })).toEqual([]);
    expect(await failuresOf({ rl: [rlRow({ window_rewards: [0.5, null] })] })).toEqual([
      `rewards: ${RL}: window_rewards[0] is 0.5`,
    ]);
  });

  test('shows twenty failures of a check and counts them all', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => sftRow({ row_id: `r${i}`, n_tokens: 0 }));
    const { checks } = await verifyCorpus((await corpus({ sft: rows })).dir);
    const tokens = checks.find(({ name }) => name === 'tokens');
    expect([tokens?.checked, tokens?.failed, tokens?.failures.length]).toEqual([30, 30, 20]);
  });
});
