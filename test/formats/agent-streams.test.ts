import { describe, expect, it } from 'vitest';
import { claudeCodeStream } from '../../src/formats/claude-code-stream.js';
import { codexExec } from '../../src/formats/codex-exec.js';
import { cursor } from '../../src/formats/cursor.js';
import { geminiCli } from '../../src/formats/gemini-cli.js';
import { opencodeExport } from '../../src/formats/opencode-export.js';
import { detectLines, outline, runOf } from './session-logs.js';

/** What command lines of agents print while they run, one event a line. */
describe('stream of a Cursor agent', () => {
  const says = (type: string, text: string, rest: object = {}) => ({
    type,
    message: { role: type, content: [{ type: 'text', text }] },
    session_id: 's',
    ...rest,
  });
  const call = (subtype: string, id: string, tool: object) => ({
    type: 'tool_call',
    subtype,
    call_id: id,
    tool_call: tool,
  });
  const shell = (command: string, result?: object) => ({
    shellToolCall: { args: { command }, ...(result === undefined ? {} : { result }) },
  });
  const lines = [
    { type: 'system', subtype: 'init', apiKeySource: 'login', session_id: 's', model: 'Claude 4 Sonnet' },
    says('user', 'go'),
    { type: 'thinking', subtype: 'delta', text: 'h' },
    { type: 'thinking', subtype: 'delta', text: 'm' },
    { type: 'thinking', subtype: 'completed' },
    says('assistant', 'I '),
    says('assistant', 'look'),
    says('assistant', 'I look'),
    call('started', 'a', shell('ls')),
    call('started', 'b', shell('false')),
    call('completed', 'a', shell('ls', { success: { stdout: 'x', exitCode: 0 } })),
    call('completed', 'b', shell('false', { failure: { stdout: '', exitCode: 1 } })),
    says('assistant', 'done'),
    { type: 'result', subtype: 'success', is_error: false, result: 'I lookdone' },
  ];

  it('keeps its calls, and text that is printed again once', () => {
    const run = runOf(cursor, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: REASONING hm | TEXT I look | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"false"}',
      'tool: observation {"success":{"stdout":"x","exitCode":0}}',
      'tool: observation {"failure":{"stdout":"","exitCode":1}}',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ session_id: 's', model: 'Claude 4 Sonnet', termination: 'submitted' });
    expect(run.executions.map(({ tool, status, exit_code }) => [tool, status, exit_code])).toEqual([
      ['shell', 'ok', 0],
      ['shell', 'error', 1],
    ]);
  });

  it('is not taken for the stream of Claude Code, which opens alike', () => {
    expect(detectLines(cursor, lines)?.confidence).toBe('certain');
    expect(detectLines(claudeCodeStream, lines)).toBeNull();
    const claude = [{ type: 'system', subtype: 'init', apiKeySource: 'none', tools: [], session_id: 's' }];
    expect(detectLines(cursor, claude)).toBeNull();
    expect(detectLines(claudeCodeStream, claude)?.confidence).toBe('certain');
  });

  it('reasoning of a provider that sends summaries is never trained', () => {
    const [init = {}, ...rest] = lines;
    const run = runOf(cursor, [{ ...init, model: 'GPT-5' }, ...rest]);
    expect(run.turns[1]?.spans[0]).toMatchObject({ kind: 'reasoning', origin: 'environment' });
    expect(run.flags).toContain('reasoning_summary');
  });
});

describe('stream of Gemini CLI', () => {
  const lines = [
    { type: 'init', session_id: 's', model: 'gemini-2.5-pro', timestamp: 't' },
    { type: 'message', role: 'user', content: 'go' },
    { type: 'message', role: 'assistant', content: 'I ', delta: true },
    { type: 'message', role: 'assistant', content: 'look', delta: true },
    { type: 'tool_use', tool_name: 'sh', tool_id: 'a', parameters: { command: 'ls' } },
    { type: 'tool_use', tool_name: 'sh', tool_id: 'b', parameters: { command: 'no' } },
    { type: 'tool_result', tool_id: 'b', status: 'error', error: { type: 'x', message: 'denied' } },
    { type: 'tool_result', tool_id: 'a', status: 'success', output: 'x' },
    { type: 'message', role: 'assistant', content: 'done', delta: true },
    { type: 'result', status: 'success', stats: {} },
  ];

  it('joins the pieces of a reply and pairs calls by id', () => {
    expect(detectLines(geminiCli, lines)?.unit).toBe('lines');
    const run = runOf(geminiCli, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TEXT I look | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"no"}',
      'tool: observation denied',
      'tool: observation x',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ session_id: 's', model: 'gemini-2.5-pro', termination: 'submitted' });
    expect(run.executions.map(({ status, feedback_turn }) => [status, feedback_turn])).toEqual([
      ['ok', 3],
      ['error', 2],
    ]);
  });
});

