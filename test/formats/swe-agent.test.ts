import { describe, expect, it } from 'vitest';
import { sweAgent } from '../../src/formats/swe-agent.js';
import { RejectError } from '../../src/logs/reject.js';
import { describeWithShared } from '../shared.js';
import {
  contentsOf,
  detectDocument,
  plainContent,
  readDocument,
  readOne,
  realLog,
  realLogs,
  rolesOf,
  spansOf,
} from './adapter-context.js';

const FOLDER = 'swe_agent_traj';

describeWithShared('swe-agent: real logs', () => {
  it.each(realLogs(FOLDER))(
    '%s: every message is a turn, its inline spans joined are its content',
    (name) => {
      const log = realLog(FOLDER, name);
      const { turns } = readOne(sweAgent, log);
      expect(contentsOf(turns)).toEqual(
        log.history.map((message: { content: unknown }) => plainContent(message.content)),
      );
      expect(turns.map((turn) => turn.role)).toEqual(
        log.history.map((message: { role: string }) => message.role),
      );
    },
  );

  // Counted by hand: role counts, inline or structured calls, task, exit.
  it.each([
    ['ctf_crypto_katy.traj', { system: 1, user: 18, assistant: 18 }, 18, null, 'submitted'],
    ['function_calling_simple.traj', { system: 1, user: 1, assistant: 5, tool: 5 }, 5, null, 'submitted'],
    [
      'marshmallow-1867_function_calling_replace_from_source.traj',
      { system: 1, user: 1, assistant: 13, tool: 13 },
      13,
      'marshmallow-code__marshmallow-1867',
      'submitted',
    ],
    ['pydicom-1458_gpt4_test.traj', { system: 1, user: 13, assistant: 12 }, 12, null, 'submitted'],
    [
      'swesmith_pydantic_pr_8316.traj',
      { system: 1, user: 1, assistant: 22, tool: 22 },
      22,
      'pydantic__pydantic.acb0f10f.pr_8316',
      'submitted',
    ],
  ] as const)('%s', (name, roles, calls, task_id, termination) => {
    const run = readOne(sweAgent, realLog(FOLDER, name));
    expect(rolesOf(run.turns)).toEqual(roles);
    const spans = run.turns.flatMap((turn) => turn.spans);
    expect(spans.filter((span) => span.kind === 'tool_call')).toHaveLength(calls);
    expect(run.turns.filter((turn) => turn.truncated !== null)).toHaveLength(0);
    expect(run.task_id).toBe(task_id);
    expect(run.termination).toBe(termination);
    expect(run.flags).toContain('no_experiment_boundary');
    expect(run.executions.filter((execution) => execution.kind === 'experiment')).toEqual([]);
    expect(run.submissions).toEqual([]);
  });

  it('reads the commands of a version 0 run out of its fences', () => {
    const log = realLog(FOLDER, 'pydicom-1458_gpt4_test.traj');
    const { turns, flags } = readOne(sweAgent, log);
    const calls = turns.flatMap((turn) => turn.spans.filter((span) => span.kind === 'tool_call'));
    const actions = log.history.flatMap((message: { action?: string }) => message.action ?? []);
    expect(calls.map((span) => span.call?.arguments)).toEqual(actions);
    expect(calls.map((span) => span.text)).toEqual(
      actions.map((action: string) => `\`\`\`\n${action}\`\`\``),
    );
    expect(flags).toContain('last_observation_not_in_history');
  });

  it('takes a demonstration for environment', () => {
    const { turns } = readOne(sweAgent, realLog(FOLDER, 'pydicom-1458_gpt4_test.traj'));
    expect(turns[1]?.role).toBe('user');
    expect(turns[1]?.spans.map((span) => span.kind)).toEqual(['prompt']);
    expect(spansOf(turns, 'user')).toEqual({ 'environment prompt': 2, 'environment observation': 11 });
  });

  it('does not train a reply whose text was changed after sampling', () => {
    const { turns } = readOne(sweAgent, realLog(FOLDER, 'ctf_crypto_katy.traj'));
    const edited = turns.filter((turn) => turn.flags.includes('reply_differs_from_response'));
    expect(edited).toHaveLength(1);
    expect(edited[0]?.spans.every((span) => span.origin === 'environment')).toBe(true);
    expect(spansOf(turns, 'assistant')).toEqual({
      'model text': 17,
      'model tool_call': 17,
      'environment text': 1,
      'environment tool_call': 1,
    });
  });

  it('keeps argument strings and line ends as they are, and the seconds of each command', () => {
    const log = realLog(FOLDER, 'swesmith_pydantic_pr_8316.traj');
    const run = readOne(sweAgent, log);
    const logged = log.history.flatMap((message: { tool_calls?: { function: { arguments: string } }[] }) =>
      (message.tool_calls ?? []).map((call) => call.function.arguments),
    );
    const calls = run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call ?? []));
    expect(calls.map((call) => call.arguments)).toEqual(logged);
    expect(calls.every((call) => !call.arguments_were_object)).toBe(true);
    expect(contentsOf(run.turns).join('').split('\r\n').length).toBeGreaterThan(100);
    expect(run.executions.map((execution) => execution.seconds)).toEqual(
      log.trajectory.map((step: { execution_time: number }) => step.execution_time),
    );
    expect(run.executions.every((execution) => execution.kind === 'other')).toBe(true);
    expect(run.model).toBe('claude-3-7-sonnet-20250219');
    expect(run.turn_budget).toBe(150);
    expect(run.scaffold_version).toBe('1.0.1');
  });

  it('makes experiments of the commands that a pipeline names', () => {
    const log = realLog(FOLDER, 'swesmith_pydantic_pr_8316.traj');
    const run = readOne(sweAgent, log, { experiment_patterns: [/python reproduce_error\.py/] });
    const experiments = run.executions.filter((execution) => execution.kind === 'experiment');
    const reproductions = log.trajectory.filter((step: { action: string }) =>
      step.action.includes('python reproduce_error.py'),
    );
    expect(experiments).toHaveLength(reproductions.length);
    // The first run of the script ends in a ModuleNotFoundError.
    expect(experiments[0]).toMatchObject({ status: 'error', error_type: 'ModuleNotFoundError' });
    expect(experiments[1]).toMatchObject({ status: 'ok', flags: ['status_inferred'] });
    expect(run.flags).not.toContain('no_experiment_boundary');
    const named = readOne(sweAgent, log, { experiments: { experiment: ['submit'], scoring: [] } });
    expect(named.executions.filter((execution) => execution.kind === 'experiment')).toHaveLength(2);
  });
});

