import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { tally } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, trajectoriesOf } from './read-all.js';

const V1 = 'ai_scientist_v1/rl_lr_adaptation';

describeWithShared('the real AI-Scientist v1 transcript', () => {
  const read = async () =>
    onlyTrajectory(await readAll({ root: sharedFile('logs'), path: `${V1}_aider.txt` }));

  it('has 5 experiments: one failed, four came back with results', async () => {
    const run = await read();
    expect(run.executions.map(({ status, error_type, kind }) => [status, error_type, kind])).toEqual([
      ['error', 'TypeError', 'experiment'],
      ...Array(4).fill(['ok', null, 'experiment']),
    ]);
    for (const { call_turn, feedback_turn } of run.executions) {
      expect(run.turns[call_turn]?.role).toBe('assistant');
      expect(run.turns[feedback_turn ?? -1]?.spans[0]).toMatchObject({
        kind: 'observation',
        origin: 'environment',
      });
    }
  });

  it('keeps 12 means a run on the validation scale, checked against the sidecars', async () => {
    const run = await read();
    expect(run.submissions).toHaveLength(4);
    expect(run.submissions[0]).toMatchObject({ score: null, gradable: true, scale: 'validation' });
    expect(run.submissions[0]?.flags).toHaveLength(12);
    expect(run.submissions[0]?.flags).toContain('metric:best_val_loss/shakespeare_char=1.4664853016535442');
    expect(run.flags).not.toContain('results_differ');
    // Only the results of runs 0 to 2 are at hand.
    expect(run.flags).toContain('result_without_sidecar');
    expect(run.source.sidecars).toHaveLength(3);
  });

  it('holds what stands between the marks of aider as the model’s', async () => {
    const run = await read();
    const text = readFileSync(sharedFile(`logs/${V1}_aider.txt`), 'utf8');
    for (const turn of run.turns.filter((one) => one.role === 'assistant'))
      expect(text).toContain(turnContent(turn));
    const origins = run.turns.flatMap((turn) => turn.spans.map((span) => `${turn.role} ${span.origin}`));
    expect(Object.keys(tally(origins)).sort()).toEqual(['assistant model', 'user environment']);
  });

  it('says when a result is not what its sidecar holds', async () => {
    const chat = readFileSync(sharedFile(`logs/${V1}_aider.txt`), 'utf8');
    const info = { shakespeare_char: { means: { best_val_loss_mean: 9 } } };
    const run = onlyTrajectory(await readFiles({ 'x_aider.txt': chat, 'x_run_1_final_info.json': info }));
    expect(run.flags).toContain('results_differ');
  });
});

it('takes a result file alone for no trajectory', async () => {
  const info = { data: { means: { acc_mean: 1 } } };
  expect(onlyReject(await readFiles({ 'run_1_final_info.json': info })).code).toBe('not_a_trajectory');
});

const table = (lines: readonly string[]) => lines.map((line) => line.replaceAll('|', '\t')).join('\n');
const HEADER = 'commit|val_bpb|memory_gb|status|description';

describeWithShared('the real autoresearch tables', () => {
  it.each([
    ['autoresearch-mlx_results.tsv', 5, 1.807902],
    ['autoresearch-mlx_pr15_results.tsv', 31, 1.510121],
  ])('%s has %i runs', async (name, rows, last) => {
    const run = onlyTrajectory(
      await readAll({ root: sharedFile('logs'), path: `autoresearch_results_tsv/${name}` }),
    );
    expect(run.executions).toHaveLength(rows);
    expect(run.submissions.at(-1)).toMatchObject({
      score: last,
      scale: 'validation',
      grader: 'autoresearch:val_bpb',
    });
    expect(run.task_claims).toMatchObject({ metric: 'val_bpb', is_lower_better: null });
  });
});

