import { describe, expect, it } from 'vitest';
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

it('grok: pieces of text are of its stream where a mark of it or nothing else is in sight', () => {
  const text = { type: 'text', data: 'x' };
  expect(detectLines(grok, [text, text])).toBeNull();
  expect(detectLines(grok, [text, { type: 'usage' }])).toBeNull();
  expect(detectLines(grok, [text, { type: 'thought', data: 'x' }])).not.toBeNull();
  expect(
    detectLines(
      grok,
      Array.from({ length: 32 }, () => text),
    ),
  ).not.toBeNull();
});

describe('what grok prints as streaming-json', () => {
  const tools = { type: 'available_commands', tools: ['write'], commands: ['compact'] };
  const piece = (type: 'text' | 'thought', data: string) => ({ type, data });
  const call = (toolCallId: string, rawInput: object) => ({
    type: 'tool_call',
    toolCallId,
    title: 'write',
    kind: 'write',
    status: 'pending',
    toolName: 'write',
    rawInput,
    content: [],
  });
  const state = (toolCallId: string, status: string | null, rest: object = {}) => ({
    type: 'tool_call_update',
    toolCallId,
    status,
    content: [],
    rawOutput: null,
    ...rest,
  });
  const shown = (value: string) => ({
    content: [{ type: 'content', content: { type: 'text', text: value } }],
  });
  const usage = { type: 'usage', usage: { input_tokens: 1 } };
  const end = (rest: object = {}) => ({ type: 'end', stopReason: 'end_turn', sessionId: 's', ...rest });

  it('has a reply between two results, its pieces joined, with thoughts as environment', () => {
    const lines = [
      tools,
      piece('thought', 'a '),
      piece('thought', 'file'),
      piece('text', 'I wri'),
      piece('text', 'te.'),
      call('c', { path: 'x', n: 1 }),
      call('d', {}),
      call('c', { path: 'x', n: 1 }),
      state('c', null, shown('so far')),
      state('c', 'completed', shown('written')),
      state('d', null, shown('half')),
      state('d', 'failed', { rawOutput: null }),
      call('e', {}),
      state('e', 'completed', { rawOutput: { type: 'SearchReplace' } }),
      piece('text', 'done'),
      usage,
      end({ num_turns: 3, modelUsage: { 'grok-4.5': {} } }),
    ];
    expect(detectLines(grok, lines)?.confidence).toBe('certain');
    const run = runOf(grok, lines);
    expect(outline(run.turns)).toEqual([
      'assistant: reasoning a file | TEXT I write. | TOOL_CALL {"path":"x","n":1} | TOOL_CALL {}',
      'tool: observation written',
      'tool: observation half',
      'assistant: TOOL_CALL {}',
      'tool: observation {"type":"SearchReplace"}',
      'assistant: TEXT done',
    ]);
    expect(run.turns.slice(1, 3).map(({ tool_call_id, name }) => [tool_call_id, name])).toEqual([
      ['c', 'write'],
      ['d', 'write'],
    ]);
    expect(run.executions.map(({ status }) => status)).toEqual(['ok', 'error', 'ok']);
    expect([run.session_id, run.model, run.termination]).toEqual(['s', 'grok-4.5', 'submitted']);
    expect(run.flags).toEqual(expect.arrayContaining(['prompts_absent', 'reasoning_summary']));
  });

  it.each([
    ['EndTurn', 'submitted', null],
    ['max_turn_requests', 'step_limit', null],
    ['max_tokens', 'context_limit', 'length'],
    ['Cancelled', 'cut', 'aborted'],
  ])('ends as its stop reason says: %s', (stopReason, termination, truncated) => {
    const run = runOf(grok, [piece('text', 'x'), end({ stopReason })]);
    expect([run.termination, run.turns[0]?.truncated]).toEqual([termination, truncated]);
  });

  it('that broke off with an error ended in one', () => {
    const run = runOf(grok, [piece('text', 'x'), { type: 'error', message: 'no' }]);
    expect([run.termination, run.flags.includes('provider_error')]).toEqual(['error', true]);
  });

  it('is refused where several replies are glued since their calls were not printed', () => {
    const glued = [piece('text', 'I look. Done.'), end({ num_turns: 3 })];
    expect(() => runOf(grok, glued)).toThrow(/3 replies holds none of the calls/);
    expect(runOf(grok, [piece('text', 'Yes.'), end({ num_turns: 1 })]).turns).toHaveLength(1);
  });

  it('is not seen in lines that another tool writes', () => {
    expect(detectLines(grok, [{ type: 'text', part: { text: 'x' } }])).toBeNull();
    expect(detectLines(grok, [piece('text', 'x'), { type: 'session', id: 's' }])).toBeNull();
  });
});
