import { describe, expect, it } from 'vitest';
import { miniSweAgent } from '../../src/formats/mini-swe-agent.js';
import { describeWithShared } from '../shared.js';
import {
  contentsOf,
  detectDocument,
  plainContent,
  readOne,
  realLog,
  realLogs,
  rolesOf,
  spansOf,
  tally,
} from './adapter-context.js';

const FOLDER = 'mini_swe_agent_traj';
const EMPTY = 'pvlib-1154_reasoner_Timeout_0turns.traj.json';
const CHAT = 'sqlfluff-2419_deepseek-chat_run1.traj.json';
const REASONER = 'sqlfluff-2419_deepseek-reasoner.traj.json';

interface Logged {
  role: string;
  content: unknown;
  reasoning_content?: string;
}

const messagesOf = (log: Logged[] | { messages: Logged[] }): Logged[] =>
  (Array.isArray(log) ? log : log.messages).filter((message) => message.role !== 'exit');

describeWithShared('mini-swe-agent: real logs', () => {
  it.each(realLogs(FOLDER).filter((name) => name !== EMPTY))(
    '%s: every message but the exit is a turn, its inline spans joined are its content',
    (name) => {
      const log = realLog(FOLDER, name);
      const { turns } = readOne(miniSweAgent, log);
      expect(contentsOf(turns)).toEqual(messagesOf(log).map((message) => plainContent(message.content)));
      expect(turns.map((turn) => turn.role)).toEqual(messagesOf(log).map((message) => message.role));
    },
  );

  // Counted by hand: roles without the exit message, calls, task, end.
  it.each([
    ['github_issue.traj.json', { system: 1, user: 11, assistant: 10 }, 10, null, 'submitted'],
    ['local.traj.json', { system: 1, user: 3, assistant: 2 }, 2, null, 'submitted'],
    [CHAT, { system: 1, user: 1, assistant: 48, tool: 47 }, 48, 'sqlfluff__sqlfluff-2419', 'submitted'],
    [REASONER, { system: 1, user: 1, assistant: 55, tool: 54 }, 55, 'sqlfluff__sqlfluff-2419', 'submitted'],
  ] as const)('%s', (name, roles, calls, task_id, termination) => {
    const run = readOne(miniSweAgent, realLog(FOLDER, name));
    expect(rolesOf(run.turns)).toEqual(roles);
    const spans = run.turns.flatMap((turn) => turn.spans);
    expect(spans.filter((span) => span.kind === 'tool_call')).toHaveLength(calls);
    expect(spans.filter((span) => span.call?.name === 'bash')).toHaveLength(calls);
    expect(run.turns.filter((turn) => turn.truncated !== null)).toHaveLength(0);
    expect(run.task_id).toBe(task_id);
    expect(run.termination).toBe(termination);
    expect(run.flags).toContain('no_experiment_boundary');
  });

  it('refuses a run that ended before the model said anything', () => {
    expect(() => readOne(miniSweAgent, realLog(FOLDER, EMPTY))).toThrow(
      expect.objectContaining({ code: 'no_model_turns' }),
    );
  });

  it('takes reasoning once, and not where it is empty', () => {
    const log = realLog(FOLDER, REASONER);
    const reasoning = readOne(miniSweAgent, log).turns.flatMap((turn) =>
      turn.spans.filter((span) => span.kind === 'reasoning'),
    );
    const logged = messagesOf(log).flatMap((message) => message.reasoning_content ?? []);
    expect(logged).toHaveLength(55);
    expect(reasoning.map((span) => span.text)).toEqual(logged.filter((text) => text !== ''));
    expect(reasoning).toHaveLength(54);
    expect(reasoning.every((span) => !span.inline)).toBe(true);
  });

  it('records exit codes and times of commands, none of them an experiment', () => {
    const run = readOne(miniSweAgent, realLog(FOLDER, CHAT));
    expect(tally(run.executions.map((execution) => `${execution.kind} ${execution.status}`))).toEqual({
      'other ok': 39,
      'other error': 8,
    });
    expect(tally(run.executions.map((execution) => String(execution.exit_code)))).toEqual({
      '0': 39,
      '1': 3,
      '65': 4,
      '127': 1,
    });
    expect(run.executions.every((execution) => execution.completed_at?.startsWith('2026-') ?? false)).toBe(
      true,
    );
    for (const execution of run.executions) expect(execution.feedback_turn).toBe(execution.call_turn + 1);
    expect(run).toMatchObject({
      model: 'deepseek/deepseek-chat',
      scaffold_version: '2.2.7',
      turn_budget: 250,
    });
  });

  it('makes experiments of the commands that a pipeline names', () => {
    const run = readOne(miniSweAgent, realLog(FOLDER, CHAT), { experiment_patterns: [/\bpytest\b/] });
    const experiments = run.executions.filter((execution) => execution.kind === 'experiment');
    expect(experiments.length).toBeGreaterThan(0);
    expect(experiments.every((execution) => execution.code?.includes('pytest') ?? false)).toBe(true);
    expect(run.flags).not.toContain('no_experiment_boundary');
  });

  it('takes feedback in user turns for observations', () => {
    const { turns } = readOne(miniSweAgent, realLog(FOLDER, 'github_issue.traj.json'));
    expect(spansOf(turns, 'user')).toEqual({ 'environment prompt': 1, 'environment observation': 10 });
    expect(turns[2]?.spans.map((span) => [span.kind, span.call?.arguments ?? span.text])).toEqual([
      [
        'text',
        "I'll help you solve this issue. Let me first examine the content of the file that's causing the syntax error.\n\n",
      ],
      ['tool_call', 'cat /Users/user/Documents/24/git_sync/swe-agent-test-repo/tests/./missing_colon.py'],
    ]);
  });
});