describe('events of codex exec', () => {
  const item = (type: string, id: string, rest: object, event = 'item.completed') => ({
    type: event,
    item: { id, type, ...rest },
  });
  const command = { command: 'bash -lc ls', aggregated_output: '', exit_code: null, status: 'in_progress' };
  const lines = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    item('reasoning', 'item_0', { text: '**Look**' }),
    item('command_execution', 'item_1', command, 'item.started'),
    item('command_execution', 'item_1', {
      ...command,
      aggregated_output: 'x',
      exit_code: 1,
      status: 'failed',
    }),
    item('todo_list', 'item_2', { items: [] }),
    item('agent_message', 'item_3', { text: 'done' }),
    { type: 'turn.completed', usage: {} },
  ];

  it('an item that is told twice counts once; calls are rebuilt, reasoning is a summary', () => {
    expect(detectLines(codexExec, lines)?.confidence).toBe('certain');
    const run = runOf(codexExec, lines);
    expect(outline(run.turns)).toEqual([
      'assistant: reasoning **Look** | TOOL_CALL {"command":"bash -lc ls"}',
      'tool: observation x',
      'assistant: TEXT done',
    ]);
    expect(run.flags).toEqual(
      expect.arrayContaining(['text_rebuilt', 'prompts_absent', 'reasoning_summary']),
    );
    expect(run.executions).toMatchObject([{ tool: 'shell', status: 'error', exit_code: 1 }]);
    expect(run).toMatchObject({ session_id: 't', scaffold: 'codex', termination: 'submitted' });
  });

  it('a patch without its lines is no text of the model', () => {
    const change = { changes: [{ path: 'a.py', kind: 'update' }], status: 'completed' };
    const run = runOf(codexExec, [...lines.slice(0, -1), item('file_change', 'item_9', change)]);
    const spans = run.turns.flatMap((turn) => turn.spans);
    const patch = spans.find(({ call }) => call?.name === 'apply_patch');
    expect(patch).toMatchObject({ kind: 'tool_call', origin: 'environment' });
    expect(spans.find(({ call }) => call?.name === 'shell')?.origin).toBe('model');
  });

  it('ids that begin anew with a second turn are other items; a turn that never ended is cut', () => {
    const second = [{ type: 'turn.started' }, item('agent_message', 'item_3', { text: 'more' })];
    const run = runOf(codexExec, [...lines.slice(0, -1), ...second]);
    expect(outline(run.turns).at(-1)).toBe('assistant: TEXT done | TEXT more');
    expect(run.termination).toBe('cut');
    // an earlier turn that was completed does not end a later one
    expect(runOf(codexExec, [...lines, ...second]).termination).toBe('cut');
  });

  it('an error that is tried again is no end', () => {
    const error = (message: string) => ({ type: 'error', message });
    const open = lines.slice(0, -1);
    expect(runOf(codexExec, [...open, error('Reconnecting... 1/5 (stream disconnected)')]).termination).toBe(
      'cut',
    );
    expect(runOf(codexExec, [...open, error('usage limit')]).termination).toBe('error');
  });
});

it('raw reasoning in events of an early codex exec is the model’s, beside its summary', () => {
  const event = (type: string, text: string) => ({ id: '0', msg: { type, text } });
  const run = runOf(codexExec, [
    event('agent_reasoning_raw_content', 'hm'),
    event('agent_reasoning', '**Look**'),
    { id: '0', msg: { type: 'agent_message', message: 'done' } },
  ]);
  expect(outline(run.turns)).toEqual(['assistant: REASONING hm | reasoning **Look** | TEXT done']);
});

