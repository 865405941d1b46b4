import { describe, expect, it } from 'vitest';
import { piSession } from '../../src/formats/pi-session.js';
import { describeWithShared } from '../shared.js';
import { readOne, rolesOf, spansOf } from './adapter-context.js';
import { filledLogs, modelTexts, realLines, type Untyped } from './model-texts.js';

const FOLDERS = ['pi_session_jsonl', 'openclaw_jsonl'];

function texts(line: Untyped): string[] {
  if (line.type !== 'message' || line.message.role !== 'assistant') return [];
  return line.message.content.flatMap((part: Untyped) => {
    if (part.type === 'text') return part.text === '' ? [] : [part.text];
    if (part.type === 'thinking') return part.thinking === '' ? [] : [part.thinking];
    return part.type === 'toolCall' ? [JSON.stringify(part.arguments)] : [];
  });
}

describeWithShared('pi-session: real logs', () => {
  const logs = FOLDERS.flatMap((folder) =>
    filledLogs(folder, '.jsonl').map((name) => [folder, name] as const),
  );

  it.each(logs)('%s/%s: everything that a model wrote is there, once', (folder, name) => {
    const lines = realLines(folder, name);
    expect(modelTexts([readOne(piSession, lines)])).toEqual(lines.flatMap(texts).sort());
  });

  it('version 1: counted by hand', () => {
    const run = readOne(piSession, realLines('pi_session_jsonl', 'large-session.jsonl'));
    // 453 replies, of which 14 were aborted before the first word.
    expect(rolesOf(run.turns)).toEqual({ user: 88, assistant: 439, tool: 373 });
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'model text': 244,
      'model tool_call': 391,
      'model reasoning': 1,
    });
    expect(run.turns.flatMap(({ truncated }) => truncated ?? []).sort()).toEqual([
      'aborted',
      'aborted',
      'aborted',
      'aborted',
      'aborted',
      'aborted',
      'aborted',
      'error',
    ]);
    expect(run).toMatchObject({
      session_id: 'd703a1a9-1b7b-4fb1-b512-c9738b1fe617',
      scaffold: 'pi',
      model: 'claude-sonnet-4-5',
    });
    expect(run.flags).toEqual(['no_experiment_boundary', 'system_prompt_absent', 'empty_replies']);
    const failed = run.executions.filter(({ status }) => status !== 'ok');
    expect(failed.length).toBe(19);
    expect(failed.filter(({ exit_code }) => exit_code === 1).length).toBeGreaterThan(0);
  });

  it('version 3: each compaction begins a context with its summary', () => {
    const run = readOne(piSession, realLines('pi_session_jsonl', 'agent-sessions_pi_small.jsonl'));
    expect(run.epochs.map(({ turns }) => turns)).toEqual([
      [0, 1],
      [2, 0, 1, 3, 4],
      [5, 0, 1, 3, 4],
    ]);
    expect(run.turns[2]).toMatchObject({ role: 'user', flags: ['compact_summary'] });
    expect(run.turns[2]?.spans[0]?.origin).toBe('environment');
  });

  it('OpenClaw: parents may be calls, injected context is no human', () => {
    const run = readOne(piSession, realLines('openclaw_jsonl', 'large.jsonl'));
    expect(run.scaffold).toBe('openclaw');
    expect(rolesOf(run.turns)).toEqual({ user: 2, assistant: 3, tool: 2 });
    expect(run.turns[0]).toMatchObject({ flags: ['injected'] });
    expect(run.epochs[0]?.turns).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(run.termination).toBe('cut');
  });
});

const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z', cwd: '/x' };
const entry = (id: string, parentId: string | null, message: object, rest: object = {}) => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-02T00:00:00Z',
  message,
  ...rest,
});
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const reply = (text: string, rest: object = {}) => ({
  role: 'assistant',
  model: 'm',
  stopReason: 'stop',
  content: [{ type: 'text', text }],
  ...rest,
});

