import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const say = (role: string, ...content: object[]) => ({ role, content });
const text = (words: string) => ({ text: words });
const call = (toolUseId: string, command: string) => ({
  toolUse: { toolUseId, name: 'shell', input: { command } },
});
const result = (toolUseId: string, status: string, ...content: object[]) => ({
  toolResult: { toolUseId, status, content },
});
const thought = { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } };
const chat = [
  say('user', { guardContent: { text: { text: 'look' } } }, { cachePoint: { type: 'default' } }),
  say('assistant', thought, text('I look.'), call('a', 'ls'), call('b', 'no')),
  say('user', result('a', 'success', { json: { files: 1 } }), result('b', 'error', text('no such tool'))),
  say('assistant', { citationsContent: { content: [text('one file')], citations: [{ title: 't' }] } }),
];
const OUTLINE = [
  'user: prompt look',
  'assistant: REASONING hm | TEXT I look. | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"no"}',
  'tool: observation {"files":1}',
  'tool: observation no such tool',
  'assistant: TEXT one file',
];

describe('messages of the Converse API', () => {
  it('are read as a chat, with the error marks of results', async () => {
    const run = onlyTrajectory(await readFiles({ 'chat.json': chat }));
    expect(run.source.format).toBe('bedrock-converse');
    expect(outline(run.turns)).toEqual(OUTLINE);
    expect(run.executions.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(run.termination).toBe('submitted');
  });

  it('are read as a request, with system and tools', async () => {
    const schema = { type: 'object' };
    const toolSpec = { name: 'shell', description: 'runs', inputSchema: { json: schema } };
    const request = {
      modelId: 'm',
      system: [text('Be brief.')],
      messages: chat,
      toolConfig: { tools: [{ toolSpec }] },
    };
    const run = onlyTrajectory(await readFiles({ 'request.json': request }));
    expect(outline(run.turns)).toEqual(['system: prompt Be brief.', ...OUTLINE]);
    expect(run.model).toBe('m');
    expect(JSON.parse(run.tools ?? '')).toEqual([
      { type: 'function', function: { name: 'shell', description: 'runs', parameters: schema } },
    ]);
  });

  it('are read from lines that Strands wraps', async () => {
    const lines = chat.map((message, message_id) => `${JSON.stringify({ message, message_id })}\n`).join('');
    expect(outline(onlyTrajectory(await readFiles({ 'session.jsonl': lines })).turns)).toEqual(OUTLINE);
  });

  it('train nothing that Strands wrote: direct calls of a program, and words in the place of a cut call', async () => {
    const cut =
      "The selected tool shell's tool use was incomplete due to maximum token limits being reached.";
    const run = onlyTrajectory(
      await readFiles({
        'chat.json': [
          say('user', text('agent.tool.shell direct tool call.\nInput parameters: {"command": "ls"}\n')),
          say('assistant', call('a', 'ls')),
          say('user', result('a', 'success', text('x.py'))),
          say('assistant', text('agent.tool.shell was called.')),
          say('user', text('what is there?')),
          say('assistant', text('I read it.'), text(cut)),
          say('user', text('again')),
          say('assistant', text('[Assistant output redacted.]')),
          say('user', text('and now?')),
          say('assistant', text('x.py was called by no one')),
        ],
      }),
    );
    expect(outline(run.turns).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant: tool_call {"command":"ls"}',
      'assistant: text agent.tool.shell was called.',
      `assistant: TEXT I read it. | text ${cut}`,
      'assistant: text [Assistant output redacted.]',
      'assistant: TEXT x.py was called by no one',
    ]);
    expect(run.turns.flatMap(({ flags }) => flags)).toEqual(['harness_reply', 'harness_reply']);
    expect(run.turns.map(({ truncated }) => truncated).filter((one) => one !== null)).toEqual(['length']);
  });

  it('hold search results as their JSON, and pictures, guarded or not, as placeholders', async () => {
    const found = { searchResult: { source: 'u', title: 't', content: [text('words')] } };
    const picture = { image: { format: 'png', source: { bytes: 'QQ==' } } };
    const run = onlyTrajectory(
      await readFiles({
        'chat.json': [
          say('user', found, { guardContent: picture }),
          say('assistant', call('a', 'find')),
          say('user', result('a', 'success', found, picture)),
          say('assistant', text('words')),
        ],
      }),
    );
    const json = JSON.stringify(found);
    expect(outline(run.turns).filter((line) => !line.startsWith('assistant'))).toEqual([
      `user: prompt ${json} | image [image]`,
      `tool: observation ${json} | image [image]`,
    ]);
  });

  it('that are a list on each line are a chat each', async () => {
    const lines = [chat, chat.slice(0, 2)].map((one) => JSON.stringify(one)).join('\n');
    const runs = trajectoriesOf(await readFiles({ 'chats.jsonl': lines }));
    expect(runs.map(({ turns }) => outline(turns))).toEqual([OUTLINE, OUTLINE.slice(0, 2)]);
  });

  it('with a message of the system have it, and with a role of another kind are refused', async () => {
    const told = onlyTrajectory(
      await readFiles({ 'chat.json': [say('system', text('Be brief.')), ...chat] }),
    );
    expect(outline(told.turns)).toEqual(['system: prompt Be brief.', ...OUTLINE]);
    const rejected = onlyReject(await readFiles({ 'chat.json': [...chat, say('tool', text('x'))] }));
    expect(rejected).toMatchObject({ code: 'bad_shape', format: 'bedrock-converse' });
  });

  it('with a part of another kind are refused', async () => {
    const rejected = onlyReject(await readFiles({ 'chat.json': [...chat, say('assistant', { sound: {} })] }));
    expect(rejected).toMatchObject({ code: 'bad_shape', format: 'bedrock-converse' });
  });
});
