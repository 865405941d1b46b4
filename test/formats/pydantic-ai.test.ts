import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const request = (...parts: object[]) => ({ kind: 'request', instructions: null, parts });
const response = (model_name: string, ...parts: object[]) => ({ kind: 'response', model_name, parts });
const part = (part_kind: string, content: unknown) => ({ part_kind, content });
const call = (tool_call_id: string, args: unknown) => ({
  part_kind: 'tool-call',
  tool_name: 'weather',
  args,
  tool_call_id,
});
const answer = (part_kind: string, tool_call_id: string, content: unknown) => ({
  part_kind,
  tool_name: 'weather',
  content,
  tool_call_id,
});
const history = (model: string) => [
  request(
    part('system-prompt', 'Be brief.'),
    part('user-prompt', ['weather?', { kind: 'image-url', url: 'u' }]),
  ),
  response(model, part('thinking', 'hm'), call('a', '{"city": "Paris"}'), call('b', { city: 1 })),
  request(answer('tool-return', 'a', { t: 20 }), answer('retry-prompt', 'b', 'no such city')),
  response(model, part('text', '20')),
  request({ part_kind: 'retry-prompt', content: 'words, please', tool_name: null }),
  response(model, part('text', 'twenty')),
];
const OUTLINE = [
  'system: prompt Be brief.',
  'user: prompt weather? | image [image]',
  'assistant: REASONING hm | TOOL_CALL {"city": "Paris"} | TOOL_CALL {"city":1}',
  'tool: observation {"t":20}',
  'tool: observation no such city\n\nFix the errors and try again.',
  'assistant: TEXT 20',
  'user: prompt Validation feedback:\nwords, please\n\nFix the errors and try again.',
  'assistant: TEXT twenty',
];

describe('a message history of Pydantic AI', () => {
  it('has its prompts, calls and retries', async () => {
    const run = onlyTrajectory(await readFiles({ 'history.json': history('qwen3') }));
    expect(run.source.format).toBe('pydantic-ai');
    expect(outline(run.turns)).toEqual(OUTLINE);
    expect(run.executions.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(run).toMatchObject({ model: 'qwen3', termination: 'submitted' });
  });

  it('is read from lines, with summaries of reasoning untrained', async () => {
    const lines = history('gpt-5')
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
    const run = onlyTrajectory(await readFiles({ 'history.jsonl': lines }));
    expect(outline(run.turns)).toEqual(OUTLINE.map((line) => line.replace('REASONING', 'reasoning')));
  });

  it('tells real reasoning from summaries by the model, and shows faults of a validation without their context', async () => {
    const faults = [{ type: 'int_parsing', loc: ['city'], msg: 'no', input: 'x', ctx: { error: 'e' } }];
    const thought = {
      part_kind: 'thinking',
      content: 'hm',
      id: 'reasoning_content',
      provider_name: 'openai',
    };
    const run = onlyTrajectory(
      await readFiles({
        'h.json': [
          request(part('user-prompt', 'hi')),
          response('Qwen/Qwen3-8B', thought, call('a', { city: 'x' })),
          request(answer('retry-prompt', 'a', faults)),
          response('Qwen/Qwen3-8B', { ...thought, id: 'rs_1' }, part('text', 'no')),
        ],
      }),
    );
    expect(outline(run.turns)[1]).toBe('assistant: REASONING hm | TOOL_CALL {"city":"x"}');
    expect(outline(run.turns)[2]).toMatch(/^tool: observation 1 validation error:\n```json\n\[/);
    expect(outline(run.turns)[2]).not.toContain('ctx');
    expect(outline(run.turns)[3]).toBe('assistant: reasoning hm | TEXT no');
  });

  it('has the instructions of a request where there is no system prompt', async () => {
    const asked = { ...request(part('user-prompt', 'hi')), instructions: 'Be kind.' };
    const run = onlyTrajectory(await readFiles({ 'h.json': [asked, response('m', part('text', 'hello'))] }));
    expect(outline(run.turns)).toEqual([
      'system: prompt Be kind.',
      'user: prompt hi',
      'assistant: TEXT hello',
    ]);
  });

  it('with a part that is not known is refused', async () => {
    const rejected = onlyReject(await readFiles({ 'h.json': [response('m', part('song', 'la'))] }));
    expect(rejected).toMatchObject({ code: 'bad_shape', format: 'pydantic-ai' });
  });
});

describe('what Pydantic AI records of a run', () => {
  it('has instructions behind the system prompts of the same run', async () => {
    const [first, ...rest] = history('m');
    const run = onlyTrajectory(
      await readFiles({ 'history.json': [{ ...first, instructions: 'In French.' }, ...rest] }),
    );
    expect(outline(run.turns).slice(0, 3)).toEqual([OUTLINE[0], 'system: prompt In French.', OUTLINE[1]]);
  });

  it('has files in the place of their bytes, and calls without arguments', async () => {
    const file = { kind: 'binary', data: 'QUFBQQ==', media_type: 'image/png' };
    const returned = async (content: unknown) => {
      const run = onlyTrajectory(
        await readFiles({
          'history.json': [
            request(part('user-prompt', 'weather?')),
            response('m', call('a', '')),
            request(answer('tool-return', 'a', content)),
            response('m', part('text', 'so')),
          ],
        }),
      );
      return outline(run.turns).slice(1, 3);
    };
    const called = 'assistant: TOOL_CALL {}';
    expect(await returned([file, 'a map'])).toEqual([called, 'tool: observation a map | image [image]']);
    expect(await returned(file)).toEqual([called, 'tool: image [image]']);
    expect(await returned(['a', 'b'])).toEqual([called, 'tool: observation ["a","b"]']);
    expect(await returned(['a'])).toEqual([called, 'tool: observation ["a"]']);
    expect(await returned([])).toEqual([called, 'tool: observation []']);
    expect(await returned(null)).toEqual([called, 'tool: observation ']);
  });

  it.each([
    ['stop', null],
    ['tool_call', null],
    ['length', 'length'],
    ['content_filter', 'aborted'],
    ['error', 'aborted'],
  ])('ends a reply with %s', async (finish_reason, truncated) => {
    const reply = { ...response('m', part('text', 'so')), finish_reason };
    const run = onlyTrajectory(
      await readFiles({ 'history.json': [request(part('user-prompt', 'q')), reply] }),
    );
    expect(run.turns.at(-1)?.truncated).toBe(truncated);
  });

  it('is a run for each history, also where each is a list on a line of its own', async () => {
    const lines = [history('m'), history('m').slice(0, 2)].map((one) => JSON.stringify(one)).join('\n');
    const runs = trajectoriesOf(await readFiles({ 'histories.jsonl': lines }));
    expect(runs.map(({ turns }) => outline(turns))).toEqual([OUTLINE, OUTLINE.slice(0, 3)]);
  });
});
