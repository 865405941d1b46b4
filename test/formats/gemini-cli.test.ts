import { describe, expect, it } from 'vitest';
import { geminiCli } from '../../src/formats/gemini-cli.js';
import { detectDocument } from './adapter-context.js';
import { callsOf, detectLines, outline, placed, runOf } from './session-logs.js';

const header = { sessionId: 's', projectHash: 'p', startTime: 't' };
const user = (id: string, content: unknown) => ({ id, type: 'user', timestamp: 't', content });
const reply = (id: string, content: unknown, rest: object = {}) => ({
  id,
  type: 'gemini',
  timestamp: 't',
  content,
  model: 'gemini-3',
  ...rest,
});
const call = (id: string, response: object, rest: object = {}) => ({
  id,
  name: 'run_shell_command',
  args: { command: 'python train.py' },
  result: [{ functionResponse: { id, name: 'run_shell_command', response } }],
  status: 'success',
  timestamp: 't',
  ...rest,
});

describe('gemini-cli: lines', () => {
  it('are a session from their first line', () => {
    expect(detectLines(geminiCli, [header])?.unit).toBe('lines');
    expect(detectLines(geminiCli, [{ id: 'a', type: 'user', content: 'x' }])).toBeNull();
    expect(detectLines(geminiCli, [{ ...header, parentUuid: null }])).toBeNull();
  });

  it('that write a message again replace it, and a rewind takes messages back', () => {
    const lines = [
      header,
      user('u1', 'first'),
      reply('g1', 'partial'),
      reply('g1', 'whole'),
      user('u2', 'wrong way'),
      reply('g2', 'lost'),
      { $rewindTo: 'u2' },
      user('u3', 'right way'),
      reply('g3', [{ text: 'do' }, { text: 'ne' }]),
      { $set: { lastUpdated: 'later' } },
    ];
    expect(outline(runOf(geminiCli, lines).turns)).toEqual([
      'user: prompt first',
      'assistant: TEXT whole',
      'user: prompt right way',
      'assistant: TEXT done',
    ]);
  });

  it('that set all messages at once begin a context, and none written before or after is lost', () => {
    const u1 = user('u1', 'old');
    const g1 = reply('g1', 'said', { toolCalls: [call('c', { output: 'a' }), call('d', { output: 'b' })] });
    const run = runOf(geminiCli, [
      header,
      u1,
      g1,
      {
        $set: {
          messages: [
            user('s', [{ text: 'summary of all before' }]),
            // what the harness answers for the model has no model
            { id: 'k', type: 'gemini', timestamp: 't', content: [{ text: 'Got it. Thanks!' }] },
            // a history has calls among the parts, and answers in a message of their own, both of which stand in the calls
            {
              ...g1,
              content: [{ text: 'said' }, { functionCall: { id: 'c', name: 'run_shell_command', args: {} } }],
            },
            user('r', [
              { functionResponse: { id: 'c', name: 'run_shell_command', response: { output: 'a' } } },
            ]),
          ],
        },
      },
      user('u2', 'go on'),
      reply('g2', 'done'),
    ]);
    expect(outline(run.turns)).toEqual([
      'user: prompt old',
      'assistant: TEXT said | TOOL_CALL {"command":"python train.py"} | TOOL_CALL {"command":"python train.py"}',
      'tool: observation a',
      'tool: observation b',
      'user: prompt summary of all before',
      'assistant: text Got it. Thanks!',
      'user: prompt go on',
      'assistant: TEXT done',
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3], reason: null },
      { turns: [4, 5, 1, 2, 3, 6, 7], reason: 'compaction' },
    ]);
  });

  it('that each hold the whole session so far are one session, each message once', () => {
    const messages = [user('u1', 'first'), reply('g1', 'one'), user('u2', 'second'), reply('g2', 'two')];
    const started = { ...header, messages: [messages[0], reply('g1', 'o')] };
    const states = [
      started,
      ...[2, 4, 4].map((length) => ({ ...header, messages: messages.slice(0, length) })),
    ];
    const run = runOf(geminiCli, states);
    expect(outline(run.turns)).toEqual([
      'user: prompt first',
      'assistant: TEXT one',
      'user: prompt second',
      'assistant: TEXT two',
    ]);
    expect(run.epochs.map(({ turns }) => turns)).toEqual([[0, 1, 2, 3]]);
  });

  it('that write a history again have each call and each answer once', () => {
    const answers = ['c', 'd'].map((id) => ({
      functionResponse: { id, name: 'run_shell_command', response: { output: id } },
    }));
    const parts = [{ text: 'said' }, { functionCall: { id: 'c', name: 'run_shell_command', args: {} } }];
    const calls = ['c', 'd'].map((id) => call(id, {}, { result: answers }));
    const run = runOf(geminiCli, [header, user('u', 'go'), reply('g', parts, { toolCalls: calls })]);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TEXT said | TOOL_CALL {"command":"python train.py"} | TOOL_CALL {"command":"python train.py"}',
      'tool: observation c',
      'tool: observation d',
    ]);
  });

  it('of a reply without a model beside others with one are the harness', () => {
    const made = { id: 'k', type: 'gemini', timestamp: 't', content: 'Binary received.' };
    const run = runOf(geminiCli, [
      header,
      user('u', 'go'),
      reply('g', 'a'),
      user('v', 'on'),
      made,
      reply('h', 'b'),
    ]);
    expect(outline(run.turns).filter((turn) => turn.startsWith('assistant'))).toEqual([
      'assistant: TEXT a',
      'assistant: text Binary received.',
      'assistant: TEXT b',
    ]);
  });

  it('of a sub-agent name the session whose folder they lie in', () => {
    const lines = [{ ...header, kind: 'subagent' }, user('u', 'q'), reply('g', 'a')];
    const run = runOf(geminiCli, lines, placed('tmp/chats/parent-1/sub-1.jsonl'));
    expect(run).toMatchObject({ parent_session: 'parent-1', session_id: 's' });
    expect(run.flags).toContain('subagent');
  });
});

