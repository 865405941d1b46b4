import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { boardPosition, humanRank } from '../../src/grading/human-rank.js';
import { describeWithShared, sharedFile } from '../shared.js';

describe('humanRank', () => {
  const board = [9, 7, 7, 5];

  it.each([
    [10, 1],
    [9, 1],
    [8, 2],
    [7, 2],
    [5, 4],
    [1, 5],
  ])('score %i has place %i of 4', (score, position) => {
    expect(boardPosition(score, board, false)).toEqual({ position, total: 4 });
  });

  it('averages the boards at hand, and says when one is missing', () => {
    const both = humanRank(7, { public: [8, 6], private: board }, false);
    expect(both.paper).toBe((1 - 2 / 2 + (1 - 2 / 4)) / 2);
    expect(both.code).toBe((1 / 2 + 3 / 4) / 2);
    expect(both.flags).toEqual([]);
    expect(humanRank(7, { public: null, private: board }, false).flags).toEqual(['board_missing']);
  });

  it('never falls below 0, and is 0 and flagged for an invalid submission', () => {
    expect(humanRank(1, { public: board, private: board }, false).paper).toBe(0);
    const invalid = humanRank(null, { public: board, private: board }, false);
    expect(invalid).toMatchObject({ paper: 0, code: 0, public: null, flags: ['invalid_submission'] });
    expect(humanRank(1, { public: null, private: null }, false)).toMatchObject({ paper: null, code: null });
  });
});

describeWithShared('HumanRank of a recorded MLE-Dojo run', () => {
  const csv = readFileSync(sharedFile('grading/random-acts-of-pizza.private_leaderboard.csv'), 'utf8');
  const board = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[1]));

  it.each([
    [0.5563755038419854, 301, 0.350649, 0.348485],
    [0.5988220346894952, 234, 0.495671, 0.493506],
    [0.6225761800963643, 198, 0.573593, 0.571429],
  ])('score %f takes place %i', (score, position, code, paper) => {
    const rank = humanRank(score, { public: null, private: board }, false);
    expect(rank.private).toEqual({ position, total: 462 });
    expect(rank.code).toBeCloseTo(code, 6);
    expect(rank.paper).toBeCloseTo(paper, 6);
  });
});
