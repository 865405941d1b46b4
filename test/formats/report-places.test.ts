import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planRun } from '../../src/pipeline/plan-run.js';
import { readTask, siblingNames } from '../../src/pipeline/task-input.js';
import { folderWith, readAll, trajectoriesOf } from './read-all.js';

/** A minimal mini-swe-agent run of an instance. */
const traj = (instance: string) => ({
  info: { exit_status: 'Submitted', submission: 'diff' },
  messages: [
    { role: 'system', content: 's' },
    { role: 'user', content: `solve ${instance}` },
    { role: 'assistant', content: 'done' },
  ],
  trajectory_format: 'mini-swe-agent-1.1',
  instance_id: instance,
});
const report = (resolved: boolean) => ({ resolved, tests_status: {} });
const node = (metric: number) => ({
  step: 0,
  id: 'n',
  plan: 'p',
  code: 'x',
  _term_out: [],
  exec_time: 1,
  exc_type: null,
  is_buggy: false,
  metric: { value: metric, maximize: false },
});
const journal = (metric: number) => ({ nodes: [node(metric)], node2parent: {}, __version: '2' });
const grade = (run: string, score: number) => ({
  competition_id: 'spooky',
  score,
  gold_threshold: 0.1,
  silver_threshold: 0.2,
  bronze_threshold: 0.3,
  median_threshold: 0.4,
  submission_exists: true,
  valid_submission: true,
  is_lower_better: true,
  submission_path: `runs/group/${run}/submission/submission.csv`,
});

function tree(files: Readonly<Record<string, unknown>>): string {
  const root = folderWith({});
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
}

/** Everything that a plan over these inputs reads. */
async function readPlanned(root: string, globs: readonly string[]) {
  writeFileSync(join(root, 'p.yaml'), 'version: 1\n');
  const { plan } = await planRun({ pipeline: 'p.yaml', cwd: root, input: globs, out: 'out' });
  const location = JSON.parse(
    (await import('node:fs')).readFileSync(join(root, 'out/location.json'), 'utf8'),
  );
  const results = [];
  for (const task of plan.body.tasks.keys()) {
    for await (const { result } of readTask({ plan, location, task, siblings: siblingNames(plan) }))
      results.push(result);
  }
  return { plan, results };
}

/** By layout: the files, the pattern of the runs, and whether the run of instance `a` counts as solved. */
const LAYOUTS: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
  [
    'the leaderboard of SWE-bench, reports of instances in logs',
    {
      'x/trajs/a.traj.json': traj('a'),
      'x/trajs/b.traj.json': traj('b'),
      'x/logs/a/report.json': { a: report(true) },
      'x/logs/b/report.json': { b: report(false) },
    },
    'x/trajs/*',
    'x/trajs/a.traj.json',
  ],
  [
    'the leaderboard of SWE-bench, results by list',
    {
      'x/trajs/a.traj.json': traj('a'),
      'x/trajs/b.traj.json': traj('b'),
      'x/results/results.json': { no_generation: [], applied: ['a', 'b'], resolved: ['a'] },
    },
    'x/trajs/*',
    'x/trajs/a.traj.json',
  ],
  [
    'one folder an instance, the report of the run above them beside the predictions',
    {
      'x/a/a.traj.json': traj('a'),
      'x/b/b.traj.json': traj('b'),
      'x/preds.json': {},
      'x/model.run1.json': { resolved_ids: ['a'], unresolved_ids: ['b'] },
    },
    'x/*/*.traj.json',
    'x/a/a.traj.json',
  ],
  [
    'evaluation_results in the folder of the runs',
    {
      'x/a.traj.json': traj('a'),
      'x/b.traj.json': traj('b'),
      'x/evaluation_results/a.json': { a: report(true) },
      'x/evaluation_results/b.json': { b: report(false) },
    },
    'x/*.traj.json',
    'x/a.traj.json',
  ],
  [
    'reports of sb-cli',
    {
      'x/a/a.traj.json': traj('a'),
      'x/b/b.traj.json': traj('b'),
      'x/sb-cli-reports/swe-bench_lite__test__run.json': { resolved_ids: ['a'], unresolved_ids: ['b'] },
    },
    'x/*/*.traj.json',
    'x/a/a.traj.json',
  ],
];