describe('gemini-cli: calls', () => {
  it('carry their answers, status and exit code', () => {
    const session = {
      ...header,
      messages: [
        user('u', 'go'),
        reply('g1', '', {
          toolCalls: [
            call('c1', { output: 'Output: 1\nExit Code: 3\nSignal: 0' }),
            call('c2', { error: 'no such file' }, { status: 'error' }),
            call('c3', { output: 'x' }, { status: 'cancelled', result: null }),
          ],
        }),
        { id: 'i', type: 'info', content: 'Request cancelled.', timestamp: 't' },
        reply('g2', 'end'),
      ],
    };
    const run = runOf(geminiCli, session, { experiment_patterns: [/train\.py/] });
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TOOL_CALL {"command":"python train.py"} | TOOL_CALL {"command":"python train.py"} | TOOL_CALL {"command":"python train.py"}',
      'tool: observation Output: 1\nExit Code: 3\nSignal: 0',
      'tool: observation no such file',
      'assistant: TEXT end',
    ]);
    expect(
      run.executions.map(({ kind, status, exit_code, feedback_turn }) => [
        kind,
        status,
        exit_code,
        feedback_turn,
      ]),
    ).toEqual([
      ['experiment', 'error', 3, 2],
      ['experiment', 'error', null, 3],
      ['experiment', 'unknown', null, null],
    ]);
    expect(run.flags).toEqual(['submissions_not_recorded', 'cancelled_calls']);
    expect(run.termination).toBe('submitted');
  });

  it('keep summaries of thoughts, as nobody trains them', () => {
    const thoughts = [{ subject: 'Plan', description: 'Look first.' }];
    const run = runOf(geminiCli, { ...header, messages: [user('u', 'q'), reply('g', 'a', { thoughts })] });
    expect(outline(run.turns)[1]).toBe('assistant: reasoning **Plan**\nLook first. | TEXT a');
    expect(run.flags).toContain('reasoning_summary');
  });
});

describe('gemini-cli: contents of the API', () => {
  const contents = [
    { role: 'user', parts: [{ text: '<system-reminder>rules</system-reminder>\nfix it' }] },
    {
      role: 'model',
      parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'ls', args: { dir: '.' } } }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'a.txt' } } }] },
    { role: 'model', parts: [{ text: 'done' }, { thoughtSignature: 'x' }] },
  ];

  it('hold replies that the CLI writes for the model, which are no words of it', () => {
    const said = (role: string, text: string) => ({ role, parts: [{ text }] });
    const pair = [said('user', 'setting up'), said('model', 'Got it. Thanks for the context!')];
    const run = runOf(geminiCli, [...pair, said('user', 'go'), said('model', 'Got it.')]);
    expect(outline(run.turns)).toEqual([
      'user: prompt setting up',
      'assistant: text Got it. Thanks for the context!',
      'user: prompt go',
      'assistant: TEXT Got it.',
    ]);
    expect(run.turns[1]?.flags).toEqual(['harness_reply']);
  });

  it('are the history of a checkpoint as well', () => {
    const checkpoint = { history: contents, authType: 'oauth-personal' };
    expect(detectDocument(geminiCli, checkpoint)?.confidence).toBe('certain');
    expect(runOf(geminiCli, checkpoint).turns).toEqual(runOf(geminiCli, contents).turns);
    expect(detectDocument(geminiCli, { history: [{ role: 'user', content: 'x' }] })).toBeNull();
  });

  it('hold summaries of thoughts, calls and responses', () => {
    expect(detectDocument(geminiCli, contents)?.confidence).toBe('certain');
    const { turns } = runOf(geminiCli, contents);
    expect(outline(turns)).toEqual([
      'user: observation <system-reminder>rules</system-reminder> | prompt \nfix it',
      'assistant: reasoning hm | TOOL_CALL {"dir":"."}',
      'tool: observation a.txt',
      'assistant: TEXT done',
    ]);
    expect(callsOf(turns)).toEqual([{ name: 'ls', arguments: '{"dir":"."}' }]);
  });

  it('with an unknown part are refused by name', () => {
    const odd = [...contents, { role: 'model', parts: [{ hologram: 1 }] }];
    expect(() => runOf(geminiCli, odd)).toThrow(/\[4\]\.parts\[0\]: .*hologram/);
  });
});
