import { expect, it } from 'vitest';
import { grok } from '../../src/formats/grok.js';
import { detectLines, outline, placed, runOf } from './session-logs.js';

const user = (text: string, rest: object = {}) => ({
  type: 'user',
  content: [{ type: 'text', text }],
  ...rest,
});
const reply = (content: string, rest: object = {}) => ({
  type: 'assistant',
  content,
  model_id: 'grok-4',
  model_fingerprint: 'f',
  ...rest,
});
const reasoning = (text: string) => ({
  type: 'reasoning',
  id: 'r',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  encrypted_content: 'x',
});
const search = {
  type: 'backend_tool_call',
  kind: { tool_type: 'web_search', action: { query: 'q' }, id: 'w' },
};

it('grok: opens a reply with what stands before it', () => {
  const lines = [
    { type: 'system', content: 'S' },
    user('env', { synthetic_reason: 'environment_context' }),
    user('go', { prompt_index: 0 }),
    reasoning('plan'),
    search,
    reply('look', { tool_calls: [{ id: 'c', name: 'read', arguments: '{"f": 1}' }] }),
    { type: 'tool_result', tool_call_id: 'c', content: 'text', images: ['data:'] },
    reasoning(''),
    reply('done'),
    user('why?', { prompt_index: 1, prior_turn_interrupt: 'mid_turn_abort' }),
  ];
  expect(detectLines(grok, lines)?.confidence).toBe('certain');
  const run = runOf(grok, lines);
  expect(outline(run.turns)).toEqual([
    'system: prompt S',
    'user: observation env',
    'user: prompt go',
    'assistant: reasoning plan | tool_call {"query":"q"} | TEXT look | TOOL_CALL {"f": 1}',
    'tool: observation text | image [image]',
    'assistant: TEXT done',
    'user: prompt why?',
  ]);
  expect(run.turns[5]?.truncated).toBe('aborted');
  expect(run.flags).toEqual([
    'no_experiment_boundary',
    'reasoning_summary',
    'provider_side_calls',
    'reasoning_hidden',
  ]);
});

it('grok: reads ids and model from the summary beside it', () => {
  const summary = JSON.stringify({ info: { id: 's' }, parent_session_id: 'p', current_model_id: 'm' });
  const lines = [user('q', { prompt_index: 0 }), { type: 'assistant', content: 'a' }];
  const run = runOf(grok, lines, placed('x/chat_history.jsonl', { 'summary.json': summary }));
  expect(run).toMatchObject({ session_id: 's', parent_session: 'p', model: 'm' });
});

it('grok: what a fork has from its parent is history', () => {
  const lines = [
    { type: 'system', content: 'S' },
    user('q', { prompt_index: 0 }),
    reply('of the parent'),
    user('r', { prompt_index: 1 }),
    reply('its own'),
  ];
  const summary = (inherited_prefix_len: number) =>
    placed('x/chat_history.jsonl', {
      'summary.json': JSON.stringify({ info: { id: 's' }, parent_session_id: 'p', inherited_prefix_len }),
    });
  const run = runOf(grok, lines, summary(3));
  expect(outline(run.turns).slice(2)).toEqual([
    'assistant: text of the parent',
    'user: prompt r',
    'assistant: TEXT its own',
  ]);
  expect(run.flags).toContain('forked_session');
  // A sub-agent that was resumed keeps its system prompt alone.
  const resumed = runOf(grok, lines, summary(1));
  expect(outline(resumed.turns)[2]).toBe('assistant: TEXT of the parent');
  expect(resumed.flags).not.toContain('forked_session');
});

it('grok: reasoning beside a reply is kept as a summary, as that in lines of its own', () => {
  const run = runOf(grok, [user('q', { prompt_index: 0 }), reply('a', { reasoning: 'hm' })]);
  expect(outline(run.turns)[1]).toBe('assistant: reasoning hm | TEXT a');
  expect(run.flags).toContain('reasoning_summary');
});

it('grok: leaves lines of other tools alone', () => {
  expect(
    detectLines(grok, [
      { type: 'user', message: {} },
      { type: 'assistant', message: {} },
    ]),
  ).toBeNull();
  expect(detectLines(grok, [user('x', { prompt_index: 0 }), { type: 'progress' }])).toBeNull();
  expect(() => runOf(grok, [user('q', { prompt_index: 0 }), { type: 'video' }])).toThrow(/known type/);
});

it('grok: the exit code is the first line of a result, and nothing further down', () => {
  const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'run', arguments: '{}' }));
  const answer = (id: string, content: string) => ({ type: 'tool_result', tool_call_id: id, content });
  const run = runOf(grok, [
    user('go', { prompt_index: 0 }),
    reply('', { tool_calls: calls }),
    answer('a', 'exit: 0\nfine'),
    answer('b', 'exit: 127\nno such command'),
    answer('c', 'a log that says\nexit: 1'),
    reply('done'),
  ]);
  expect(run.executions.map(({ call_span, status, exit_code }) => [call_span, status, exit_code])).toEqual([
    [0, 'ok', 0],
    [1, 'error', 127],
  ]);
});
