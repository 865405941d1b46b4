import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeRuns } from '../../src/formats/node-runs.js';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

interface Node {
  readonly step: number | null;
  readonly id: string;
  readonly code: string;
  readonly [key: string]: unknown;
}

const bare = (id: string, step: number | null, rest: Record<string, unknown> = {}): Node => ({
  step,
  id: `${id}${step}`,
  code: step === 0 ? '' : `print(${step})`,
  ...rest,
});
const search = (id: string, length: number) => Array.from({ length }, (_, step) => bare(id, step));
const idsOf = (list: readonly unknown[]) => nodeRuns(list).map(({ nodes }) => nodes.map(({ id }) => id));
const flagsOf = (list: readonly unknown[]) => nodeRuns(list).map(({ flags }) => flags);

describe('the searches of a list of nodes', () => {
  it('are cut where a journal begins again', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 2, maxLength: 4 }), (lengths) => {
        const searches = lengths.map((length, index) => search(`s${index}-`, length));
        expect(idsOf(searches.flat())).toEqual(searches.map((nodes) => nodes.map(({ id }) => id)));
        expect(flagsOf(searches.flat())).toEqual(lengths.map(() => ['several_runs']));
      }),
    );
  });

  it('are one in the order of their steps, however they stand, where no step repeats', () => {
    const nodes = search('a', 7);
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: 7 }), (shuffled) => {
        expect(nodeRuns(shuffled)).toEqual([{ nodes, flags: [] }]);
      }),
    );
  });

  it('stay one where they stand in one another, with a flag', () => {
    const [a, b] = [search('a', 3), search('b', 3)];
    const mixed = a.flatMap((node, index) => [node, b[index]]);
    expect(idsOf(mixed)).toEqual([['a0', 'b0', 'a1', 'b1', 'a2', 'b2']]);
    expect(flagsOf(mixed)).toEqual([['steps_repeat']]);
  });

  it('keep the order of the log where a search was resumed from a checkpoint', () => {
    const resumed = [...search('a', 4), bare('b', 2), bare('b', 3), bare('b', 4)];
    expect(idsOf(resumed)).toEqual([['a0', 'a1', 'a2', 'a3', 'b2', 'b3', 'b4']]);
    expect(flagsOf(resumed)).toEqual([['steps_repeat']]);
  });

  it('count a node once that is written twice, also with its children brought up to date', () => {
    const nodes = search('a', 3);
    const snapshots = [1, 2, 3].flatMap((length) =>
      nodes.slice(0, length).map((node) => ({ ...node, children: [length], current_best_node: length })),
    );
    expect(idsOf(snapshots)).toEqual([['a0', 'a1', 'a2']]);
    expect(flagsOf(snapshots)).toEqual([['node_copies']]);
    const changed = [...nodes, { ...nodes[2], code: 'other' }];
    expect(flagsOf(changed)).toEqual([['steps_repeat']]);
    expect(idsOf(changed)).toEqual([['a0', 'a1', 'a2', 'a2']]);
  });

  it('are not guessed from a writer that numbers nothing', () => {
    const zeros = ['a', 'b', 'c'].map((id) => bare(id, 0, { code: 'x' }));
    expect(flagsOf(zeros)).toEqual([['steps_repeat']]);
    const none = ['a', 'b', 'c'].map((id) => bare(id, null));
    expect(flagsOf(none)).toEqual([[]]);
    expect(nodeRuns([])).toEqual([{ nodes: [], flags: [] }]);
  });
});

const airaNode = (id: string, step: number, rest: Record<string, unknown> = {}) => ({
  ...bare(id, step),
  plan: step === 0 ? '' : `plan ${step}`,
  metric: null,
  metric_info: {},
  metric_maximize: true,
  is_buggy: true,
  operators_used: step === 0 ? [] : ['draft', 'analysis'],
  operators_metrics: [],
  parents: step === 0 ? [] : [step - 1],
  _term_out: [`${id} ${step}`],
  exec_time: 1,
  exit_code: 0,
  ...rest,
});
const airaSearch = (id: string, length: number) => Array.from({ length }, (_, step) => airaNode(id, step));
const lines = (nodes: readonly unknown[]) => nodes.map((node) => JSON.stringify(node)).join('\n');
const report = (competition_id: string, score: number) => ({
  competition_id,
  score,
  gold_threshold: 0.9,
  valid_submission: true,
  is_lower_better: false,
});

