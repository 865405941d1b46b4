import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';

/** The example of the documentation. */
const EXAMPLE = (() => {
  const page = readFileSync(new URL('../../docs/native-format.md', import.meta.url), 'utf8');
  return /```jsonl\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
})();

const examples = () =>
  EXAMPLE.trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the documented example', () => {
  const read = async () => trajectoriesOf(await readFiles({ 'runs.jsonl': EXAMPLE }));

  it('is a run and its sub-agent', async () => {
    const runs = await read();
    expect(runs.map(({ session_id, parent_session, flags }) => [session_id, parent_session, flags])).toEqual([
      ['run-1', null, []],
      ['run-1/analyze-1', 'run-1', ['sub_agent']],
    ]);
  });

  it('has three nodes in a tree, one taken back, and two answers', async () => {
    const [run] = await read();
    const experiments = run?.executions.filter((execution) => execution.kind === 'experiment') ?? [];
    expect(
      experiments.map((e) => [
        e.execution_id,
        e.parent_execution,
        e.status,
        e.exit_code,
        e.invalidated,
        e.complete_solution,
      ]),
    ).toEqual([
      ['n1', null, 'ok', 0, true, true],
      ['n2', 'n1', 'error', 1, false, null],
      ['n3', 'n2', 'ok', 0, false, null],
    ]);
    expect(
      run?.executions.map(({ tool, kind, call_turn, call_span, feedback_turn }) => [
        tool,
        kind,
        call_turn,
        call_span,
        feedback_turn,
      ]),
    ).toEqual([
      ['execute_code', 'experiment', 2, 1, 3],
      ['update_answer', 'scoring', 4, 0, 5],
      ['analyze', 'other', 6, 1, 7],
      ['invalidate_node', 'other', 8, 0, 9],
      ['execute_code', 'experiment', 11, 0, 12],
      ['execute_code', 'experiment', 13, 0, 14],
      ['update_answer', 'scoring', 13, 1, 15],
    ]);
    expect(run?.submissions).toMatchObject([
      { execution_id: 'n1', scored_by: 'call:c2', observed_turn: 5, score: 2.5, scale: 'test' },
      { execution_id: 'n3', scored_by: 'call:c7', observed_turn: 15, score: 2.75, scale: 'test' },
    ]);
    expect(run?.feedback_exposes_test_score).toBe(false);
  });

  it('keeps contexts, tokens and every text', async () => {
    const [run] = await read();
    const [record] = examples();
    expect(run?.epochs).toEqual(
      record.epochs.map(({ messages, reason }: { messages: number[]; reason: string | null }) => ({
        turns: messages,
        reason,
      })),
    );
    expect(run?.turns[2]?.policy).toEqual(record.messages[2].tokens);
    expect(run?.turns.map(turnContent)).toEqual(
      record.messages.map((message: { content: string }) => message.content),
    );
    const calls = record.messages.flatMap(
      (message: { calls?: { arguments: string }[] }) => message.calls ?? [],
    );
    expect(run?.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.arguments ?? []))).toEqual(
      calls.map((call: { arguments: string }) => call.arguments),
    );
    expect(JSON.parse(run?.tools ?? '')).toEqual(record.tools);
  });
});

const record = (rest: Record<string, unknown> = {}) => ({
  format: 'trajmill-native',
  version: 1,
  session_id: 's',
  termination: 'unknown',
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'x', calls: [{ id: 'c1', name: 'execute_code', arguments: '{}' }] },
    { role: 'tool', call_id: 'c1', content: 'out' },
  ],
  nodes: [{ id: 'n1', call_id: 'c1', code: 'x', status: 'ok' }],
  ...rest,
});

const one = async (rest: Record<string, unknown>) =>
  onlyTrajectory(await readFiles({ 'r.jsonl': `${JSON.stringify(record(rest))}\n` }));

it('reads a single record, on one line or many', async () => {
  expect((await one({})).executions).toHaveLength(1);
  const spread = onlyTrajectory(await readFiles({ 'r.json': JSON.stringify(record(), null, 2) }));
  expect(spread.source.format).toBe('trajmill-native');
});

it('counts a call without a node as no experiment', async () => {
  expect((await one({ nodes: [] })).executions).toMatchObject([{ kind: 'other', status: 'ok' }]);
});

it('never trains copied text, and keeps no tokens for it', async () => {
  const tokens = { prompt_ids: null, response_ids: [1], logprobs: null, weight_version: null };
  const messages = [
    { role: 'assistant', content: 'old', copied: true, tokens },
    { role: 'assistant', content: 'cut', stop: 'length', tokens },
  ];
  const run = await one({ messages, nodes: [] });
  expect(
    run.turns.map(({ spans, policy, truncated }) => [spans[0]?.origin, policy === null, truncated]),
  ).toEqual([
    ['environment', true, null],
    ['model', false, 'length'],
  ]);
});

it.each([
  ['an unknown field', { nodez: [] }, ''],
  ['another version', { version: 2 }, 'version'],
  [
    'a node without its call',
    { nodes: [{ id: 'n', call_id: 'c9', code: '', status: 'ok' }] },
    'nodes.0.call_id',
  ],
  [
    'an unknown parent',
    { nodes: [{ id: 'n', parent: 'm', call_id: 'c1', code: '', status: 'ok' }] },
    'nodes.0.parent',
  ],
  [
    'an answer to no call',
    { messages: [{ role: 'tool', call_id: 'c1', content: '' }], nodes: [] },
    'messages.0.call_id',
  ],
  [
    'an answer of no node',
    { answers: [{ node: 'n7', shown: true, gradable: true, scale: 'test' }] },
    'answers.0.node',
  ],
  ['a context that misses a message', { epochs: [{ messages: [0, 1], reason: null }] }, 'epochs'],
  ['a context beyond the end', { epochs: [{ messages: [0, 1, 2, 3], reason: null }] }, 'epochs.0.messages'],
])('refuses %s', async (_name, rest, path) => {
  const reject = onlyReject(await readFiles({ 'r.jsonl': `${JSON.stringify(record(rest))}\n` }));
  expect(reject.code).toBe('bad_shape');
  expect(reject.message.startsWith(`${path}:`)).toBe(true);
});
