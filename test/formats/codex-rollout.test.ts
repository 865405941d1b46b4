import { describe, expect, it } from 'vitest';
import type { RawTrajectory } from '../../src/formats/adapter.js';
import { codexRollout } from '../../src/formats/codex-rollout.js';
import { RejectError } from '../../src/logs/reject.js';
import { describeWithShared } from '../shared.js';
import { readDocument, readOne, rolesOf, spansOf } from './adapter-context.js';
import { filledLogs, modelTexts, realLines, type Untyped } from './model-texts.js';
import { readFiles, trajectoriesOf } from './read-all.js';

const FOLDER = 'codex_rollout_jsonl';
const LEGACY = 'agent-sessions_codex_050_legacy.jsonl';
const SMALL = 'agent-sessions_codex_small.jsonl';

/** What the model gave, by the items of the log: texts, arguments, inputs and actions. */
function itemTexts(line: Untyped): string[] {
  const item = line.payload ?? line;
  if (line.payload !== undefined && line.type !== 'response_item') return [];
  if (item.role === 'assistant') {
    const { content } = item;
    if (typeof content === 'string') return [content];
    return content.flatMap((part: Untyped) => (part.text === undefined ? [] : [part.text]));
  }
  if (item.type === 'function_call') {
    return [typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments ?? {})];
  }
  if (item.type === 'custom_tool_call') return [item.input];
  if (item.type === 'web_search_call') return [JSON.stringify(item.action)];
  if (item.type === 'tool_search_call') return [JSON.stringify(item.arguments)];
  if (item.type === 'image_generation_call') return [JSON.stringify({ revised_prompt: item.revised_prompt })];
  return [];
}

