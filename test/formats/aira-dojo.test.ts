import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles } from './read-all.js';

const completion = (plan: string, code: string) =>
  `<think>hm</think>${plan}\n\n\`\`\`python\n${code}\n\`\`\``;

const node = (step: number, rest: Record<string, unknown> = {}) => ({
  step,
  id: `n${step}`,
  plan: `plan ${step}`,
  code: `print(${step})`,
  metric: null,
  metric_info: {},
  metric_maximize: null,
  is_buggy: true,
  analysis: 'the reviewer says so',
  operators_used: ['draft', 'analysis'],
  operators_metrics: [
    {
      usage: { total_tokens: 3 },
      prompt_messages: [
        { role: 'system', content: 'SYSTEM' },
        { role: 'user', content: `TASK ${step}` },
      ],
      completion_text: completion(`plan ${step}`, `print(${step})`),
    },
    { prompt_messages: [{ role: 'user', content: 'judge' }], completion_text: 'a verdict' },
  ],
  parents: [0],
  children: [],
  creation_time: 1_750_000_000,
  term_out: 'out',
  _term_out: ['o', 'ut'],
  exec_time: 2,
  exit_code: 0,
  ...rest,
});

const ROOT = node(0, {
  plan: '',
  code: '',
  operators_used: [],
  operators_metrics: [],
  parents: [],
  exec_time: 0,
});

const search = (nodes: unknown[]) => ({ nodes, solution: '', config: { step_limit: 10 }, tree_path: null });

const REPORT = {
  competition_id: 'spaceship-titanic',
  score: 0.81,
  gold_threshold: 0.82,
  silver_threshold: 0.81388,
  bronze_threshold: 0.80967,
  median_threshold: 0.79565,
  any_medal: true,
  submission_exists: true,
  valid_submission: true,
  is_lower_better: false,
};

const NODES = [
  ROOT,
  node(1, { is_buggy: false, metric: 0.8, metric_maximize: true, metric_info: REPORT }),
  node(2, { exit_code: 1, _term_out: ['Traceback\n', 'ValueError: x'] }),
  node(3, { parents: [2], exit_code: 1, _term_out: ['TimeoutError: Execution exceeded the time limit'] }),
  node(4, { parents: [1, 3], operators_used: ['crossover', 'analysis'] }),
];

describe('search data', () => {
  it('give each completion its own context, and no turn to the root', async () => {
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search(NODES) }));
    expect(run.source.format).toBe('aira-dojo');
    expect(run.turns.map((turn) => turn.role)).toEqual(
      Array.from({ length: 4 }, () => ['system', 'user', 'assistant', 'tool']).flat(),
    );
    expect(run.epochs.map((epoch) => epoch.turns)).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10, 11],
      [12, 13, 14, 15],
    ]);
    const reply = run.turns[2];
    expect(reply?.spans.map(({ kind, origin }) => `${origin} ${kind}`)).toEqual([
      'model reasoning',
      'model text',
      'model tool_call',
    ]);
    expect(reply && turnContent(reply)).toBe(completion('plan 1', 'print(1)'));
    expect(run.flags).not.toContain('text_rebuilt');
  });

  it.each([
    ['0.8', 0.8],
    ['nan', null],
    ['better', null],
  ])('take the metric %j as %j', async (metric, score) => {
    const nodes = [ROOT, node(1, { is_buggy: false, metric, metric_maximize: true })];
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search(nodes) }));
    expect(run.submissions).toMatchObject([{ score, gradable: score !== null }]);
  });

  it('leave the reviewer out: its prompts and verdicts are in no turn', async () => {
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search(NODES) }));
    const all = run.turns.map(turnContent).join('\n');
    expect(all).not.toContain('verdict');
    expect(all).not.toContain('judge');
  });

  it('tell outcomes by exit code, and parents by step', async () => {
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search(NODES) }));
    expect(
      run.executions.map(({ status, exit_code, parent_execution }) => [status, exit_code, parent_execution]),
    ).toEqual([
      ['ok', 0, null],
      ['error', 1, null],
      ['timeout', 1, 'n2'],
      ['ok', 0, 'n1'],
    ]);
    expect(run.executions[3]?.flags).toEqual(['parent:n3']);
    expect(run.flags).toContain('several_parents');
  });

  it('keep the review and the report of a node on their own scales', async () => {
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search(NODES) }));
    expect(run.submissions).toMatchObject([
      { execution_id: 'n1', score: 0.8, scale: 'self_reported', grader: 'aira-dojo-review' },
      { execution_id: 'n1', score: 0.81, scale: 'test', grader: 'mle-bench', gradable: true },
    ]);
    expect(run.feedback_exposes_test_score).toBe(false);
    expect(run.task_id).toBe('spaceship-titanic');
    expect(run.task_claims).toMatchObject({ is_lower_better: false, gold: 0.82, median: 0.79565 });
  });

  it('without completions are put together from plan and code, in one context', async () => {
    const bare = [1, 2].map((step) => node(step, { operators_metrics: [] }));
    const run = onlyTrajectory(await readFiles({ 'x_search_data.json': search([ROOT, ...bare]) }));
    expect(run.turns.map(turnContent)).toEqual([
      'plan 1\n\n```python\nprint(1)\n```',
      'out',
      'plan 2\n\n```python\nprint(2)\n```',
      'out',
    ]);
    expect(run.epochs).toEqual([{ turns: [0, 1, 2, 3], reason: null }]);
    expect(run.flags).toEqual(expect.arrayContaining(['text_rebuilt', 'prompts_absent']));
  });
});

describe('a checkpoint', () => {
  const lines = (nodes: readonly unknown[]) => nodes.map((line) => JSON.stringify(line)).join('\n');

  it('is read as the search data are', async () => {
    const one = onlyTrajectory(await readFiles({ 'journal.jsonl': lines(NODES) }));
    const other = onlyTrajectory(await readFiles({ 'x_search_data.json': search(NODES) }));
    expect(one.trajectory_id).toBe(other.trajectory_id);
    expect(one.executions).toEqual(other.executions);
  });

  it('beside them is their sidecar', async () => {
    const files = { 'journal.jsonl': lines(NODES), 'x_search_data.json': search(NODES) };
    expect(await readFiles(files)).toEqual([
      { kind: 'sidecar', path: 'journal.jsonl', of: 'x_search_data.json' },
    ]);
    const other = { 'journal.jsonl': lines([...NODES, node(9)]), 'x_search_data.json': search(NODES) };
    expect(onlyTrajectory(await readFiles(other)).executions).toHaveLength(5);
  });

  it('of one line is no document', async () => {
    expect(onlyTrajectory(await readFiles({ 'journal.jsonl': lines([node(1)]) })).turns).toHaveLength(4);
    expect(onlyReject(await readFiles({ 'journal.jsonl': lines([ROOT]) })).code).toBe('no_turns');
  });
});
