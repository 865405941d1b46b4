import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string, input: object) => ({ type: 'tool_use', complete: true, id, name: 'Bash', input });
const ran = (toolUseID: string, run: object) => ({ type: 'tool_result', toolUseID, run });
const user = (...content: object[]) => ({ role: 'user', content, meta: { sentAt: 1757000000000 } });
const info = (...content: object[]) => ({ role: 'info', content });
const reply = (state: object, ...content: object[]) => ({
  role: 'assistant',
  content,
  state,
  usage: { model: 'claude-sonnet-4', inputTokens: 1 },
});
const CALLED = { type: 'complete', stopReason: 'tool_use' };
const ENDED = { type: 'complete', stopReason: 'end_turn' };
const thread = (...messages: object[]) => ({ 'T-1.json': { v: 19, id: 'T-1', created: 1, messages } });
const read = async (...messages: object[]) => onlyTrajectory(await readFiles(thread(...messages)));

describe('an Amp thread', () => {
  it('has the result of each call under its id, texts as they are and data as JSON', async () => {
    const run = await read(
      user(text('fix it')),
      reply(
        CALLED,
        { type: 'thinking', thinking: 'hm', signature: 's', provider: 'anthropic' },
        text('I look.'),
        use('a', { cmd: 'ls' }),
        use('b', { cmd: 'rm' }),
      ),
      user(
        ran('a', { status: 'done', result: { output: 'x.py', exitCode: 0 }, trackFiles: [] }),
        ran('b', { status: 'rejected-by-user', reason: 'no' }),
      ),
      reply(CALLED, use('c', { cmd: 'false' }), use('d', { cmd: 'cat x.py' })),
      user(
        ran('c', { status: 'error', error: { message: 'failed' } }),
        ran('d', { status: 'done', result: 'print(1)' }),
      ),
      reply(ENDED, text('Done.')),
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt fix it',
      'assistant: REASONING hm | TEXT I look. | TOOL_CALL {"cmd":"ls"} | TOOL_CALL {"cmd":"rm"}',
      'tool: observation {"output":"x.py","exitCode":0}',
      'tool: observation {"status":"rejected-by-user","reason":"no"}',
      'assistant: TOOL_CALL {"cmd":"false"} | TOOL_CALL {"cmd":"cat x.py"}',
      'tool: observation failed',
      'tool: observation print(1)',
      'assistant: TEXT Done.',
    ]);
    expect(run.turns.map(({ tool_call_id }) => tool_call_id)).toEqual([
      null,
      null,
      'a',
      'b',
      null,
      'c',
      'd',
      null,
    ]);
    expect(run.executions.map(({ status, feedback_turn }) => [status, feedback_turn])).toEqual([
      ['ok', 2],
      ['error', 3],
      ['error', 5],
      ['ok', 6],
    ]);
    expect(run).toMatchObject({
      session_id: 'T-1',
      scaffold: 'amp',
      model: 'claude-sonnet-4',
      termination: 'submitted',
    });
    expect(run.turns[0]?.timestamp).toBe('2025-09-04T15:33:20.000Z');
  });

  it('trains no summary of reasoning, no summary of a compaction and no reply as whole that was cancelled', async () => {
    const run = await read(
      user(text('go')),
      reply(ENDED, { type: 'thinking', thinking: 'about it', provider: 'openai' }, text('one')),
      info({ type: 'summary', summary: { type: 'message', summary: 'so far' } }),
      user(text('on')),
      reply({ type: 'cancelled' }, text('two')),
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: reasoning about it | TEXT one',
      'user: observation so far',
      'user: prompt on',
      'assistant: TEXT two',
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1], reason: null },
      { turns: [2, 3, 4], reason: 'compaction' },
    ]);
    expect(run.turns[4]?.truncated).toBe('aborted');
    expect(run.flags).toContain('compacted_context_assumed');
    expect(run.turns[1]?.flags).toEqual(['reasoning_summary']);
  });

  it('is one by its id alone, and has data that only speaks of a picture as data', async () => {
    const imageInfo = { width: 1 };
    const messages = [
      user(text('go')),
      reply(CALLED, use('a', {})),
      user(ran('a', { status: 'done', result: { imageInfo } })),
      reply(ENDED, text('ok')),
    ];
    const run = await read(...messages);
    expect(outline(run.turns)[2]).toBe('tool: observation {"imageInfo":{"width":1}}');
    const [other] = await readFiles({ 'chat.json': { v: 19, id: 'chat-1', messages } });
    expect(other?.kind === 'trajectory' ? other.trajectory.source.format : null).not.toBe('amp');
  });

  it('gives a cancelled tool with what it had done, and a run that did not end not at all', async () => {
    const run = await read(
      user(text('go')),
      reply(CALLED, ...['a', 'b', 'c', 'd', 'e'].map((id) => use(id, {}))),
      user(
        ran('a', { status: 'cancelled', progress: { output: '12%' } }),
        ran('b', { status: 'cancelled' }),
        ran('c', {
          status: 'done',
          result: [
            { type: 'text', text: 'x' },
            { type: 'image', data: '' },
          ],
        }),
        ran('d', { status: 'done', result: { a: { b: [1] }, discoveredGuidanceFiles: [{ uri: 'u' }] } }),
        ran('e', { status: 'in-progress' }),
      ),
      user(ran('e', { status: 'in-progress' })),
      reply(ENDED, text('ok')),
    );
    expect(outline(run.turns).slice(2)).toEqual([
      'tool: observation {"status":"cancelled","progress":{"output":"12%"}}',
      'tool: observation {"status":"cancelled"}',
      'tool: observation x | image [image]',
      'tool: observation {"a":{"b":[1]}}',
      'assistant: TEXT ok',
    ]);
  });

  it('has the arguments and the name that the model wrote, not those that Amp put in their place', async () => {
    const call = { ...use('a', { cmd: 'cd /w && ls' }) };
    const odd = { ...use('b', { invalid_tool_name: 'no such', x: 1 }), name: 'invalid' };
    const run = await read(
      user(text('go')),
      { ...reply(CALLED, call, odd), originalToolUseInput: { a: { cmd: 'ls' } } },
      user(ran('a', { status: 'done', result: 'x' }), ran('b', { status: 'error', error: 'none' })),
    );
    expect(outline(run.turns)[1]).toBe('assistant: TOOL_CALL {"cmd":"ls"} | TOOL_CALL {"x":1}');
    expect(run.turns[1]?.spans[1]?.call?.name).toBe('no such');
  });

  it('does not teach a call that broke off as one that came to its end', async () => {
    const broken = {
      ...use('a', { cmd: 'l' }),
      complete: false,
      inputPartialJSON: { json: '{"cmd":"l' },
    };
    const run = await read(
      user(text('go')),
      reply({ type: 'streaming' }, text('I look.'), broken),
      user(text('again')),
      reply(CALLED, text('I look.'), broken),
      user(text('again')),
      reply({ type: 'cancelled' }, text('I look.'), use('b', { cmd: 'l' })),
      user(ran('b', { status: 'cancelled' }), text('again')),
      reply({ type: 'cancelled' }, use('c', { cmd: 'ls' })),
      user(ran('c', { status: 'done', result: 'x' })),
    );
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(outline(replies)).toEqual([
      'assistant: TEXT I look. | MALFORMED_CALL {"cmd":"l',
      'assistant: TEXT I look. | MALFORMED_CALL {"cmd":"l',
      'assistant: text I look. | tool_call {"cmd":"l"}',
      'assistant: TOOL_CALL {"cmd":"ls"}',
    ]);
    expect(replies.map(({ truncated }) => truncated)).toEqual(['cut', 'cut', 'aborted', 'aborted']);
    expect(replies[2]?.flags).toEqual(['reply_not_recorded']);
  });

  it('shows the model no command that people hid, and has sub-agents as runs of their own', async () => {
    const bash = (rest: object) => ({
      type: 'manual_bash_invocation',
      args: { cmd: 'ls' },
      toolRun: { status: 'done', result: { output: 'x' } },
      ...rest,
    });
    const under = (message: object) => ({ ...message, parentToolUseId: 'a' });
    const results = await readFiles(
      thread(
        user(text('go')),
        info(bash({ hidden: true })),
        info(bash({ toolRun: { status: 'error' } })),
        info(bash({})),
        reply(CALLED, use('a', {})),
        under(user(text('find'))),
        under(reply(ENDED, text('found'))),
        user(ran('a', { status: 'done', result: 'found' })),
      ),
    );
    const [main, agent] = trajectoriesOf(results);
    expect(main?.turns.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool']);
    expect(outline(agent?.turns ?? [])).toEqual(['user: prompt find', 'assistant: TEXT found']);
    expect(agent).toMatchObject({ session_id: 'a', parent_session: 'T-1' });
  });

  it('with a role that is not known is refused', async () => {
    const results = await readFiles(thread(user(text('go')), { role: 'robot', content: [] }));
    expect(onlyReject(results)).toMatchObject({ code: 'bad_shape', format: 'amp' });
  });
});
