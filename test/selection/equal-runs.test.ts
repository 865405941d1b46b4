import { expect, it } from 'vitest';
import { type Riches, richesOf, survivorOf } from '../../src/selection/equal-runs.js';
import { runOf, taskOf } from '../windows/synthetic-run.js';

it('of equal runs with the same outcomes the one whose task has a record stands, then one whose task has a name', () => {
  const run = runOf([{ exec: 'error' }, { exec: 'ok', score: 0.7 }, { exec: 'ok', score: null }]);
  const known = { task: taskOf(), task_id: 'task' };
  const named = { task: null, task_id: 'task' };
  const unknown = { task: null, task_id: null };
  const riches = [unknown, named, known].map((found) => richesOf(run, found));
  expect(riches).toEqual<Riches[]>([
    [1, 1, 0, 0, 1],
    [1, 1, 1, 0, 1],
    [1, 1, 2, 0, 1],
  ]);
  const runs = riches.map((each) => ({ riches: each, rejected: false }));
  expect(survivorOf(runs)).toBe(2);
  expect(survivorOf(runs.slice(0, 2))).toBe(1);
});