const RULE = 'Your response must contain exactly ONE bash code block.';
const system = { role: 'system', content: RULE };
const task = { role: 'user', content: 'the task' };
const format = (messages: object[], info: object = {}) => ({
  info,
  messages,
  trajectory_format: 'mini-swe-agent-1.1',
});
const bash = (command: string) => `THOUGHT\n\n\`\`\`bash\n${command}\n\`\`\``;
const assistant = (content: string, extra: object = {}) => ({ role: 'assistant', content, extra });

describe('mini-swe-agent: detection', () => {
  it('knows the format by its name, a bare list by the rule of one command', () => {
    expect(detectDocument(miniSweAgent, format([]))?.confidence).toBe('certain');
    expect(detectDocument(miniSweAgent, [system, task])?.confidence).toBe('certain');
    expect(detectDocument(miniSweAgent, [task, system])?.confidence).toBe('certain');
    expect(detectDocument(miniSweAgent, [task, task, system])).toBeNull();
    expect(detectDocument(miniSweAgent, [system, { role: 'user' }])).toBeNull();
    expect(detectDocument(miniSweAgent, { trajectory_format: 'other', messages: [] })).toBeNull();
    expect(detectDocument(miniSweAgent, [])).toBeNull();
  });
});

describe('mini-swe-agent: ends', () => {
  it.each([
    ['Submitted', 'submitted'],
    ['LimitsExceeded', 'step_limit'],
    ['TimeExceeded', 'time_limit'],
    ['ContextWindowExceededError', 'context_limit'],
    ['Timeout', 'error'],
    ['InternalServerError', 'error'],
    ['KeyboardInterrupt', 'cut'],
    ['', 'cut'],
  ])('%s is %s', (exit_status, termination) => {
    const log = format([system, task, assistant(bash('ls'))], { exit_status });
    expect(readOne(miniSweAgent, log).termination).toBe(termination);
  });

  it('reads the status off the exit message where info has none', () => {
    const exit = { role: 'exit', content: '', extra: { exit_status: 'LimitsExceeded' } };
    const run = readOne(miniSweAgent, format([system, task, assistant('x'), exit]));
    expect(run.termination).toBe('step_limit');
    expect(run.turns).toHaveLength(3);
  });

  it('says of a bare list only what its last command shows', () => {
    expect(readOne(miniSweAgent, [system, task, assistant(bash('ls'))]).termination).toBe('unknown');
    const submits = readOne(miniSweAgent, [
      system,
      task,
      assistant(bash('echo MINI_SWE_AGENT_FINAL_OUTPUT')),
    ]);
    expect(submits).toMatchObject({ termination: 'submitted' });
    expect(submits.flags).toContain('termination_inferred');
  });
});