describe('a journal of aira-dojo', () => {
  const [A, B] = [airaSearch('a', 4), airaSearch('b', 3)];

  it('that two runs were appended to holds two trajectories, each as it is alone', async () => {
    const both = trajectoriesOf(await readFiles({ 'journal.jsonl': lines([...A, ...B]) }));
    const alone = await Promise.all(
      [A, B].map(async (nodes) => onlyTrajectory(await readFiles({ 'journal.jsonl': lines(nodes) }))),
    );
    expect(both.map(({ trajectory_id }) => trajectory_id)).toEqual(
      alone.map(({ trajectory_id }) => trajectory_id),
    );
    expect(both.map(({ executions }) => executions)).toEqual(alone.map(({ executions }) => executions));
    for (const { flags } of both) expect(flags).toContain('several_runs');
  });

  it('is read as the logger writes it, and as the scaffold makes a document of that', async () => {
    const flat = (competition: string, score: number) =>
      Object.fromEntries(
        // booleans became numbers on the way
        Object.entries({ ...report(competition, score), valid_submission: 1, is_lower_better: 0 }).map(
          ([key, value]) => [`metric_info/${key}`, value],
        ),
      );
    const nodes = [
      ...A.slice(0, 3),
      airaNode('a', 3, { is_buggy: false, metric: 0.4, ...flat('spooky', 0.95) }),
      ...B,
    ];
    const entries = nodes.map((data) => ({ timestamp: '2025-05-06T10:32:19.614691', step: data.step, data }));
    for (const files of [
      { 'JOURNAL.jsonl': lines(entries) },
      { 'journal.json': { nodes: nodes.map((data) => ({ ...data, timestamp: '2025-05-06T10:32:19' })) } },
    ]) {
      const [first, second, ...more] = trajectoriesOf(await readFiles(files));
      expect(first?.source.format).toBe('aira-dojo');
      expect(first?.executions.map((one) => one.execution_id)).toEqual(['a1', 'a2', 'a3']);
      expect(first?.submissions.map(({ score, scale }) => [score, scale])).toEqual([
        [0.4, 'self_reported'],
        [0.95, 'test'],
      ]);
      expect(first?.task_claims).toMatchObject({ is_lower_better: false, gold: 0.9 });
      expect(second?.executions.map((one) => one.execution_id)).toEqual(['b1', 'b2']);
      expect(more).toEqual([]);
    }
    const refused = airaNode('a', 1, { ...flat('spooky', 0.5), 'metric_info/valid_submission': 0 });
    const run = onlyTrajectory(await readFiles({ 'JOURNAL.jsonl': lines([A[0], refused]) }));
    expect(run.submissions).toMatchObject([{ gradable: false, score: null, flags: ['invalid_with_score'] }]);
  });

  it('leaves to search data only the run that they hold', async () => {
    const data = { nodes: B, solution: '', config: {} };
    const read = (nodes: readonly unknown[]) =>
      readFiles({ 'journal.jsonl': lines(nodes), 'x_search_data.json': data });
    expect(onlyTrajectory(await read([...A, ...B])).executions.map((one) => one.execution_id)).toEqual([
      'a1',
      'a2',
      'a3',
    ]);
    expect(await read(B)).toMatchObject([{ kind: 'sidecar', of: 'x_search_data.json' }]);
  });

  it('gives no run of several the grade that lies beside them', async () => {
    const grade = { ...report('spooky', 0.5), submission_exists: true };
    const both = trajectoriesOf(
      await readFiles({ 'journal.jsonl': lines([...A, ...B]), 'grade.json': grade }),
    );
    expect(both.map(({ submissions }) => submissions)).toEqual([[], []]);
    for (const { flags } of both) expect(flags).toContain('grade_of_several_runs');
    const one = onlyTrajectory(await readFiles({ 'journal.jsonl': lines(A), 'grade.json': grade }));
    expect(one.submissions).toMatchObject([{ score: 0.5, scale: 'test' }]);
  });

  it('tells the node that a node came from where a resumed search gave its step twice', async () => {
    const resumed = [...A, airaNode('b', 2, { parents: [1] }), airaNode('b', 3, { parents: [2] })];
    const run = onlyTrajectory(await readFiles({ 'journal.jsonl': lines(resumed) }));
    expect(
      run.executions.map(({ execution_id, parent_execution }) => [execution_id, parent_execution]),
    ).toEqual([
      ['a1', null],
      ['a2', 'a1'],
      ['a3', 'a2'],
      ['b2', 'a1'],
      ['b3', 'b2'],
    ]);
    const own = onlyTrajectory(
      await readFiles({ 'journal.jsonl': lines([airaNode('a', 1, { parents: [1] })]) }),
    );
    expect(own.executions[0]?.parent_execution).toBeNull();
    expect(own.flags).toContain('parent_missing');
  });

  it('is refused where one search has reports of several competitions, a second one beside it is read', async () => {
    const mixed = [
      A[0],
      airaNode('a', 1, { metric_info: report('spooky', 0.5) }),
      airaNode('a', 2, { metric_info: report('titanic', 0.5) }),
    ];
    expect(onlyReject(await readFiles({ 'journal.jsonl': lines(mixed) }))).toMatchObject({
      code: 'bad_shape',
      message: expect.stringContaining('spooky, titanic'),
    });
    const results = await readFiles({ 'journal.jsonl': lines([...mixed, ...B]) });
    expect(rejectsOf(results).map(({ message }) => message.slice(0, 9))).toEqual(['search 1:']);
    expect(trajectoriesOf(results)).toHaveLength(1);
  });

  it('of a search by test score has the review as its own score, and says that the search saw the other', async () => {
    const info = { ...report('spooky', 0.81), validation_score: 0.7 };
    const found = { is_buggy: false, metric: 0.81, metric_info: info };
    const flat = {
      is_buggy: false,
      metric: 0.81,
      ...Object.fromEntries(Object.entries(info).map(([key, value]) => [`metric_info/${key}`, value])),
    };
    for (const fields of [found, flat]) {
      const nodes = [A[0], airaNode('a', 1, fields)];
      const run = onlyTrajectory(await readFiles({ 'journal.jsonl': lines(nodes) }));
      expect(run.submissions.map(({ score, scale }) => [score, scale])).toEqual([
        [0.7, 'self_reported'],
        [0.81, 'test'],
      ]);
      expect(run.feedback_exposes_test_score).toBe(true);
    }
  });

  it.each([
    [
      'the interpreter stopped it',
      ['x\n', 'TimeoutError: Execution exceeded the time limit of 4 hours', '\n\n feedback'],
      'timeout',
    ],
    [
      'it died of a timeout of its own',
      ['ReadTimeout: timed out\n', 'Execution time: 3 seconds (time limit is 4 hours).'],
      'error',
    ],
  ])('tells how a program ended: %s', async (_name, _term_out, status) => {
    const nodes = [A[0], airaNode('a', 1, { exit_code: 1, _term_out })];
    const run = onlyTrajectory(await readFiles({ 'journal.jsonl': lines(nodes) }));
    expect(run.executions.map((execution) => execution.status)).toEqual([status]);
    const last = run.turns.at(-1);
    expect(last && turnContent(last)).toBe(_term_out.join(''));
  });
});

