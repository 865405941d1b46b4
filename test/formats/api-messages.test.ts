import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../src/formats/anthropic-messages.js';
import { openaiResponses } from '../../src/formats/openai-responses.js';
import { readOne } from './adapter-context.js';
import { onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';

const tools = [{ name: 'bash', input_schema: { type: 'object' } }];
const ROW = {
  id: 'r1',
  system: [{ type: 'text', text: 'be good' }],
  model: 'm',
  tools,
  stop_reason: 'max_tokens',
  messages: [
    { role: 'user', content: 'task' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'redacted_thinking', data: 'zzz' },
        { type: 'text', text: 'go' },
        { type: 'tool_use', id: 't', name: 'bash', input: { command: 'ls' } },
        { type: 'tool_use', id: 'u', name: 'bash', input: { command: 'pwd' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'u', content: '/x', is_error: false },
        {
          type: 'tool_result',
          tool_use_id: 't',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: {} },
          ],
        },
        { type: 'text', text: 'and now?' },
      ],
    },
    { role: 'assistant', content: 'cut o' },
  ],
};

describe('anthropic-messages', () => {
  it('reads system, tools, parallel calls and what hid its reasoning', () => {
    const run = readOne(anthropicMessages, ROW);
    expect(
      run.turns.map((turn) => [turn.role, turn.spans.map(({ kind }) => kind), turn.tool_call_id]),
    ).toEqual([
      ['system', ['prompt'], null],
      ['user', ['prompt'], null],
      ['assistant', ['reasoning', 'text', 'tool_call', 'tool_call'], null],
      ['tool', ['observation'], 'u'],
      ['tool', ['observation', 'image'], 't'],
      ['user', ['prompt'], null],
      ['assistant', ['text'], null],
    ]);
    expect(run.turns[2]?.flags).toEqual(['reasoning_hidden']);
    expect(run).toMatchObject({
      session_id: 'r1',
      model: 'm',
      tools: JSON.stringify(tools),
      termination: 'context_limit',
    });
    expect(run.turns[6]?.truncated).toBe('length');
  });

  it('answers of tools that the provider runs are no model text', () => {
    const run = readOne(anthropicMessages, {
      messages: [
        { role: 'user', content: 'task' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [{ title: 'found' }] },
            { type: 'text', text: 'so' },
          ],
        },
      ],
    });
    expect(run.turns[1]?.spans.map(({ kind, origin }) => `${origin} ${kind}`)).toEqual([
      'model tool_call',
      'environment observation',
      'model text',
    ]);
  });

  it('is found as lines, a row and a bare list, before the shape of OpenAI', async () => {
    const lines = `${JSON.stringify(ROW)}\n${JSON.stringify(ROW)}\n`;
    const formats = trajectoriesOf(await readFiles({ 'a.jsonl': lines })).map(({ source }) => source.format);
    expect(formats).toEqual(['anthropic-messages', 'anthropic-messages']);
    for (const document of [ROW, ROW.messages]) {
      expect(onlyTrajectory(await readFiles({ 'a.json': document })).source.format).toBe(
        'anthropic-messages',
      );
    }
    const plain = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y' },
    ];
    expect(onlyTrajectory(await readFiles({ 'a.json': plain })).source.format).toBe('openai-messages');
  });
});

const RESPONSE = {
  object: 'response',
  id: 'resp',
  model: 'm',
  instructions: 'be good',
  status: 'incomplete',
  incomplete_details: { reason: 'max_output_tokens' },
  tools: [{ type: 'function', name: 'f' }],
  input: [
    { role: 'user', content: 'task' },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'about' }], encrypted_content: 'zzz' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a": 1}' },
    { type: 'function_call_output', call_id: 'c', output: 'ok' },
  ],
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'cut o' }] }],
};

describe('openai-responses', () => {
  it('reads input and output as one conversation', () => {
    const run = readOne(openaiResponses, RESPONSE);
    expect(
      run.turns.map((turn) => [turn.role, turn.spans.map(({ kind, origin }) => `${origin} ${kind}`)]),
    ).toEqual([
      ['system', ['environment prompt']],
      ['user', ['environment prompt']],
      ['assistant', ['environment reasoning', 'model tool_call']],
      ['tool', ['environment observation']],
      ['assistant', ['model text']],
    ]);
    expect(run.turns[2]?.spans[1]?.call).toMatchObject({
      arguments: '{"a": 1}',
      arguments_were_object: false,
    });
    expect(run.turns[4]?.truncated).toBe('length');
    expect(run).toMatchObject({ session_id: 'resp', model: 'm', termination: 'context_limit' });
  });

  it('a response without its input says so, a string is the prompt', () => {
    const { input: _input, ...alone } = RESPONSE;
    expect(readOne(openaiResponses, alone).flags).toContain('prompts_absent');
    const asked = readOne(openaiResponses, {
      ...RESPONSE,
      status: 'completed',
      incomplete_details: null,
      input: 'task',
    });
    expect(asked.turns[1]?.spans[0]?.text).toBe('task');
    expect(asked.termination).toBe('submitted');
  });

  it('is found as lines, a row and a bare list', async () => {
    const line = `${JSON.stringify(RESPONSE)}\n`;
    for (const content of [`${line}${line}`, RESPONSE, RESPONSE.input]) {
      const formats = trajectoriesOf(await readFiles({ 'a.json': content })).map(
        ({ source }) => source.format,
      );
      expect(new Set(formats)).toEqual(new Set(['openai-responses']));
    }
  });
});
