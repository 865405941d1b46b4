import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog, tally } from './adapter-context.js';
import { folderWith, onlyReject, onlyTrajectory, readAll, readFiles, trajectoriesOf } from './read-all.js';

const STAGE1 = 'gradient_cluster_stage1_journal.json';
const STAGE4 = 'perturbation_uq_stage4_timeouts_journal.json';

const readReal = async (name: string) =>
  onlyTrajectory(await readAll({ root: sharedFile('logs'), path: `ai_scientist_v2_journal/${name}` }));

describeWithShared('the real first stage', () => {
  it('has 10 nodes: 6 by the model, of which 4 failed; 3 seeds and their summary are the scaffold’s', async () => {
    const run = await readReal(STAGE1);
    expect(run.turns).toHaveLength(20);
    expect(run.executions.map((execution) => `${execution.kind}:${execution.status}`)).toEqual([
      ...['experiment:error', 'experiment:error', 'experiment:error', 'experiment:ok'],
      ...['experiment:error', 'experiment:ok'],
      ...['other:ok', 'other:ok', 'other:ok', 'other:unknown'],
    ]);
    const origins = run.turns
      .filter((turn) => turn.role === 'assistant')
      .map((turn) => turn.spans[0]?.origin);
    expect(tally(origins.map(String))).toEqual({ model: 6, environment: 4 });
    expect(run.flags).not.toContain('inherited_first_node');
  });

  it('keeps every metric of a node as a flag and no score, and does not believe a buggy node', async () => {
    const run = await readReal(STAGE1);
    expect(
      run.submissions.map(({ execution_id, gradable, score }) => [
        execution_id?.slice(0, 6),
        gradable,
        score,
      ]),
    ).toEqual([
      ['6d7f38', true, null],
      ['b6fb1d', false, null],
      ['f2502c', true, null],
      ['763d4f', true, null],
      ['cfffc9', true, null],
    ]);
    expect(run.submissions[0]?.flags).toContain('metric:validation accuracy/synthetic:higher=0.9916');
    expect(run.submissions[1]?.flags[0]).toBe('buggy_node');
    expect(run.task_claims).toBeNull();
    expect(run.flags).toEqual(expect.arrayContaining(['several_metrics', 'buggy_node_with_metric']));
  });

  it('takes the tree from node2parent', async () => {
    const run = await readReal(STAGE1);
    const order = new Map(run.executions.map((execution) => [execution.execution_id, execution.order]));
    expect(run.executions.map(({ parent_execution }) => order.get(parent_execution ?? '') ?? null)).toEqual([
      ...[null, null, null, 2, null, 0],
      ...[3, 3, 3, 3],
    ]);
  });
});

describeWithShared('the real fourth stage', () => {
  it('has 22 nodes with 3 timeouts, and its first is inherited', async () => {
    const run = await readReal(STAGE4);
    expect(run.turns).toHaveLength(44);
    expect(tally(run.executions.map((execution) => execution.status))).toEqual({
      ok: 17,
      timeout: 3,
      error: 1,
      unknown: 1,
    });
    expect(tally(run.executions.map((execution) => execution.kind))).toEqual({ experiment: 18, other: 4 });
    expect(run.submissions).toHaveLength(16);
    expect(run.turns[0]?.flags).toEqual(['inherited_node']);
    expect(run.turns[0]?.spans.every((span) => span.origin === 'environment')).toBe(true);
    expect(run.flags).toEqual(expect.arrayContaining(['inherited_first_node', 'good_node_without_metric']));
  });
});

describeWithShared('every real journal', () => {
  it.each([STAGE1, STAGE4])('%s holds plan, program and output verbatim', async (name) => {
    const run = await readReal(name);
    const { nodes } = realLog('ai_scientist_v2_journal', name);
    for (const node of nodes) {
      const reply = run.turns[2 * node.step];
      const code = node.code.endsWith('\n') ? node.code : `${node.code}\n`;
      expect(reply && turnContent(reply)).toBe(`${node.plan}\n\n\`\`\`python\n${code}\`\`\``);
      const feedback = run.turns[2 * node.step + 1];
      expect(feedback && turnContent(feedback)).toBe((node._term_out ?? []).join(''));
    }
  });
});