describe('reports in their usual places', () => {
  it.each(LAYOUTS)('%s', async (_, files, glob, path) => {
    const root = tree(files);
    const [alone] = trajectoriesOf(await readAll({ root, path }));
    expect(alone?.resolved).toBe(true);
    const { plan, results } = await readPlanned(root, [glob]);
    const solved = trajectoriesOf(results).map((run) => [run.task_id, run.resolved]);
    expect(solved).toEqual([
      ['a', true],
      ['b', false],
    ]);
    // what is joined is frozen
    const names = new Set(plan.body.companions);
    for (const run of trajectoriesOf(results)) {
      for (const { path: sidecar } of run.source.sidecars) expect(names).toContain(sidecar);
    }
  });

  it.each(LAYOUTS)('count as sidecars where they are inputs too: %s', async (_, files) => {
    const { results } = await readPlanned(tree(files), ['x/**/*.json']);
    const predictions = Object.keys(files).filter((file) => file.endsWith('preds.json')).length;
    expect(results.filter(({ kind }) => kind === 'reject')).toHaveLength(predictions);
    expect(results.filter(({ kind }) => kind === 'sidecar')).toHaveLength(
      Object.keys(files).length - 2 - predictions,
    );
    expect(trajectoriesOf(results).map((run) => run.resolved)).toEqual([true, false]);
  });

  it('that are nearer go before those of another run further up', async () => {
    const root = tree({
      'x/a/a.traj.json': traj('a'),
      'x/a/report.json': { a: report(true) },
      'x/other.run.json': { resolved_ids: [], unresolved_ids: ['a'] },
    });
    const [run] = trajectoriesOf(await readAll({ root, path: 'x/a/a.traj.json' }));
    expect([run?.resolved, run?.flags.includes('reports_contradict')]).toEqual([true, false]);
  });

  it('of MLE-bench go to the run whose folder was graded, of several of one competition', async () => {
    const root = tree({
      'runs/group/spooky_1/logs/journal.json': journal(1),
      'runs/group/spooky_2/logs/journal.json': journal(2),
      'runs/group/2026_grading_report.json': {
        competition_reports: [grade('spooky_1', 0.11), grade('spooky_2', 0.22)],
      },
    });
    const { results } = await readPlanned(root, ['runs/**/journal.json']);
    const scores = trajectoriesOf(results).map(
      (run) => run.submissions.find(({ scale }) => scale === 'test')?.score,
    );
    expect(scores).toEqual([0.11, 0.22]);
  });

  /** A session of Claude Code with one reply, as its project folder holds it. */
  const session = (id: string): string =>
    [
      { type: 'user', parentUuid: null, message: { role: 'user', content: 'win' } },
      {
        type: 'assistant',
        parentUuid: `${id}-0`,
        message: {
          id: `m-${id}`,
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text: `done ${id}` }],
        },
      },
    ]
      .map((record, index) => ({ uuid: `${id}-${index}`, sessionId: id, version: '2.0.0', ...record }))
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
  const FIRST = 'spooky_6e3a8f52-6f0c-4f0e-9d3b-0a1b2c3d4e5f';
  const SECOND = 'spooky_0b8a7c61-2f4d-4a7e-8c9d-5e6f7a8b9c0d';
  const project = 'logs/claude/projects/-home';
  const scored = (runs: readonly unknown[], path: string) =>
    trajectoriesOf(runs as Parameters<typeof trajectoriesOf>[0])
      .filter(({ source }) => source.path.endsWith(path))
      .map(({ submissions, flags }) => [
        submissions.map(({ score, scale, execution_id, observed_turn }) => [
          score,
          scale,
          execution_id,
          observed_turn,
        ]),
        flags.filter((flag) => flag.includes('grade')),
      ]);

  it('of MLE-bench give runs of any agent the score of their final submission, anywhere in their folder', async () => {
    const root = tree({
      [`runs/group/${FIRST}/${project}/s1.jsonl`]: session('s1'),
      [`runs/group/${SECOND}/logs/a.traj.json`]: traj('a'),
      'runs/group/2026_grading_report.json': {
        competition_reports: [grade(FIRST, 0.11), grade(SECOND, 0.22)],
      },
    });
    const { results, plan } = await readPlanned(root, ['runs/**/*.json*']);
    expect(scored(results, 's1.jsonl')).toEqual([[[[0.11, 'test', null, null]], ['grade_joined']]]);
    expect(scored(results, 'a.traj.json')).toEqual([[[[0.22, 'test', null, null]], ['grade_joined']]]);
    expect(results.filter(({ kind }) => kind === 'sidecar')).toHaveLength(1);
    expect(plan.body.companions).toEqual([]);
    // also where only the logs are inputs
    const apart = () =>
      tree({
        [`x/${FIRST}/${project}/s1.jsonl`]: session('s1'),
        [`x/${FIRST}/grade.json`]: grade(FIRST, 0.11),
      });
    const alone = await readPlanned(apart(), ['x/**/*.jsonl']);
    expect(alone.plan.body.companions).toEqual([`${FIRST}/grade.json`]);
    const together = await readPlanned(apart(), ['x/**/*.json*']);
    expect(together.results.map(({ kind }) => kind).sort()).toEqual(['sidecar', 'trajectory']);
    expect(scored(alone.results, 's1.jsonl')).toEqual([[[[0.11, 'test', null, null]], ['grade_joined']]]);
  });

  it('of MLE-bench are not those of another run of the same competition', async () => {
    const root = tree({
      [`runs/group/${FIRST}/${project}/s1.jsonl`]: session('s1'),
      [`runs/group/${FIRST}/logs/journal.json`]: journal(1),
      'runs/group/2026_grading_report.json': { competition_reports: [grade(SECOND, 0.22)] },
    });
    const { results } = await readPlanned(root, ['runs/**/journal.json', 'runs/**/*.jsonl']);
    expect(scored(results, 's1.jsonl')).toEqual([[[], []]]);
    expect(scored(results, 'journal.json')).toEqual([[[[1, 'self_reported', 'n', 1]], []]]);
  });

  it('of MLE-bench go to none of several sessions in the folder of one run', async () => {
    const root = tree({
      [`runs/group/${FIRST}/${project}/s1.jsonl`]: session('s1'),
      [`runs/group/${FIRST}/${project}/s2.jsonl`]: session('s2'),
      [`runs/group/${FIRST}/grade.json`]: grade(FIRST, 0.11),
    });
    const { results } = await readPlanned(root, ['runs/**/*.jsonl']);
    expect(scored(results, '.jsonl')).toEqual([
      [[], ['grade_of_several_runs']],
      [[], ['grade_of_several_runs']],
    ]);
  });

  it('are looked for around runs alone', async () => {
    const root = tree({ 'x/chats/c.json': [{ role: 'user', content: 'q' }], 'x/model.run1.json': {} });
    const { plan } = await readPlanned(root, ['x/chats/*']);
    expect(plan.body.companions).toEqual([]);
  });
});