describe('mini-swe-agent: replies', () => {
  it('marks a reply that ran out of tokens', () => {
    const cut = assistant(bash('ls'), { response: { choices: [{ finish_reason: 'length' }] } });
    expect(readOne(miniSweAgent, format([system, task, cut])).turns[2]?.truncated).toBe('length');
  });

  it('uses the syntax that the prompt demands', () => {
    const rule = { role: 'system', content: 'Use ```mswea_bash_command\nls\n```' };
    const content = 'e.g. ```bash\nx\n``` but ```mswea_bash_command\nls\n```';
    const { turns } = readOne(miniSweAgent, [rule, task, assistant(content)]);
    expect(turns[2]?.spans.map((span) => [span.kind, span.call?.arguments])).toEqual([
      ['text', undefined],
      ['tool_call', 'ls'],
    ]);
    const tags = { role: 'system', content: 'Use <mswea_bash_command>ls</mswea_bash_command>' };
    const tagged = readOne(miniSweAgent, [
      tags,
      task,
      assistant('a <mswea_bash_command>ls</mswea_bash_command>'),
    ]);
    expect(tagged.turns[2]?.spans[1]).toMatchObject({ kind: 'tool_call', call: { arguments: 'ls' } });
  });

  it('takes several commands in one reply for malformed', () => {
    const run = readOne(miniSweAgent, [system, task, assistant(`${bash('a')}\n${bash('b')}`)]);
    expect(run.turns[2]?.spans.map((span) => span.kind)).toEqual([
      'text',
      'malformed_call',
      'text',
      'malformed_call',
    ]);
  });

  it('keeps a structured call with broken arguments as malformed, verbatim', () => {
    const tool_calls = [
      { id: 'c', type: 'function', function: { name: 'bash', arguments: '{"command": "ls' } },
    ];
    const run = readOne(miniSweAgent, format([system, task, { ...assistant(''), tool_calls }]));
    expect(run.turns[2]?.spans).toMatchObject([
      { kind: 'malformed_call', inline: false, call: { arguments: '{"command": "ls' } },
    ]);
  });

  it('tells feedback from what a person typed', () => {
    const typed = { role: 'user', content: 'stop that', extra: { interrupt_type: 'UserInterruption' } };
    const refused = {
      role: 'user',
      content: 'bad format',
      extra: { interrupt_type: 'FormatError', model_response: 'x' },
    };
    const run = readOne(
      miniSweAgent,
      format([system, task, assistant('hm'), refused, assistant('ok'), typed]),
    );
    expect(run.turns.map((turn) => turn.spans[0]?.kind)).toEqual([
      'prompt',
      'prompt',
      'text',
      'observation',
      'text',
      'prompt',
    ]);
    expect(run.flags).toContain('refused_reply_not_in_context');
  });

  it('tells a timeout from another failure', () => {
    const result = (exception_info: string, returncode: number) => ({
      role: 'user',
      content: 'r',
      extra: { returncode, exception_info, timestamp: 1776073880.25 },
    });
    const run = readOne(
      miniSweAgent,
      format([
        system,
        task,
        assistant(bash('a')),
        result('An error occurred: Command timed out after 60 seconds', -1),
        assistant(bash('b')),
        result('', 2),
        assistant(bash('c')),
        result('action was not executed', -1),
      ]),
    );
    expect(run.executions.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ['timeout', -1],
      ['error', 2],
    ]);
    expect(run.executions[0]?.completed_at).toBe('2026-04-13T09:51:20.250Z');
  });

  it('names the model on each span where several took turns', () => {
    const by = (model: string) => assistant('x', { response: { model } });
    const taken = [system, task, by('a'), task, by('b'), task, by('b')];
    const writers = (log: unknown) => {
      const run = readOne(miniSweAgent, log);
      const replies = run.turns.filter(({ role }) => role === 'assistant');
      return [run.model, ...replies.map(({ spans }) => spans[0]?.model)];
    };
    const configured = (model_name: string) => ({ config: { model: { model_name } } });
    // a model that picks others is none of them: the run is of the one that wrote most
    expect(writers(format(taken, configured('roulette')))).toEqual(['b', 'a', null, null]);
    expect(writers(format(taken, configured('provider/a')))).toEqual(['provider/a', null, 'b', 'b']);
  });

  it.each([
    ['gemini/gemini-3-pro-preview', 'environment', ['reasoning_summary']],
    ['deepseek/deepseek-reasoner', 'model', []],
  ])('takes what %s sends as reasoning for a summary or for reasoning', (model_name, origin, flags) => {
    const reply = { ...assistant('x'), reasoning_content: 'hm' };
    const run = readOne(miniSweAgent, format([system, task, reply], { config: { model: { model_name } } }));
    expect(run.turns[2]?.spans.map((span) => span.origin)).toEqual([origin, 'model']);
    expect(run.turns[2]?.flags).toEqual(flags);
    expect(run.flags.filter((flag) => flag === 'reasoning_summary')).toEqual(flags);
  });

  it('reads replies of the Responses API', () => {
    const reply = {
      object: 'response',
      model: 'm',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'short' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
        { type: 'function_call', call_id: 'c1', name: 'bash', arguments: '{"command": "ls"}' },
      ],
      extra: { timestamp: 1 },
    };
    const answer = { type: 'function_call_output', call_id: 'c1', output: 'files', extra: { returncode: 0 } };
    const run = readOne(miniSweAgent, format([system, task, reply, answer]));
    expect(run.turns[2]).toMatchObject({
      flags: ['reasoning_summary'],
      spans: [
        { kind: 'reasoning', origin: 'environment', text: 'short' },
        { kind: 'text', text: 'hello' },
        { kind: 'tool_call', call: { id: 'c1', name: 'bash' } },
      ],
    });
    expect(run.turns[3]).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(run.executions).toMatchObject([{ status: 'ok', exit_code: 0, call_turn: 2, feedback_turn: 3 }]);
  });
});

describe('mini-swe-agent: wrong types', () => {
  it.each([
    ['messages', format({} as object[])],
    ['messages[0]', format(['x' as unknown as object])],
    ['messages[2].content', format([system, task, { role: 'assistant', content: 4 }])],
    ['messages[2].role', format([system, task, { content: 'x' }])],
    ['messages[2].role: unknown role "judge"', format([system, task, { role: 'judge', content: 'x' }])],
    [
      'messages[2].tool_calls[0].name',
      format([system, task, { role: 'assistant', content: '', tool_calls: [{}] }]),
    ],
    ['messages[2].reasoning_content', format([system, task, { ...assistant('x'), reasoning_content: [] }])],
    ['info.mini_version', format([system, task, assistant('x')], { mini_version: 2 })],
  ])('names the field %s', (field, log) => {
    expect(() => readOne(miniSweAgent, log)).toThrow(
      expect.objectContaining({ code: 'bad_shape', message: expect.stringContaining(field) }),
    );
  });
});