describe('a list of nodes of AIDE', () => {
  const aide = (id: string, step: number) => ({
    ...bare(id, step, { code: `x = ${step}` }),
    plan: `plan ${step}`,
    _term_out: ['1'],
    exec_time: 1,
    exc_type: null,
    is_buggy: false,
    metric: { value: step, maximize: true },
    parent: step === 0 ? null : `${id}${step - 1}`,
  });
  const nodes = ['a', 'b'].flatMap((id) => [0, 1, 2].map((step) => aide(id, step)));

  it('of two runs is two trajectories, as lines and as a list, and takes no grade', async () => {
    const grade = { ...report('spooky', 0.5), submission_exists: true };
    for (const content of [lines(nodes), nodes]) {
      const runs = trajectoriesOf(await readFiles({ 'journal.json': content, 'grade.json': grade }));
      expect(runs.map(({ executions }) => executions.map(({ execution_id }) => execution_id))).toEqual([
        ['a0', 'a1', 'a2'],
        ['b0', 'b1', 'b2'],
      ]);
      expect(runs.map(({ executions }) => executions[0]?.parent_execution)).toEqual([null, null]);
      for (const run of runs)
        expect(run.flags).toEqual(expect.arrayContaining(['several_runs', 'grade_of_several_runs']));
    }
  });

  it('takes no grade as journals in a list either', async () => {
    const journals = ['a', 'b'].map((id) => ({ nodes: [aide(id, 0)], node2parent: {} }));
    const grade = { ...report('spooky', 0.5), submission_exists: true };
    const runs = trajectoriesOf(await readFiles({ 'journals.json': journals, 'grade.json': grade }));
    expect(runs.map(({ submissions }) => submissions.map(({ scale }) => scale))).toEqual([
      ['self_reported'],
      ['self_reported'],
    ]);
  });
});
