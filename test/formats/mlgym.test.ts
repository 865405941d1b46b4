import { describe, expect, it } from 'vitest';
import { mlgymExit } from '../../src/formats/mlgym-exits.js';
import { commandHead } from '../../src/formats/shell-heads.js';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles } from './read-all.js';

interface Step {
  readonly action: string;
  readonly observation: string;
  readonly response?: string;
}

const valid = (score: string) =>
  `Your code produced a valid submission artefact at submission.csv.\nBaseline Score: {'r2': 0.88}\nEvaluation Score: ${score}`;

/** A run in the layout of SWE-agent 0.x: the last observation never reaches the history. */
const run = (steps: readonly Step[], info: Record<string, unknown>) => ({
  environment: 'regressionKaggleHousePrice',
  trajectory: steps.map(({ action, observation, response }) => ({
    action,
    observation,
    response: response ?? `Let me.\n\`\`\`\n${action}\n\`\`\``,
    state: '{"open_file": "n/a"}',
    thought: 'Let me.',
    execution_time: 1.5,
  })),
  history: [
    { role: 'system', content: 'SETTING', agent: 'primary' },
    { role: 'user', content: 'TASK', agent: 'primary' },
    ...steps.flatMap(({ action, observation, response }, index) => [
      {
        role: 'assistant',
        content: response ?? `Let me.\n\`\`\`\n${action}\n\`\`\``,
        action,
        thought: 'Let me.',
        agent: 'primary',
      },
      ...(index === steps.length - 1 ? [] : [{ role: 'user', content: observation, agent: 'primary' }]),
    ]),
  ],
  info,
});

const STEPS: readonly Step[] = [
  { action: 'ls', observation: 'train.py' },
  { action: 'python train.py', observation: 'done' },
  { action: 'validate', observation: valid("{'r2': 0.9}") },
  {
    action: 'cd src && CUDA_VISIBLE_DEVICES=0 python train.py',
    observation: 'Traceback (most recent call last):\n  File "t.py", line 1, in <module>\nKeyError: 1',
  },
  { action: 'validate', observation: valid("{'r2': 0.9}") },
  { action: 'python fix.py', observation: 'ok' },
  { action: 'validate', observation: 'Submission artefact not found. You have to produce one.' },
  { action: 'submit', observation: 'Exited (submit)' },
];

const SCORES = [{ r2: 0.9 }, { r2: 0.9 }, { r2: 0.93 }];

