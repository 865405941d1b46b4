import { describe, expect, it } from 'vitest';
import { contradiction, resolveTask, TASK_FROM_SIDECAR, taskFlags } from '../../src/grading/resolve.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { runOf, taskOf } from '../windows/synthetic-run.js';

const task = taskOf(undefined, { task_id: 'churn', aliases: ['customer-churn'] });
const rides = taskOf(undefined, { task_id: 'rides' });
const index = TaskIndex.of([task, rides]);
const source = { ...runOf([]).source, path: 'runs/churn/seed-1/log.json' };
const pathPatterns = [/other/, /^runs\/(?<task>[^/]+)\//];

describe('resolveTask', () => {
  it.each([
    ['the log', { task_id: 'customer-churn' }, { task_id: 'churn', how: 'log' }],
    ['a sidecar', { task_id: 'churn', flags: [TASK_FROM_SIDECAR] }, { task_id: 'churn', how: 'sidecar' }],
    ['a path pattern', { task_id: null }, { task_id: 'churn', how: 'path' }],
    ['the log before the path', { task_id: 'rides' }, { task_id: 'rides', how: 'log' }],
    [
      'an unknown name, which the path does not replace',
      { task_id: 'q' },
      { task_id: 'q', how: 'log', task: null },
    ],
    ['an unknown name that the mapping translates', { task_id: 'r-7' }, { task_id: 'rides', how: 'mapping' }],
  ])('%s', (_name, rest, expected) => {
    const mapping = { 'r-7': 'rides' };
    const found = resolveTask(runOf([], { source, ...rest }), { index, pathPatterns, mapping });
    expect(found).toMatchObject(expected);
  });

  it.each([
    ['session id', { s1: 'rides' }, 'rides'],
    ['whole path', { 'runs/churn/seed-1/log.json': 'rides' }, 'rides'],
    ['folder', { 'runs/churn': 'rides', runs: 'churn' }, 'rides'],
    ['folder with a slash', { 'runs/': 'rides' }, 'rides'],
    ['no part of a name', { 'runs/chu': 'rides' }, null],
    ['no inherited property', {}, null],
  ])('maps by %s where nothing names a task', (_name, mapping, expected) => {
    const run = runOf([], { source, task_id: null, session_id: 's1' });
    expect(resolveTask(run, { index, mapping }).task_id).toBe(expected);
  });
});

describe('contradiction', () => {
  const claims = {
    metric: null,
    is_lower_better: null,
    gold: null,
    silver: null,
    bronze: null,
    median: null,
  };
  const withClaims = (more: object) => runOf([], { task_claims: { ...claims, ...more } });

  it('names both directions', () => {
    expect(contradiction(withClaims({ is_lower_better: true }), task)).toBe(
      'the log says lower is better, the record of task churn says higher',
    );
    expect(contradiction(withClaims({ is_lower_better: false }), task)).toBeNull();
    expect(contradiction(withClaims({}), task)).toBeNull();
    expect(contradiction(runOf([]), task)).toBeNull();
  });

  it('flags other thresholds', () => {
    expect(taskFlags(withClaims({ gold: 0.9, bronze: 0.71 }), task)).toEqual(['thresholds_differ_from_task']);
    expect(taskFlags(withClaims({ gold: 0.9 }), task)).toEqual([]);
    expect(taskFlags(runOf([]), task)).toEqual([]);
  });
});
