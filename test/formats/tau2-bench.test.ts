import { expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const call = (id: string, name: string, requestor = 'assistant') => ({
  id,
  name,
  arguments: { line: '1' },
  requestor,
});
const answer = (id: string, content: string, requestor = 'assistant') => ({
  id,
  role: 'tool',
  content,
  requestor,
  error: false,
});
const raw = (text: string) => ({
  finish_reason: 'tool_calls',
  message: {
    content: null,
    reasoning_content: 'hm',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'check_line', arguments: text } }],
  },
});
const MESSAGES = [
  { role: 'assistant', content: 'Hi! How can I help you today?', tool_calls: null, cost: 0 },
  { role: 'user', content: 'no signal', tool_calls: null },
  {
    role: 'assistant',
    content: null,
    tool_calls: [call('c1', 'check_line')],
    raw_data: raw('{ "line":"1"}'),
  },
  answer('c1', 'line is up'),
  { role: 'assistant', content: 'Look at your phone.', tool_calls: null, usage: { completion_tokens: 4 } },
  { role: 'user', content: null, tool_calls: [call('u1', 'check_status_bar', 'user')] },
  answer('u1', 'airplane mode', 'user'),
  { role: 'user', content: 'it says airplane mode ###STOP###', tool_calls: null },
];
const simulation = (rest: Record<string, unknown> = {}) => ({
  id: 'sim-1',
  task_id: 'mobile_data[airplane]',
  trial: 0,
  seed: 7,
  termination_reason: 'user_stop',
  reward_info: { reward: 1, db_check: null },
  messages: MESSAGES,
  ...rest,
});
const INFO = { agent_info: { llm: 'some-model' }, environment_info: { domain_name: 'telecom', policy: 'P' } };
const results = (simulations: unknown) => ({ timestamp: 't', info: INFO, tasks: [], simulations });
const read = async (content: unknown) => onlyTrajectory(await readFiles({ 'results.json': content }));

it('has what the agent saw and wrote, without the calls between the simulated user and its tools', async () => {
  const run = await read(results([simulation()]));
  expect(run.source.format).toBe('tau2-bench');
  expect(run.turns.map((turn) => [turn.role, turnContent(turn)])).toEqual([
    ['assistant', 'Hi! How can I help you today?'],
    ['user', 'no signal'],
    ['assistant', ''],
    ['tool', 'line is up'],
    ['assistant', 'Look at your phone.'],
    ['user', 'it says airplane mode ###STOP###'],
  ]);
  expect(run.turns[2]?.spans.map(({ kind, text }) => [kind, text])).toEqual([
    ['reasoning', 'hm'],
    ['tool_call', '{ "line":"1"}'],
  ]);
  expect(run.turns[3]?.tool_call_id).toBe('c1');
  expect(run.model).toBe('some-model');
  expect(run.flags).toContain('system_prompt_absent');
});

it('trains neither the greeting of the scaffold nor the user', async () => {
  const run = await read(results([simulation()]));
  const model = run.turns.flatMap((turn, index) =>
    turn.spans.some(({ origin }) => origin === 'model') ? [index] : [],
  );
  expect(model).toEqual([2, 4]);
  expect(run.turns[0]?.flags).toEqual(['harness_reply']);
  const asked = [{ ...MESSAGES[0], usage: { completion_tokens: 9 } }, ...MESSAGES.slice(1)];
  const own = await read(results([simulation({ messages: asked })]));
  expect(own.turns[0]?.spans.map(({ origin }) => origin)).toEqual(['model']);
  const first = { role: 'assistant', content: null, tool_calls: [call('c0', 'check_line')] };
  const acting = await read(
    results([simulation({ messages: [first, answer('c0', 'up'), ...MESSAGES.slice(1)] })]),
  );
  expect(acting.turns[0]?.spans.map(({ origin }) => origin)).toEqual(['model']);
});

it('keeps the calls of the message where the raw reply is missing or of other calls', async () => {
  const other = { finish_reason: 'stop', message: { content: 'x', tool_calls: null } };
  for (const raw_data of [null, other]) {
    const messages = MESSAGES.map((message, index) => (index === 2 ? { ...message, raw_data } : message));
    const run = await read(results([simulation({ messages })]));
    expect(run.turns[2]?.spans.map(({ call: made }) => [made?.name, made?.arguments])).toEqual([
      ['check_line', '{"line":"1"}'],
    ]);
  }
});

it.each([
  [{ reward: 1 }, 'user_stop', true, true, 'submitted'],
  [{ reward: 0 }, 'max_steps', false, true, 'step_limit'],
  [{ reward: 0.5 }, 'agent_stop', null, true, 'submitted'],
  [null, 'infrastructure_error', null, false, 'error'],
  [{ reward: null }, 'something_new', null, false, 'unknown'],
])(
  'takes the reward %j and the end %s',
  async (reward_info, termination_reason, resolved, gradable, ended) => {
    const run = await read(results([simulation({ reward_info, termination_reason })]));
    expect([run.resolved, run.submissions[0]?.gradable, run.termination]).toEqual([
      resolved,
      gradable,
      ended,
    ]);
  },
);

it('has trials of a task in one group, each with an id of its own, and refuses a faulty one alone', async () => {
  const found = await readFiles({
    'results.json': results([
      simulation(),
      simulation({ id: 'sim-2', messages: [] }),
      simulation({ id: 'sim-3', messages: [{ role: 'assistant', content: 'UklG', is_audio: true }] }),
      simulation({ id: 'sim-4', task_id: 3 }),
    ]),
  });
  const runs = trajectoriesOf(found);
  expect(runs.map(({ group, session_id }) => [group, session_id])).toEqual([
    ['tau2-bench/telecom/mobile_data[airplane]', 'sim-1'],
    ['tau2-bench/telecom/3', 'sim-4'],
  ]);
  expect(rejectsOf(found).map(({ code, message }) => [code, message.slice(0, 14)])).toEqual([
    ['no_turns', 'simulations[1]'],
    ['not_a_trajectory', 'simulations[2]'],
  ]);
});

it('reads a simulation that stands alone, and leaves other simulations to others', async () => {
  expect((await read(simulation())).task_id).toBe('tau2-bench/unknown/mobile_data[airplane]');
  expect(onlyReject(await readFiles({ 'x.json': { simulations: [{ heading: 'x' }] } })).code).toBe(
    'unknown_format',
  );
});