const reply = (content: string, action: string | null, rest: object = {}) => ({
  role: 'assistant',
  content,
  agent: 'main',
  ...(action === null ? {} : { action, thought: '' }),
  ...rest,
});
const input = (role: string, content: unknown, rest: object = {}) => ({
  role,
  content,
  agent: 'main',
  ...rest,
});
const run = (history: object[], rest: object = {}) => ({ history, trajectory: [], info: {}, ...rest });

describe('swe-agent: detection', () => {
  it('knows a run by its three parts and leaves MLGym alone', () => {
    expect(detectDocument(sweAgent, run([]))?.confidence).toBe('certain');
    expect(detectDocument(sweAgent, run([], { info: { score: [{ accuracy: 0.5 }] } }))).toBeNull();
    expect(detectDocument(sweAgent, { history: [input('user', 'a')] })?.confidence).toBe('likely');
    expect(detectDocument(sweAgent, { history: [{ role: 'user', content: 'a' }] })).toBeNull();
    expect(detectDocument(sweAgent, [])).toBeNull();
  });
});

describe('swe-agent: what ended a run', () => {
  it.each([
    ['submitted', 'submitted', []],
    ['exit_cost', 'step_limit', []],
    ['submitted (exit_cost)', 'step_limit', ['autosubmitted']],
    ['exit_context', 'context_limit', []],
    ['exit_total_execution_time', 'time_limit', []],
    ['exit_format', 'error', []],
    ['exit_api', 'error', []],
    [null, 'cut', []],
  ])('%s is %s', (exit_status, termination, flags) => {
    const history = [input('user', 'do it'), reply('yes\n```\nls\n```', 'ls\n')];
    const read = readOne(sweAgent, run(history, { info: { exit_status } }));
    expect(read.termination).toBe(termination);
    expect(read.flags).toEqual(expect.arrayContaining(flags));
  });
});

