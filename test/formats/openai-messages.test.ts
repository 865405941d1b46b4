import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadRequest } from '../../src/formats/reader.js';
import { textCallMarks } from '../../src/formats/text-calls.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const user = (content: unknown, rest = {}) => ({ role: 'user', content, ...rest });
const assistant = (content: unknown, rest = {}) => ({ role: 'assistant', content, ...rest });
const tool = (content: unknown, rest = {}) => ({ role: 'tool', content, ...rest });

const row = async (value: unknown, rest: Partial<ReadRequest> = {}): Promise<Trajectory> =>
  onlyTrajectory(await readFiles({ 'rows.jsonl': `${JSON.stringify(value)}\n` }, rest));

const spansOf = (run: Trajectory, turn: number) =>
  (run.turns[turn]?.spans ?? []).map((span) => [span.kind, span.inline, span.text]);

describeWithShared('the real XML chats', () => {
  it('have a call in every reply, and feedback in every user turn but the task', async () => {
    const path = 'openai_messages_sft/swesmith_ft_xml_example.jsonl';
    const runs = trajectoriesOf(await readAll({ root: sharedFile('logs'), path }));
    expect(runs.map((run) => [run.task_id, run.source.line, run.termination])).toEqual([
      ['pandas-dev__pandas.95280573.pr_53652', 1, 'submitted'],
      ['getmoto__moto.694ce1f4.pr_7331', 2, 'submitted'],
      ['pydantic__pydantic.acb0f10f.pr_8316', 3, 'submitted'],
    ]);
    const counts = runs.map((run) => {
      const calls = run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.name ?? []));
      const observations = run.turns.filter((turn) => turn.spans[0]?.kind === 'observation').length;
      const named = (name: string) => calls.filter((call) => call === name).length;
      return [named('bash'), named('str_replace_editor'), named('submit'), calls.length, observations];
    });
    expect(counts).toEqual([
      [18, 17, 2, 37, 36],
      [12, 30, 2, 44, 43],
      [11, 9, 2, 22, 21],
    ]);
    expect(runs.every((run) => run.flags.includes('no_experiment_boundary'))).toBe(true);
  });

  it('have executions where the pipeline names a pattern', async () => {
    const path = 'openai_messages_sft/swesmith_ft_xml_example.jsonl';
    const runs = trajectoriesOf(
      await readAll({ root: sharedFile('logs'), path, experimentPatterns: [/python.*reproduce/] }),
    );
    for (const run of runs) {
      expect(run.executions.length).toBeGreaterThan(0);
      expect(run.flags).not.toContain('no_experiment_boundary');
      for (const execution of run.executions) {
        expect(execution.code).toMatch(/reproduce/);
        expect(execution.feedback_turn).toBe(execution.call_turn + 1);
      }
    }
  });
});