describe('a run', () => {
  it('has experiments that run programs, and scores from validate and submit on the test scale', async () => {
    const log = run(STEPS, { exit_status: 'submitted', score: SCORES });
    const found = onlyTrajectory(
      await readFiles({ 'run.traj': log, 'results.json': { agent: SCORES, baseline: { r2: 0.88 } } }),
    );
    expect(found.source.format).toBe('mlgym');
    expect(found.task_id).toBe('regressionKaggleHousePrice');
    expect(found.executions.map(({ kind, tool, status }) => `${kind} ${tool} ${status}`)).toEqual([
      'other ls unknown',
      'experiment python ok',
      'scoring validate ok',
      'experiment python error',
      'scoring validate ok',
      'experiment python ok',
      'scoring validate error',
      'scoring submit ok',
    ]);
    expect(
      found.submissions.map(({ execution_id, scored_by, score, gradable, stale, scale }) => [
        execution_id,
        scored_by,
        score,
        gradable,
        stale,
        scale,
      ]),
    ).toEqual([
      ['call-1', 'call-2', 0.9, true, false, 'test'],
      // the program failed: what was evaluated is the artefact of the run before
      ['call-3', 'call-4', 0.9, true, true, 'test'],
      ['call-5', 'call-6', null, false, false, 'test'],
      ['call-5', 'call-7', 0.93, true, false, 'test'],
    ]);
    expect(found.termination).toBe('submitted');
    expect(found.feedback_exposes_test_score).toBe(true);
    expect(found.source.sidecars).toMatchObject([{ path: 'results.json', role: 'results' }]);
    expect(found.flags).toEqual(['last_observation_not_in_history']);
  });

  it('counts the evaluation that stands in one command with the program, so that no later score shifts', async () => {
    const steps = [
      { action: 'python train.py && validate', observation: valid("{'r2': 0.8}") },
      { action: 'python print.py', observation: 'my own Evaluation Score: 7' },
      { action: 'validate', observation: valid("{'r2': 0.9}") },
      { action: 'python last.py; submit', observation: 'Exited (submit)' },
    ];
    const score = [{ r2: 0.8 }, { r2: 0.9 }, { r2: 0.91 }];
    const found = onlyTrajectory(
      await readFiles({ 'run.traj': run(steps, { exit_status: 'submitted', score }) }),
    );
    expect(
      found.submissions.map(({ execution_id, scored_by, score }) => [execution_id, scored_by, score]),
    ).toEqual([
      ['call-0', 'call-0', 0.8],
      ['call-1', 'call-2', 0.9],
      ['call-3', 'call-3', 0.91],
    ]);
    expect(found.flags).not.toContain('scores_do_not_match_calls');
  });

  it.each([
    ['no scores', null, 0.9, true],
    ['a dict alone', { r2: 0.9 }, 0.9, false],
    ['an empty list', [], 0.9, true],
  ])('has the score of a run with %s', async (_name, score, expected, differs) => {
    const log = run([...STEPS.slice(0, 3), STEPS[0] ?? { action: 'ls', observation: '' }], { score });
    const found = onlyTrajectory(await readFiles({ 'run.traj': log }));
    expect(found.submissions).toMatchObject([{ score: expected, gradable: true, grader: 'mlgym:r2' }]);
    expect(found.flags.includes('scores_do_not_match_calls')).toBe(differs);
  });

  it('keeps metrics of an evaluation apart: none of several is the score', async () => {
    const log = run([STEPS[1] ?? STEPS[0], { action: 'submit', observation: 'Exited (submit)' }] as Step[], {
      exit_status: 'submitted',
      score: [{ r2: 0.9, rmse: 3 }],
    });
    const found = onlyTrajectory(await readFiles({ 'run.traj': log }));
    expect(found.submissions).toMatchObject([
      { score: null, gradable: true, flags: ['metric:r2=0.9', 'metric:rmse=3'] },
    ]);
    expect(found.flags).toContain('missing_sidecar');
  });

  it.each([
    ['COMMAND FAILED TO EXECUTE. RESTARTING PROCESS.', 'infrastructure'],
    ['BROKEN PIPE ERROR. RESTARTING PROCESS.', 'infrastructure'],
    ['EXECUTION FAILED OR COMMAND MALFORMED', 'error'],
    ['EXECUTION TIMED OUT BECAUSE THE COMMAND WAS RUNNING FOR MORE THAN 1800 SECONDS.', 'timeout'],
    ['EXECUTION TIMED OUT AND INTERRUPT FAILED. RESTARTING PROCESS.', 'timeout'],
    ['it says BROKEN PIPE ERROR. RESTARTING PROCESS. and goes on', 'ok'],
  ])('takes an experiment whose output ends in %j for %s', async (words, status) => {
    const steps = [
      { action: 'python train.py', observation: `epoch 1\n${words}` },
      { action: 'validate', observation: valid("{'r2': 0.9}") },
      { action: 'ls', observation: '' },
    ];
    const found = onlyTrajectory(await readFiles({ 'run.traj': run(steps, { score: [{ r2: 0.9 }] }) }));
    expect(found.executions[0]).toMatchObject({ kind: 'experiment', status });
    expect(found.submissions).toMatchObject([{ score: 0.9, stale: status !== 'ok' }]);
  });

  it('of which only the scaffold submitted has a stale score, whatever it is', async () => {
    const log = run(
      [
        {
          action: 'exit_context',
          observation: 'Exited (exit_context)',
          response: 'Exit due to context window',
        },
      ],
      { exit_status: 'autosubmission (exit_context)', score: [{ r2: 0.88 }] },
    );
    // nothing in it is the model's
    expect(onlyReject(await readFiles({ 'run.traj': log })).code).toBe('no_model_turns');
    const longer = run(
      [
        { action: 'ls', observation: 'x' },
        { action: 'exit_api', observation: 'Exited (exit_api)', response: 'exit due to retry error: 429' },
      ],
      { exit_status: 'autosubmission (exit_api)', score: [{ r2: 0.88 }] },
    );
    const found = onlyTrajectory(await readFiles({ 'run.traj': longer }));
    expect(found.submissions).toMatchObject([
      { execution_id: null, score: 0.88, stale: true, flags: ['autosubmission', 'no_experiment_before'] },
    ]);
    expect(found.termination).toBe('error');
    expect(found.turns.at(-1)?.flags).toEqual(['harness_reply']);
    expect(found.turns.at(-1)?.spans.every((span) => span.origin === 'environment')).toBe(true);
  });

  it('says when scores and calls do not match', async () => {
    const log = run(STEPS, { exit_status: 'submitted', score: [...SCORES, { r2: 1 }] });
    const found = onlyTrajectory(
      await readFiles({ 'run.traj': log, 'results.json': { agent: SCORES, baseline: {} } }),
    );
    expect(found.flags).toEqual(expect.arrayContaining(['scores_do_not_match_calls', 'results_differ']));
  });

  it('keeps every reply verbatim', async () => {
    const log = run(STEPS, { exit_status: 'submitted', score: SCORES });
    const found = onlyTrajectory(await readFiles({ 'run.traj': log }));
    expect(found.turns.map(turnContent)).toEqual(log.history.map((message) => message.content));
  });
});