describe('pi-session', () => {
  it('a copy that a gateway wrote of what it sent is no reply, wherever it stands', () => {
    const mirror = (id: string, parent: string | null, model: string) =>
      entry(id, parent, reply('done', { provider: 'openclaw', model }));
    const run = readOne(piSession, [
      header,
      entry('1', null, user('task')),
      mirror('2', '1', 'gateway-injected'),
      entry('3', '2', reply('done')),
      // written without a parent, as the last thing in the file
      mirror('4', null, 'delivery-mirror'),
    ]);
    expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(run.epochs[0]?.turns).toEqual([0, 1]);
    expect(run.flags).toContain('mirrored_replies');
    expect(run.model).toBe('m');
  });

  it('a line that is lost loses no other', () => {
    const run = readOne(piSession, [
      header,
      entry('1', null, user('task')),
      entry('2', '1', reply('one')),
      entry('4', '3', reply('two')),
    ]);
    expect(run.epochs[0]?.turns).toEqual([0, 1, 2]);
    expect(run.flags).toContain('chain_gap');
  });

  it('a branch that was left stands outside of the context', () => {
    const run = readOne(piSession, [
      header,
      entry('1', null, user('task')),
      entry('2', '1', reply('wrong')),
      entry('3', '1', user('again')),
      entry('4', '3', reply('right')),
    ]);
    expect(run.epochs[0]?.turns).toEqual([0, 2, 3]);
    expect(run.turns[1]?.flags).toEqual(['rewound']);
    expect(run.flags).toContain('rewound_turns:1');
  });

  it('version 1 keeps by index', () => {
    const line = (message: object) => ({ type: 'message', timestamp: '2026-01-02T00:00:00Z', message });
    const { version: _version, ...old } = header;
    const run = readOne(piSession, [
      old,
      line(user('a')),
      line(reply('b')),
      line(user('c')),
      line(reply('d')),
      { type: 'compaction', timestamp: '2026-01-02T00:00:00Z', summary: 'sum', firstKeptEntryIndex: 3 },
      line(user('e')),
      line(reply('f')),
    ]);
    expect(run.epochs[1]?.turns.map((index) => run.turns[index]?.spans[0]?.text)).toEqual([
      'sum',
      'c',
      'd',
      'e',
      'f',
    ]);
  });

  it("the user's shell is no call of the model", () => {
    const shell = { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0 };
    const run = readOne(piSession, [
      header,
      entry('1', null, shell),
      entry('2', '1', user('task')),
      entry('3', '2', reply('ok', { stopReason: 'length' })),
    ]);
    expect(run.turns[0]).toMatchObject({ role: 'user', flags: ['command_output'] });
    expect(run.turns[0]?.spans[0]?.kind).toBe('observation');
    expect(run.turns[2]?.truncated).toBe('length');
    expect(run.termination).toBe('context_limit');
  });

  it('what a fork copied is environment', () => {
    const old = { timestamp: '2025-01-01T00:00:00Z' };
    const run = readOne(piSession, [
      { ...header, parentSession: 'x.jsonl' },
      entry('1', null, user('task'), old),
      entry('2', '1', reply('old'), old),
      entry('3', '2', user('more')),
      entry('4', '3', reply('new')),
    ]);
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
    ]);
    expect(run.flags).toContain('forked_session');
  });
});

describe('pi-session: system messages, since 0.86', () => {
  const header = { type: 'session', version: 3, id: 's', timestamp: 't0', cwd: '/w' };
  let parent: string | null = null;
  let count = 0;
  const entry = (type: string, fields: object) => {
    const id = `e${count++}`;
    const line = { type, id, parentId: parent, timestamp: 't1', ...fields };
    parent = id;
    return line;
  };
  const message = (fields: object) => entry('message', { message: fields });
  const told = (fields: object) => message({ role: 'system', content: '', ...fields });
  const asked = (text: string) => message({ role: 'user', content: [{ type: 'text', text }] });
  const said = (text: string) =>
    message({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' });
  const prompts = (lines: readonly object[]) => {
    const run = readOne(piSession, lines);
    return {
      run,
      contexts: run.epochs.map(({ turns }) =>
        turns.map((index) => run.turns[index]?.spans.map(({ text }) => text).join('')),
      ),
    };
  };

  it('are the prompt with its sections, and the tools', () => {
    parent = null;
    const lines = [
      header,
      told({
        content: 'Base.',
        sections: { preamble: 'You are pi.', tools: '<tools>', gone: null },
        toolsAdded: [{ name: 'bash', description: 'd' }, { name: 'read' }],
      }),
      asked('hi'),
      said('yo'),
    ];
    const { run, contexts } = prompts(lines);
    expect(run.turns.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(contexts).toEqual([['Base.\n\nYou are pi.\n\n<tools>', 'hi', 'yo']]);
    expect(JSON.parse(run.tools ?? '[]')).toEqual([{ name: 'bash', description: 'd' }, { name: 'read' }]);
    expect(run.flags).not.toContain('system_prompt_absent');
  });

  it('in blocks of text are joined as pi joins them, a line each', () => {
    parent = null;
    const blocks = ['Base.', 'More.'].map((text) => ({ type: 'text', text }));
    const { contexts } = prompts([header, told({ content: blocks }), asked('hi'), said('yo')]);
    expect(contexts).toEqual([['Base.\nMore.', 'hi', 'yo']]);
  });

  it('that change a section begin a context, and stand before the summary of a compaction', () => {
    parent = null;
    const lines = [
      header,
      told({ sections: { preamble: 'P', cwd: '/a' }, toolsAdded: [{ name: 'bash' }, { name: 'read' }] }),
      asked('one'),
      said('1'),
      told({ sections: { cwd: '/b' }, toolsRemoved: [{ name: 'read' }] }),
      told({ toolsAdded: [{ name: 'edit' }] }),
      asked('two'),
      said('2'),
      entry('compaction', { summary: 'so far', firstKeptEntryId: 'none' }),
      asked('three'),
      said('3'),
    ];
    const { run, contexts } = prompts(lines);
    expect(contexts).toEqual([
      ['P\n\n/a', 'one', '1'],
      ['P\n\n/b', 'one', '1', 'two', '2'],
      ['P\n\n/b', 'so far', 'three', '3'],
    ]);
    expect(run.epochs.map(({ reason }) => reason)).toEqual([null, 'system_prompt_changed', 'compaction']);
    expect(JSON.parse(run.tools ?? '[]')).toEqual([{ name: 'bash' }, { name: 'edit' }]);
  });
});
