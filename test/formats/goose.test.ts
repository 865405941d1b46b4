import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles } from './read-all.js';
import { outline } from './session-logs.js';

const text = (words: string, ...audience: string[]) => ({
  type: 'text',
  text: words,
  ...(audience.length > 0 ? { annotations: { audience } } : {}),
});
const request = (id: string, command: string) => ({
  type: 'toolRequest',
  id,
  toolCall: { status: 'success', value: { name: 'developer__shell', arguments: { command } } },
});
const response = (id: string, value: unknown) => ({
  type: 'toolResponse',
  id,
  toolResult: { status: 'success', value },
});
const failed = (id: string, error: string) => ({
  type: 'toolResponse',
  id,
  toolResult: { status: 'error', error },
});
let clock = 1743000000;
const say = (role: string, ...content: object[]) => ({ role, created: clock++, content });
const header = { working_dir: '/w', description: 'd', message_count: 4, total_tokens: 9 };
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const exported = (...conversation: object[]) => ({
  's.json': {
    id: '20260101_1',
    working_dir: '/w',
    name: 'n',
    model_config: { model_name: 'qwen3' },
    conversation,
  },
});
const exportedRun = async (...conversation: object[]) =>
  onlyTrajectory(await readFiles(exported(...conversation)));
const unseen = { metadata: { userVisible: true, agentVisible: false } };
const agentOnly = { metadata: { userVisible: false, agentVisible: true } };

