import { describe, expect, it } from 'vitest';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import {
  DescriptionOverlap,
  decontaminationSchema,
  ListedTasks,
  SHIPPED_LISTS,
} from '../../src/selection/decontamination.js';
import { parseDecontaminationList, shippedList } from '../../src/selection/decontamination-lists.js';
import { taskOf } from '../windows/synthetic-run.js';

const lists = [
  { name: 'first', ids: ['Seed-Task', 'other'] },
  { name: 'second', ids: ['other', 'alias-only'] },
];

describe('listed tasks', () => {
  const seed = taskOf(null, { task_id: 'seed-task', family: 'pizza' });
  const listed = new ListedTasks(lists, [seed]);
  const match = (record: ReturnType<typeof taskOf> | null, ...names: (string | null)[]) =>
    listed.match({ record, names });

  it.each([
    ['an id, in any case', match(null, 'SEED-task'), 'first', 'id'],
    ['the id of the record', match(seed, null), 'first', 'id'],
    [
      'the name in the log, where the record has another',
      match(taskOf(null, { task_id: 'x' }), 'other'),
      'first',
      'id',
    ],
    ['an alias', match(taskOf(null, { task_id: 'x', aliases: ['alias-only'] })), 'second', 'alias'],
    [
      'a family that is listed itself',
      match(taskOf(null, { task_id: 'x', family: 'other' })),
      'first',
      'family',
    ],
    [
      'the family of a listed task',
      match(taskOf(null, { task_id: 'x', family: 'pizza' })),
      'first',
      'family',
    ],
  ])('are found by %s', (_name, found, list, how) => {
    expect(found).toMatchObject({ list, how });
    expect(found?.detail).toContain(list);
  });

  it('are no others', () => {
    expect(match(null, 'seed-task-2', null)).toBeNull();
    expect(match(taskOf(null, { task_id: 'x', family: 'y' }))).toBeNull();
  });
});

describe('shipped lists', () => {
  it.each([
    ['mle-bench', 75],
    ['mle-bench-lite', 22],
    ['mle-bench-dev', 7],
    ['mle-dojo', 51],
    ['naturebench', 90],
  ] as const)('%s holds %i tasks, each once, with its source', (name, n) => {
    const list = shippedList(name);
    expect(list.name).toBe(name);
    expect(new Set(list.ids).size).toBe(n);
    expect(list.ids).toHaveLength(n);
    expect(list.provenance).not.toBe('');
  });

  it('agree with the task records on what MLE-bench is', () => {
    const ids = (splits: readonly string[]) =>
      builtinTasks()
        .filter(({ split }) => split !== null && splits.includes(split))
        .map(({ task_id }) => task_id)
        .sort();
    expect(shippedList('mle-bench').ids.toSorted()).toEqual(ids(['low', 'medium', 'high']));
    expect(shippedList('mle-bench-lite').ids.toSorted()).toEqual(ids(['low']));
    expect(shippedList('mle-bench-dev').ids.toSorted()).toEqual(ids(['dev']));
  });

  it('are the ones that a pipeline may name', () => {
    expect(decontaminationSchema.parse({ lists: [...SHIPPED_LISTS] })).toMatchObject({
      ngram: 13,
      min_hits: 1,
    });
    expect(decontaminationSchema.parse(undefined)).toBe('none');
    expect(() => decontaminationSchema.parse({ lists: ['mine'] })).toThrow();
  });
});

describe('own lists', () => {
  it('are JSON or YAML', () => {
    const yaml = parseDecontaminationList('name: mine\nids: [a, b]\n', 'mine.yaml');
    expect(yaml).toMatchObject({ name: 'mine', ids: ['a', 'b'] });
    expect(parseDecontaminationList(JSON.stringify(yaml), 'mine.json')).toEqual(yaml);
  });

  it.each([
    ['no ids', 'name: mine', 'ids'],
    ['an empty id', 'name: mine\nids: [""]', 'ids.0'],
    ['no YAML', 'name: [', 'neither'],
  ])('%s is refused with its place', (_name, text, message) => {
    expect(() => parseDecontaminationList(text, 'mine.yaml')).toThrow(message);
    expect(() => parseDecontaminationList(text, 'mine.yaml')).toThrow('mine.yaml');
  });
});

describe('overlap of descriptions', () => {
  const numbered = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(' ');
  const texts = [
    { name: 'a.md', text: numbered(0, 40) },
    { name: 'b.md', text: numbered(100, 140) },
  ];

  it('is one run of 13 words in common, whatever their case and punctuation', () => {
    const overlap = new DescriptionOverlap(texts, { ngram: 13, min_hits: 1 });
    expect(overlap.match(`Hello. ${numbered(5, 17)} bye`)).toBeNull();
    const found = overlap.match(`Hello. ${numbered(5, 18).toUpperCase().replaceAll(' ', ', ')} bye`);
    expect(found).toMatchObject({ list: 'a.md', how: 'overlap' });
    expect(found?.detail).toContain('1 of 28 runs of 13 words');
    expect(overlap.match(numbered(120, 140))?.list).toBe('b.md');
  });

  it('counts distinct runs', () => {
    const overlap = new DescriptionOverlap(texts, { ngram: 13, min_hits: 3 });
    expect(overlap.match(Array(9).fill(numbered(5, 18)).join(' / '))).toBeNull();
    expect(overlap.match(numbered(5, 20))?.list).toBe('a.md');
  });
});