describe('swe-agent: replies', () => {
  const spansOfReply = (content: string, action: string | null, rest: object = {}) =>
    readOne(
      sweAgent,
      run([input('user', 'x'), reply('ok', 'ls'), reply(content, action, rest)]),
    ).turns[2]?.spans.map((span) => [span.origin, span.kind, span.text]);

  it.each([
    ['a fence among others', 'see\n```\nold\n```\nnow\n```bash\nls\n```\n', 'ls\n', '```bash\nls\n```'],
    ['a command tag', 'first <command>\nls\n</command>', 'ls', '<command>\nls\n</command>'],
    ['a function tag', 'a <function=bash>\n<parameter=command>ls</parameter>\n</function>', 'ls', null],
    ['a bare command', 'ls -a', 'ls -a', 'ls -a'],
    ['the last fence where no action is logged', 'x\n```\na\n```\n```\nb\n```', null, '```\nb\n```'],
  ])('finds %s', (_, content, action, text) => {
    const spans = spansOfReply(content, action) ?? [];
    const call = spans.find(([, kind]) => kind === 'tool_call');
    expect(call?.[2]).toBe(text ?? content.slice(2));
    expect(spans.map((span) => span[2]).join('')).toBe(content);
  });

  it('marks a fence that was not parsed as malformed', () => {
    expect(spansOfReply('hm\n```\nls', 'exit_format')).toEqual([
      ['model', 'text', 'hm\n'],
      ['model', 'malformed_call', '```\nls'],
    ]);
  });

  it('takes what the scaffold wrote in the name of the model for environment', () => {
    expect(spansOfReply('Exit due to cost limit', '')).toEqual([
      ['environment', 'text', 'Exit due to cost limit'],
    ]);
    expect(spansOfReply('I exit due to boredom', '')).toEqual([['model', 'text', 'I exit due to boredom']]);
  });

  it('reads thinking blocks and reasoning as reasoning beside the content', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking' },
    ];
    expect(spansOfReply('ok', 'ls', { thinking_blocks })?.[0]).toEqual(['model', 'reasoning', 'hm']);
    expect(spansOfReply('ok', 'ls', { reasoning_content: '' })?.[0]?.[1]).not.toBe('reasoning');
  });

  it('takes demonstrations in several turns for environment, calls and all', () => {
    const demo = { is_demo: true };
    const { turns } = readOne(
      sweAgent,
      run([
        input('system', 's'),
        input('user', 'task', demo),
        reply('x\n```\nls\n```', 'ls\n', demo),
        input('user', 'a b', demo),
        input('user', 'the real task'),
        reply('y\n```\nls\n```', 'ls\n'),
      ]),
    );
    expect(turns[2]?.spans.every((span) => span.origin === 'environment')).toBe(true);
    expect(turns[5]?.spans.every((span) => span.origin === 'model')).toBe(true);
  });

  it('refuses a run that only a script or a person drove', () => {
    const replay_config = { agent: { model: { name: 'human' } } };
    const log = run([input('user', 'x'), reply('ls', 'ls')], { replay_config });
    expect(() => readOne(sweAgent, log)).toThrow(expect.objectContaining({ code: 'no_model_turns' }));
  });
});

describe('swe-agent: attempts', () => {
  it('yields every attempt of a retry loop once', () => {
    const attempt = (text: string) =>
      run([input('user', 'x'), reply(text, '')], { info: { exit_status: 'submitted' } });
    const log = { ...attempt('two'), attempts: [attempt('one'), attempt('two')] };
    const texts = readDocument(sweAgent, log).map((trajectory) => trajectory.turns.at(-1)?.spans[0]?.text);
    expect(texts).toEqual(['one', 'two']);
  });
});

describe('swe-agent: wrong types', () => {
  it.each([
    ['history', { history: {}, trajectory: [], info: {} }],
    ['history[0].role', run([{ role: 3, content: 'x' }])],
    ['history[0].content', run([{ role: 'user', content: 7 }])],
    ['history[0].role: unknown role', run([{ role: 'robot', content: 'x' }])],
    ['history[1].tool_calls', run([input('user', 'x'), reply('a', 'b', { tool_calls: 'x' })])],
    ['trajectory[0].action', run([input('user', 'x'), reply('a', 'b')], { trajectory: [{ action: 1 }] })],
    ['info.exit_status', run([input('user', 'x'), reply('a', 'b')], { info: { exit_status: 5 } })],
  ])('names the field %s', (field, log) => {
    let fault: unknown;
    try {
      readOne(sweAgent, log);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(RejectError);
    expect(fault).toMatchObject({ code: 'bad_shape', message: expect.stringContaining(field) });
  });
});