describe('results.json', () => {
  const results = { agent: SCORES, baseline: { r2: 0.88 } };

  it('is the sidecar of its run, and no trajectory alone', async () => {
    const log = run(STEPS, { exit_status: 'submitted', score: SCORES });
    expect(await readFiles({ 'results.json': results, 'run.traj': log })).toEqual([
      { kind: 'sidecar', path: 'results.json', of: 'run.traj' },
    ]);
    expect(onlyReject(await readFiles({ 'results.json': results })).code).toBe('not_a_trajectory');
  });

  it.each([[{ agent: SCORES }], [{ baseline: { r2: 0.88 } }]])('%j may lack a part', async (part) => {
    const log = run(STEPS, { exit_status: 'submitted', score: SCORES });
    expect(await readFiles({ 'results.json': part, 'run.traj': log })).toMatchObject([{ kind: 'sidecar' }]);
    const found = onlyTrajectory(await readFiles({ 'run.traj': log, 'results.json': part }));
    expect(found.flags).not.toContain('bad_sidecar');
    // without its part there is nothing beside the run to disagree with
    expect(found.flags.includes('results_differ')).toBe(!('agent' in part));
  });
});

it.each([
  ['submitted', 'submitted', false, []],
  ['autosubmission (max_steps)', 'step_limit', true, ['autosubmitted']],
  ['autosubmission (exit_context)', 'context_limit', true, ['autosubmitted']],
  ['submission_not_found (exit_format)', 'error', false, ['submission_not_found']],
  ['evaluation_format_error (submit)', 'submitted', false, ['evaluation_format_error']],
  ["KeyError, 'x', (max_steps)", 'step_limit', false, ['evaluation_failed']],
  ['early_exit', 'cut', false, []],
  [null, 'cut', false, []],
] as const)('the exit status %s means %s', (status, termination, autosubmitted, flags) => {
  expect(mlgymExit(status)).toEqual({ termination, autosubmitted, flags });
});

it.each([
  ['python train.py', 'python'],
  ['A=1 B=2 /usr/bin/python train.py', 'python'],
  ['cd x && timeout 60 python train.py | tee log', 'python'],
  ['edit 1:2\npython x\nend_of_edit', 'edit'],
  ["cat <<'EOF' > a.py\npython b\nEOF", 'cat'],
  ['grep python x', 'grep'],
  ['', ''],
])('the program of %j is %j', (command, head) => {
  expect(commandHead(command, new Set(['python']))).toBe(head);
});
