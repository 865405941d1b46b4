import { expect, it } from 'vitest';
import { cursor } from '../../src/formats/cursor.js';
import { detectLines, outline, placed, runOf } from './session-logs.js';

const line = (role: string, ...content: object[]) => ({ role, message: { content } });
const text = (words: string) => ({ type: 'text', text: words });
const use = (command: string) => ({ type: 'tool_use', name: 'Shell', input: { command } });
const answer = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });

it('cursor: pairs calls without ids by their order', () => {
  const lines = [
    line('user', text('go')),
    line('assistant', use('python a.py'), use('python b.py')),
    line('user', answer('t1', [text('A')]), answer('t2', 'B'), text('and now?')),
    line('assistant', text('done')),
  ];
  const run = runOf(cursor, lines, { experiment_patterns: [/python/] });
  expect(outline(run.turns)).toEqual([
    'user: prompt go',
    'assistant: TOOL_CALL {"command":"python a.py"} | TOOL_CALL {"command":"python b.py"}',
    'tool: observation A',
    'tool: observation B',
    'user: prompt and now?',
    'assistant: TEXT done',
  ]);
  expect(run.executions.map(({ code, feedback_turn }) => [code, feedback_turn])).toEqual([
    ['python a.py', 2],
    ['python b.py', 3],
  ]);
});

it('cursor: tells what the human asked from what the editor added', () => {
  const words = '<attached_files>\na\n</attached_files>\n<user_query>\nfix\n</user_query>';
  const run = runOf(cursor, [line('user', text(words)), line('assistant', text('ok'))]);
  expect(outline(run.turns)[0]).toBe(
    'user: observation <attached_files>\na\n</attached_files>\n | prompt <user_query>\nfix\n</user_query>',
  );
});

it('cursor: does not train the mark of hidden reasoning', () => {
  const run = runOf(cursor, [line('user', text('q')), line('assistant', text('I look.\n\n[REDACTED]'))]);
  expect(outline(run.turns)[1]).toBe('assistant: TEXT I look.\n\n | text [REDACTED]');
  expect(run.flags).toContain('reasoning_hidden');
});

it('cursor: knows its lines, and sub-agents by their folder', () => {
  const lines = [line('user', text('q')), line('assistant', text('a')), { type: 'turn_ended', status: 'ok' }];
  expect(detectLines(cursor, lines)?.confidence).toBe('certain');
  expect(detectLines(cursor, [{ type: 'user', ...line('user') }])).toBeNull();
  const run = runOf(cursor, lines, placed('agent-transcripts/p-1/subagents/c-1.jsonl'));
  expect(run).toMatchObject({ parent_session: 'p-1' });
  expect(() => runOf(cursor, [line('robot', text('x'))])).toThrow(/known role/);
  expect(() => runOf(cursor, [line('assistant', { type: 'dance' })])).toThrow(/unknown block "dance"/);
});