describe('a Goose session', () => {
  it('of lines has its calls and the results that the model was given', async () => {
    const log = lines(
      header,
      say('user', text('list files')),
      say('assistant', text('I list.'), request('a', 'ls'), request('b', 'no')),
      say(
        'user',
        response('a', [text('x.py', 'assistant'), text('**x.py**', 'user')]),
        failed('b', 'no such tool'),
      ),
      say('assistant', { type: 'thinking', thinking: 'hm', signature: '' }, request('c', 'false')),
      say('user', response('c', { content: [text('exit 1')], isError: true })),
      say('assistant', text('Done.')),
    );
    const run = onlyTrajectory(await readFiles({ 's.jsonl': log }));
    expect(run.source.format).toBe('goose');
    expect(outline(run.turns)).toEqual([
      'user: prompt list files',
      'assistant: TEXT I list. | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"no"}',
      'tool: observation x.py',
      'tool: observation no such tool',
      'assistant: REASONING hm | TOOL_CALL {"command":"false"}',
      'tool: observation exit 1',
      'assistant: TEXT Done.',
    ]);
    expect(run.executions.map(({ status, feedback_turn }) => [status, feedback_turn])).toEqual([
      ['ok', 2],
      ['error', 3],
      ['error', 5],
    ]);
    expect(run).toMatchObject({ scaffold: 'goose', termination: 'submitted', session_id: null });
  });

  it('that was compacted goes on from its summary, which no model is taught', async () => {
    const run = await exportedRun(
      { ...say('user', text('go')), ...unseen },
      { ...say('assistant', request('a', 'ls')), ...unseen },
      { ...say('user', response('a', { content: [text('x')] })), ...unseen },
      { ...say('assistant', text('one')), ...unseen },
      { ...say('user', text('so far')), ...agentOnly },
      { ...say('assistant', text('Your context was compacted.')), ...agentOnly },
      { ...say('assistant', { type: 'systemNotification', msg: 'Compacted' }), ...unseen },
      say('user', text('on')),
      say('assistant', text('two')),
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TOOL_CALL {"command":"ls"}',
      'tool: observation x',
      'assistant: TEXT one',
      'user: prompt so far',
      'assistant: text Your context was compacted.',
      'user: prompt on',
      'assistant: TEXT two',
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3], reason: null },
      { turns: [4, 5, 6, 7], reason: 'compaction' },
    ]);
    expect(run.turns.flatMap(({ flags }) => flags)).toEqual(['compact_summary', 'harness_reply']);
    expect(run.flags).toContain('compacted_context_assumed');
    expect(run).toMatchObject({ session_id: '20260101_1', model: 'qwen3' });
  });

  it('that was compacted twice has three contexts, and teaches nothing that Goose told the model', async () => {
    const archived = { metadata: { userVisible: false, agentVisible: false } };
    const run = await exportedRun(
      { ...say('user', text('go')), ...unseen },
      { ...say('assistant', request('a', 'ls')), ...unseen },
      { ...say('user', response('a', { content: [] })), ...unseen },
      { ...say('user', text('so far')), ...archived },
      { ...say('assistant', text('The previous message is a summary.')), ...archived },
      { ...say('assistant', text('one')), ...unseen },
      { ...say('user', text('so far, again')), ...agentOnly },
      { ...say('assistant', text('The previous message is a summary.')), ...agentOnly },
      say('assistant', text('two')),
    );
    expect(run.epochs.map(({ turns }) => turns)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
    ]);
    expect(outline(run.turns).filter((line) => line.startsWith('assistant: TEXT'))).toEqual([
      'assistant: TEXT one',
      'assistant: TEXT two',
    ]);
  });

  it('keeps what was said before a command of the user, and the calls that Goose later put in a sentence', async () => {
    const run = await exportedRun(
      say('user', text('go')),
      { ...say('assistant', request('a', 'ls')), ...unseen },
      { ...say('user', response('a', { content: [text('x')] })), ...unseen },
      { ...say('user', text('A call listed the files.')), ...agentOnly },
      say('assistant', text('one')),
      { ...say('user', text('/recipe')), ...unseen },
      { ...say('user', text('what the recipe says')), ...agentOnly },
      say('assistant', text('two')),
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: TOOL_CALL {"command":"ls"}',
      'tool: observation x',
      'user: prompt A call listed the files.',
      'assistant: TEXT one',
      'user: prompt what the recipe says',
      'assistant: TEXT two',
    ]);
    expect(run.epochs).toHaveLength(1);
    expect(run.flags).toContain('context_edited');
  });

  it('does not teach a reply whose call is lost', async () => {
    const lost = { type: 'toolRequest', id: 'a', toolCall: { status: 'error', error: 'not JSON' } };
    const run = await exportedRun(
      say('user', text('go')),
      say('assistant', text('I call.'), lost),
      say('user', failed('a', 'not JSON')),
      say('assistant', text('ok')),
    );
    expect(outline(run.turns)[1]).toBe('assistant: text I call.');
    expect(run.turns[1]?.flags).toEqual(['reply_not_recorded']);
    expect(outline(run.turns)[3]).toBe('assistant: TEXT ok');
  });

  it('gives the text of files that tools hand over, and teaches no reply that was rewritten to be drawn', async () => {
    const file = { type: 'resource', resource: { uri: 'file:///a.py', mimeType: 'text', text: 'x = 1' } };
    const drawn = { type: 'jsonRenderSpec', spec: '{"root":"a","elements":{}}' };
    const run = await exportedRun(
      say('user', text('go')),
      say('assistant', request('a', 'cat a.py')),
      say('user', response('a', [{ ...file, annotations: { audience: ['assistant'] } }])),
      say('assistant', text('See:'), drawn),
    );
    expect(outline(run.turns).slice(2)).toEqual([
      'tool: observation x = 1',
      `assistant: text See: | text ${drawn.spec}`,
    ]);
    expect(run.turns[3]?.flags).toEqual(['reply_not_recorded']);
  });

  it('is read from what a run prints, pieces of one reply together', async () => {
    const piece = (words: string) => ({
      type: 'message',
      message: { ...say('assistant', text(words)), id: 'm' },
    });
    const log = lines(
      { type: 'message', message: { ...say('assistant', request('a', 'ls')), id: 'k' } },
      { type: 'message', message: { ...say('user', response('a', { content: [] })), id: 'r' } },
      piece('Do'),
      piece('ne.'),
      { type: 'complete', total_tokens: null },
    );
    const run = onlyTrajectory(await readFiles({ 'out.jsonl': log }));
    expect(outline(run.turns)).toEqual([
      'assistant: TOOL_CALL {"command":"ls"}',
      'tool: observation ',
      'assistant: TEXT Done.',
    ]);
  });

  it('has no piece of a reply twice nor too few, and parts no thinking that came in pieces', async () => {
    const piece = (...content: object[]) => ({
      type: 'message',
      message: { ...say('assistant', ...content), id: 'm' },
    });
    const thinking = (words: string) => ({ type: 'thinking', thinking: words, signature: '' });
    const log = lines(
      { type: 'message', message: say('user', text('go')) },
      ...[thinking('ha'), thinking('ha'), thinking(' so'), text('no'), text('no')].map((one) => piece(one)),
      piece(request('a', 'ls')),
      { type: 'message', message: { ...say('user', response('a', { content: [text('x')] })), id: 'r' } },
    );
    const run = onlyTrajectory(await readFiles({ 'out.jsonl': log }));
    expect(outline(run.turns)[1]).toBe(
      'assistant: REASONING haha so | TEXT nono | TOOL_CALL {"command":"ls"}',
    );
  });

  const at = (created: number, role: string, ...content: object[]) => ({ role, created, content });
  const done = (id: string) => response(id, { content: [text(`of ${id}`)] });

  it('whose calls were written one by one has them in the reply that made them', async () => {
    const thought = { type: 'thinking', thinking: 'both', signature: 's' };
    const run = await exportedRun(
      at(100, 'user', text('go')),
      at(105, 'assistant', thought),
      at(125, 'assistant', thought, request('a', 'ls')),
      at(105, 'user', done('a')),
      at(125, 'assistant', thought, request('b', 'pwd')),
      at(105, 'user', done('b')),
      at(140, 'assistant', request('c', 'make')),
      at(131, 'user', done('c')),
      at(140, 'assistant', request('d', 'make test')),
      at(131, 'user', done('d')),
      at(150, 'assistant', request('e', 'git add')),
      at(150, 'user', done('e')),
      at(155, 'assistant', text('Done.')),
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: REASONING both | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"pwd"}',
      'tool: observation of a',
      'tool: observation of b',
      'assistant: TOOL_CALL {"command":"make"} | TOOL_CALL {"command":"make test"}',
      'tool: observation of c',
      'tool: observation of d',
      'assistant: TOOL_CALL {"command":"git add"}',
      'tool: observation of e',
      'assistant: TEXT Done.',
    ]);
  });

  it('without a clock keeps its calls apart, but for those that repeat their thinking', async () => {
    const run = await exportedRun(
      ...[
        ['user', text('go')] as const,
        ['assistant', request('a', 'ls')] as const,
        ['user', done('a')] as const,
        ['assistant', request('b', 'pwd')] as const,
        ['user', done('b')] as const,
      ].map(([role, block]) => at(0, role, block)),
    );
    expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    const thought = { type: 'thinking', thinking: 'both', signature: 's' };
    const told = await exportedRun(
      at(0, 'user', text('go')),
      at(0, 'assistant', thought, request('a', 'ls')),
      at(0, 'user', done('a')),
      at(0, 'assistant', thought, request('b', 'pwd')),
      at(0, 'user', done('b')),
    );
    expect(told.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it.each([
    [
      "I've reached the maximum number of actions I can do without user input. Would you like me to continue?",
    ],
    ['The existing call to developer__shell was interrupted. How would you like to proceed?'],
    ['The tool calling loop was interrupted. How would you like to proceed?'],
    ['Ran into this error trying to compact: limit.\n\nPlease try again or create a new session'],
  ])('does not teach what Goose says in the place of a reply: %s', async (words) => {
    const run = await exportedRun(
      say('user', text('go')),
      say('assistant', request('a', 'ls')),
      say('user', failed('a', 'Interrupted by the user to make a correction')),
      say('assistant', text(words)),
      say('user', text('on')),
      say('assistant', text('The call was interrupted. How would you like to go on?')),
    );
    expect(outline(run.turns)[3]).toBe(`assistant: text ${words}`);
    expect(run.turns[3]?.flags).toEqual(['harness_reply']);
    expect(outline(run.turns)[5]).toMatch(/^assistant: TEXT/);
  });

  it('does not teach as whole a reply that an error broke off', async () => {
    const error =
      'Ran into this error: reset.\n\nPlease retry if you think this is a transient or recoverable error.';
    const run = await exportedRun(
      say('user', text('go')),
      say('assistant', request('a', 'ls')),
      say('user', done('a')),
      say('assistant', text('I see tha')),
      say('assistant', text(error)),
    );
    expect(run.turns.map(({ truncated }) => truncated)).toEqual([null, null, null, 'error', null]);
    expect(outline(run.turns).slice(3)).toEqual(['assistant: TEXT I see tha', `assistant: text ${error}`]);
  });

  it('does not teach the output of a recipe, which says the arguments of its last call again', async () => {
    const final = {
      type: 'toolRequest',
      id: 'f',
      toolCall: { status: 'success', value: { name: 'recipe__final_output', arguments: { a: 1 } } },
    };
    const run = await exportedRun(
      say('user', text('go')),
      say('assistant', final),
      say('user', response('f', { content: [text('collected')] })),
      say('assistant', text('{"a":1}')),
    );
    expect(outline(run.turns).slice(1)).toEqual([
      'assistant: TOOL_CALL {"a":1}',
      'tool: observation collected',
      'assistant: text {"a":1}',
    ]);
  });

  it.each([
    ['gemini-2.5-pro', 'reasoning'],
    ['openai/o3', 'reasoning'],
    ['gpt-5.1-codex', 'reasoning'],
    ['gpt-oss-120b', 'REASONING'],
    ['moonshotai/kimi-k2', 'REASONING'],
  ])('of %s has its thinking as %s', async (model_name, kind) => {
    const conversation = [
      say('user', text('go')),
      say('assistant', { type: 'reasoning', text: 'hm' }, request('a', 'ls')),
      say('user', done('a')),
    ];
    const session = { id: 's', working_dir: '/w', model_config: { model_name }, conversation };
    const run = onlyTrajectory(await readFiles({ 's.json': session }));
    expect(outline(run.turns)[1]).toBe(`assistant: ${kind} hm | TOOL_CALL {"command":"ls"}`);
  });

  it('with a call of another shape is refused', async () => {
    const odd = { type: 'toolRequest', id: 'a', toolCall: { Ok: { name: 'f' } } };
    const results = await readFiles(exported(say('user', text('go')), say('assistant', odd)));
    expect(onlyReject(results)).toMatchObject({ code: 'bad_shape', format: 'goose' });
  });
});
