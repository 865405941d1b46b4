import { describe, expect, it } from 'vitest';
import { qwenCode } from '../../src/formats/qwen-code.js';
import { detectLines, outline, runOf, runsOf } from './session-logs.js';

let last: string | null = null;
const record = (uuid: string, type: string, rest: object = {}, parent: string | null = last) => {
  last = uuid;
  return {
    uuid,
    parentUuid: parent,
    sessionId: 's',
    timestamp: 't',
    type,
    cwd: '/',
    version: '0.9',
    ...rest,
  };
};
const user = (uuid: string, text: string, rest: object = {}, parent?: string | null) =>
  record(uuid, 'user', { message: { role: 'user', parts: [{ text }] }, ...rest }, parent);
const reply = (uuid: string, parts: object[], rest: object = {}) =>
  record(uuid, 'assistant', { model: 'qwen3', message: { role: 'model', parts }, ...rest });
const result = (uuid: string, response: object, status = 'success') =>
  record(uuid, 'tool_result', {
    message: { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'sh', response } }] },
    toolCallResult: { callId: 'c', status },
  });
const call = { functionCall: { id: 'c', name: 'sh', args: { command: 'ls' } } };

describe('qwen-code', () => {
  it('joins streamed parts, keeps thoughts and the status of calls', () => {
    last = null;
    const lines = [
      user('1', 'go'),
      reply('2', [
        { text: 'I ', thought: true },
        { text: 'think', thought: true },
        { text: 'Run' },
        { text: 'ning.' },
        call,
      ]),
      result('3', { output: 'a' }, 'error'),
      record('4', 'system', { subtype: 'ui_telemetry', systemPayload: { uiEvent: {} } }),
      reply('5', [{ text: 'done' }]),
    ];
    expect(detectLines(qwenCode, lines)?.confidence).toBe('certain');
    const run = runOf(qwenCode, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: REASONING I think | TEXT Running. | TOOL_CALL {"command":"ls"}',
      'tool: observation a',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ model: 'qwen3', scaffold_version: '0.9', termination: 'submitted' });
    expect(run.executions.map(({ status }) => status)).toEqual(['error']);
  });

  it('follows the last message back to the root and says what it left', () => {
    last = null;
    const lines = [
      user('1', 'go'),
      reply('2', [{ text: 'wrong' }]),
      user('3', 'again', {}, '1'),
      reply('4', [{ text: 'right' }]),
    ];
    const run = runOf(qwenCode, lines);
    expect(outline(run.turns)).toEqual(['user: prompt go', 'user: prompt again', 'assistant: TEXT right']);
    expect(run.flags).toContain('branches_left_out');
  });

  it('a line that is lost loses no other; a parent of the first one lies in another file', () => {
    last = 'elsewhere';
    const lines = [
      user('1', 'go'),
      reply('2', [{ text: 'one' }]),
      user('3', 'on'),
      reply('4', [{ text: 'two' }]),
    ];
    expect(runOf(qwenCode, lines).flags).not.toContain('chain_gap');
    const run = runOf(
      qwenCode,
      lines.filter(({ uuid }) => uuid !== '3'),
    );
    expect(outline(run.turns)).toEqual(['user: prompt go', 'assistant: TEXT one', 'assistant: TEXT two']);
    expect(run.flags).toContain('chain_gap');
  });

  it('takes file order where the tree cannot be read', () => {
    const lines = [user('1', 'a', {}, '2'), { ...reply('2', [{ text: 'b' }]), parentUuid: '1' }];
    const run = runOf(qwenCode, lines);
    expect(run.turns).toHaveLength(2);
    expect(run.flags).toContain('record_tree_unreadable');
  });

  it('starts a context anew at a compression, pointing to what stayed', () => {
    last = null;
    const compressedHistory = [
      { role: 'user', parts: [{ text: 'summary of before' }] },
      { role: 'model', parts: [{ text: 'Understood.' }] },
      { role: 'model', parts: [{ text: 'kept' }] },
    ];
    const lines = [
      user('1', 'go'),
      reply('2', [{ text: 'early' }]),
      reply('3', [{ text: 'kept' }]),
      record('4', 'system', { subtype: 'chat_compression', systemPayload: { info: {}, compressedHistory } }),
      reply('5', [{ text: 'after' }]),
    ];
    const run = runOf(qwenCode, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TEXT early',
      'assistant: TEXT kept',
      'user: prompt summary of before',
      'assistant: text Understood.',
      'assistant: TEXT after',
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2], reason: null },
      { turns: [3, 4, 2, 5], reason: 'compaction' },
    ]);
  });

  it('gives sub-agents runs of their own, with what they inherited as environment', () => {
    last = null;
    const history = [
      { role: 'user', parts: [{ text: 'parent task' }] },
      { role: 'model', parts: [{ text: 'parent words' }] },
    ];
    const main = [user('1', 'go'), reply('2', [{ text: 'main' }])];
    const agent = { agentId: 'explore-1', isSidechain: true };
    last = null;
    const side = [
      record('a', 'system', {
        ...agent,
        subtype: 'agent_bootstrap',
        systemPayload: { kind: 'fork', history },
      }),
      reply('b', [{ text: 'sub' }], agent),
    ];
    const runs = runsOf(qwenCode, [...main, ...side]);
    expect(runs.map((run) => [run.session_id, run.parent_session, outline(run.turns).at(-1)])).toEqual([
      ['s', null, 'assistant: TEXT main'],
      ['explore-1', 's', 'assistant: TEXT sub'],
    ]);
    expect(outline(runs[1]?.turns ?? [])[1]).toBe('assistant: text parent words');
  });

  it('a command that failed is an error, though the call succeeded', () => {
    last = null;
    const output = (code: number) => ({
      output: `Command: ls\nOutput: x\nExit Code: ${code}\nSignal: (none)`,
    });
    const run = runOf(qwenCode, [
      user('1', 'go'),
      reply('2', [call]),
      result('3', output(2)),
      reply('4', [call]),
      result('5', output(0)),
    ]);
    expect(run.executions.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ['error', 2],
      ['ok', 0],
    ]);
  });

  it('takes notices of the harness for observations', () => {
    last = null;
    const lines = [
      user('1', 'go'),
      reply('2', [{ text: 'x' }]),
      user('3', 'task 7 finished', { subtype: 'notification', provenance: 'system' }),
      reply('4', [{ text: 'y' }]),
    ];
    expect(outline(runOf(qwenCode, lines).turns)[2]).toBe('user: observation task 7 finished');
  });
});
