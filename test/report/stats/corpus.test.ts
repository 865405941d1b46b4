import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { corpusStats, STATS_SECTIONS } from '../../../src/report/stats/corpus-stats.js';
import { FactsBuilder, tasksByName } from '../../../src/report/stats/facts-builder.js';
import { readCorpusFacts } from '../../../src/report/stats/read-facts.js';
import { STATS_TABLE, writeStats } from '../../../src/report/stats/stats-table.js';
import { readShard } from '../../../src/tables/read-shard.js';
import type { ExecutionRow, SftRow, TrajectoryRow, WindowRow } from '../../../src/tables/table-specs.js';
import { verifyCorpus } from '../../../src/tables/verify.js';
import { GOOD_ROWS, sftRow, windowRow, writeCorpus } from '../../tables/corpus.js';
import { numbersOf, taskRecord } from './facts.js';

const home = mkdtempSync(join(tmpdir(), 'trajmill-stats-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const lineage = {
  source_path: 'a.jsonl',
  source_format: 'mle-dojo',
  adapter_version: '1',
  scaffold: 'scaffold',
  flags: [] as string[],
};

/** A corpus of `count` runs with three executions and windows each, on two tasks, by three models. */
function rowsOf(count: number) {
  const executions: ExecutionRow[] = [];
  const windows: WindowRow[] = [];
  const trajectories: TrajectoryRow[] = [];
  const prefixes: SftRow[] = [];
  for (let i = 0; i < count; i++) {
    const own = {
      ...lineage,
      trajectory_id: `t${i}`,
      task_id: i % 2 === 0 ? 'task' : 'loss',
      model: `m${i % 3}`,
    };
    for (let order = 0; order < 3; order++) {
      const score = ((i * 7 + order * 3) % 11) / 10.7;
      executions.push({
        ...own,
        execution_id: `e${order}`,
        order,
        call_turn: 1 + 2 * order,
        feedback_turn: 2 + 2 * order,
        kind: 'experiment',
        status: (i + order) % 4 === 0 ? 'error' : 'ok',
        exit_code: null,
        seconds: 0.1 * (i + 1) + order / 3,
        submitted: true,
        gradable: true,
        score_test: score,
        score_validation: score + 0.013 * order,
        score_self_reported: null,
        medal: null,
        parent_execution: null,
        invalidated: false,
      });
      windows.push(
        windowRow({
          ...own,
          window_id: `t${i}.w${order}`,
          outcome: order === 0 ? 'error' : 'bronze',
          reward: order === 0 ? -1 : 1.2,
          trend: order === 2 ? 'rose' : null,
        }),
      );
    }
    prefixes.push(
      sftRow({ ...own, row_id: `t${i}.best.4.e0.s0`, cut_turns: i, cut_tokens: 3 * i }),
      sftRow({ ...own, row_id: `t${i}.best.4.e0.s1`, cut_turns: i, cut_tokens: 3 * i }),
    );
    trajectories.push({
      ...own,
      flags: i % 2 === 0 ? ['odd'] : [],
      byte_start: 0,
      byte_end: 1,
      sha256: 'x',
      n_turns: 7,
      n_calls: 3,
      n_executions: 3,
      n_submissions: 3,
      first_score: null,
      best_score: null,
      last_score: null,
      termination: 'submitted',
      feedback_exposes_test_score: i === 0,
      stage: null,
      source: null,
      decision: i % 5 === 4 ? 'filtered' : 'kept',
      reason: i % 5 === 4 ? 'no_submission' : null,
      duplicate_of: null,
      detail: null,
    });
  }
  return { executions, windows, trajectories, prefixes };
}

const tasks = [taskRecord(), taskRecord({ task_id: 'loss', is_lower_better: true })];

function figuresOf(rows: ReturnType<typeof rowsOf>) {
  const builder = new FactsBuilder();
  for (const row of rows.executions) builder.execution(row);
  for (const row of rows.windows) builder.window(row);
  for (const row of rows.prefixes) builder.prefix(row);
  for (const row of rows.trajectories) builder.trajectory(row);
  return corpusStats(builder.build({ rejects: { torn_line: 1 }, tasks: tasksByName(tasks) }));
}

describe('corpusStats', () => {
  const rows = rowsOf(11);
  const expected = figuresOf(rows);

  it('has every section', () => {
    const present = new Set(expected.map(({ section }) => section));
    expect([...present]).toEqual(STATS_SECTIONS.map(({ name }) => name));
  });

  it('does not depend on the order of rows', () => {
    const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], { minLength: list.length });
    fc.assert(
      fc.property(
        shuffled(rows.executions),
        shuffled(rows.windows),
        shuffled(rows.trajectories),
        shuffled(rows.prefixes),
        (executions, windows, trajectories, prefixes) => {
          expect(figuresOf({ executions, windows, trajectories, prefixes })).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives every figure its n, and an interval around its value wherever there is one', () => {
    for (const { section, key, figure, value, low, high, n, interval } of expected) {
      const name = `${section} ${key} ${figure}`;
      expect(Number.isInteger(n), name).toBe(true);
      if (interval === 'wilson') expect(low === null, name).toBe(n === 0);
      if (interval === 't') expect(low === null, name).toBe(n < 2);
      if (value === null || low === null || high === null) continue;
      expect(value, name).toBeGreaterThanOrEqual(low - 1e-12);
      expect(value, name).toBeLessThanOrEqual(high + 1e-12);
    }
  });

  it('adds stretches of a prefix up and its cut once', () => {
    // 11 prefixes of two rows of 4 tokens; cut 0 to 30 tokens
    expect(numbersOf(expected, 'all', 'tokens cut, mean').at(0)).toBe(15);
    expect(numbersOf(expected, 'all', 'share of tokens cut').at(0)).toBe(Math.round((165 / 253) * 1e4) / 1e4);
  });

  it('counts equal trajectories of one file once', () => {
    const twice = {
      ...rows,
      windows: [...rows.windows, windowRow({ ...rows.windows[0], window_id: 't0+1.w0', outcome: 'gold' })],
    };
    const shares = (of: typeof expected) => numbersOf(of, 'all', 'gold');
    expect(shares(figuresOf(twice))).toEqual(shares(expected));
  });
});

describe('a corpus on disk', () => {
  it('is read without tokens, and its figures are written beside its data', async () => {
    const corpus = join(home, 'corpus');
    const { executions, trajectories, prefixes } = rowsOf(3);
    await writeCorpus(corpus, { ...GOOD_ROWS, executions, trajectories, sft: prefixes });
    const figures = corpusStats(await readCorpusFacts(corpus, tasks));
    expect(numbersOf(figures, 'all', 'prefixes that were cut').at(3)).toBe(3);
    expect(numbersOf(figures, 'decision', 'kept')).toEqual([1, 0.4385, 1, 3]);

    const before = await verifyCorpus(corpus);
    const [parquet = '', json = ''] = await writeStats(join(corpus, 'stats'), {
      plan_id: 'plan',
      tool_version: '0',
      figures,
    });
    const stored: unknown[] = [];
    for await (const row of readShard(parquet, STATS_TABLE)) stored.push(row);
    expect(stored).toEqual(figures);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ plan_id: 'plan', figures });
    expect(await verifyCorpus(corpus)).toEqual(before);
  });
});