const node = (id: string, rest: Record<string, unknown> = {}) => ({
  id,
  step: 0,
  plan: `plan ${id}`,
  code: `print('${id}')`,
  plot_code: null,
  _term_out: ['1', '\n'],
  exec_time: 2,
  exc_type: null,
  is_buggy: false,
  metric: { value: null, maximize: null },
  ctime: 1_749_000_000,
  ...rest,
});

const metric = (name: string, final_value: number | null, lower_is_better = true, dataset_name = 'd') => ({
  metric_name: name,
  lower_is_better,
  data: [{ dataset_name, final_value, best_value: final_value }],
});

const journal = (nodes: unknown[], node2parent: Record<string, string> = {}) => ({
  nodes,
  node2parent,
  __version: '2',
});

const STAGES = {
  'run_stage1_journal.json': journal([node('a'), node('b', { step: 1 })], { b: 'a' }),
  'run_stage2_journal.json': journal([node('b'), node('c', { step: 1 })], { c: 'b' }),
  'run_stage3_journal.json': journal([node('c'), node('d', { step: 1 })], { d: 'c' }),
};

describe('stages of one run', () => {
  it('are joined in the first, each node once', async () => {
    const run = onlyTrajectory(
      await readFiles({ ...STAGES, 'other_stage2_journal.json': journal([node('x')]) }),
    );
    expect(run.executions.map((execution) => execution.execution_id)).toEqual(['a', 'b', 'c', 'd']);
    expect(run.executions.map((execution) => execution.parent_execution)).toEqual([null, 'a', 'b', 'c']);
    expect(run.turns.flatMap((turn) => turn.flags)).toEqual([]);
    expect(run.source.sidecars.map((sidecar) => sidecar.path)).toEqual([
      'run_stage2_journal.json',
      'run_stage3_journal.json',
    ]);
    expect(run.flags).toContain('stages_joined:3');
  });

  it('are sidecars after the first, and the first readable one leads', async () => {
    const root = folderWith(STAGES);
    expect(await readAll({ root, path: 'run_stage2_journal.json' })).toEqual([
      { kind: 'sidecar', path: 'run_stage2_journal.json', of: 'run_stage1_journal.json' },
    ]);
    const broken = folderWith({ ...STAGES, 'run_stage1_journal.json': '{"nodes": [' });
    const second = onlyTrajectory(await readAll({ root: broken, path: 'run_stage2_journal.json' }));
    expect(second.executions.map((execution) => execution.execution_id)).toEqual(['b', 'c', 'd']);
    expect(second.turns[0]?.flags).toEqual(['inherited_node']);
  });

  it('are found in folders side by side', async () => {
    const root = folderWith({});
    for (const [stage, name] of [
      ['stage_1_initial_1_preliminary', 'run_stage1_journal.json'],
      ['stage_2_baseline_1_first', 'run_stage2_journal.json'],
    ] as const) {
      mkdirSync(join(root, 'logs', stage), { recursive: true });
      writeFileSync(join(root, 'logs', stage, 'journal.json'), JSON.stringify(STAGES[name]));
    }
    const run = onlyTrajectory(
      await readAll({ root, path: 'logs/stage_1_initial_1_preliminary/journal.json' }),
    );
    expect(run.executions.map((execution) => execution.execution_id)).toEqual(['a', 'b', 'c']);
    expect(await readAll({ root, path: 'logs/stage_2_baseline_1_first/journal.json' })).toEqual([
      {
        kind: 'sidecar',
        path: 'logs/stage_2_baseline_1_first/journal.json',
        of: 'logs/stage_1_initial_1_preliminary/journal.json',
      },
    ]);
  });

  it('are told by what their nodes vary where no name says it', async () => {
    const later = journal([node('a'), node('b', { step: 1, ablation_name: 'no dropout' })]);
    const run = onlyTrajectory(await readFiles({ 'journal.json': later }));
    expect(run.turns.map((turn) => turn.flags)).toEqual([['inherited_node'], [], [], []]);
  });
});

