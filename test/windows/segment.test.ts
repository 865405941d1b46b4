import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeExecution, makeSubmission, makeTurn } from '../../src/trajectory/build.js';
import type { Execution, Submission } from '../../src/trajectory/execution.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { WINDOW_FLAGS } from '../../src/windows/flags.js';
import { type WindowOptionsInput, windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { call, finish, observation, prompt, type RunEvent, runOf, taskOf, text } from './synthetic-run.js';

function windowsOf(run: Trajectory, options: WindowOptionsInput = {}, task = taskOf()) {
  return segmentWindows(run, task, windowSchema.parse(options)).windows;
}

function rewards(events: readonly RunEvent[], options: WindowOptionsInput = {}, task = taskOf()) {
  return windowsOf(runOf(events), options, task).map(({ reward }) => reward);
}

function experiment(id: string, order: number, turn: number, rest: Partial<Execution> = {}): Execution {
  const made = makeExecution({
    execution_id: id,
    order,
    kind: 'experiment',
    tool: 'run',
    call_turn: turn,
    status: 'ok',
  });
  return { ...made, ...rest };
}

function scored(id: string, order: number, score: number, rest: Partial<Submission> = {}): Submission {
  return { ...makeSubmission({ execution_id: id, order, gradable: true, score, scale: 'test' }), ...rest };
}

describeWithShared('the reward cases of WIRL', () => {
  const cases = JSON.parse(readFileSync(sharedFile('grading/wirl_cases.json'), 'utf8')) as {
    name: string;
    thresholds: { gold: number; silver: number; bronze: number; median: number; is_lower_better: boolean };
    events: RunEvent[];
    expected: (number | null)[];
  }[];

  it.each(cases)('$name', ({ thresholds, events, expected }) => {
    expect(rewards(events, {}, taskOf(thresholds))).toEqual(expected);
  });
});

describe('outcomes', () => {
  const rows: [string, RunEvent, Partial<ReturnType<typeof windowsOf>[number]>][] = [
    ['an error', { exec: 'error' }, { outcome: 'error', reward: -1, trend: null, medal: null }],
    ['a timeout', { exec: 'timeout' }, { outcome: 'error', reward: -1, flags: ['timeout'] }],
    ['nothing submitted', { exec: 'ok' }, { outcome: 'no_submission', reward: -0.6 }],
    ['not gradable', { exec: 'ok', score: null }, { outcome: 'no_submission', reward: -0.6 }],
    ['an infrastructure failure', { exec: 'infra' }, { outcome: 'infrastructure', reward: null }],
    [
      'a failure that left a submission',
      { exec: 'error', score: 0.95 },
      { outcome: 'error', reward: -1, score: null, flags: ['failed_with_submission'] },
    ],
    [
      'a stale submission',
      { exec: 'ok', score: 0.95, submission: { stale: true } },
      { outcome: 'error', reward: -1, flags: ['stale_submission'] },
    ],
    [
      'a failure with a stale submission',
      { exec: 'error', score: 0.95, submission: { stale: true } },
      { outcome: 'error', reward: -1, flags: ['stale_submission'] },
    ],
    [
      'a score on another scale',
      { exec: 'ok', score: 0.95, scale: 'self_reported' },
      {
        outcome: 'ungraded',
        reward: null,
        score: 0.95,
        score_scale: 'self_reported',
        flags: ['other_scale'],
      },
    ],
    [
      'not gradable on another scale',
      { exec: 'ok', score: null, scale: 'self_reported' },
      { outcome: 'no_submission', reward: -0.6 },
    ],
    [
      'accepted without a score in the log',
      { exec: 'ok', score: null, submission: { gradable: true } },
      { outcome: 'ungraded', reward: null, flags: ['score_unknown'] },
    ],
    [
      'an unknown end without a submission',
      { exec: 'unknown' },
      { outcome: 'ungraded', reward: null, flags: ['status_unknown'] },
    ],
    [
      'an unknown end with a submission',
      { exec: 'unknown', score: 0.95 },
      { outcome: 'gold', reward: 2, flags: ['status_unknown'] },
    ],
    [
      'an invalidated node',
      { exec: 'ok', score: 0.85, execution: { invalidated: true } },
      { outcome: 'silver', reward: 1, flags: ['invalidated'] },
    ],
    [
      'feedback cut off, its result known',
      { exec: 'error', execution: { feedback_turn: null } },
      { outcome: 'error', reward: -1, flags: ['feedback_missing'] },
    ],
  ];

  it.each(rows)('%s', (_name, event, expected) => {
    const [window] = windowsOf(runOf([event]));
    expect(window).toMatchObject({ flags: [], ...expected });
  });

  it('grades nothing without a task record or thresholds, but errors stay errors', () => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.5 },
      { exec: 'ok', score: 0.7 },
      { exec: 'error' },
      { exec: 'ok' },
    ];
    const options = windowSchema.parse({});
    const unknown = segmentWindows(runOf(events), null, options).windows;
    expect(unknown.map(({ reward }) => reward)).toEqual([null, null, -1, -0.6]);
    expect(unknown[1]).toMatchObject({ outcome: 'ungraded', score: 0.7, trend: null, flags: ['no_task'] });
    const bare = windowsOf(runOf(events), {}, taskOf(null));
    expect(bare.map(({ reward }) => reward)).toEqual([null, null, -1, -0.6]);
    expect(bare[1]).toMatchObject({ outcome: 'ungraded', trend: 'rose', previous_score: 0.5 });
    expect(bare[1]?.flags).toEqual(['no_thresholds']);
  });

  it('does not call it no submission where the log shows no scores at all', () => {
    const flags = ['submissions_not_recorded'];
    const found = windowsOf(
      runOf([{ exec: 'ok' }, { exec: 'error' }, { exec: 'ok', score: 0.75 }], { flags }),
    );
    expect(found.map(({ reward }) => reward)).toEqual([null, -1, 1]);
    expect(found[0]).toMatchObject({ outcome: 'ungraded', flags });
  });

  it('knows every flag that it gives', () => {
    for (const [, event] of rows) {
      for (const { flags } of windowsOf(runOf([event]))) {
        for (const flag of flags) expect(WINDOW_FLAGS).toHaveProperty(flag);
      }
    }
  });
});

