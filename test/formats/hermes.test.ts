import { expect, it } from 'vitest';
import { hermes } from '../../src/formats/hermes.js';
import { detectDocument } from './adapter-context.js';
import { outline, runOf } from './session-logs.js';

const session = (messages: object[], rest: object = {}) => ({
  session_id: 's',
  platform: 'cli',
  model: 'm',
  system_prompt: 'S',
  messages,
  ...rest,
});

it('hermes: reads messages, with the system prompt before them and the same reasoning once', () => {
  const document = session([
    { role: 'session_meta', content: '{}' },
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: '',
      reasoning: 'hm',
      reasoning_content: 'hm',
      codex_reasoning_items: [{ encrypted_content: 'x' }],
      tool_calls: [
        { id: 'c', call_id: 'c', type: 'function', function: { name: 'sh', arguments: '{"a": 1}' } },
      ],
      finish_reason: 'tool_calls',
    },
    { role: 'tool', content: 'A', tool_call_id: 'c', tool_name: 'sh', finish_reason: 'stop' },
    { role: 'assistant', content: 'cut off', finish_reason: 'length' },
  ]);
  expect(detectDocument(hermes, document)?.confidence).toBe('certain');
  const run = runOf(hermes, document);
  expect(outline(run.turns)).toEqual([
    'system: prompt S',
    'user: prompt go',
    'assistant: REASONING hm | TOOL_CALL {"a": 1}',
    'tool: observation A',
    'assistant: TEXT cut off',
  ]);
  expect(run.turns[3]).toMatchObject({ name: 'sh', tool_call_id: 'c' });
  expect(run).toMatchObject({
    session_id: 's',
    model: 'm',
    scaffold: 'hermes',
    termination: 'context_limit',
  });
  expect(run.flags).toEqual(['no_experiment_boundary']);
});

it('hermes: names the session that it goes on from, and does not double a system message', () => {
  const messages = [
    { role: 'system', content: 'T' },
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a' },
  ];
  const run = runOf(hermes, session(messages, { parent_session_id: 'p' }));
  expect(outline(run.turns)[0]).toBe('system: prompt T');
  expect(run.turns).toHaveLength(3);
  expect(run.parent_session).toBe('p');
  expect(detectDocument(hermes, { session_id: 's', messages })).toBeNull();
});

it('hermes: a copy of what was sent to a channel, and what stands for an empty reply, are not trained', () => {
  const run = runOf(
    hermes,
    session([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'sent by a timer', mirror: true, mirror_source: 'cron' },
      { role: 'assistant', content: '(empty)', _empty_recovery_synthetic: true },
      { role: 'user', content: 'go on', _empty_recovery_synthetic: true },
      { role: 'assistant', content: '(empty)' },
      { role: 'assistant', content: '(empty)', tool_calls: [] },
      { role: 'assistant', content: 'done' },
    ]),
  );
  expect(run.turns.filter(({ role }) => role === 'assistant').map(({ weight }) => weight)).toEqual([
    0, 0, 0, 0, 1,
  ]);
  expect(run.flags.filter((flag) => flag.startsWith('unread'))).toEqual([]);
});
