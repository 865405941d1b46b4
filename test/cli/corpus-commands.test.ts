import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Difference } from '../../src/cli/rescore-print.js';
import type { Comparison } from '../../src/report/compare/compare.js';
import type { Explanation } from '../../src/report/explain/explanation.js';
import { REWARDS_TABLE } from '../../src/report/rescore/rewards-table.js';
import type { Figure } from '../../src/report/stats/figure.js';
import { readShard } from '../../src/tables/read-shard.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';
import { temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { cli } from './harness.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The sample logs by the demo pipeline, and by other rewards and another selection. */
const OTHER = {
  quality: 'silver',
  threshold: '0.3',
  windows: '{trend: best, base: new_tier, timeouts: masked}',
};

beforeAll(async () => {
  const pipeline = writePipeline(home);
  const first = await trajmill(['run', pipeline, '--out', join(home, 'a'), '--workers', '1']);
  expect(first.code, first.stderr).toBe(0);
  mkdirSync(join(home, 'other'));
  const other = writePipeline(join(home, 'other'), (text) =>
    `${text}\nwindows: ${OTHER.windows}\n`
      .replace('quality: median', `quality: ${OTHER.quality}`)
      .replace('threshold: 0.05', `threshold: ${OTHER.threshold}`),
  );
  const second = await trajmill(['run', other, '--out', join(home, 'b'), '--workers', '1']);
  expect(second.code, second.stderr).toBe(0);
});

async function run<T>(argv: readonly string[]): Promise<T> {
  const { code, out, err } = await cli([...argv, '--json'], { cwd: home });
  expect(code, err).toBe(0);
  return JSON.parse(out) as T;
}

async function rowsOf(dir: string, table: TableName) {
  const rows: Record<string, unknown>[] = [];
  const path = join(home, dir, 'corpus/data', table);
  const manifest = JSON.parse(readFileSync(join(home, dir, 'corpus/manifest.json'), 'utf8')) as {
    files: { path: string; table: string }[];
  };
  for (const file of manifest.files.filter((each) => each.table === table)) {
    for await (const row of readShard(join(home, dir, 'corpus', file.path), TABLES[table]))
      rows.push({ ...row });
  }
  expect(rows.length, path).toBeGreaterThan(0);
  return rows;
}

describe('stats', () => {
  it('counts what the tables hold', async () => {
    const { figures } = await run<{ figures: Figure[] }>(['stats', 'a']);
    const windows = await rowsOf('a', 'windows');
    const gold = figures.find(
      ({ section, key, figure }) => `${section} ${key} ${figure}` === 'outcomes all gold',
    );
    expect(gold).toMatchObject({
      n: windows.length,
      value: windows.filter(({ outcome }) => outcome === 'gold').length / windows.length,
      interval: 'wilson',
    });
    const kept = figures.find(({ key, figure }) => key === 'decision' && figure === 'kept');
    const summary = JSON.parse(readFileSync(join(home, 'a/summary.json'), 'utf8')) as Record<string, number>;
    expect(kept).toMatchObject({
      n: summary['read'],
      value: (summary['kept'] ?? 0) / (summary['read'] ?? 1),
    });
  });

  it('prints sections, and writes beside the corpus so that it stays verified', async () => {
    const { code, out, err } = await cli(['stats', 'a/corpus', '--write'], { cwd: home });
    expect(code).toBe(0);
    expect(out).toContain('Best so far at budgets');
    expect(err).toBe('wrote a/corpus/stats/stats.parquet\nwrote a/corpus/stats/stats.json\n');
    expect(existsSync(join(home, 'a/corpus/stats/stats.parquet'))).toBe(true);
    expect((await cli(['verify', 'a'], { cwd: home })).code).toBe(0);
    const all = await cli(['stats', 'a', '--all'], { cwd: home });
    expect(all.out.length).toBeGreaterThan(out.length);
  });

  it('needs a committed corpus', async () => {
    expect((await cli(['stats', '.'], { cwd: home })).code).toBe(2);
  });
});

describe('explain', () => {
  it('tells a kept trajectory from source to rows, by the beginning of its id', async () => {
    const [row] = (await rowsOf('a', 'sft')).filter(({ rules }) => String(rules) === 'best');
    const id = String(row?.['trajectory_id']);
    const told = await run<Explanation>(['explain', 'a', id.slice(0, 10)]);
    expect(told.trajectory_id).toBe(id);
    expect(told.source_log).toMatchObject({ read: true });
    const best = told.rules.outcomes.find(({ rule }) => rule === 'best');
    expect(best).toMatchObject({ anchor_turn: row?.['anchor_turn'], reason: 'kept' });
    expect(told.sft.map(({ row_id }) => row_id)).toContain(row?.['row_id']);
    for (const { reward, why } of told.windows) {
      expect(why).toContain(reward === null ? 'pays nothing' : `= ${reward.toFixed(1)}`);
    }
    const { out } = await cli(['explain', 'a', id], { cwd: home });
    expect(out).toContain('the source log read again');
    expect(out).toContain('kept to turn');
    expect(out).toContain(best?.detail ?? 'no detail');
  });

  it('tells every trajectory and reject, and says the same by the tables where the log is gone', async () => {
    const ids = new Set(
      (await rowsOf('a', 'trajectories')).map(({ trajectory_id }) => String(trajectory_id)),
    );
    const location = join(home, 'a/location.json');
    let scored = 0;
    for (const id of ids) {
      const byLog = await run<Explanation>(['explain', 'a', id]);
      expect(byLog.source_log).toMatchObject({ read: true });
      renameSync(location, `${location}.away`);
      const byTables = await run<Explanation>(['explain', 'a', id]);
      renameSync(`${location}.away`, location);
      expect(byTables.source_log).toMatchObject({ read: false, because: 'location.json is gone' });
      for (const outcome of byTables.rules.outcomes) {
        const same = byLog.rules.outcomes.find(({ rule }) => rule === outcome.rule);
        expect([id, outcome.anchor_turn, outcome.score, outcome.detail]).toEqual([
          id,
          same?.anchor_turn,
          same?.score,
          same?.detail,
        ]);
        scored += 1;
      }
    }
    expect(scored).toBeGreaterThan(20);
  });

  it('tells a reject its code and message', async () => {
    const rejects = readFileSync(join(home, 'a/rejects.jsonl'), 'utf8').trim().split('\n');
    const parsed = rejects.map((line) => JSON.parse(line) as { trajectory_id: string | null; code: string });
    const reject = parsed.find(({ trajectory_id }) => trajectory_id !== null);
    const told = await run<Explanation>(['explain', 'a', reject?.trajectory_id ?? '']);
    expect(told.rejects).toMatchObject([{ code: reject?.code }]);
    expect(told.inputs).toMatchObject([{ decision: 'rejected', reason: reject?.code }]);
  });

  it('lists several matches, and refuses what answers to nothing', async () => {
    const [first] = await rowsOf('a', 'sft');
    const several = await cli(['explain', 'a', String(first?.['source_path'])], { cwd: home });
    const ids = new Set(
      (await rowsOf('a', 'trajectories')).map(({ trajectory_id }) => String(trajectory_id)),
    );
    const initials = [...'0123456789abcdef'].filter(
      (c) => [...ids].filter((id) => id.startsWith(c)).length > 1,
    );
    const ambiguous = await cli(['explain', 'a', initials[0] ?? ''], { cwd: home });
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.out.split('\n').length).toBeGreaterThan(3);
    expect(ambiguous.err).toContain('name one of them');
    expect([0, 2]).toContain(several.code);
    const nothing = await cli(['explain', 'a', 'zzzz'], { cwd: home });
    expect(nothing).toMatchObject({ code: 2, out: '' });
  });
});