describe('a journal that holds more than one search', () => {
  const search = (...names: string[]) => names.map((id, step) => node(id, { step }));

  it('gives each as a run of its own', async () => {
    const glued = journal([...search('a', 'b'), ...search('x', 'y', 'z')], { b: 'a', z: 'x' });
    const runs = trajectoriesOf(await readFiles({ 'journal.json': glued }));
    expect(runs.map(({ executions }) => executions.map(({ execution_id: id }) => id))).toEqual([
      ['a', 'b'],
      ['x', 'y', 'z'],
    ]);
    expect(runs[1]?.executions.map(({ parent_execution: parent }) => parent)).toEqual([null, null, 'x']);
    for (const run of runs) expect(run.flags).toContain('several_runs');
  });

  it('has nodes that are written twice once', async () => {
    const run = onlyTrajectory(
      await readFiles({ 'journal.json': journal([...search('a', 'b'), ...search('a', 'b', 'c')]) }),
    );
    expect(run.executions.map(({ execution_id: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(run.flags).toContain('node_copies');
  });

  it('stays one run beside other stages, in the order of the log', async () => {
    const first = journal([...search('a', 'b'), ...search('x', 'y')]);
    const run = onlyTrajectory(await readFiles({ ...STAGES, 'run_stage1_journal.json': first }));
    expect(run.executions.map(({ execution_id: id }) => id)).toEqual(['a', 'b', 'x', 'y', 'c', 'd']);
    expect(run.flags).toEqual(expect.arrayContaining(['steps_repeat', 'stages_joined:3']));
  });
});

describeWithShared('the real first stage, written twice into one journal,', () => {
  it('is the run that it is once', async () => {
    const log = realLog('ai_scientist_v2_journal', STAGE1);
    const twice = { ...log, nodes: [...log.nodes, ...log.nodes] };
    const run = onlyTrajectory(await readFiles({ 'journal.json': twice }));
    const alone = onlyTrajectory(await readFiles({ 'journal.json': log }));
    expect(run.trajectory_id).toBe(alone.trajectory_id);
    expect(run.executions).toEqual(alone.executions);
  });
});

describe('a metric', () => {
  const scored = async (value: unknown, rest: Record<string, unknown> = {}) =>
    onlyTrajectory(await readFiles({ 'journal.json': journal([node('a', { metric: { value }, ...rest })]) }));

  it('alone on one data set is the score, and its direction is claimed', async () => {
    const run = await scored({ metric_names: [metric('accuracy', 0.5, false)] });
    expect(run.submissions).toMatchObject([
      { score: 0.5, gradable: true, scale: 'self_reported', grader: 'ai-scientist-v2:accuracy/d' },
    ]);
    expect(run.task_claims).toMatchObject({ metric: 'accuracy', is_lower_better: false });
  });

  it('that is not finite cannot be graded', async () => {
    const run = await scored({ metric_names: [metric('loss', null)] });
    expect(run.submissions).toMatchObject([{ score: null, gradable: false }]);
    const several = await scored({ metric_names: [metric('loss', null), metric('auc', null, false)] });
    expect(several.submissions).toMatchObject([
      { gradable: false, flags: ['metric:loss/d:lower=null', 'metric:auc/d:higher=null'] },
    ]);
  });

  it('without values is no submission', async () => {
    expect((await scored({ metric_names: [] })).submissions).toEqual([]);
  });
});

it('refuses a journal whose nodes are no objects', async () => {
  expect(onlyReject(await readFiles({ 'journal.json': journal([node('a'), 7]) })).code).toBe('bad_shape');
});

it('reads values that were written as text, and gives no node itself for a parent', async () => {
  const text = {
    metric_name: 'loss',
    lower_is_better: true,
    data: [{ dataset_name: 'd', final_value: '0.25' }],
  };
  const nodes = [
    node('a', { metric: { value: { metric_names: [text] }, maximize: null } }),
    node('b', { step: 1, metric: { value: '0.5', maximize: true } }),
  ];
  const run = onlyTrajectory(await readFiles({ 'journal.json': journal(nodes, { a: 'a', b: 'a' }) }));
  expect(run.submissions.map(({ score }) => score)).toEqual([0.25, 0.5]);
  expect(run.executions.map(({ parent_execution }) => parent_execution)).toEqual([null, 'a']);
  expect(run.flags).toContain('parent_missing');
});
