import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Grading } from '../../src/cli/grade-print.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { cli, temporaryFolder } from './harness.js';

async function graded(argv: readonly string[], cwd?: string): Promise<Grading> {
  const { code, out, err } = await cli(['grade', ...argv, '--json'], cwd === undefined ? {} : { cwd });
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as Grading;
}

describe('grade', () => {
  it('gives medals of scores by the shipped record, inclusive, the median strictly', async () => {
    const { scores } = await graded([
      '0.97908',
      '0.76482',
      '0.6921',
      '0.5',
      'nan',
      '--task',
      'random-acts-of-pizza',
    ]);
    expect(scores.map(({ medal }) => medal)).toEqual(['gold', 'silver', 'bronze', 'none', null]);
    expect(scores.map(({ above_median }) => above_median)).toEqual([true, true, true, false, false]);
    expect(scores.at(-1)).toMatchObject({ score: 'NaN', gradable: false, any_medal: null });
  });

  it('reads a file of scores and writes them as a report that it reads again', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'scores.csv'),
      'competition_id,score\nrandom-acts-of-pizza,0.8\nspooky-author-identification,0.2\naerial-cactus-identification,\ndenoising-dirty-documents,inf\n',
    );
    const { code, err } = await cli(['grade', '--scores', 'scores.csv', '--write', 'report.json'], { cwd });
    expect([code, err]).toEqual([0, 'wrote report.json\n']);
    expect(readFileSync(join(cwd, 'report.json'), 'utf8')).toContain('"score": Infinity');
    const { reports } = await graded(['--report', 'report.json', '--report', 'report.json'], cwd);
    expect(
      reports?.reports.map(({ counts }) => [counts.n, counts.valid_submission, counts.any_medal]),
    ).toEqual([
      [4, 3, 2],
      [4, 3, 2],
    ]);
    expect(reports?.reports.flatMap(({ inconsistencies }) => inconsistencies)).toEqual([]);
    expect(reports?.over_seeds.any_medal).toEqual({ n: 2, mean: 0.5, sem: 0, ci95: [0.5, 0.5] });
  });

  it('lists what breaks the sanity rule; a synthetic task ends with 65', async () => {
    const { sanity } = await graded(['--sanity']);
    const broken = sanity?.filter(({ violations }) => violations.length > 0).map(({ task_id }) => task_id);
    expect(broken).toHaveLength(4);
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'tasks.yaml'),
      '- {task_id: t, origin: synthetic, is_lower_better: true, thresholds: {gold: 2, silver: 1, bronze: 3, median: 4}}\n',
    );
    const { code, out, err } = await cli(['grade', '--sanity', '--tasks', 'tasks.yaml'], { cwd });
    expect(code).toBe(65);
    expect(out).toContain('gold 2 is not stronger than silver 1');
    expect(err).toContain('1 tasks break the sanity rule');
  });

  it('finds what cannot be right in a table of results', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'table.csv'), 'name,any_medal,gold,silver,bronze\nx,30.0,10.0,10.0,9.0\n');
    const { code, out } = await cli(['grade', '--table', 'table.csv'], { cwd });
    expect(code).toBe(65);
    expect(out).toContain('tiers');
  });

  it.each([
    [[], 'nothing to grade'],
    [['0.5'], 'scores need --task or --leaderboard'],
    [['0.5', '--task', 'no-such'], 'no task record is named "no-such"'],
    [['half', '--task', 'random-acts-of-pizza'], '"half" is not a score'],
    [['--scores', 'none.csv'], 'no such file'],
  ])('%j is refused', async (argv, message) => {
    const { code, err } = await cli(['grade', ...argv], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describeWithShared('grade, by recorded facts', () => {
  it('takes thresholds and ranks from a leaderboard', async () => {
    const board = sharedFile('grading/random-acts-of-pizza.private_leaderboard.csv');
    const { leaderboard, scores } = await graded(['0.55', '0.97908', '--leaderboard', board]);
    expect(leaderboard).toMatchObject({
      n_teams: 462,
      is_lower_better: false,
      positions: { gold: 10, silver: 50, bronze: 100 },
      thresholds: { gold: 0.97908, silver: 0.76482, bronze: 0.6921 },
    });
    expect(scores[0]?.human_rank?.private?.total).toBe(462);
    expect(scores[1]?.medal).toBe('gold');
  });

  it('gives the medals of a real report', async () => {
    const { reports } = await graded(['--report', sharedFile('grading/fmagent_group1.grading_report.json')]);
    expect(reports?.reports[0]?.counts).toMatchObject({
      n: 75,
      gold: 18,
      silver: 7,
      bronze: 7,
      any_medal: 32,
    });
    expect(reports?.reports[0]?.rows.flatMap(({ flags }) => flags)).not.toContain('medal_differs');
  });
});