describeWithShared('codex-rollout: real logs', () => {
  const names = filledLogs(FOLDER, '.jsonl').filter((name) => name !== LEGACY);

  it.each(names)('%s: every item of the model is there, once, whatever the events repeat', (name) => {
    const lines = realLines(FOLDER, name);
    const run = readOne(codexRollout, lines);
    expect(modelTexts([run])).toEqual(lines.flatMap(itemTexts).sort());
  });

  it('the live session: counted by hand', () => {
    const run = readOne(codexRollout, realLines(FOLDER, 'agent-history_real_session-01_redacted.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ system: 2, user: 2, assistant: 1 });
    expect(run.turns.map((turn) => [turn.role, turn.spans[0]?.kind, turn.flags])).toEqual([
      ['system', 'prompt', []],
      ['system', 'prompt', []],
      ['user', 'observation', ['injected']],
      ['user', 'prompt', []],
      ['assistant', 'text', []],
    ]);
    expect(run).toMatchObject({
      session_id: '019e9625-802f-7e91-840a-cfe88d14117a',
      scaffold: 'codex',
      scaffold_version: '0.135.0',
      model: 'gpt-5.5',
      termination: 'submitted',
      flags: ['no_experiment_boundary'],
    });
  });

  it('arguments stay as the model wrote them', () => {
    const run = readOne(codexRollout, realLines(FOLDER, 'agent-history_codex_golden.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 2, assistant: 2, tool: 1 });
    expect(run.turns[1]?.spans[2]?.call).toEqual({
      id: 'call_golden_001',
      name: 'shell',
      arguments: '{"command": "ls -la"}',
      arguments_were_object: false,
    });
    expect(run.turns[2]).toMatchObject({ role: 'tool', name: 'shell', tool_call_id: 'call_golden_001' });
    // A summary of hidden reasoning is not the reasoning.
    expect(run.turns[1]?.spans[0]).toMatchObject({
      kind: 'reasoning',
      origin: 'environment',
      text: 'Preparing to list directory contents',
    });
    expect(run.turns[1]?.flags).toEqual(['reasoning_summary']);
  });

  it('a compaction without its history leaves the context partly unknown', () => {
    const run = readOne(codexRollout, realLines(FOLDER, 'agent-history_codex_compaction.jsonl'));
    expect(run.epochs.map(({ turns, reason }) => [turns.length, reason])).toEqual([
      [8, null],
      [5, 'compaction'],
    ]);
    expect(run.turns[8]).toMatchObject({ role: 'user', flags: ['compact_summary'] });
    expect(run.turns[8]?.spans[0]?.origin).toBe('environment');
    expect(run.flags).toContain('context_partly_unknown');
  });

  it('every kind of record: seven contexts, nothing compacted is model text', () => {
    const run = readOne(codexRollout, realLines(FOLDER, SMALL));
    expect(run.epochs).toHaveLength(7);
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'environment reasoning': 1,
      'model tool_call': 8,
      'model text': 1,
      'environment image': 1,
      'environment text': 10,
    });
    const compacted = run.turns.filter((turn) => turn.flags.includes('compacted_context'));
    expect(compacted.flatMap((turn) => turn.spans).some((span) => span.origin === 'model')).toBe(false);
  });

  it('a session without messages is rejected', () => {
    expect(() => readDocument(codexRollout, realLines(FOLDER, LEGACY))).toThrow(RejectError);
  });
});

let second = 0;
const line = (type: string, payload: object) => ({
  timestamp: new Date(1.7e12 + 10_000 * second++).toISOString(),
  type,
  payload,
});
const meta = (rest: object = {}) => line('session_meta', { id: 's', cli_version: '1', ...rest });
const item = (rest: object) => line('response_item', rest);
const event = (rest: object) => line('event_msg', rest);
const says = (role: string, text: string) =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
const calls = (call_id: string, args = '{}', name = 'shell') =>
  item({ type: 'function_call', name, arguments: args, call_id });
const answers = (call_id: string, output: unknown) => item({ type: 'function_call_output', call_id, output });
const one = (...lines: object[]): RawTrajectory => readOne(codexRollout, lines);
const contents = (run: RawTrajectory) =>
  run.turns.map((turn) => turn.spans.map((span) => span.text).join('|'));

describe('codex-rollout: items', () => {
  it.each([
    ['a string', 'out', 'out'],
    ['an object with content', { content: 'out', success: true }, 'out'],
    ['one part', { type: 'input_text', text: 'out' }, 'out'],
    [
      'parts',
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_text', text: 'b' },
      ],
      'a|b',
    ],
    [
      'JSON with metadata',
      '{"output":"out","metadata":{"exit_code":1}}',
      '{"output":"out","metadata":{"exit_code":1}}',
    ],
    ['nothing', null, ''],
  ])('takes an output that is %s', (_name, output, text) => {
    expect(contents(one(meta(), says('user', 'task'), calls('c'), answers('c', output)))[2]).toBe(text);
  });

  it('the report of a review is put into the thread by the harness', () => {
    const note = '<user_action>\n  <context>x</context>\n  <action>review</action>\n</user_action>';
    const run = one(
      meta(),
      says('user', 'task'),
      says('assistant', 'done'),
      says('user', note),
      says('assistant', 'Full review comments: none'),
      says('user', 'fix it'),
      says('assistant', 'fixed'),
    );
    expect(
      run.turns
        .filter(({ role }) => role === 'assistant')
        .map(({ spans, flags }) => [spans[0]?.origin, flags]),
    ).toEqual([
      ['model', []],
      ['environment', ['harness_reply']],
      ['model', []],
    ]);
    // what follows the note in a turn of its own is the answer of the model
    const asked = one(
      meta(),
      says('user', note),
      event({ type: 'task_started', turn_id: 't' }),
      says('assistant', 'I will fix it'),
    );
    expect(asked.turns.at(-1)?.spans.map(({ origin }) => origin)).toEqual(['model']);
  });

  it('an event that leaves out what the terminal shows elsewhere repeats its reply all the same', () => {
    const plan = 'Here it is.\n<proposed_plan>\n1. do\n</proposed_plan>\nShall I?';
    const cited = 'Done.\n<oai-mem-citation>\nx\n</oai-mem-citation>';
    const run = one(
      meta(),
      says('user', 'task'),
      event({ type: 'agent_message', message: 'Here it is.\n\nShall I?' }),
      says('assistant', plan),
      says('user', 'yes'),
      event({ type: 'agent_message', message: 'Done.' }),
      says('assistant', cited),
      event({ type: 'task_complete', last_agent_message: 'Done.' }),
      event({ type: 'agent_message', message: 'a text of its own' }),
    );
    expect(contents(run)).toEqual(['task', plan, 'yes', cited, 'a text of its own']);
    expect(run.turns.filter(({ flags }) => flags.includes('from_event'))).toHaveLength(1);
    expect(run.flags).not.toContain('final_text_without_message');
  });

  it('what the harness injects is no human', () => {
    const run = one(
      meta({ base_instructions: { text: 'be good' } }),
      says('developer', 'rules'),
      says('user', '<user_instructions>\nx\n</user_instructions>'),
      says('user', '# AGENTS.md instructions for /x'),
      says('user', '<turn_aborted>\nx\n</turn_aborted>'),
      says('user', 'the task'),
      says('assistant', 'done'),
    );
    expect(run.turns.map((turn) => `${turn.role} ${turn.spans[0]?.kind}`)).toEqual([
      'system prompt',
      'system prompt',
      'user observation',
      'user observation',
      'user observation',
      'user prompt',
      'assistant text',
    ]);
    expect(run.flags).not.toContain('system_prompt_absent');
  });

  it('joins what one reply gave and parts messages that were ended', () => {
    const run = one(
      meta(),
      says('user', 'task'),
      item({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }),
      says('assistant', 'I look'),
      calls('a'),
      calls('b'),
      answers('a', '1'),
      answers('b', '2'),
      says('assistant', 'first'),
      says('assistant', 'second'),
    );
    expect(run.turns.map((turn) => turn.spans.map(({ kind }) => kind))).toEqual([
      ['prompt'],
      ['reasoning', 'text', 'tool_call', 'tool_call'],
      ['observation'],
      ['observation'],
      ['text'],
      ['text'],
    ]);
  });

  it('free text of a custom tool is no malformed call', () => {
    const patch = '*** Begin Patch\n*** End Patch';
    const run = one(
      meta(),
      says('user', 'task'),
      item({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'p', input: patch }),
      item({ type: 'custom_tool_call_output', call_id: 'p', output: 'ok' }),
    );
    expect(run.turns[1]?.spans[0]).toMatchObject({ kind: 'tool_call', text: patch });
    expect(run.turns[2]?.name).toBe('apply_patch');
  });

  it('keeps a text that only an event holds, and no text twice', () => {
    const run = one(
      meta(),
      event({ type: 'user_message', message: 'task' }),
      says('user', 'task'),
      event({ type: 'agent_message', message: 'done' }),
      says('assistant', 'done'),
      event({ type: 'agent_message', message: 'only here' }),
      event({ type: 'task_complete', last_agent_message: 'never said' }),
    );
    expect(contents(run)).toEqual(['task', 'done', 'only here']);
    expect(run.turns[2]?.flags).toEqual(['from_event']);
    expect(run.flags).toContain('final_text_without_message');
  });

  it('several models: the most used one is the run, others are on their spans', () => {
    const run = one(
      meta(),
      line('turn_context', { model: 'b' }),
      says('user', 'x'),
      says('assistant', '1'),
      line('turn_context', { model: 'a' }),
      says('user', 'y'),
      says('assistant', '2'),
      says('user', 'z'),
      says('assistant', '3'),
    );
    expect(run.model).toBe('a');
    expect(run.turns[1]?.spans[0]?.model).toBe('b');
    expect(run.turns[3]?.spans[0]?.model).toBeNull();
  });
});

describe('codex-rollout: contexts', () => {
  it('replacement_history begins a context; inputs that it repeats are the same turns', () => {
    const history = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'task' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'long ago' }] },
      { type: 'compaction', encrypted_content: 'xxx' },
    ];
    const run = one(
      meta(),
      says('user', 'task'),
      says('assistant', 'long ago'),
      line('compacted', { message: '', replacement_history: history }),
      says('user', 'next'),
      says('assistant', 'new'),
    );
    expect(run.epochs).toEqual([
      { turns: [0, 1], reason: null },
      { turns: [0, 2, 3, 4, 5], reason: 'compaction' },
    ]);
    expect(run.turns[2]?.spans[0]).toMatchObject({ origin: 'environment', text: 'long ago' });
    expect(run.turns[3]?.flags).toContain('compacted_context_hidden');
    expect(run.flags).not.toContain('context_partly_unknown');
  });

  it('a rollback takes its turns out of the context', () => {
    const run = one(
      meta(),
      says('user', 'task'),
      says('assistant', 'one'),
      says('user', 'wrong'),
      says('assistant', 'two'),
      event({ type: 'thread_rolled_back', num_turns: 1 }),
      says('user', 'right'),
      says('assistant', 'three'),
    );
    expect(run.epochs.map(({ turns }) => turns)).toEqual([[0, 1, 4, 5]]);
    expect(run.turns[3]?.flags).toEqual(['rewound']);
    expect(run.flags).toContain('rewound_turns:1');
  });

  it('history that a fork copied is not its own', () => {
    const at = (millis: number, type: string, payload: object) => ({
      ...line(type, payload),
      timestamp: new Date(1.8e12 + millis).toISOString(),
    });
    const message = (role: string, text: string) => ({ type: 'message', role, content: text });
    const run = one(
      at(0, 'session_meta', { id: 's2', forked_from_id: 's1' }),
      at(1, 'session_meta', { id: 's1' }),
      at(2, 'response_item', message('user', 'task')),
      at(3, 'response_item', message('assistant', 'old')),
      at(5000, 'response_item', message('user', 'again')),
      at(9000, 'response_item', message('assistant', 'new')),
    );
    expect(run.session_id).toBe('s2');
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
    ]);
    expect(run.flags).toContain('forked_session');
  });

  it('turns with a time in their ids tell what a fork copied, however long that took, and what it wrote at once', () => {
    const id = (millis: number) =>
      `${millis
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
    const began = 1.8e12;
    const at = (millis: number, type: string, payload: object) => ({
      ...line(type, payload),
      timestamp: new Date(began + millis).toISOString(),
    });
    const message = (role: string, text: string) => ({ type: 'message', role, content: text });
    const run = one(
      at(0, 'session_meta', { id: id(began), forked_from_id: id(began - 9e6) }),
      at(1, 'session_meta', { id: id(began - 9e6) }),
      at(2, 'turn_context', { turn_id: id(began - 8e6), model: 'm' }),
      at(3, 'response_item', message('user', 'task')),
      at(4000, 'response_item', message('assistant', 'copied late')),
      at(4100, 'event_msg', { type: 'task_started', turn_id: id(began + 50) }),
      at(4200, 'response_item', message('user', 'again')),
      at(4300, 'response_item', message('assistant', 'new')),
    );
    const quick = one(
      at(0, 'session_meta', { id: id(began), forked_from_id: id(began - 9e6) }),
      at(2, 'turn_context', { turn_id: id(began + 1), model: 'm' }),
      at(3, 'response_item', message('user', 'task')),
      at(700, 'response_item', message('assistant', 'new')),
    );
    const replies = (each: RawTrajectory) =>
      each.turns
        .filter(({ role }) => role === 'assistant')
        .map(({ spans }) => [spans[0]?.text, spans[0]?.origin]);
    expect(replies(run)).toEqual([
      ['copied late', 'environment'],
      ['new', 'model'],
    ]);
    expect(replies(quick)).toEqual([['new', 'model']]);
  });

  it('a sub-agent names who started it', () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: 'p', depth: 1 } } };
    const run = one(meta({ source }), says('user', 'task'), says('assistant', 'done'));
    expect(run.parent_session).toBe('p');
    expect(run.flags).toContain('subagent');
  });
});

describe('codex-rollout: outcomes', () => {
  const experiment = (output: unknown, ...events: object[]) =>
    readDocument(codexRollout, [meta(), says('user', 'task'), calls('c'), ...events, answers('c', output)], {
      experiments: { experiment: ['shell'], scoring: [] },
    })[0]?.executions[0];

  it.each([
    ['{"output":"x","metadata":{"exit_code":2,"duration_seconds":1.5}}', 'error', 2, 1.5],
    ['Exit code: 0\nWall time: 0.25 seconds\nOutput:\nExit code: 9', 'ok', 0, 0.25],
    ['Chunk ID: 1\nWall time: 3 seconds\nProcess exited with code 1\nOutput:\nx', 'error', 1, 3],
    [
      'Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds\n',
      'timeout',
      124,
      10,
    ],
    ['aborted by user after 3.1s', 'infrastructure', null, null],
    ['Exit code: 5 stands in a text', 'ok', null, null],
  ])('%s', (output, status, exit_code, seconds) => {
    expect(experiment(output)).toMatchObject({ kind: 'experiment', status, exit_code, seconds });
  });

  it('takes code and time of the event that ended the command', () => {
    const ended = event({
      type: 'exec_command_end',
      call_id: 'c',
      exit_code: 7,
      duration: { secs: 1, nanos: 500_000_000 },
    });
    expect(experiment('x', ended)).toMatchObject({ status: 'error', exit_code: 7, seconds: 1.5 });
  });

  it.each([
    ['aborted while it wrote', [says('assistant', 'x'), event({ type: 'turn_aborted' })], 'cut', 'aborted'],
    [
      'no room',
      [says('assistant', 'x'), event({ type: 'error', codex_error_info: 'context_window_exceeded' })],
      'context_limit',
      'error',
    ],
    ['an open call', [calls('c')], 'cut', null],
    [
      'an aborted turn that went on',
      [says('assistant', 'x'), says('user', 'y'), says('assistant', 'z')],
      'submitted',
      null,
    ],
  ] as const)('ends by %s', (_name, lines, termination, truncated) => {
    const run = one(meta(), says('user', 'task'), ...lines);
    expect(run.termination).toBe(termination);
    expect(run.turns[1]?.truncated).toBe(truncated);
  });
});

describe('codex-rollout: several in one file', () => {
  const of = (id: string, rest: object = {}) => ({
    timestamp: '2026-01-01T00:00:00Z',
    type: 'session_meta',
    payload: { id, ...rest },
  });

  const read = async (lines: readonly object[]) =>
    trajectoriesOf(await readFiles({ 'log.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }));

  it('each is a run of its own', async () => {
    const runs = await read([
      of('a'),
      says('user', 'task'),
      says('assistant', 'one'),
      of('b'),
      says('user', 'another'),
      says('assistant', 'two'),
      says('user', 'on'),
    ]);
    expect(runs.map((run) => [run.session_id, run.turns.length, run.termination])).toEqual([
      ['a', 2, 'submitted'],
      ['b', 3, 'cut'],
    ]);
  });

  it('equal words that a fork copied at one go all stay, a stretch that was written again counts once', async () => {
    const talk = ['go on', 'go on', 'go on'].flatMap((text) => [says('user', text), says('assistant', 'ok')]);
    const later = { ...says('assistant', 'end'), timestamp: '2026-01-01T01:00:00Z' };
    const lines = [of('b', { forked_from_id: 'a' }), of('a'), ...talk, later];
    const [once, ...others] = await read(lines);
    expect([once?.turns.length, others]).toEqual([7, []]);
    expect(once?.flags).not.toContain('repeated_lines');
    const [twice] = await read([...lines, ...lines]);
    expect(twice?.turns.length).toBe(7);
    expect(twice?.flags).toContain('repeated_lines');
  });

  it('a fork, and a session that names itself again, are one', async () => {
    const later = { timestamp: '2026-01-01T01:00:00Z' };
    const fork = [
      of('b', { forked_from_id: 'a' }),
      of('a'),
      says('user', 'task'),
      { ...says('assistant', 'one'), ...later },
    ];
    expect(await read(fork)).toHaveLength(1);
    const again = [of('a'), says('user', 'task'), says('assistant', 'one'), of('a'), says('user', 'on')];
    expect(await read(again)).toHaveLength(1);
  });
});

describe('codex-rollout: detection', () => {
  const sniff = (...lines: object[]) =>
    codexRollout.detect({
      path: 'r.jsonl',
      head: '',
      json: undefined,
      lines,
      siblings: { names: [], readText: () => null },
    });

  it('knows envelopes and the bare items of first versions', () => {
    expect(sniff(meta())?.confidence).toBe('certain');
    const opening = { id: 's', timestamp: '2025-05-01T00:00:00Z', instructions: null };
    const bare = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'task' }] };
    expect(sniff(opening, bare)?.confidence).toBe('certain');
    const run = one(opening, bare, { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' });
    expect(run.session_id).toBe('s');
    expect(run.turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('reads the one JSON of the first CLI', async () => {
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'task' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'about it' }] },
      { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.5}}',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ];
    const session = { id: 's', timestamp: '2025-05-01T00:00:00Z', instructions: '' };
    const [run] = trajectoriesOf(await readFiles({ 'rollout.json': { session, items } }));
    expect(run).toMatchObject({
      session_id: 's',
      termination: 'submitted',
      source: { format: 'codex-rollout' },
    });
    expect(
      run?.turns.map(({ role, spans }) => [role, spans.map(({ kind, origin }) => `${origin} ${kind}`)]),
    ).toEqual([
      ['user', ['environment prompt']],
      ['assistant', ['environment reasoning', 'model tool_call']],
      ['tool', ['environment observation']],
      ['assistant', ['model text']],
    ]);
    expect(run?.executions).toMatchObject([{ status: 'error', exit_code: 1, seconds: 0.5 }]);
  });

  it('leaves others alone', () => {
    expect(sniff({ type: 'session', version: 3, id: 'x' }, { type: 'message', message: {} })).toBeNull();
    expect(sniff({ type: 'x', payload: {} })).toBeNull();
    expect(sniff({ role: 'user', content: 'x' })).toBeNull();
  });
});