describe('events of an early codex exec', () => {
  const event = (type: string, rest: object = {}) => ({ id: '0', msg: { type, ...rest } });
  const lines = [
    { provider: 'openai', model: 'gpt-5', workdir: '/app', approval: 'never' },
    { prompt: 'go' },
    event('task_started'),
    event('agent_reasoning', { text: '**Look**' }),
    event('agent_message', { message: 'I look.' }),
    event('exec_command_begin', { call_id: 'a', command: ['bash', '-lc', 'ls'] }),
    event('exec_command_begin', { call_id: 'b', command: ['false'] }),
    event('exec_command_output_delta', { call_id: 'a', chunk: [120] }),
    event('exec_command_end', {
      call_id: 'b',
      stdout: '',
      stderr: 'no',
      exit_code: 1,
      duration: { secs: 1, nanos: 5e8 },
    }),
    event('exec_command_end', { call_id: 'a', aggregated_output: 'x', exit_code: 0 }),
    event('patch_apply_begin', { call_id: 'c', changes: { 'a.py': { update: { unified_diff: '+y' } } } }),
    event('patch_apply_end', { call_id: 'c', stdout: 'Success', stderr: '', success: true }),
    event('mcp_tool_call_begin', {
      call_id: 'd',
      invocation: { server: 's', tool: 't', arguments: { q: 1 } },
    }),
    event('mcp_tool_call_end', {
      call_id: 'd',
      invocation: { server: 's', tool: 't' },
      result: { Err: 'down' },
    }),
    event('agent_message', { message: 'done' }),
    event('task_complete', { last_agent_message: 'done' }),
  ];

  it("the begin of a call is the model's and its end the answer; a patch is told, not written", () => {
    expect(detectLines(codexExec, lines)?.confidence).toBe('certain');
    const run = runOf(codexExec, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: reasoning **Look** | TEXT I look. | TOOL_CALL {"command":["bash","-lc","ls"]} | TOOL_CALL {"command":["false"]}',
      'tool: observation no',
      'tool: observation x',
      'assistant: tool_call {"changes":{"a.py":{"update":{"unified_diff":"+y"}}}}',
      'tool: observation Success',
      'assistant: TOOL_CALL {"q":1}',
      'tool: observation {"Err":"down"}',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ model: 'gpt-5', scaffold: 'codex', termination: 'submitted' });
    expect(run.flags).not.toContain('prompts_absent');
    expect(
      run.executions.map(({ exit_code, seconds, status, feedback_turn }) => [
        exit_code,
        seconds,
        status,
        feedback_turn,
      ]),
    ).toEqual([
      [0, null, 'ok', 3],
      [1, 1.5, 'error', 2],
      [null, null, 'error', 7],
    ]);
  });

  it('ends in an error, or is cut where nothing says that it was completed', () => {
    expect(runOf(codexExec, lines.slice(0, -1)).termination).toBe('cut');
    expect(runOf(codexExec, [...lines.slice(0, -1), event('error', { message: 'limit' })]).termination).toBe(
      'error',
    );
    // a second task that was begun takes the end of the first back
    expect(runOf(codexExec, [...lines, event('task_started')]).termination).toBe('cut');
  });
});

describe('events of an opencode run', () => {
  const event = (type: string, part: object, messageID = 'm1') => ({
    type,
    timestamp: 1,
    sessionID: 's',
    part: { sessionID: 's', messageID, ...part },
  });

  it('are the parts of its replies', () => {
    const state = {
      status: 'completed',
      input: { command: 'ls' },
      output: 'x',
      metadata: { exit: 0 },
      time: { start: 1000, end: 3000 },
    };
    const lines = [
      event('step_start', { type: 'step-start' }),
      event('text', { type: 'text', text: 'look' }),
      event('tool_use', { type: 'tool', callID: 'c', tool: 'bash', state }),
      event('step_finish', { type: 'step-finish', reason: 'tool-calls' }),
      event('text', { type: 'text', text: 'done' }, 'm2'),
    ];
    expect(detectLines(opencodeExport, lines)?.unit).toBe('lines');
    const run = runOf(opencodeExport, lines);
    expect(outline(run.turns)).toEqual([
      'assistant: TEXT look | TOOL_CALL {"command":"ls"}',
      'tool: observation x',
      'assistant: TEXT done',
    ]);
    expect(run.executions).toMatchObject([{ status: 'ok', exit_code: 0, seconds: 2 }]);
    expect(run.flags).toContain('prompts_absent');
  });
});
