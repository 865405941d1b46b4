import { describe, expect, it } from 'vitest';
import { claudeCodeStream } from '../../src/formats/claude-code-stream.js';
import { codexRollout } from '../../src/formats/codex-rollout.js';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline, runOf } from './session-logs.js';

const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const read = async (...records: object[]) =>
  onlyTrajectory(await readFiles({ 'a.jsonl': lines(...records) }));
const user = { role: 'user', content: 'go' };
const tool_calls = [
  { id: 'c', type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } },
];
const tool = { role: 'tool', tool_call_id: 'c', content: 'a.py' };

describe('logs of a message a line', () => {
  it('are one chat, not a row each', async () => {
    const run = await read(user, { role: 'assistant', content: null, tool_calls }, tool, {
      role: 'assistant',
      content: 'done',
    });
    expect(run.source).toMatchObject({ format: 'openai-messages', line: null });
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TOOL_CALL {"command":"ls"}',
      'tool: observation a.py',
      'assistant: TEXT done',
    ]);
    expect(run.termination).toBe('submitted');
  });

  it('with blocks of the Anthropic API are read as those', async () => {
    const run = await read(
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'bash', input: { command: 'ls' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a.py', is_error: true }] },
      { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
    );
    expect(run.source.format).toBe('anthropic-messages');
    expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(run.executions[0]).toMatchObject({ status: 'error', feedback_turn: 2 });
  });

  it('that name several chats are a chat each', async () => {
    const said = (conversation_id: string, content: string) => [
      { conversation_id, ...user },
      { conversation_id, role: 'assistant', content },
    ];
    const runs = trajectoriesOf(
      await readFiles({ 'a.jsonl': lines(...said('x', 'one'), ...said('y', 'two')) }),
    );
    expect(runs.map(({ session_id, turns }) => [session_id, ...outline(turns)])).toEqual([
      ['x', 'user: prompt go', 'assistant: TEXT one'],
      ['y', 'user: prompt go', 'assistant: TEXT two'],
    ]);
    expect(runs[0]?.flags).not.toContain('unread_message_keys:conversation_id');
  });

  it('are not joined where a line is a whole chat', async () => {
    const chat = (content: string) => JSON.stringify([user, { role: 'assistant', content }]);
    const runs = trajectoriesOf(await readFiles({ 'a.jsonl': `${chat('one')}\n${chat('two')}\n` }));
    expect(runs.map(({ turns }) => outline(turns).at(-1))).toEqual([
      'assistant: TEXT one',
      'assistant: TEXT two',
    ]);
  });

  it('without a reply among them are no chat', async () => {
    expect(onlyReject(await readFiles({ 'a.jsonl': lines(user, user) })).code).toBe('unknown_format');
    expect(
      onlyReject(await readFiles({ 'a.jsonl': lines(user, { role: 'assistant', name: 'x' }) })).code,
    ).toBe('unknown_format');
  });

  it('that Kimi prints keep its thoughts, and say that the prompt is missing', async () => {
    const content = [
      { type: 'think', think: 'hm' },
      { type: 'text', text: 'ok' },
    ];
    const run = await read({ role: 'assistant', content, tool_calls }, tool, {
      role: 'assistant',
      content: 'done',
    });
    expect(run.source.format).toBe('kimi-cli');
    expect(outline(run.turns)[0]).toBe('assistant: REASONING hm | TEXT ok | TOOL_CALL {"command":"ls"}');
    expect(run.flags).toContain('prompts_absent');
  });

  it('of the gateway of Hermes begin with the model and the tools', async () => {
    const meta = {
      role: 'session_meta',
      model: 'm',
      platform: 'slack',
      tools: [{ type: 'function', function: { name: 'shell' } }],
    };
    const run = await read(
      meta,
      user,
      { role: 'assistant', content: '', reasoning: 'hm', tool_calls, finish_reason: 'tool_calls' },
      tool,
      {
        role: 'assistant',
        content: 'don',
        finish_reason: 'length',
      },
    );
    expect(run).toMatchObject({ model: 'm', scaffold: 'hermes', source: { format: 'hermes' } });
    expect(run.tools).toContain('shell');
    expect(run.turns).toHaveLength(4);
    expect(run.turns[3]?.truncated).toBe('length');
  });
});

it('first sessions of Copilot are its chat messages, without what the terminal showed', async () => {
  const session = {
    sessionId: 's',
    startTime: '2025-10-01T00:00:00Z',
    selectedModel: 'm',
    chatMessages: [
      user,
      { role: 'assistant', content: '', tool_calls },
      tool,
      { role: 'assistant', content: 'done' },
    ],
    timeline: [
      { type: 'user', text: 'go' },
      { type: 'copilot', text: 'done' },
    ],
  };
  const run = onlyTrajectory(await readFiles({ 'session.json': session }));
  expect(run).toMatchObject({
    session_id: 's',
    model: 'm',
    scaffold: 'copilot-cli',
    termination: 'submitted',
  });
  expect(run.source.format).toBe('copilot-cli');
  expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
});

describe('stream of Claude Code', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
  const said = (id: string, text: string) => ({
    type: 'assistant',
    message: { id, role: 'assistant', model: 'm', content: [{ type: 'text', text }], stop_reason: null },
    session_id: 's',
    timestamp: '2026-01-01T00:00:00Z',
  });
  const delta = (stop_reason: string, call: string | null = null) => ({
    type: 'stream_event',
    event: { type: 'message_delta', delta: { stop_reason } },
    parent_tool_use_id: call,
  });

  it('a reply that was cut says so in the last of its pieces', () => {
    const run = runOf(claudeCodeStream, [
      init,
      said('a', 'one'),
      delta('max_tokens'),
      said('b', 'two'),
      delta('end_turn'),
    ]);
    expect(run.turns.map(({ truncated }) => truncated)).toEqual(['length', null]);
    expect(run.turns[0]?.timestamp).toBe('2026-01-01T00:00:00Z');
    // a piece of a sub-agent's reply says nothing of this one
    expect(
      runOf(claudeCodeStream, [init, said('a', 'one'), delta('max_tokens', 'c')]).turns[0]?.truncated,
    ).toBeNull();
  });

  it('of Qwen Code bears its name', () => {
    const run = runOf(claudeCodeStream, [{ ...init, qwen_code_version: '0.5.0' }, said('a', 'one')]);
    expect(run).toMatchObject({ scaffold: 'qwen-code', scaffold_version: '0.5.0' });
  });
});

describe('a reply behind a call that the provider ran', () => {
  it('ends the run', async () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    const ends = async (...content: object[]) =>
      (await read(user, { role: 'assistant', content })).termination;
    expect(await ends(search, found, { type: 'text', text: 'done' })).toBe('submitted');
    expect(await ends(search, found)).toBe('cut');
    expect(await ends(search, found, { type: 'tool_use', id: 't', name: 'bash', input: {} })).toBe('cut');
  });

  it('does so in a rollout of Codex', () => {
    const item = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload });
    const search = item({
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    });
    const done = item({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'done' }],
    });
    const asked = item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] });
    expect(runOf(codexRollout, [asked, search, done]).termination).toBe('submitted');
    expect(runOf(codexRollout, [asked, search]).termination).toBe('cut');
  });
});
