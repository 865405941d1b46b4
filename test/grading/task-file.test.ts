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

describe('a task file in CSV', () => {
  const csv = `task_id,aliases,is_lower_better,gold,silver,bronze,median,n_teams,domain
churn,customer-churn; cc,false,0.9,0.8,0.7,0.6,120,"retail, banks"
rides,,TRUE,,,,,,
`;

  it('has the fields of a record as columns', () => {
    const [churn, rides] = parseTaskFile(csv, 'tasks.csv');
    expect(churn).toMatchObject({
      task_id: 'churn',
      aliases: ['customer-churn', 'cc'],
      is_lower_better: false,
      thresholds: { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 },
      n_teams: 120,
      domain: 'retail, banks',
    });
    expect(rides).toMatchObject({ is_lower_better: true, thresholds: null, aliases: [], n_teams: null });
    const json = JSON.stringify([churn, rides]);
    expect(parseTaskFile(json, 'tasks.json')).toEqual([churn, rides]);
  });

  it('may know only some thresholds', () => {
    const [record] = parseTaskFile('task_id,is_lower_better,median\nt,1,0\n', 'TASKS.CSV');
    expect(record?.thresholds).toEqual({ gold: null, silver: null, bronze: null, median: 0 });
  });

  it.each([
    ['a wrong number', csv.replace('0.8', 'high'), 'tasks.csv:2', 'silver'],
    ['a wrong truth value', csv.replace('TRUE', 'yes'), 'tasks.csv:3', 'is_lower_better'],
    ['an unknown column', csv.replace('domain', 'colour'), 'tasks.csv:2', 'colour'],
    ['a missing field', csv.replace('TRUE', ''), 'tasks.csv:3', 'is_lower_better'],
  ])('%s is placed', (_name, text, place, field) => {
    const error = fault(() => parseTaskFile(text, 'tasks.csv'));
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