describe('a table of runs', () => {
  const read = async (lines: readonly string[]) =>
    onlyTrajectory(await readFiles({ 'results.tsv': table(lines) }));

  it('has no score for a crash, whatever stands there', async () => {
    const run = await read([
      HEADER,
      'a|2.5|3|keep|base',
      'b-dirty|0.000000|0|crash|oops',
      'a|2.4|3|discard|again\r',
    ]);
    expect(run.executions.map(({ execution_id, status }) => [execution_id, status])).toEqual([
      ['a', 'ok'],
      ['b-dirty', 'error'],
      ['a#2', 'ok'],
    ]);
    expect(run.submissions.map(({ score }) => score)).toEqual([2.5, 2.4]);
    expect(run.turns.filter((turn) => turn.role === 'assistant').map(turnContent)).toEqual([
      'base',
      'oops',
      'again',
    ]);
  });

  it('keeps several metrics as flags, and says which rows it left', async () => {
    const run = await read(['commit|acc|f1|status|description', 'a|1|2|keep|x', 'ragged|1']);
    expect(run.submissions).toMatchObject([
      { score: null, gradable: true, flags: ['metric:acc=1', 'metric:f1=2'] },
    ]);
    expect(run.flags).toContain('ragged_rows');
  });

  it.each([
    ['timestamp|commit|status|score|budget_sec|description', 'autoresearch:score', 2],
    ['commit|tokens_per_sec|vram_gb|status|description', 'autoresearch:tokens_per_sec', 4],
    ['exp|commit|val_bpb|delta_bpb|seed|status|notes', 'autoresearch:val_bpb', 2],
    ['git_commit|latency_ms|status|hypothesis', 'autoresearch:latency_ms', 3],
  ])('finds the one metric of %s', async (head, grader, score) => {
    const values: Record<string, string> = { score: '2', val_bpb: '2', latency_ms: '3', tokens_per_sec: '4' };
    const words = ['description', 'hypothesis', 'notes'];
    const row = head.split('|').map((name) => {
      if (words.includes(name)) return 'what was tried';
      return name === 'status' ? 'keep' : (values[name] ?? '7');
    });
    const run = await read([head, row.join('|')]);
    expect(run.submissions).toMatchObject([{ grader, score, scale: 'validation' }]);
    expect(run.turns.map((turn) => turn.spans.map(({ origin }) => origin))).toEqual([
      ['model'],
      ['environment'],
    ]);
    expect(run.turns[0] && turnContent(run.turns[0])).toBe('what was tried');
    expect(run.executions[0]?.execution_id).toBe('7');
  });

  it.each([
    ['REVERT', 'ok', [2]],
    ['screen_discard', 'ok', [2]],
    ['crash: OOM', 'error', []],
    ['discard (timed out)', 'timeout', []],
    ['partial', 'unknown', [2]],
  ])('takes the status %s for %s', async (status, expected, scores) => {
    const run = await read([HEADER, `a|2|1|${status}|x`]);
    expect(run.executions.map((execution) => execution.status)).toEqual([expected]);
    expect(run.submissions.map(({ score }) => score)).toEqual(scores);
  });

  it.each([
    [
      'commit|val_bpb|memory_gb|mfu|num_steps|final_loss|status|description',
      'val_bpb',
      ['mfu', 'num_steps', 'final_loss'],
    ],
    ['commit|score|sharpe|max_dd|status|description', 'score', ['sharpe', 'max_dd']],
  ])('takes the column that names itself for what was optimised: %s', async (head, objective, others) => {
    const row = head
      .split('|')
      .map((name, index) => (['status', 'description'].includes(name) ? 'keep' : `${index}`));
    const run = await read([head, row.join('|')]);
    expect(run.submissions).toMatchObject([
      { score: 1, gradable: true, grader: `autoresearch:${objective}` },
    ]);
    const named = run.submissions[0]?.flags.map((flag) => flag.replace(/^metric:|=.*$/g, ''));
    expect(named).toEqual(others);
    expect(run.task_claims).toMatchObject({ metric: objective, is_lower_better: null });
  });

  it('of two validation columns neither is the objective', async () => {
    const run = await read(['commit|val_loss|val_acc|status|description', 'a|1|2|keep|x']);
    expect(run.submissions).toMatchObject([{ score: null, grader: 'autoresearch:several' }]);
    expect(run.task_claims).toBeNull();
  });

  it('has no score for a run that was given up before its validation and stands with zeros', async () => {
    const run = await read([
      HEADER,
      'a|2.5|3|keep|x',
      'b|0.000000|0.0|discard|given up',
      'c|0.0|3|keep|perfect',
    ]);
    expect(run.submissions.map(({ score, gradable }) => [score, gradable])).toEqual([
      [2.5, true],
      [null, false],
      [0, true],
    ]);
  });

  it('may have remarks above its head and between its rows', async () => {
    const lines = [
      '# results below came from a faulty engine',
      '# see notes',
      '',
      HEADER,
      'a|2|1|keep|x',
      '# later',
      'b|3|1|keep|y',
    ];
    const run = await read(lines);
    expect(run.submissions.map(({ score }) => score)).toEqual([2, 3]);
    expect(run.flags).not.toContain('ragged_rows');
  });

  it('begins another run at another head, and takes tabs back into the last column', async () => {
    const lines = [HEADER, 'a|2|1|keep|x|y', '', 'commit|acc|status|description', 'b|3|keep|z', HEADER];
    const runs = trajectoriesOf(await readFiles({ 'results.tsv': table(lines) }));
    expect(runs.map(({ submissions }) => submissions.map(({ grader, score }) => [grader, score]))).toEqual([
      [['autoresearch:val_bpb', 2]],
      [['autoresearch:acc', 3]],
    ]);
    expect(runs[0]?.turns[0] && turnContent(runs[0].turns[0])).toBe('x\ty');
    expect(runs.flatMap(({ flags }) => flags)).not.toContain('ragged_rows');
  });

  it('has no submission for a row that never ran', async () => {
    const run = await read([HEADER, 'a|2|1|keep|x', 'b|NA|NA|blocked|y', 'c|-|-|discard|z']);
    expect(run.submissions.map(({ execution_id, gradable }) => [execution_id, gradable])).toEqual([
      ['a', true],
      ['c', false],
    ]);
  });

  it('needs rows, and its three columns', async () => {
    expect(onlyReject(await readFiles({ 'results.tsv': table([HEADER]) })).code).toBe('no_turns');
    expect(onlyReject(await readFiles({ 'results.tsv': table(['rank|config|score', '1|x|2']) })).code).toBe(
      'unknown_format',
    );
  });
});