describe('trend', () => {
  it('does not look at scores of another scale, of failed executions or of stale files', () => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.75 },
      { exec: 'ok', score: 0.99, scale: 'validation' },
      { exec: 'error', score: 0.99 },
      { exec: 'ok', score: 0.99, submission: { stale: true } },
      { exec: 'infra', score: 0.99 },
      { exec: 'ok', score: 0.76 },
    ];
    expect(rewards(events)).toEqual([1, null, -1, -1, null, 1.2]);
  });

  it('keeps an invalidated score as reference', () => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.79, execution: { invalidated: true } },
      { exec: 'ok', score: 0.75 },
    ];
    expect(rewards(events)).toEqual([1, 0.8]);
  });

  it('leaves the scores of a second grader ungraded', () => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.75, submission: { grader: 'a' } },
      { exec: 'ok', score: 0.9, submission: { grader: 'b' } },
      { exec: 'ok', score: 0.76, submission: { grader: 'a' } },
    ];
    const found = windowsOf(runOf(events));
    expect(found.map(({ reward }) => reward)).toEqual([1, null, 1.2]);
    expect(found[1]?.flags).toEqual(['other_grader']);
  });

  it('goes by the order of observation, windows by the order of the calls', () => {
    // The first call of the turn is answered last.
    const turns = [
      makeTurn('user', [prompt('task')]),
      makeTurn('assistant', [text('both'), call('run', '{"a":1}'), call('run', '{"b":1}')]),
      makeTurn('tool', [observation('b')]),
      makeTurn('tool', [observation('a')]),
    ];
    const run = finish({
      turns,
      executions: [
        experiment('a', 0, 1, { call_span: 1, feedback_turn: 3 }),
        experiment('b', 1, 1, { call_span: 2, feedback_turn: 2 }),
      ],
      submissions: [scored('b', 0, 0.75), scored('a', 1, 0.8)],
    });
    const found = windowsOf(run);
    expect(found.map((w) => [w.execution_id, w.reward, w.previous_score])).toEqual([
      ['a', 1.2, 0.75],
      ['b', 1, null],
    ]);
    expect(found.map(({ spans }) => spans)).toEqual([
      [
        [1, 0],
        [1, 1],
      ],
      [[1, 2]],
    ]);
  });

  it.each([
    ['previous', [-0.4, 1.2, 0.8, 1.2]],
    ['best', [-0.4, 1.2, 0.8, 0.8]],
    ['parent', [-0.4, 1.2, 1.2, 0.8]],
    ['none', [-0.4, 1, 1, 1]],
  ] as const)('option %s', (trend, expected) => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.5 },
      { exec: 'ok', score: 0.79, execution: { parent_execution: 'e0' } },
      { exec: 'ok', score: 0.72, execution: { parent_execution: 'e0' } },
      { exec: 'ok', score: 0.75, execution: { parent_execution: 'e1' } },
    ];
    expect(rewards(events, { trend })).toEqual(expected);
  });

  it('names the window of the parent node, also where it joins several executions, and none of its own', () => {
    const events: RunEvent[] = [
      { exec: 'infra' },
      { exec: 'ok', score: 0.8, execution: { flags: ['retry_of:e0'], parent_execution: 'e0' } },
      { exec: 'ok', score: 0.7, execution: { parent_execution: 'e0' } },
      { exec: 'ok', score: 0.75, execution: { parent_execution: 'e1' } },
      { exec: 'ok', score: 0.75, execution: { parent_execution: 'e2' } },
      { exec: 'ok', score: 0.75, execution: { parent_execution: 'nowhere' } },
    ];
    const found = windowsOf(runOf(events), { trend: 'parent' });
    expect(found.map(({ parent }) => parent)).toEqual([null, 0, 0, 1, null]);
    expect(found.map(({ previous_score }) => previous_score)).toEqual([null, 0.8, 0.8, 0.7, null]);
  });

  it('reads submissions that belong to no experiment as references', () => {
    const run = runOf([{ exec: 'ok' }, { exec: 'ok', score: 0.75 }]);
    const loose = scored('e0', -1, 0.8, { execution_id: null });
    expect(windowsOf({ ...run, submissions: [loose, ...run.submissions] })[1]?.reward).toBe(0.8);
  });
});

