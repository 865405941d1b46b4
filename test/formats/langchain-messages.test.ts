import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles } from './read-all.js';
import { outline } from './session-logs.js';

const human = { type: 'human', content: 'go', id: '1' };
const asking = {
  type: 'ai',
  content: '',
  tool_calls: [{ name: 'ls', args: { path: '.' }, id: 'c', type: 'tool_call' }],
  response_metadata: { model_name: 'm' },
};
const answer = { type: 'tool', content: 'a.py', name: 'ls', tool_call_id: 'c' };
const done = { type: 'ai', content: 'done', tool_calls: [], invalid_tool_calls: [] };
const CHAT = [
  'user: prompt go',
  'assistant: TOOL_CALL {"path":"."}',
  'tool: observation a.py',
  'assistant: TEXT done',
];
const read = async (content: unknown, name = 'a.json') =>
  onlyTrajectory(await readFiles({ [name]: content }));
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('messages of LangChain', () => {
  it.each([
    ['bare', [human, asking, answer, done]],
    ['of a state', { values: { messages: [human, asking, answer, done] }, next: [] }],
    ['of an object', { messages: [human, asking, answer, done], thread_id: 't' }],
    ['under data', [human, asking, answer, done].map((data) => ({ type: data.type, data }))],
    [
      'as constructors',
      [human, asking, answer, done].map(({ type, ...kwargs }) => ({
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'messages', `${type === 'ai' ? 'AI' : type}Message`].map((part) =>
          part.replace(/^[ht](?=(?:uman|ool)Message)/, (first) => first.toUpperCase()),
        ),
        kwargs,
      })),
    ],
  ])('%s are a chat', async (_, content) => {
    const run = await read(content);
    expect(run.source.format).toBe('langchain-messages');
    expect(outline(run.turns)).toEqual(CHAT);
    expect(run).toMatchObject({ model: 'm', termination: 'submitted' });
  });

  it('with a role are messages of the chat API, whatever type they also name', async () => {
    const roles = [
      { ...human, role: 'user' },
      { ...done, role: 'assistant' },
    ];
    expect((await read(roles)).source.format).toBe('openai-messages');
  });

  it('are a chat where each stands in a line of its own', async () => {
    expect(outline((await read(lines(human, asking, answer, done), 'a.jsonl')).turns)).toEqual(CHAT);
  });

  it('keep a call that could not be parsed, and the raw calls of a provider', async () => {
    const broken = { name: 'ls', args: '{"path": ', id: 'd', error: 'e', type: 'invalid_tool_call' };
    const raw = { id: 'c', type: 'function', function: { name: 'ls', arguments: '{ "path" : "." }' } };
    const first = await read([human, { ...asking, invalid_tool_calls: [broken] }, answer, done]);
    const second = await read([human, { ...asking, additional_kwargs: { tool_calls: [raw] } }, answer, done]);
    const [, both] = first.turns;
    expect(both?.spans.map(({ kind, text }) => [kind, text])).toEqual([
      ['tool_call', '{"path":"."}'],
      ['malformed_call', '{"path": '],
    ]);
    expect(second.turns[1]?.spans.map(({ text }) => text)).toEqual(['{ "path" : "." }']);
  });

  it('make no text of parts that repeat calls, and refuse a reply with unknown ones', async () => {
    const parts = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'text', text: 'look' },
      { type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c' },
    ];
    const run = await read([human, { ...asking, content: parts }, answer, done]);
    expect(outline(run.turns)[1]).toBe('assistant: TEXT look | TOOL_CALL {"path":"."}');
    const unknown = [
      { type: 'text', text: 'look' },
      { type: 'server_tool_use', id: 's', name: 'web' },
    ];
    const refused = await readFiles({ 'a.json': [human, { ...done, content: unknown }] });
    expect(onlyReject(refused).code).toBe('bad_shape');
  });

  it('without a person or a model, or with records of other types, are none', async () => {
    for (const content of [[answer], [human, { type: 'event', content: 'x' }], [{ type: 'ai', x: 1 }]]) {
      expect(onlyReject(await readFiles({ 'a.json': content })).code).toBe('unknown_format');
    }
  });
});
