import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aideJournal } from '../../src/formats/aide-journal.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const RUN = 'aide_journal/translucent-spaniel_journal.json';

interface RawNode {
  readonly step: number;
  readonly id: string;
  readonly plan: string;
  readonly code: string;
  readonly _term_out: string[];
  readonly exec_time: number;
  readonly is_buggy: boolean;
}

describeWithShared('the real house-prices journal', () => {
  const read = async (): Promise<Trajectory> =>
    onlyTrajectory(await readAll({ root: sharedFile('logs'), path: RUN }));
  const raw = () =>
    JSON.parse(readFileSync(sharedFile(`logs/${RUN}`), 'utf8')) as {
      nodes: RawNode[];
      node2parent: Record<string, string>;
    };

  it('has 20 nodes: 8 errors, 12 with a self-reported score', async () => {
    const run = await read();
    expect(run.turns).toHaveLength(40);
    expect(run.turns.map((turn) => turn.role)).toEqual(
      Array.from({ length: 20 }, () => ['assistant', 'tool']).flat(),
    );
    const errors = run.executions.filter((execution) => execution.status === 'error');
    expect(errors.map((execution) => `${execution.order}:${execution.error_type}`)).toEqual([
      '2:TypeError',
      '3:ModuleNotFoundError',
      '4:TypeError',
      '5:TypeError',
      '9:TypeError',
      '12:TypeError',
      '15:TypeError',
      '16:TypeError',
    ]);
    expect(run.executions.filter((execution) => execution.status === 'ok')).toHaveLength(12);
    expect(run.submissions.map((submission) => submission.score)).toEqual([
      0.13718, 0.14813, 0.13721, 0.13505, 0.1356, 0.13447, 0.13407, 0.13564, 0.13557, 0.13537, 0.13539,
      0.13394,
    ]);
    expect(new Set(run.submissions.map((submission) => submission.scale))).toEqual(
      new Set(['self_reported']),
    );
    expect(run.submissions[2]?.execution_id).toBe(run.executions[6]?.execution_id);
    expect(run.submissions[2]?.observed_turn).toBe(13);
  });

  it('keeps the tree in parent_execution, from node2parent alone', async () => {
    const run = await read();
    const order = new Map(run.executions.map((execution) => [execution.execution_id, execution.order]));
    const parents = run.executions.map((execution) =>
      execution.parent_execution === null ? 'root' : order.get(execution.parent_execution),
    );
    expect(parents).toEqual([
      'root',
      'root',
      'root',
      'root',
      'root',
      2,
      0,
      0,
      7,
      5,
      7,
      10,
      4,
      11,
      11,
      3,
      12,
      11,
      11,
      11,
    ]);
  });

  it('claims that lower is better, and flags what the log lacks', async () => {
    const run = await read();
    expect(run.task_claims?.is_lower_better).toBe(true);
    expect(run.flags).toEqual(['prompts_absent', 'text_rebuilt', 'tree_search']);
    expect(run.feedback_exposes_test_score).toBe(false);
    const seconds = run.executions.reduce((sum, execution) => sum + (execution.seconds ?? 0), 0);
    expect(seconds).toBeCloseTo(15.009941101074219, 9);
    expect(run.executions[0]?.started_at).toBe('2025-10-13T10:58:36.562Z');
    for (const { call_turn, call_span, feedback_turn } of run.executions) {
      expect(run.turns[call_turn]?.spans[call_span ?? -1]?.call?.name).toBe('python');
      expect(run.turns[feedback_turn ?? -1]?.role).toBe('tool');
    }
  });

  it('holds plan, program and output verbatim', async () => {
    const run = await read();
    for (const node of raw().nodes) {
      const reply = run.turns[2 * node.step];
      const feedback = run.turns[2 * node.step + 1];
      const code = node.code.endsWith('\n') ? node.code : `${node.code}\n`;
      expect(reply && turnContent(reply)).toBe(`${node.plan}\n\n\`\`\`python\n${code}\`\`\``);
      expect(reply?.spans.find((span) => span.call !== null)?.call?.arguments).toBe(node.code);
      expect(feedback && turnContent(feedback)).toBe(node._term_out.join(''));
    }
  });

  it('gives up the direction where the reviews disagree', async () => {
    const journal = raw() as unknown as { nodes: { metric: { maximize: boolean | null } }[] };
    const last = journal.nodes[19];
    if (last !== undefined) last.metric.maximize = true;
    const run = onlyTrajectory(await readFiles({ 'journal.json': journal }));
    expect(run.task_claims?.is_lower_better).toBeNull();
    expect(run.flags).toContain('direction_inconsistent');
  });
});

