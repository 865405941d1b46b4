import { expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const CALL = '{"name": "search", "arguments": {"q": 1.0}}';
const row = (conversations: unknown[], rest: Record<string, unknown> = {}) => ({
  id: 'x',
  conversations,
  ...rest,
});
const said = (from: string, value: string, rest: Record<string, unknown> = {}) => ({ from, value, ...rest });

const CHAT = row(
  [
    said('human', 'q'),
    said('gpt', '<think>hm</think>I search'),
    said('function_call', CALL),
    said('observation', 'found'),
    said('gpt', 'done'),
  ],
  { system: 'S', tools: '[{"name": "search"}]', model: 'm' },
);

it('reads speakers, calls as they stand, and tools', async () => {
  const run = onlyTrajectory(await readFiles({ 'rows.jsonl': `${JSON.stringify(CHAT)}\n` }));
  expect(run.turns.map((turn) => `${turn.role}:${turnContent(turn)}`)).toEqual([
    'system:S',
    'user:q',
    'assistant:<think>hm</think>I search',
    `assistant:${CALL}`,
    'tool:found',
    'assistant:done',
  ]);
  expect(run.turns[3]?.spans[0]?.call).toMatchObject({ name: 'search', arguments: '{"q": 1.0}' });
  expect(run.turns[2]?.spans.map((span) => span.kind)).toEqual(['reasoning', 'text']);
  expect(run).toMatchObject({
    session_id: 'x',
    model: 'm',
    termination: 'submitted',
    tools: '[{"name": "search"}]',
  });
});

it('knows tool feedback behind a human, and what a row excludes from training', async () => {
  const chat = row([
    said('human', 'q'),
    said('gpt', '<tool_call>{"name": "ls", "arguments": {}}</tool_call>', { loss: false }),
    said('human', 'a.txt'),
    said('gpt', 'fine', { weight: 0 }),
    said('human', 'thanks'),
  ]);
  const run = onlyTrajectory(await readFiles({ 'rows.json': [chat] }));
  expect(run.turns.map(({ weight, spans }) => [weight, spans.at(-1)?.kind])).toEqual([
    [1, 'prompt'],
    [0, 'tool_call'],
    [1, 'observation'],
    [0, 'text'],
    [1, 'prompt'],
  ]);
  expect(run.termination).toBe('unknown');
});

it('keeps a call that does not parse, as malformed', async () => {
  const run = onlyTrajectory(await readFiles({ 'rows.json': [row([said('function_call', 'oops')])] }));
  expect(run.turns[0]?.spans).toMatchObject([{ kind: 'malformed_call', text: 'oops' }]);
});

it('refuses rows alone: unknown speakers, no model, no messages', async () => {
  const rows = [CHAT, row([said('narrator', 'x')]), row([said('human', 'x')]), row([])];
  const results = await readFiles({ 'rows.json': rows });
  expect(trajectoriesOf(results)).toHaveLength(1);
  expect(rejectsOf(results).map(({ code }) => code)).toEqual(['bad_shape', 'no_model_turns', 'no_turns']);
  expect(onlyReject(await readFiles({ 'row.json': row([said('human', 1 as never)]) })).code).toBe(
    'bad_shape',
  );
});
