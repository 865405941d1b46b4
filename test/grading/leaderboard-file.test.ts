import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import { leaderboardRecord, parseLeaderboard } from '../../src/grading/leaderboard-file.js';
import { describeWithShared, sharedFile } from '../shared.js';

describe('a leaderboard', () => {
  it('is a column of scores in rank order, whatever stands beside it', () => {
    const text =
      'scoreNullable,teamId,Score,hasScore\n0.9,1,0.9,True\n0.8,2,0.8,True\n,3,,False\nnan,4,NaN,True\n';
    const board = parseLeaderboard(text, 'b.csv');
    expect(board).toEqual({ scores: [0.9, 0.8], skipped: 2 });
    expect(leaderboardRecord(board, { task_id: 't', aliases: ['u'] }, 'b.csv')).toMatchObject({
      task_id: 't',
      aliases: ['u'],
      is_lower_better: false,
      n_teams: 2,
      threshold_source: 'leaderboard',
      thresholds: { gold: 0.9, silver: 0.9, bronze: 0.9, median: 0.8500000000000001 },
    });
  });

  it.each([
    ['no column score', 'points\n1\n', 'b.csv:1'],
    ['a word', 'score\n1\nhigh\n', 'b.csv:3'],
    ['ranks that go down', 'rank,score\n1,3\n3,2\n2,1\n', 'b.csv:4'],
  ])('refuses %s', (_name, text, place) => {
    expect(() => parseLeaderboard(text, 'b.csv')).toThrow(place);
  });

  it('gives no record where order or direction cannot be trusted', () => {
    const record = (scores: number[], rest = {}) =>
      leaderboardRecord({ scores, skipped: 0 }, { task_id: 't', ...rest }, 'b.csv');
    expect(() => record([1, 3, 2])).toThrow('rank order');
    expect(() => record([])).toThrow('without scores');
    expect(() => record([1, 2, 3], { is_lower_better: false })).toThrow('says lower is better');
  });
});

describeWithShared('real leaderboards', () => {
  const shipped = new Map(builtinTasks().map((record) => [record.task_id, record]));

  it('give the shipped thresholds of MLE-bench Lite', () => {
    const boards = JSON.parse(
      gunzipSync(readFileSync(sharedFile('grading/lite_leaderboard_scores.json.gz'))).toString('utf8'),
    ) as Record<string, number[]>;
    const names = Object.keys(boards);
    expect(names.length).toBe(22);
    for (const name of names) {
      const text = ['score', ...(boards[name] ?? [])].join('\n');
      const record = leaderboardRecord(parseLeaderboard(text, name), { task_id: name }, name);
      const known = shipped.get(name);
      expect(record.thresholds, name).toEqual(known?.thresholds);
      expect([record.is_lower_better, record.n_teams], name).toEqual([
        known?.is_lower_better,
        known?.n_teams,
      ]);
    }
  });

  it('are read from their file', () => {
    const path = sharedFile('grading/random-acts-of-pizza.private_leaderboard.csv');
    const board = parseLeaderboard(readFileSync(path, 'utf8'), path);
    const record = leaderboardRecord(board, { task_id: 'random-acts-of-pizza' }, path);
    expect(record.n_teams).toBe(462);
    expect(record.thresholds).toEqual(shipped.get('random-acts-of-pizza')?.thresholds);
  });
});