const node = (step: number, rest: Record<string, unknown> = {}) => ({
  step,
  id: `n${step}`,
  plan: `plan ${step}`,
  code: 'print(1)',
  _term_out: ['1', '\n'],
  exec_time: 2.5,
  exc_type: null,
  is_buggy: false,
  metric: { value: 0.5, maximize: true },
  ctime: 1_760_000_000 + step,
  ...rest,
});

const journal = (nodes: unknown[], node2parent: Record<string, string> = {}) => ({
  nodes,
  node2parent,
  __version: '2',
});

const small = async (nodes: unknown[], node2parent: Record<string, string> = {}) =>
  onlyTrajectory(await readFiles({ 'journal.json': journal(nodes, node2parent) }));

it('orders nodes by step, not by place', async () => {
  const run = await small([node(1), node(0)], { n1: 'n0' });
  expect(run.turns.map((turn) => turn.spans[0]?.text)).toEqual(['plan 0\n\n', '1\n', 'plan 1\n\n', '1\n']);
  expect(run.executions[1]?.parent_execution).toBe('n0');
});

it.each([
  ['a timeout', { exc_type: 'TimeoutError', is_buggy: true, metric: { value: null } }, 'timeout', []],
  ['an exception', { exc_type: 'KeyError', is_buggy: true, metric: { value: null } }, 'error', []],
  ['a bug without an exception', { is_buggy: true, metric: { value: null } }, 'ok', []],
  ['a score', {}, 'ok', [[true, 0.5]]],
  ['no score', { metric: { value: null } }, 'ok', [[false, null]]],
  ['a program that never ran', { exec_time: null, _term_out: null, is_buggy: null }, 'unknown', []],
])('reads %s', async (_name, fields, status, submissions) => {
  const run = await small([node(0, fields)]);
  expect(run.executions[0]?.status).toBe(status);
  expect(run.submissions.map((submission) => [submission.gradable, submission.score])).toEqual(submissions);
});

it('reads a bare NaN metric as a submission that cannot be graded', async () => {
  const text = JSON.stringify(journal([node(0)])).replace('"value":0.5', '"value":NaN');
  const run = onlyTrajectory(await readFiles({ 'journal.json': text }));
  expect(run.submissions[0]).toMatchObject({ gradable: false, score: null });
  expect(run.flags).toContain('bare_nan');
});

it('leaves journals with plots or metrics of several data sets to others', async () => {
  const other = onlyTrajectory(await readFiles({ 'journal.json': journal([node(0, { plot_code: '' })]) }));
  expect(other.source.format).toBe('ai-scientist-v2');
  const sniff = (value: unknown) => ({
    path: 'journal.json',
    head: '',
    json: value,
    lines: [],
    siblings: { names: [], readText: () => null },
  });
  expect(
    aideJournal.detect(sniff(journal([node(0, { metric: { value: { metric_names: [] } } })]))),
  ).toBeNull();
  expect(aideJournal.detect(sniff(journal([node(0)])))?.confidence).toBe('certain');
});

it('refuses a journal without nodes, and one whose nodes are no objects', async () => {
  expect(onlyReject(await readFiles({ 'journal.json': journal([]) })).code).toBe('no_turns');
  expect(onlyReject(await readFiles({ 'journal.json': journal([node(0), 3]) })).code).toBe('bad_shape');
});

