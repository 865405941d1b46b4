import { describe, expect, it } from 'vitest';
import { droid } from '../../src/formats/droid.js';
import { detectLines, outline, placed, runOf } from './session-logs.js';

const start = { type: 'session_start', id: 's', title: 't', version: '0.8' };
const message = (id: string, parentId: string, role: string, ...content: object[]) => ({
  type: 'message',
  id,
  parentId,
  timestamp: 't',
  message: { role, content },
});
const text = (words: string) => ({ type: 'text', text: words });

describe('droid: session store', () => {
  const lines = [
    start,
    message('1', 's', 'user', text('<system-reminder>time</system-reminder>'), text('go')),
    message('2', '1', 'assistant', text('wrong')),
    message('3', '1', 'assistant', { type: 'thinking', thinking: '', signature: 'x' }, text('right'), {
      type: 'tool_use',
      id: 'u',
      name: 'Execute',
      input: { command: 'ls' },
    }),
    message('4', '3', 'user', { type: 'tool_result', tool_use_id: 'u', content: 'no', is_error: true }),
    message('5', '4', 'assistant', text('end')),
  ];

  it('follows the branch of the last message', () => {
    const run = runOf(droid, lines);
    expect(outline(run.turns)).toEqual([
      'user: observation <system-reminder>time</system-reminder> | prompt go',
      'assistant: TEXT right | TOOL_CALL {"command":"ls"}',
      'tool: observation no',
      'assistant: TEXT end',
    ]);
    expect(run.flags).toEqual(['no_experiment_boundary', 'branches_left_out', 'reasoning_hidden']);
    expect(run.executions.map(({ status }) => status)).toEqual(['error']);
  });

  it('a line that is lost loses no other', () => {
    const run = runOf(droid, [...lines.slice(0, 2), ...lines.slice(3, 4), ...lines.slice(5)]);
    expect(outline(run.turns).map((turn) => turn.split(':')[0])).toEqual(['user', 'assistant', 'assistant']);
    expect(run.flags).toContain('chain_gap');
    expect(runOf(droid, lines).flags).not.toContain('chain_gap');
  });

  it('takes the model from the settings beside it', () => {
    const settings = { 'a.settings.json': '{"model":"claude-x"}' };
    expect(runOf(droid, lines, placed('d/a.jsonl', settings)).model).toBe('claude-x');
    expect(runOf(droid, lines, placed('d/a.jsonl', { 'a.settings.json': '{' })).model).toBeNull();
  });

  it('is known by its first line, or likely by its messages', () => {
    expect(detectLines(droid, lines)?.confidence).toBe('certain');
    expect(detectLines(droid, lines.slice(1))?.confidence).toBe('likely');
    expect(detectLines(droid, [{ type: 'message', role: 'user', text: 'x' }])).toBeNull();
  });
});

describe('droid: stream', () => {
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: ['Read'] },
    { type: 'message', role: 'user', id: 'a', text: 'go', timestamp: 1_700_000_000_000, session_id: 's' },
    { type: 'message', role: 'assistant', id: 'b', text: 'loo', subtype: 'delta', session_id: 's' },
    { type: 'message', role: 'assistant', id: 'b', text: 'look', session_id: 's' },
    {
      type: 'tool_call',
      toolCallId: 'c',
      toolName: 'Execute',
      parameters: { command: 'ls' },
      session_id: 's',
    },
    {
      type: 'tool_result',
      toolCallId: 'c',
      isError: false,
      value: { exitCode: 2, stdout: '' },
      session_id: 's',
    },
    { type: 'message', role: 'assistant', id: 'd', text: 'done\n', session_id: 's' },
    { type: 'completion', finalText: 'done', numTurns: 2, session_id: 's' },
  ];

  it('joins a reply with its calls and says the last words once', () => {
    expect(detectLines(droid, lines)?.confidence).toBe('certain');
    const run = runOf(droid, lines);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TEXT look | TOOL_CALL {"command":"ls"}',
      'tool: observation {"exitCode":2,"stdout":""}',
      'assistant: TEXT done\n',
    ]);
    expect(run.turns[0]?.timestamp).toBe('2023-11-14T22:13:20.000Z');
    expect(run).toMatchObject({ session_id: 's', model: 'm', tools: '["Read"]', termination: 'submitted' });
    expect(run.executions).toMatchObject([{ status: 'error', exit_code: 2 }]);
  });

  it('keeps final words that no message has', () => {
    const run = runOf(droid, [...lines.slice(0, 6), lines[7]]);
    expect(outline(run.turns).at(-1)).toBe('assistant: TEXT done');
    expect(run.flags).toContain('final_text_without_message');
  });
});
