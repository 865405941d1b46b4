import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { parseTaskFile } from '../../src/grading/task-file.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { taskOf } from '../windows/synthetic-run.js';

const yaml = `tasks:
  - task_id: churn
    aliases: [customer-churn]
    is_lower_better: false
    thresholds: {gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6}
  - task_id: rides
    is_lower_better: true
`;

function fault(run: () => unknown): TrajmillError {
  try {
    run();
  } catch (error) {
    if (error instanceof TrajmillError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseTaskFile', () => {
  it('reads YAML and JSON, a list or a mapping, with defaults filled in', () => {
    const records = parseTaskFile(yaml, 'tasks.yaml');
    expect(records.map(({ task_id }) => task_id)).toEqual(['churn', 'rides']);
    expect(records[1]).toMatchObject({ aliases: [], thresholds: null, origin: 'official', family: null });
    expect(parseTaskFile(JSON.stringify(records), 'tasks.json')).toEqual(records);
  });

  it.each([
    ['a wrong type', yaml.replace('0.8', 'high'), 'tasks.yaml:5:37', 'thresholds.silver'],
    ['NaN', yaml.replace('0.8', '.nan'), 'tasks.yaml:5:37', 'thresholds.silver'],
    ['a missing field', yaml.replace('    is_lower_better: true\n', ''), 'tasks.yaml:6:5', 'is_lower_better'],
    ['an unknown field', `${yaml}    medal: gold\n`, 'tasks.yaml:6:5', 'medal'],
    ['no list', 'churn: 1\n', 'tasks.yaml:1', 'expected a list'],
    ['no YAML', 'tasks: [1\n', 'tasks.yaml:', ''],
  ])('%s is placed', (_name, text, place, field) => {
    const error = fault(() => parseTaskFile(text, 'tasks.yaml'));
    expect(error.code).toBe('E_TASK_FILE');
    expect(error.message).toContain(place);
    expect(error.message).toContain(field);
  });
});

describe('TaskIndex', () => {
  const a = taskOf(null, { task_id: 'a', aliases: ['x'] });
  const b = taskOf(null, { task_id: 'b', aliases: [] });

  it('finds by id and alias', () => {
    const index = TaskIndex.of([a, b]);
    expect(index.find('a')).toBe(a);
    expect(index.find('x')).toBe(a);
    expect(index.find('y')).toBeNull();
  });

  it.each([
    ['id twice', [a, { ...b, task_id: 'a' }]],
    ['alias that is an id', [a, { ...b, aliases: ['a'] }]],
    ['alias twice', [a, { ...b, aliases: ['x'] }]],
  ])('refuses an %s', (_name, records) => {
    expect(fault(() => TaskIndex.of(records)).code).toBe('E_TASK_FILE');
  });
});