it('keeps nodes apart that share an id', async () => {
  const run = await small([node(0), node(1, { id: 'n0' })]);
  expect(run.executions.map((execution) => execution.execution_id)).toEqual(['n0', 'n0#1']);
  expect(run.flags).toContain('duplicate_node_ids');
});

it('gives no node itself for a parent, and takes a circle of parents as it stands', async () => {
  const run = await small([node(0), node(1), node(2)], { n0: 'n0', n1: 'n2', n2: 'n1' });
  expect(run.executions.map(({ parent_execution }) => parent_execution)).toEqual([null, 'n2', 'n1']);
  expect(run.flags).toContain('parent_missing');
});

const OMITTED = { _term_out: '<OMITTED>', exc_stack: '<OMITTED>' };

it('takes a journal of the best path for a companion of the whole one beside it', async () => {
  const whole = journal([node(0), node(1, { is_buggy: true }), node(2)], { n1: 'n0', n2: 'n0' });
  const path = journal([node(0, OMITTED), node(2, OMITTED)], { n2: 'n0' });
  const files = { 'filtered_journal.json': path, 'journal.json': whole };
  expect(await readFiles(files)).toMatchObject([{ kind: 'sidecar', of: 'journal.json' }]);
  const run = onlyTrajectory(await readFiles({ 'journal.json': whole, 'filtered_journal.json': path }));
  expect(run.executions).toHaveLength(3);
});

it('reads a journal of the best path that stands alone, and says that outputs are missing', async () => {
  const path = journal([node(0, OMITTED), node(2, OMITTED)], { n2: 'n0' });
  const other = journal([node(0), node(1)]);
  const run = onlyTrajectory(await readFiles({ 'filtered_journal.json': path, 'journal.json': other }));
  expect(run.flags).toContain('truncated_in_log');
  expect(run.turns.map((turn) => turn.spans.map(({ origin }) => origin))).toEqual([
    ['model', 'model'],
    ['environment'],
    ['model', 'model'],
    ['environment'],
  ]);
  expect(run.executions[1]?.parent_execution).toBe('n0');
});

it.each([
  ['without words', { code: '', plan: 'root', _term_out: null }],
  ['with words of the scaffold', { code: '# virtual code', plan: 'virtual plan', _term_out: null }],
  ['in a journal of the best path', { code: '# virtual code', plan: 'virtual plan', ...OMITTED }],
])('leaves out the stub that a search starts from, %s', async (_, words) => {
  const stub = { ...words, stage: 'root', exec_time: null };
  const rest = { metric: { value: null, maximize: null }, is_buggy: null };
  const run = await small([node(0, { ...stub, ...rest }), node(1), node(2)], { n1: 'n0', n2: 'n1' });
  expect(
    run.executions.map(({ execution_id, parent_execution }) => [execution_id, parent_execution]),
  ).toEqual([
    ['n1', null],
    ['n2', 'n1'],
  ]);
  expect(run.flags).not.toContain('parent_missing');
});

it('reads nodes without node2parent, as an object, a list and lines, with parents of their own', async () => {
  const nodes = [node(0), node(1, { parent: 'n0' })];
  const lines = nodes.map((one) => JSON.stringify(one)).join('\n');
  for (const content of [{ nodes }, nodes, lines]) {
    const run = onlyTrajectory(await readFiles({ 'journal.json': content }));
    expect(run.source.format).toBe('aide-journal');
    expect(run.executions.map(({ parent_execution }) => parent_execution)).toEqual([null, 'n0']);
  }
});

it('keeps several journals in one file apart, as a list and as lines, and refuses one alone', async () => {
  const runs = [journal([node(0)]), journal([node(0), 3]), journal([node(1), node(2)])];
  const lines = runs.map((one) => JSON.stringify(one)).join('\n');
  for (const content of [runs, lines]) {
    const results = await readFiles({ 'journals.json': content });
    expect(trajectoriesOf(results).map(({ executions }) => executions.length)).toEqual([1, 2]);
    expect(rejectsOf(results).map(({ code }) => code)).toEqual(['bad_shape']);
  }
});