describe('a state of MLE-STAR', () => {
  const result = (score: number, rest: Record<string, unknown> = {}) => ({
    returncode: 0,
    stdout: `Final Validation Performance: ${score}`,
    stderr: '',
    execution_time: 2,
    score,
    ...rest,
  });
  const STATE = {
    task_description: 'Predict; the metric is accuracy.',
    lower: true,
    train_code_improve_1_0_1: 'improved(1)',
    train_code_improve_exec_result_1_0_1: result(0.9444),
    train_code_improve_0_0_1: 'improved(0)',
    train_code_improve_exec_result_0_0_1: result(1e9, {
      returncode: 1,
      stderr: 'Traceback (most recent call last):\n  File "x", line 1, in <module>\nValueError: y',
    }),
    train_code_0_1: 'start()',
    train_code_exec_result_0_1: result(0.9451),
    init_code_1_1: 'start()',
    init_code_exec_result_1_1: result(0.9451),
    ablation_code_0_1: 'ablate()',
    ablation_code_exec_result_0_1: {},
    submission_code: 'submit()',
    submission_code_exec_result: result(1e9, { stdout: '' }),
    best_score_1: 0.9444,
  };

  it('puts steps of a fork that only name their solution behind the outer loop, in the order of the state', async () => {
    const run = onlyTrajectory(
      await readFiles({
        'state.json': {
          train_code_tune_search_1: 'search()',
          train_code_tune_search_exec_result_1: result(3),
          train_code_tune_1: 'tuned()',
          train_code_tune_exec_result_1: result(2),
          train_code_1_1: 'second()',
          train_code_exec_result_1_1: result(4),
          train_code_0_1: 'first()',
          train_code_exec_result_0_1: result(5),
        },
      }),
    );
    expect(run.executions.map(({ code }) => code)).toEqual(['first()', 'second()', 'search()', 'tuned()']);
  });

  it('finds the programs of steps that a fork added, and says where there is none', async () => {
    const state = {
      init_code_1_1: 'first()',
      init_code_exec_result_1_1: result(3),
      single_improvement_code_1: 'improved()',
      single_improvement_exec_result_1: result(2),
      train_code_exec_result_0_2: result(1),
    };
    const run = onlyTrajectory(await readFiles({ 'state.json': state }));
    expect(run.executions.map(({ code }) => code)).toEqual(['first()', 'improved()']);
    expect(run.submissions.map(({ score }) => score)).toEqual([3, 2]);
    expect(run.flags).toContain('result_without_program');
  });

  it('orders its programs by phase and index, skips empty results and knows copies', async () => {
    const run = onlyTrajectory(await readFiles({ 'state.json': STATE }));
    expect(
      run.executions.map(({ execution_id, kind, status }) => `${execution_id} ${kind} ${status}`),
    ).toEqual([
      'init_code_1_1 experiment ok',
      'train_code_0_1 other ok',
      'train_code_improve_0_0_1 experiment error',
      'train_code_improve_1_0_1 experiment ok',
      'submission_code experiment ok',
    ]);
    expect(run.turns[3]?.flags).toEqual(['copied_code']);
    expect(run.turns[3]?.spans.every((span) => span.origin === 'environment')).toBe(true);
    expect(run.executions[2]?.error_type).toBe('ValueError');
  });

  it('names its task and the model that wrote the programs', async () => {
    const named = { ...STATE, task_name: 'leaf-shapes', agent_model: 'tiny-flash' };
    const run = onlyTrajectory(await readFiles({ 'state.json': named }));
    expect(run).toMatchObject({ task_id: 'leaf-shapes', model: 'tiny-flash' });
    const silent = onlyTrajectory(await readFiles({ 'state.json': STATE }));
    expect(silent).toMatchObject({ task_id: null, model: null });
  });

  it('takes what stands in the place of a score that was never printed for none, where more is better too', async () => {
    const state = {
      lower: false,
      init_code_1_1: 'silent()',
      init_code_exec_result_1_1: result(0, { stdout: 'no score here' }),
      init_code_1_2: 'worst()',
      init_code_exec_result_1_2: result(0, { stdout: 'Final Validation Performance: 0.0\n' }),
    };
    const run = onlyTrajectory(await readFiles({ 'state.json': state }));
    expect(run.executions.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(run.submissions.map(({ execution_id, score }) => [execution_id, score])).toEqual([
      ['init_code_1_2', 0],
    ]);
  });

  it.each([
    [2.5e9, 'Final Validation Performance: 2500000000.0\n', 2.5e9],
    [1e9, 'Final Validation Performance: 1e9', 1e9],
    [1e9, 'no score here', null],
    [0, 'Final Validation Performance:\n3\n', null],
    [0, 'Final Validation Performance: 0.5 (higher is better: yes)', null],
    [0, 'Final Validation Performance (log loss): 0\r\n', 0],
  ])(
    'tells a score of %d from one that stands for none by the line that the scaffold reads: %j',
    async (score, stdout, expected) => {
      const state = { init_code_1_1: 'x()', init_code_exec_result_1_1: result(score, { stdout }) };
      const run = onlyTrajectory(await readFiles({ 'state.json': state }));
      expect(run.submissions.map((submission) => submission.score)).toEqual(
        expected === null ? [] : [expected],
      );
    },
  );

  it.each([
    ["Command '['python', 'train0.py']' timed out after 600 seconds", 'timeout'],
    ["subprocess.TimeoutExpired: Command 'wget' timed out after 5 seconds", 'error'],
    ['requests.exceptions.ReadTimeout: read timed out', 'error'],
  ])(
    'tells a program that the scaffold stopped from one that died of a timeout of its own: %s',
    async (stderr, status) => {
      const state = {
        init_code_1_1: 'x()',
        init_code_exec_result_1_1: result(1e9, { returncode: 1, stdout: '', stderr }),
      };
      const run = onlyTrajectory(await readFiles({ 'state.json': state }));
      expect(run.executions.map((execution) => execution.status)).toEqual([status]);
    },
  );

  it('has scores of programs that ran and printed one, and no direction', async () => {
    const run = onlyTrajectory(await readFiles({ 'state.json': STATE }));
    expect(run.submissions.map(({ execution_id, score, scale }) => [execution_id, score, scale])).toEqual([
      ['init_code_1_1', 0.9451, 'validation'],
      ['train_code_0_1', 0.9451, 'validation'],
      ['train_code_improve_1_0_1', 0.9444, 'validation'],
    ]);
    expect(run.task_claims).toBeNull();
    expect(run.flags).toEqual(
      expect.arrayContaining(['direction_claim:lower', 'direction_contradicts_metric']),
    );
  });
});
