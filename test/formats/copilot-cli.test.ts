import { describe, expect, it } from 'vitest';
import { copilotCli } from '../../src/formats/copilot-cli.js';
import { detectLines, outline, runOf, runsOf } from './session-logs.js';

let count = 0;
const event = (type: string, data: object, timestamp = '2026-01-01T00:00:00Z') => {
  count++;
  return { type, data, id: `e${count}`, timestamp, parentId: `e${count - 1}` };
};
const asked = (content: string, rest: object = {}) => event('user.message', { content, ...rest });
const reply = (messageId: string, content: string, rest: object = {}) =>
  event('assistant.message', { messageId, content, toolRequests: [], ...rest });
const request = (toolCallId: string) => ({
  type: 'function',
  toolCallId,
  name: 'shell',
  arguments: '{"command": "ls"}',
});

describe('copilot-cli', () => {
  it('pairs calls with their answers, success and time', () => {
    const lines = [
      event('session.start', { sessionId: 's', copilotVersion: '1.0', selectedModel: 'm' }),
      asked('go', { transformedContent: '<now>1</now>\ngo\n<reminder/>' }),
      reply('1', 'look', { toolRequests: [request('a'), request('b')], reasoningText: 'hm' }),
      event('tool.execution_start', { toolCallId: 'a' }, '2026-01-01T00:00:01Z'),
      event('tool.execution_complete', { toolCallId: 'b', success: false, error: { message: 'denied' } }),
      event(
        'tool.execution_complete',
        { toolCallId: 'a', success: true, result: { content: 'A' } },
        '2026-01-01T00:00:03.5Z',
      ),
      reply('2', 'done'),
    ];
    expect(detectLines(copilotCli, lines)?.confidence).toBe('certain');
    const run = runOf(copilotCli, lines);
    expect(outline(run.turns)).toEqual([
      'user: observation <now>1</now>\n | prompt go | observation \n<reminder/>',
      'assistant: REASONING hm | TEXT look | TOOL_CALL {"command": "ls"} | TOOL_CALL {"command": "ls"}',
      'tool: observation denied',
      'tool: observation A',
      'assistant: TEXT done',
    ]);
    expect(
      run.executions.map(({ status, seconds, feedback_turn }) => [status, seconds, feedback_turn]),
    ).toEqual([
      ['ok', 2.5, 3],
      ['error', null, 2],
    ]);
    expect(run).toMatchObject({
      session_id: 's',
      scaffold_version: '1.0',
      model: 'm',
      termination: 'submitted',
    });
  });

  it('writes one reply for the pieces of one message, and its reasoning once', () => {
    const lines = [
      asked('go'),
      event('assistant.reasoning', { reasoningId: 'r', content: 'thought' }),
      reply('1', 'first ', { reasoningText: 'thought', chunkIndex: 0 }),
      reply('1', 'second', { toolRequests: [request('a')], chunkIndex: 1 }),
      reply('1', '', { toolRequests: [request('a')] }),
    ];
    expect(outline(runOf(copilotCli, lines).turns)).toEqual([
      'user: prompt go',
      'assistant: REASONING thought | TEXT first  | TEXT second | TOOL_CALL {"command": "ls"}',
    ]);
  });

  it('takes what stands beside encrypted reasoning for a summary', () => {
    const run = runOf(copilotCli, [
      asked('q'),
      reply('1', 'a', { reasoningText: 'sum', encryptedContent: 'x' }),
    ]);
    expect(outline(run.turns)[1]).toBe('assistant: reasoning sum | TEXT a');
    expect(run.flags).toContain('reasoning_summary');
    const hidden = runOf(copilotCli, [asked('q'), reply('1', 'a', { reasoningOpaque: 'x' })]);
    expect(hidden.flags).toContain('reasoning_hidden');
  });

  it('gives sub-agents runs of their own', () => {
    const lines = [
      event('session.start', { sessionId: 's' }),
      asked('go'),
      reply('1', '', { toolRequests: [request('t')] }),
      reply('2', 'inner', { parentToolCallId: 't' }),
      { ...reply('3', 'deeper'), agentId: 'agent-9' },
      event('tool.execution_complete', { toolCallId: 't', success: true, result: { content: 'R' } }),
      reply('4', 'outer'),
    ];
    const runs = runsOf(copilotCli, lines);
    expect(runs.map((run) => [run.session_id, run.parent_session, outline(run.turns).at(-1)])).toEqual([
      ['s', null, 'assistant: TEXT outer'],
      ['t', 's', 'assistant: TEXT inner'],
      ['agent-9', 's', 'assistant: TEXT deeper'],
    ]);
  });

  it('starts contexts at compaction, truncation and a new system prompt', () => {
    const system = (content: string) => event('system.message', { content, role: 'system' });
    const lines = [
      system('S'),
      asked('one'),
      reply('1', 'a'),
      system('S'),
      asked('two'),
      reply('2', 'b'),
      event('session.truncation', { messagesRemovedDuringTruncation: 2 }),
      reply('3', 'c'),
      event('session.compaction_complete', { success: true, summaryContent: 'so far' }),
      reply('4', 'd'),
      system('T'),
      reply('5', 'e'),
    ];
    const run = runOf(copilotCli, lines);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3, 4], reason: null },
      { turns: [0, 3, 4, 5], reason: 'truncation' },
      { turns: [0, 6, 7], reason: 'compaction' },
      { turns: [8, 6, 7, 9], reason: 'system_prompt_changed' },
    ]);
    expect(outline(run.turns)[6]).toBe('user: observation so far');
  });

  it('a rewind takes back what came after its event', () => {
    const kept = [asked('go'), reply('1', 'first')];
    const run = runOf(copilotCli, [
      ...kept,
      asked('wrong way'),
      reply('2', 'lost'),
      event('session.snapshot_rewind', { upToEventId: kept[1]?.id, eventsRemoved: 2 }),
      asked('right way'),
      reply('3', 'done'),
    ]);
    const live = run.epochs[0]?.turns.map((index) => run.turns[index]?.spans[0]?.text);
    expect(live).toEqual(['go', 'first', 'right way', 'done']);
    expect(run.flags).toContain('rewound_turns:1');
  });

  it('a command that failed is an error, though the call succeeded', () => {
    const ended = (toolCallId: string, content: string, rest: object = {}) =>
      event('tool.execution_complete', { toolCallId, success: true, result: { content }, ...rest });
    const run = runOf(copilotCli, [
      asked('go'),
      reply('1', '', { toolRequests: ['a', 'b', 'c', 'd'].map(request) }),
      event('tool.execution_start', { toolCallId: 'a', toolName: 'bash' }),
      ended('a', 'no', { shellExecution: { exitCode: 2 } }),
      ended('b', 'no\n<shellId: 0 completed with exit code 1>'),
      ended('c', 'yes\n<exited with exit code 0>'),
      ended('d', '<exited with exit code 9>\nis what the file says'),
    ]);
    expect(run.executions.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ['error', 2],
      ['error', 1],
      ['ok', 0],
      ['ok', null],
    ]);
    expect(run.turns[2]?.name).toBe('bash');
  });

  it('does not trip over types that are no events of its own', () => {
    const lines = [asked('q'), event('constructor', {}), event('session.future', {}), reply('1', 'a')];
    expect(runOf(copilotCli, lines).turns).toHaveLength(2);
  });
});