it('reads numbers, directions and outputs that a fork wrote as text', async () => {
  const metric = { value: '0.77', maximize: 'True' };
  const run = await small([node(0, { metric, _term_out: 'one text' }), node(1, { metric: 'n/a' })]);
  expect(run.submissions.map(({ score, gradable }) => [score, gradable])).toEqual([
    [0.77, true],
    [null, false],
  ]);
  expect(run.task_claims?.is_lower_better).toBe(false);
  expect(run.turns[1] && turnContent(run.turns[1])).toBe('one text');
});

it('counts no score of a file that a check of its format refused', async () => {
  const run = await small([
    node(0, { is_valid: false }),
    node(1, { is_valid: true }),
    node(2, { is_valid: null }),
  ]);
  expect(run.submissions.map(({ score, gradable, flags }) => [score, gradable, ...flags])).toEqual([
    [null, false, 'refused:is_valid'],
    [0.5, true],
    [0.5, true],
  ]);
});

it('does not know what a program left that no review judged', async () => {
  const run = await small([node(0, { is_buggy: null, metric: null })]);
  expect(run.executions[0]?.status).toBe('unknown');
  expect(run.submissions).toEqual([]);
});

it.each([
  [1_734_474_289_500, '2024-12-17T22:24:49.500Z'],
  [1_734_474_289_500_000, '2024-12-17T22:24:49.500Z'],
  ['2024-12-17T23:24:49.5+01:00', '2024-12-17T22:24:49.500Z'],
  ['2024-12-17T22:24:49', null],
])('reads the time %s', async (ctime, started) => {
  const run = await small([node(0, { ctime })]);
  expect(run.executions[0]?.started_at).toBe(started);
});

describe('a journal of MLEvolve', () => {
  const planned = JSON.stringify({
    plan: { model: 'p' },
    parse_success: true,
    raw_response: '{\n "plan": {}\n}',
  });
  const node = (id: string, step: number, rest: Record<string, unknown>) => ({
    ...{ id, step, plan: `plan ${id}`, _term_out: ['x\n'], exec_time: 2, exc_type: null, is_valid: true },
    ...{ metric: { value: step / 10, maximize: true }, is_buggy: false, stage: 'improve' },
    ...rest,
  });
  const root = { id: 'r', step: 0, plan: '(root)', stage: 'root', is_buggy: null, exec_time: null };
  const journal = (...nodes: Record<string, unknown>[]) => ({
    'journal.json': {
      nodes: [{ ...root, metric: { value: null, maximize: null } }, ...nodes],
      node2parent: { a: 'r', b: 'a' },
    },
  });

  it('has the planner’s own reply for a plan that is kept as parsed, and trains no program that was patched', async () => {
    const files = journal(
      node('a', 1, { code: 'print(1)\n' }),
      node('b', 2, { code: 'print(2)\n', plan: planned }),
    );
    const run = onlyTrajectory(await readFiles(files));
    expect(run.turns.filter(({ role }) => role === 'assistant').map(turnContent)).toEqual([
      'plan a\n\n```python\nprint(1)\n```',
      '{\n "plan": {}\n}\n\n```python\nprint(2)\n```',
    ]);
    expect(run.turns.map(({ spans, flags }) => [spans[0]?.origin, flags])).toEqual([
      ['model', []],
      ['environment', []],
      ['environment', ['reply_not_recorded']],
      ['environment', []],
    ]);
  });

  it('whose programs lie in files elsewhere trains no plan alone', async () => {
    const slim = node('b', 2, { code_file: 'pipelines/0002_b.py' });
    const run = onlyTrajectory(await readFiles(journal(node('a', 1, { code: 'print(1)\n' }), slim)));
    expect(run.turns.map(({ spans, flags }) => [spans.map(({ origin }) => origin), flags])).toEqual([
      [['model', 'model'], []],
      [['environment'], []],
      [['environment'], ['reply_not_recorded']],
      [['environment'], []],
    ]);
    expect(run.submissions.map(({ score }) => score)).toEqual([0.1, 0.2]);
    expect(onlyReject(await readFiles(journal(slim))).code).toBe('no_model_turns');
  });
});