describe('options', () => {
  it('masked timeouts pay nothing and stay errors', () => {
    const [window] = windowsOf(runOf([{ exec: 'timeout' }]), { timeouts: 'masked' });
    expect(window).toMatchObject({ outcome: 'error', reward: null, flags: ['timeout', 'timeout_masked'] });
  });

  it.each<[string, WindowOptionsInput, boolean]>([
    ['any timed out', { timeouts: 'any' }, true],
    ['fewer than a share did', { timeouts: { share: 0.5 } }, false],
    ['more than a share did', { timeouts: { share: 0.3 } }, true],
    ['one took longer than the limit', { timeouts: 'any', timeout_seconds: 90 }, true],
  ])('mask a whole run by name: %s', (_, options, masked) => {
    const events: RunEvent[] = [{ exec: 'ok', score: 0.95 }, { exec: 'timeout' }, { exec: 'error' }];
    const slow: RunEvent[] = [{ exec: 'ok', score: 0.95, execution: { seconds: 91 } }, { exec: 'error' }];
    const found = windowsOf(runOf(options.timeout_seconds === undefined ? events : slow), options);
    expect(found.map(({ flags }) => flags.includes('run_timeout_masked'))).toEqual(found.map(() => masked));
    expect(found[0]).toMatchObject({ outcome: 'gold', reward: masked ? null : 2 });
    expect(windowsOf(runOf([{ exec: 'ok', score: 0.95 }]), options)[0]?.reward).toBe(2);
  });

  it('flags the same code and score again, and pays its base again by default', () => {
    const events: RunEvent[] = [
      { exec: 'ok', score: 0.95, code: 'train()\n# seed\n' },
      { exec: 'ok', score: 0.95, code: 'train()  \r\n\r\n' },
      { exec: 'ok', score: 0.95, code: 'train(2)' },
      { exec: 'ok', score: 0.96, code: 'train()' },
    ];
    const found = windowsOf(runOf(events));
    expect(found.map(({ reward }) => reward)).toEqual([2, 2, 2, 2.2]);
    expect(found.map(({ flags }) => flags.includes('repeat'))).toEqual([false, true, false, false]);
  });

  it.each([
    ['white space', '{"lr": 0.1, "n": [1, 2]}', '{ "lr":0.1,\n  "n":[1,2] }', true],
    ['the order of keys', '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', true],
    ['escapes', '{"a": "\\u00e9"}', '{"a": "é"}', true],
    ['white space within a text', '{"a": "x y"}', '{"a": "x  y"}', false],
    ['how a number is written', '{"a": 1}', '{"a": 1.0}', false],
    ['a digit beyond 2^53', '{"a": 12345678901234567890}', '{"a": 12345678901234567891}', false],
    ['the type', '{"a": 1}', '{"a": "1"}', false],
    ['the order of a list', '[1, 2]', '[2, 1]', false],
    ['what is no JSON', '{"a": 1', '{"a":1', false],
  ])('call arguments that differ in %s: the same call is %4$s', (_, first, second, same) => {
    const events = [first, second].map((code): RunEvent => ({ exec: 'ok', score: 0.95, code }));
    const [, again] = windowsOf(runOf(events));
    expect(again?.flags.includes('repeat')).toBe(same);
  });

  it('base new_tier pays a tier only when it is better than any before', () => {
    const scores = [0.5, 0.75, 0.76, 0.85, 0.75, 0.95, 0.95, 0.4];
    const events = scores.map((score): RunEvent => ({ exec: 'ok', score }));
    const found = windowsOf(runOf(events), { base: 'new_tier' });
    expect(found.map(({ reward }) => reward)).toEqual([-0.4, 1.2, 0.2, 1.2, -0.2, 2.2, 0, -0.6]);
    expect(found.map(({ flags }) => flags.includes('base_withheld'))).toEqual([
      false,
      false,
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it('pays another scale by thresholds on that scale, and only then', () => {
    const thresholds = { task: { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 } };
    const run = runOf([
      { exec: 'ok', score: 0.75, scale: 'validation' },
      { exec: 'ok', score: 0.95 },
    ]);
    const found = windowsOf(run, { score_scale: 'validation', thresholds });
    expect(found.map((w) => [w.outcome, w.reward, w.score_scale])).toEqual([
      ['bronze', 1, 'validation'],
      ['ungraded', null, 'test'],
    ]);
    const other = { another: thresholds.task };
    expect(windowsOf(run, { score_scale: 'validation', thresholds: other })[0]?.outcome).toBe('ungraded');
    expect(windowSchema.safeParse({ score_scale: 'validation' }).success).toBe(false);
    expect(windowSchema.safeParse({ thresholds }).success).toBe(false);
    expect(windowSchema.safeParse({ trends: 'best' }).success).toBe(false);
  });
});

describe('boundaries', () => {
  it('puts other calls into the window of the next experiment, and what follows the last into trailing', () => {
    const turns = [
      makeTurn('user', [prompt('task')]),
      makeTurn('assistant', [text('look'), call('ls')]),
      makeTurn('tool', [observation('files')]),
      makeTurn('assistant', [text('try'), call('run'), text('now wait')]),
      makeTurn('tool', [observation('done')]),
      makeTurn('assistant', [text('finished')]),
    ];
    const run = finish({
      turns,
      executions: [
        experiment('ls', 0, 1, { kind: 'other', call_span: 1 }),
        experiment('e', 1, 3, { call_span: 1, feedback_turn: 4 }),
      ],
      submissions: [],
    });
    const { windows, trailing } = segmentWindows(run, taskOf(), windowSchema.parse({}));
    expect(windows).toHaveLength(1);
    // The words after the call were written before its feedback.
    expect(windows[0]?.spans).toEqual([
      [1, 0],
      [1, 1],
      [3, 0],
      [3, 1],
      [3, 2],
    ]);
    expect([windows[0]?.turn_start, windows[0]?.turn_end]).toEqual([1, 3]);
    expect(trailing).toEqual([[5, 0]]);
  });

  it('makes one window of experiments that cannot be parted, with the last result', () => {
    const turns = [
      makeTurn('user', [prompt('task')]),
      makeTurn('assistant', [call('run'), call('run')]),
      makeTurn('tool', [observation('1')]),
      makeTurn('tool', [observation('2')]),
    ];
    const at = (spans: (number | null)[]) =>
      finish({
        turns,
        executions: [
          experiment('a', 0, 1, { call_span: spans[0] ?? null, feedback_turn: 2 }),
          experiment('b', 1, 1, { call_span: spans[1] ?? null, feedback_turn: 3, status: 'error' }),
        ],
        submissions: [scored('a', 0, 0.95)],
      });
    for (const spans of [
      [null, null],
      [0, null],
      [0, 0],
    ]) {
      const found = windowsOf(at(spans));
      expect(found.map((w) => [w.execution_id, w.reward, w.flags])).toEqual([
        ['b', -1, ['merged_executions']],
      ]);
    }
    expect(windowsOf(at([0, 1])).map(({ reward }) => reward)).toEqual([2, -1]);
  });

  it('compares nothing with a result that does not count for its own window', () => {
    const run = runOf([
      { exec: 'ok', score: 0.95, execution: { call_span: null } },
      { exec: 'ok', score: 0.75, execution: { call_turn: 1, call_span: null, feedback_turn: 4 } },
      { exec: 'ok', score: 0.76 },
    ]);
    expect(windowsOf(run).map((w) => [w.execution_id, w.previous_score, w.reward])).toEqual([
      ['e1', null, 1],
      ['e2', 0.75, 1.2],
    ]);
    const failed = run.executions.map((e) =>
      e.execution_id === 'e1' ? { ...e, status: 'error' as const } : e,
    );
    expect(windowsOf({ ...run, executions: failed }).map(({ reward }) => reward)).toEqual([-1, 1]);
  });

  it('lets a retry join the window of its infrastructure failure', () => {
    const retry = (status: RunEvent['exec'], of: string): RunEvent => ({
      exec: status,
      score: 0.75,
      execution: { flags: [`retry_of:${of}`] },
    });
    const joined = windowsOf(runOf([{ exec: 'infra' }, retry('ok', 'e0'), { exec: 'ok', score: 0.76 }]));
    expect(joined.map((w) => [w.execution_id, w.reward, w.flags])).toEqual([
      ['e1', 1, ['retried']],
      ['e2', 1.2, []],
    ]);
    expect(joined[0]?.spans).toHaveLength(4);
    const twice = windowsOf(runOf([{ exec: 'infra' }, retry('infra', 'e0'), retry('ok', 'e1')]));
    expect(twice.map(({ execution_id }) => execution_id)).toEqual(['e2']);
    const apart = windowsOf(runOf([{ exec: 'infra' }, { exec: 'error' }, retry('ok', 'e0')]));
    expect(apart.map((w) => [w.reward, w.flags])).toEqual([
      [null, []],
      [-1, []],
      [1, ['retry_apart']],
    ]);
    const ofError = windowsOf(runOf([{ exec: 'error' }, retry('ok', 'e0')]));
    expect(ofError.map(({ reward }) => reward)).toEqual([-1, 1]);
  });

  it('does not count an execution whose call was cut off', () => {
    const run = runOf([
      { exec: 'ok', score: 0.75 },
      { exec: 'ok', score: 0.99 },
      { exec: 'ok', score: 0.76 },
    ]);
    const cut = run.turns.map((turn, t) => (t === 3 ? { ...turn, truncated: 'length' as const } : turn));
    const found = windowsOf({ ...run, turns: cut });
    expect(found.map((w) => [w.execution_id, w.reward, w.flags])).toEqual([
      ['e0', 1, []],
      ['e2', 1.2, ['call_truncated']],
    ]);
    expect(found[1]?.spans).toHaveLength(4);
  });

  it('counts an execution whose turn was cut off only after the call', () => {
    const turns = [
      makeTurn('user', [prompt('task')]),
      makeTurn('assistant', [call('run'), text('and then')], { truncated: 'length' }),
    ];
    const executions = [experiment('e', 0, 1, { call_span: 0, status: 'error' })];
    expect(windowsOf(finish({ turns, executions, submissions: [] }))).toHaveLength(1);
  });

  it('takes no span of weight 0, of the environment or of another model', () => {
    const foreign = { ...text('router'), model: 'other' };
    const prefilled = { ...text('Let me'), origin: 'environment' as const };
    const turns = [
      makeTurn('assistant', [text('history')], { weight: 0 }),
      makeTurn('assistant', [prefilled, foreign, text('own'), call('run')]),
      makeTurn('tool', [observation('done')]),
    ];
    const executions = [experiment('e', 0, 1, { call_span: 3, feedback_turn: 2 })];
    const run = finish({ turns, executions, submissions: [] });
    expect(windowsOf(run)[0]?.spans).toEqual([
      [1, 2],
      [1, 3],
    ]);
    expect(windowsOf(run, { model: 'other' })[0]?.spans).toEqual([[1, 1]]);
    const nobody = windowsOf(run, { model: 'nobody' })[0];
    expect(nobody).toMatchObject({ spans: [], turn_start: 1, turn_end: 1, flags: ['no_action_spans'] });
  });

  it('names the epoch of a window and flags those that cross one or lie on a rewound branch', () => {
    const run = runOf([{ exec: 'ok' }, { exec: 'ok' }, { exec: 'ok' }]);
    const epochs = [
      { turns: [0, 1, 2], reason: null },
      { turns: [0, 5, 6], reason: 'compaction' },
    ];
    const rewound = windowsOf({ ...run, epochs });
    expect(rewound.map((w) => [w.epoch, w.flags, w.spans.length])).toEqual([
      [0, [], 2],
      [0, ['no_action_spans', 'outside_epochs'], 0],
      [1, [], 2],
    ]);
    const crossing = { ...run, executions: run.executions.filter(({ order }) => order !== 0) };
    const found = windowsOf({
      ...crossing,
      epochs: [
        { turns: [0, 1, 2], reason: null },
        { turns: [3, 4], reason: 'x' },
      ],
    });
    expect(found[0]).toMatchObject({ epoch: 1, flags: ['crosses_epochs'] });
  });

  it('flags the windows of a sub-agent', () => {
    const run = runOf([{ exec: 'ok' }], { parent_session: 's' });
    expect(windowsOf(run)[0]?.flags).toEqual(['sub_agent']);
  });

  it('takes the last of several graded submissions of one execution', () => {
    const run = runOf([
      { exec: 'ok', score: 0.75 },
      { exec: 'ok', score: 0.76 },
    ]);
    const again = scored('e0', 0.5, 0.77);
    const found = windowsOf({ ...run, submissions: [...run.submissions, again] });
    expect(found[0]).toMatchObject({ score: 0.77, reward: 1, flags: ['several_submissions'] });
    expect(found[1]).toMatchObject({ previous_score: 0.77, reward: 0.8 });
  });
});