it('maps roles, and ids from the row or its metadata', async () => {
  const run = await row({
    messages: [
      { role: 'developer', content: 'rules' },
      user('task'),
      assistant(null, { function_call: { name: 'f', arguments: '{"a": 1.0}' } }),
      { role: 'function', name: 'f', content: 'out' },
      assistant('done'),
    ],
    metadata: { task_id: 't1', model: 'm1' },
    id: 17,
    resolved: true,
  });
  expect(run.turns.map((turn) => turn.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
  expect(run).toMatchObject({
    task_id: 't1',
    model: 'm1',
    session_id: '17',
    resolved: true,
    termination: 'submitted',
  });
  expect(run.turns[2]?.spans[0]?.call).toEqual({
    id: null,
    name: 'f',
    arguments: '{"a": 1.0}',
    arguments_were_object: false,
  });
  expect(run.turns[3]?.spans[0]?.kind).toBe('observation');
});

it('keeps call arguments that came as a string verbatim, and says where they were an object', async () => {
  const call = (args: unknown, id: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  });
  const run = await row({
    messages: [
      user('x'),
      assistant('', { tool_calls: [call('{"b":1e5,  "a":1.0}', 'c1'), call({ a: 1 }, 'c2')] }),
    ],
  });
  expect(
    run.turns[1]?.spans.map((span) => [span.text, span.call?.arguments_were_object, span.call?.id]),
  ).toEqual([
    ['{"b":1e5,  "a":1.0}', false, 'c1'],
    ['{"a":1}', true, 'c2'],
  ]);
});

it('puts reasoning fields before the content, and think tags where they stand', async () => {
  const run = await row({
    messages: [
      user('x'),
      assistant('a', { reasoning_content: 'r1', reasoning: 'r1' }),
      user('y'),
      assistant('<think>\nr2\n</think>\n\nb'),
      user('z'),
      assistant('c', { thinking: 'r3' }),
    ],
  });
  expect(spansOf(run, 1)).toEqual([
    ['reasoning', false, 'r1'],
    ['text', true, 'a'],
  ]);
  expect(spansOf(run, 3)).toEqual([
    ['reasoning', true, '<think>\nr2\n</think>'],
    ['text', true, '\n\nb'],
  ]);
  expect(spansOf(run, 5)).toEqual([
    ['reasoning', false, 'r3'],
    ['text', true, 'c'],
  ]);
  expect(run.flags).toEqual(['no_experiment_boundary']);
});

it('names what it does not read, also a second reasoning that differs', async () => {
  const run = await row({
    messages: [
      user('x', { cache: true }),
      assistant('a', { reasoning: 'r', thinking: 'other', audio: null, refusal: '' }),
    ],
  });
  expect(run.flags).toContain('unread_message_keys:cache,thinking');
});

it('takes weights, and refuses one that is no number', async () => {
  const run = await row({
    messages: [user('x'), assistant('a', { weight: 0 }), assistant('b', { weight: 1 })],
  });
  expect(run.turns.map((turn) => turn.weight)).toEqual([1, 0, 1]);
  const refused = onlyReject(
    await readFiles({
      'r.jsonl': `${JSON.stringify({ messages: [user('x'), assistant('a', { weight: '0' })] })}\n`,
    }),
  );
  expect(refused).toMatchObject({ code: 'bad_shape', line: 1, format: 'openai-messages' });
});

it('marks the turn that a length limit cut', async () => {
  const cut = await row({ messages: [user('x'), assistant('a')], metadata: { finish_reason: 'length' } });
  expect(cut.turns[1]?.truncated).toBe('length');
  expect(cut.termination).toBe('context_limit');
  const own = await row({
    messages: [user('x'), assistant('a', { finish_reason: 'length' }), user('y'), assistant('b')],
  });
  expect(own.turns.map((turn) => turn.truncated)).toEqual([null, 'length', null, null]);
});

it('tells feedback in user turns by its opening or by the call before it', async () => {
  const run = await row({
    messages: [
      user('OBSERVATION: no, this is the task'),
      assistant('look\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>'),
      user('Your command ran successfully.'),
      assistant('thoughts only'),
      user('<tool_response>\n3\n</tool_response>'),
      assistant('and now?'),
      user('please go on'),
      assistant('yes'),
    ],
  });
  expect(run.turns.filter((turn) => turn.role === 'user').map((turn) => turn.spans[0]?.kind)).toEqual([
    'prompt',
    'observation',
    'observation',
    'prompt',
  ]);
  expect(spansOf(run, 1)).toEqual([
    ['text', true, 'look\n'],
    ['tool_call', true, '<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>'],
  ]);
  expect(run.turns[1]?.spans[1]?.call).toMatchObject({ name: 'bash', arguments: '{"command":"ls"}' });
});

it('keeps content parts in order, a picture as a placeholder', async () => {
  const run = await row({
    messages: [
      user([
        { type: 'text', text: 'see ' },
        { type: 'image_url', image_url: { url: 'data:' } },
      ]),
      assistant([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ],
  });
  expect(spansOf(run, 0)).toEqual([
    ['prompt', true, 'see '],
    ['image', true, '[image]'],
  ]);
  expect(run.turns[1] && turnContent(run.turns[1])).toBe('ab');
});

it('takes tools as a list or as JSON text', async () => {
  const messages = [user('x'), assistant('a')];
  expect((await row({ messages, tools: [{ type: 'function' }] })).tools).toBe('[{"type":"function"}]');
  expect((await row({ messages, tools: '[ {"type":"function"} ]' })).tools).toBe('[ {"type":"function"} ]');
  expect((await row({ messages, functions: [{ name: 'f' }] })).tools).toBe(
    '[{"type":"function","function":{"name":"f"}}]',
  );
  const bad = await readFiles({ 'r.jsonl': JSON.stringify({ messages, tools: 'none' }) });
  expect(onlyReject(bad).code).toBe('bad_shape');
});

it('reads rows, a row as a document, and a bare list', async () => {
  const messages = [user('x'), assistant('a')];
  const ids = await Promise.all([
    row({ messages }),
    readFiles({ 'a.json': JSON.stringify({ messages }, null, 2) }).then(onlyTrajectory),
    readFiles({ 'a.json': JSON.stringify(messages, null, 2) }).then(onlyTrajectory),
    readFiles({ 'a.json': JSON.stringify(messages) }).then(onlyTrajectory),
  ]);
  expect(new Set(ids.map((run) => run.trajectory_id)).size).toBe(1);
  expect(ids.map((run) => run.source.line)).toEqual([1, null, null, null]);
});

it('refuses each bad row alone, with its place', async () => {
  const good = JSON.stringify({ messages: [user('x'), assistant('a')] });
  const lines = [
    good,
    JSON.stringify({ messages: [user('x'), { role: 'alien', content: 'y' }] }),
    '{"messages": [}',
    JSON.stringify({ messages: [] }),
    JSON.stringify({ messages: [user('x')] }),
    JSON.stringify({ text: 'no messages' }),
    '',
    good,
    '{"messages": [{"role": "us',
  ];
  const results = await readFiles({ 'rows.jsonl': lines.join('\n') });
  expect(trajectoriesOf(results).map((run) => run.source.line)).toEqual([1, 8]);
  expect(rejectsOf(results).map((reject) => [reject.line, reject.code])).toEqual([
    [2, 'bad_shape'],
    [3, 'invalid_json'],
    [4, 'no_turns'],
    [5, 'no_model_turns'],
    [6, 'bad_shape'],
    [9, 'torn_line'],
  ]);
  const [second] = rejectsOf(results);
  expect(second?.byte_start).toBe(good.length + 1);
  expect(second?.message).toContain('messages[1].role');
});

describe('executions that the pipeline names', () => {
  const call = (id: string | undefined, command: string) => ({
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name: 'bash', arguments: JSON.stringify({ command }) },
  });

  it('pair calls with feedback by id, or by place', async () => {
    const named = await row(
      {
        messages: [
          user('x'),
          assistant('', {
            tool_calls: [call('a', 'python train.py'), call('b', 'python eval.py'), call('c', 'ls')],
          }),
          tool('b out', { tool_call_id: 'b' }),
          tool('a out [The command completed with exit code 0.]', { tool_call_id: 'a' }),
          tool('files', { tool_call_id: 'c' }),
          assistant('', { tool_calls: [call(undefined, 'python one.py'), call(undefined, 'python two.py')] }),
          tool('Traceback (most recent call last):\n  File "one.py", line 1, in <module>\nKeyError: 1\n'),
          tool('<returncode>1</returncode>'),
          assistant('done'),
        ],
      },
      { experimentPatterns: [/^python /] },
    );
    expect(
      named.executions.map((execution) => [
        execution.code,
        execution.feedback_turn,
        execution.status,
        execution.exit_code,
        execution.error_type,
      ]),
    ).toEqual([
      ['python train.py', 3, 'ok', 0, null],
      ['python eval.py', 2, 'unknown', null, null],
      ['python one.py', 6, 'error', null, 'KeyError'],
      ['python two.py', 7, 'error', 1, null],
    ]);
    expect(named.flags).toEqual(['submissions_not_recorded']);
  });

  it('come by tool name, and a cut call launches nothing', async () => {
    const messages = [
      user('x'),
      assistant('', { tool_calls: [call('a', 'make')], finish_reason: 'length' }),
      tool('out', { tool_call_id: 'a' }),
      assistant('', { tool_calls: [call('b', 'make')] }),
    ];
    const run = await row({ messages }, { experiments: { 'openai-messages': { experiment: ['bash'] } } });
    expect(run.executions.map((execution) => [execution.call_turn, execution.feedback_turn])).toEqual([
      [3, null],
    ]);
  });
});

describe('calls in text', () => {
  const call = (content: string) =>
    textCallMarks(content).map((mark) => [content.slice(mark.start, mark.end), mark.call]);

  it.each([
    [
      'JSON',
      '<tool_call>\n{"name": "f", "arguments": {"x": 1.0}}\n</tool_call>',
      { name: 'f', arguments: '{"x": 1.0}' },
    ],
    [
      'a function',
      '<tool_call>\n<function=f>\n<parameter=a>\n1\n2\n</parameter>\n</function>\n</tool_call>',
      { name: 'f', arguments: '{"a":"1\\n2"}' },
    ],
    [
      'a program',
      '<tool_call>\npython\n<code>print(1)</code>\n</tool_call>',
      { name: 'python', arguments: 'print(1)' },
    ],
    ['nothing that parses', '<tool_call>\n{"name": \n</tool_call>', null],
    ['a parameter without an end', '<function=f>\n<parameter=a>1\n</function>', null],
    ['no end', '<function=f>\n<parameter=a>', null],
  ])('around %s', (_name, content, expected) => {
    expect(call(content)).toEqual([[content, expected]]);
  });

  it('do not count in thought or within a line', () => {
    expect(call('<think>\n<tool_call>\n{}\n</tool_call>\n</think>\nno')).toEqual([]);
    expect(call('write <function=f> to call f')).toEqual([]);
  });
});

it('loses no character of any content', async () => {
  const piece = fc.constantFrom(
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<function=f>',
    '</function>',
    '\n',
    'é𝒳',
    ' {"name": "x"} ',
    'OBSERVATION:',
  );
  const content = fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 4 }), async (contents) => {
      const messages = contents.flatMap((text) => [user(text), assistant(`${text}.`)]);
      const run = await row({ messages });
      expect(run.turns.map(turnContent)).toEqual(messages.map((message) => message.content));
    }),
    { numRuns: 60 },
  );
});