describe('rescore', () => {
  const file = () => {
    const path = join(home, 'rewards.yaml');
    writeFileSync(
      path,
      `windows: ${OTHER.windows}\nselection:\n  quality: ${OTHER.quality}\n  degradation: {threshold: ${OTHER.threshold}}\n`,
    );
    return path;
  };

  it('pays what a whole run by those rules pays, and selects what it selects', async () => {
    const difference = await run<Difference>([
      'rescore',
      'a',
      '--rewards',
      file(),
      '--out',
      'rewards.parquet',
    ]);
    expect(difference.windows.not_reproducible).toBe(0);
    const actual = new Map((await rowsOf('b', 'windows')).map((row) => [row['window_id'], row]));
    let changed = 0;
    let windows = 0;
    for await (const row of readShard(join(home, 'rewards.parquet'), REWARDS_TABLE)) {
      expect([row.window_id, row.outcome, row.new_reward]).toEqual([
        row.window_id,
        actual.get(row.window_id)?.['outcome'],
        actual.get(row.window_id)?.['reward'],
      ]);
      windows += 1;
      if (row.old_reward !== row.new_reward) changed += 1;
    }
    expect(windows).toBe(actual.size);
    expect(changed).toBe(difference.windows.changed);
    expect(changed).toBeGreaterThan(0);

    const anchorsOf = async (dir: string) => {
      const rows = await rowsOf(dir, 'sft');
      return new Map(
        rows.flatMap(({ trajectory_id, rules, anchor_turn }) =>
          (rules as string[]).map((rule): [string, unknown] => [
            `${String(trajectory_id)} ${rule}`,
            anchor_turn,
          ]),
        ),
      );
    };
    const [before, after] = [await anchorsOf('a'), await anchorsOf('b')];
    const moved = new Set(
      [...before.keys(), ...after.keys()].filter((key) => before.get(key) !== after.get(key)),
    );
    expect(new Set(difference.prefixes.map(({ trajectory_id, rule }) => `${trajectory_id} ${rule}`))).toEqual(
      moved,
    );
    for (const { trajectory_id, rule, new_anchor } of difference.prefixes) {
      expect(new_anchor).toBe(after.get(`${trajectory_id} ${rule}`) ?? null);
    }
    expect(moved.size).toBeGreaterThan(0);
  });

  it('changes nothing where nothing is asked', async () => {
    writeFileSync(join(home, 'same.yaml'), '{}\n');
    const same = await run<Difference>(['rescore', 'a', '--rewards', 'same.yaml']);
    expect(same.windows).toMatchObject({ changed: 0, outcome_changed: 0, not_reproducible: 0, changes: [] });
    expect(same.prefixes).toEqual([]);
  });

  it('prints for people, and refuses a file with a fault', async () => {
    const { code, out } = await cli(['rescore', 'a', '--rewards', file()], { cwd: home });
    expect(code).toBe(0);
    expect(out).toContain('windows change');
    writeFileSync(join(home, 'fault.yaml'), 'windows: {trend: sideways}\n');
    const fault = await cli(['rescore', 'a', '--rewards', 'fault.yaml'], { cwd: home });
    expect(fault.code).toBe(2);
    expect(fault.err).toContain('fault.yaml: windows.trend');
  });
});

describe('compare', () => {
  it('finds nothing between a corpus and itself', async () => {
    const same = await run<Comparison>(['compare', 'a', 'a/corpus']);
    expect(same).toMatchObject({ same_plan: true, windows_paid_otherwise: 0, config: [] });
    expect(same.trajectories).toMatchObject({ only_a: [], only_b: [], decided_otherwise: [] });
    expect(same.sft).toMatchObject({ only_a: [], only_b: [], ids: [], mask: [], anchor: [] });
  });

  it('names settings, trajectories, rows and rewards that differ', async () => {
    const found = await run<Comparison>(['compare', 'a', 'b']);
    const paths = found.config?.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'config.selection.quality',
        'config.selection.degradation.threshold',
        'config.windows.trend',
      ]),
    );
    expect(found.trajectories.decided_otherwise.length).toBeGreaterThan(0);
    expect(found.windows_paid_otherwise).toBeGreaterThan(0);
    // the same prefix encodes to the same tokens
    expect(found.sft).toMatchObject({ ids: [], mask: [], anchor: [] });
    const { code, out } = await cli(['compare', 'a', 'b'], { cwd: home });
    expect(code).toBe(0);
    expect(out).toContain('config.windows.trend');
  });
});
