import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const read = async (messages: readonly object[]) =>
  onlyTrajectory(await readFiles({ 'chat.json': messages }));
const words = (text: string) => ({ type: 'text', text });
const asked = { role: 'user', content: 'weather?' };
const OUTLINE = [
  'user: prompt weather?',
  'assistant: REASONING hm | TEXT I look. | TOOL_CALL {"city":"Paris"}',
  'tool: observation {"t":20}',
  'assistant: TEXT 20 degrees',
];

describe('messages of the AI SDK', () => {
  it('for a model, of version 5, keep calls and results', async () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: { city: 'Paris' } };
    const output = { type: 'json', value: { t: 20 } };
    const run = await read([
      asked,
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, words('I look.'), call] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'weather', output }] },
      { role: 'assistant', content: '20 degrees' },
    ]);
    expect(run.source.format).toBe('ai-sdk');
    expect(outline(run.turns)).toEqual(OUTLINE);
    expect(run.turns[2]).toMatchObject({ name: 'weather', tool_call_id: 'c' });
    expect(run.termination).toBe('submitted');
  });

  it('for a model, of version 4, mark a result that failed', async () => {
    const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'weather', args: {} });
    const result = (id: string, rest: object) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'weather',
      ...rest,
    });
    const run = await read([
      asked,
      { role: 'assistant', content: [call('a'), call('b'), call('c')] },
      {
        role: 'tool',
        content: [
          result('b', { result: 'no such city', isError: true }),
          result('a', { result: 'sunny' }),
          result('c', { output: { type: 'error-text', value: 'down' } }),
        ],
      },
    ]);
    expect(outline(run.turns).slice(2)).toEqual([
      'tool: observation no such city',
      'tool: observation sunny',
      'tool: observation down',
    ]);
    expect(run.executions.map(({ status, feedback_turn }) => [status, feedback_turn])).toEqual([
      ['ok', 3],
      ['error', 2],
      ['error', 4],
    ]);
  });

  it('for a user interface, of version 5, are parted into the steps of the model', async () => {
    const tool = { toolCallId: 'c', state: 'output-available', input: { city: 'Paris' }, output: { t: 20 } };
    const told = (type: object) => [
      { id: '1', role: 'user', parts: [words('weather?')] },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'hm' },
          words('I look.'),
          { ...type, ...tool },
          { type: 'step-start' },
          { type: 'source-url', url: 'u' },
          words('20 degrees'),
        ],
      },
    ];
    const run = await read(told({ type: 'tool-weather' }));
    expect(outline(run.turns)).toEqual(OUTLINE);
    expect(run.turns[2]?.name).toBe('weather');
    expect(outline((await read(told({ type: 'dynamic-tool', toolName: 'weather' }))).turns)).toEqual(OUTLINE);
  });

  it('for a user interface, of version 4, are read from their parts, not from the text beside them', async () => {
    const toolInvocation = {
      toolCallId: 'c',
      toolName: 'weather',
      state: 'result',
      args: { city: 'Paris' },
      result: { t: 20 },
    };
    const reply = {
      id: '2',
      role: 'assistant',
      content: '20 degrees',
      toolInvocations: [toolInvocation],
      parts: [
        { type: 'reasoning', reasoning: 'hm' },
        words('I look.'),
        { type: 'tool-invocation', toolInvocation },
        words('20 degrees'),
      ],
    };
    const rows = [{ id: 'r1', messages: [asked, reply] }];
    const run = onlyTrajectory(await readFiles({ 'rows.jsonl': `${JSON.stringify(rows[0])}\n` }));
    expect(outline(run.turns)).toEqual(OUTLINE);
    expect(run.session_id).toBe('r1');
    const { parts: _, ...unordered } = reply;
    expect(onlyReject(await readFiles({ 'chat.json': [asked, unordered] }))).toMatchObject({
      code: 'bad_shape',
      format: 'ai-sdk',
    });
  });

  it('train no summary of reasoning, and no call that was never written to its end as a whole reply', async () => {
    const run = await read([
      { id: '1', role: 'user', parts: [words('go')] },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'about it', providerMetadata: { openai: { itemId: 'rs' } } },
          words('one'),
          { type: 'tool-weather', toolCallId: 'c', state: 'input-streaming', input: { ci: '' } },
        ],
      },
    ]);
    expect(outline(run.turns)).toEqual(['user: prompt go', 'assistant: reasoning about it | TEXT one']);
    expect(run.turns[1]?.truncated).toBe('aborted');
  });

  it('train no summary of Gemini, which names itself beside the call alone, nor of a model that the message names', async () => {
    const call = { type: 'tool-weather', toolCallId: 'c', state: 'input-available', input: {} };
    const told = async (rest: object, beside: object) => {
      const parts = [
        { type: 'reasoning', text: 'about it' },
        { ...call, ...rest },
      ];
      const run = await read([asked, { id: '2', role: 'assistant', parts, ...beside }]);
      return outline(run.turns)[1];
    };
    expect(await told({ callProviderMetadata: { google: { thoughtSignature: 's' } } }, {})).toMatch(
      /^assistant: reasoning/,
    );
    expect(await told({}, { metadata: { model: 'gpt-5' } })).toMatch(/^assistant: reasoning/);
    expect(await told({}, { metadata: { model: 'deepseek-r1' } })).toMatch(/^assistant: REASONING/);
  });

  it('take a text that was still being written for a reply that was stopped, and keep chats with one that never began', async () => {
    const run = await read([
      { id: '1', role: 'user', parts: [words('go')] },
      { id: '2', role: 'assistant', parts: [] },
      { id: '3', role: 'user', parts: [words('go on')] },
      { id: '4', role: 'assistant', parts: [{ ...words('I loo'), state: 'streaming' }] },
      { id: '5', role: 'user', parts: [words('again')] },
      { id: '6', role: 'assistant', parts: [{ ...words('Done.'), state: 'done' }] },
    ]);
    expect(run.source.format).toBe('ai-sdk');
    expect(run.turns.map(({ role, truncated }) => [role, truncated])).toEqual([
      ['user', null],
      ['user', null],
      ['assistant', 'aborted'],
      ['user', null],
      ['assistant', null],
    ]);
  });

  it('of version 4 have the calls of each step in a reply of their own, and no data for people', async () => {
    const called = (id: string, step: number) => ({
      state: 'result',
      step,
      toolCallId: id,
      toolName: 'f',
      args: { id },
      result: `of ${id}`,
    });
    const invocations = [called('a', 0), called('b', 0), called('c', 1)];
    const stepped = [
      'user: prompt weather? | image [image]',
      'assistant: TOOL_CALL {"id":"a"} | TOOL_CALL {"id":"b"}',
      'tool: observation of a',
      'tool: observation of b',
      'assistant: TOOL_CALL {"id":"c"}',
      'tool: observation of c',
    ];
    const question = { ...asked, experimental_attachments: [{ url: 'data:image/png;base64,' }] };
    const data = { id: 'd', role: 'data', content: 'x', data: {} };
    const bare = { id: '2', role: 'assistant', content: '', toolInvocations: invocations };
    expect(outline((await read([question, data, bare])).turns)).toEqual(stepped);
    const parts = invocations.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation }));
    expect(outline((await read([question, { ...bare, parts }])).turns)).toEqual(stepped);
  });

  it('show of a result what the model was given, and of data that its provider alone can read the kind', async () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'f', args: {} };
    const result = {
      type: 'tool-result',
      toolCallId: 'a',
      toolName: 'f',
      result: { raw: 1 },
      experimental_content: [words('short'), { type: 'image', data: '' }],
    };
    const run = await read([
      asked,
      { role: 'assistant', content: [{ type: 'custom', kind: 'openai.compaction' }, call] },
      { role: 'tool', content: [result] },
    ]);
    expect(outline(run.turns).slice(1)).toEqual([
      'assistant: observation {"type":"custom","kind":"openai.compaction"} | TOOL_CALL {}',
      'tool: observation short | image [image]',
    ]);
    expect(run.turns[1]?.flags).toEqual(['unknown_block:custom']);
  });

  it('leave chats of the APIs of models to those', async () => {
    const block = { type: 'tool_use', id: 'c', name: 'f', input: {} };
    const chats = [
      [asked, { role: 'assistant', content: [words('hi')] }],
      [asked, { role: 'assistant', content: [block] }],
      [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'yo' }] },
      ],
    ];
    const formats = [];
    for (const chat of chats) formats.push(...trajectoriesOf(await readFiles({ 'chat.json': chat })));
    expect(formats.map(({ source }) => source.format)).toEqual([
      'openai-messages',
      'anthropic-messages',
      'gemini-cli',
    ]);
  });

  it('leave that people gave or refused is no call, and a refusal is what the model reads', async () => {
    const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'rm', input: { id } });
    const result = (id: string, output: object) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 'rm',
      output,
    });
    const ask = (id: string) => ({ type: 'tool-approval-request', approvalId: `p${id}`, toolCallId: id });
    const reply = (id: string) => ({
      type: 'tool-approval-response',
      approvalId: `p${id}`,
      approved: id === 'a',
    });
    const OUTLINE_OF_LEAVE = [
      'user: prompt weather?',
      'assistant: TOOL_CALL {"id":"a"} | TOOL_CALL {"id":"b"}',
      'tool: observation gone',
      'tool: observation Tool execution denied.',
      'assistant: TEXT done',
    ];
    const forModel = await read([
      asked,
      { role: 'assistant', content: [call('a'), ask('a'), call('b'), ask('b')] },
      { role: 'tool', content: [reply('a'), reply('b')] },
      {
        role: 'tool',
        content: [result('a', { type: 'text', value: 'gone' }), result('b', { type: 'execution-denied' })],
      },
      { role: 'assistant', content: 'done' },
    ]);
    expect(outline(forModel.turns)).toEqual(OUTLINE_OF_LEAVE);
    const part = (id: string, rest: object) => ({ type: 'tool-rm', toolCallId: id, input: { id }, ...rest });
    const forPeople = await read([
      { id: 'u', role: 'user', parts: [words('weather?')] },
      {
        id: 'a',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          part('a', { state: 'output-available', output: 'gone', approval: { id: 'pa', approved: true } }),
          part('b', { state: 'output-denied', approval: { id: 'pb', approved: false } }),
          { type: 'step-start' },
          words('done'),
        ],
      },
    ]);
    expect(outline(forPeople.turns)).toEqual(OUTLINE_OF_LEAVE);
  });

  it('a tool that the provider ran stays within the reply, with its answer as context', async () => {
    const search = {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'search',
      input: { q: 'x' },
      providerExecuted: true,
    };
    const found = {
      type: 'tool-result',
      toolCallId: 's',
      toolName: 'search',
      output: { type: 'json', value: [1] },
    };
    const run = await read([asked, { role: 'assistant', content: [search, found, words('20 degrees')] }]);
    expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(run.turns[1]?.spans.map(({ origin, kind }) => `${origin} ${kind}`)).toEqual([
      'model tool_call',
      'environment observation',
      'model text',
    ]);
  });
});
