import { describe, expect, it } from 'vitest';
import type { RawTrajectory } from '../../src/formats/adapter.js';
import { formatNamed } from '../../src/formats/registry.js';
import { verifiersTraces } from '../../src/formats/verifiers-traces.js';
import { turnContent } from '../../src/trajectory/build.js';
import { readDocument, readOne } from './adapter-context.js';
import { onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

type Fields = Record<string, unknown>;

/** A node whose tokens are those of its text, one a word, with the reply's prompt of two tokens. */
const handed = (role: string, content: string, parent: number | null, ids: number[] = []): Fields => ({
  ...(parent === null ? {} : { parent }),
  message: { role, content },
  sampled: false,
  token_ids: ids,
  mask: ids.map(() => false),
});

const reply = (message: Fields, parent: number, ids: { scaffold: number[]; sampled: number[] }): Fields => ({
  parent,
  message: { role: 'assistant', ...message },
  sampled: true,
  token_ids: [...ids.scaffold, ...ids.sampled],
  mask: [...ids.scaffold.map(() => false), ...ids.sampled.map(() => true)],
  logprobs: ids.sampled.map((_, index) => -0.1 * (index + 1)),
});

const call = (id: string, code: string): Fields => ({
  id,
  type: 'function',
  name: 'python',
  arguments: JSON.stringify({ code }),
});

const result = (id: string, content: string, parent: number, ids: number[] = []): Fields => ({
  ...handed('tool', content, parent, ids),
  message: { role: 'tool', tool_call_id: id, content },
});

const trace = (nodes: Fields[], rest: Fields = {}): Fields => ({
  version: 1,
  id: 'trace-a',
  verifiers: { version: '0.4.0' },
  task: { type: 'FitTask', data: { idx: 3, id: 'fit-leaves' }, key: 'k3' },
  agent: { config: { model: 'tiny-policy', max_turns: 9 }, name: 'agent', trainable: true },
  tools: [{ type: 'function', name: 'python', description: '', parameters: {} }],
  nodes,
  calls: [],
  rewards: { right: { score: 0.5, weight: 2 }, short: { score: 1, weight: 0.25 }, skipped: null },
  is_completed: true,
  ok: true,
  stop_condition: 'agent_completed',
  ...rest,
});

const episode = (traces: Fields[], rest: Fields = {}): Fields => ({
  id: 'episode-1',
  env: { id: 'leaves' },
  task: { type: 'FitTask', data: { idx: 3, id: 'fit-leaves' }, key: 'k3' },
  ok: true,
  traces,
  ...rest,
});

const RUN = trace([
  handed('system', 'You fit models.', null, [1, 2]),
  handed('user', 'Fit the leaves.', 0, [3]),
  reply({ content: 'I try.', tool_calls: [call('c1', 'fit()')] }, 1, { scaffold: [9], sampled: [10, 11] }),
  result(
    'c1',
    'Traceback (most recent call last):\n  File "fit.py", line 1, in <module>\nValueError: no leaves',
    2,
    [4, 5],
  ),
  reply({ content: 'Again.', reasoning_content: 'Leaves are missing.' }, 3, { scaffold: [9], sampled: [12] }),
]);

const ANY_PYTHON = { experiments: { experiment: ['python'], scoring: [] } };

/** Two branches, the first call of which is answered. */
const twoTries = [
  handed('user', 'Fit both.', null),
  reply({ content: null, tool_calls: [call('a', 'one()')] }, 0, { scaffold: [], sampled: [1] }),
  reply({ content: null, tool_calls: [call('b', 'two()')] }, 0, { scaffold: [], sampled: [2] }),
  result('a', 'fine', 1),
];

describe('traces of verifiers v1', () => {
  it('are read out of the lines of traces.jsonl, an episode each', async () => {
    const lines = [episode([RUN]), episode([{ ...RUN, id: 'trace-b' }])].map((row) => JSON.stringify(row));
    const results = await readFiles({ 'traces.jsonl': `${lines.join('\n')}\n` });
    expect(trajectoriesOf(results).map(({ session_id }) => session_id)).toEqual(['trace-a', 'trace-b']);
    expect(trajectoriesOf(results)[0]).toMatchObject({
      source: { format: 'verifiers-traces' },
      group: 'leaves/k3',
      task_id: 'fit-leaves',
      model: 'tiny-policy',
      scaffold: 'verifiers',
      scaffold_version: '0.4.0',
      turn_budget: 9,
      termination: 'submitted',
      flags: ['no_experiment_boundary', 'reward:1.25'],
    });
  });

  it('keep the tokens that the policy sampled, behind all that it had before', () => {
    const run = readOne(verifiersTraces, episode([RUN], { run: { work: { policy: { start: 7, end: 7 } } } }));
    expect(run.turns.map(({ policy }) => policy)).toEqual([
      null,
      null,
      { prompt_ids: [1, 2, 3, 9], response_ids: [10, 11], logprobs: [-0.1, -0.2], weight_version: '7' },
      null,
      {
        prompt_ids: [1, 2, 3, 9, 10, 11, 4, 5, 9],
        response_ids: [12],
        logprobs: [-0.1],
        weight_version: '7',
      },
    ]);
    expect(run.policy_version).toBe('7');
  });

  it('give the experiments that a pipeline names, with their outcome', () => {
    const run = readOne(verifiersTraces, RUN, ANY_PYTHON);
    expect(run.executions).toMatchObject([
      { kind: 'experiment', call_turn: 2, feedback_turn: 3, status: 'error', error_type: 'ValueError' },
    ]);
  });

  it('have a context for each branch, and an answer is looked for in the branch of its call', () => {
    const run = readOne(
      verifiersTraces,
      trace([
        ...twoTries,
        reply({ content: 'One is done.' }, 3, { scaffold: [], sampled: [3] }),
        result('b', 'NameError: two\nTraceback (most recent call last):\nNameError: two', 2),
        reply({ content: 'Two is not.' }, 5, { scaffold: [], sampled: [4] }),
      ]),
      ANY_PYTHON,
    );
    expect(run.epochs).toEqual([
      { turns: [0, 1, 3, 4], reason: null },
      { turns: [0, 2, 5, 6], reason: 'new_prompt' },
    ]);
    expect(run.executions.map(({ call_turn, feedback_turn }) => [call_turn, feedback_turn])).toEqual([
      [1, 3],
      [2, 5],
    ]);
    expect(run.executions.map(({ execution_id, order }) => [execution_id, order])).toEqual([
      ['call-0', 0],
      ['call-1', 1],
    ]);
  });

  it('train no compaction, and leave one that the harness did not go on from out of every context', () => {
    const attempt = (node: number): Fields => ({ semantic_parents: [{ node, type: 'compaction_attempt' }] });
    const nodes = (accepted: Fields[]): Fields[] => [
      handed('user', 'Fit.', null),
      reply({ content: 'Working.' }, 0, { scaffold: [], sampled: [1] }),
      { ...reply({ content: 'Summary: working.' }, 1, { scaffold: [], sampled: [2] }), ...attempt(1) },
      handed('user', 'Go on from: working.', null),
      { ...reply({ content: 'Done.' }, 3, { scaffold: [], sampled: [3] }), semantic_parents: accepted },
    ];
    const contextsOf = (accepted: Fields[]) => readOne(verifiersTraces, trace(nodes(accepted))).epochs;
    expect(contextsOf([{ node: 2, type: 'compaction' }])).toEqual([
      { turns: [0, 1, 2], reason: null },
      { turns: [3, 4], reason: 'compaction' },
    ]);
    expect(contextsOf([])).toEqual([{ turns: [3, 4], reason: null }]);
    const { turns } = readOne(verifiersTraces, trace(nodes([{ node: 2, type: 'compaction' }])));
    expect(turns.map(({ weight, flags }) => [weight, flags.includes('compact_summary')])).toEqual([
      [1, false],
      [1, false],
      [0, true],
      [1, false],
      [1, false],
    ]);
  });

  it('know the prompt behind a reply whose tokens stand with the message after it, and behind no other gap', () => {
    const promptBehind = (gap: Fields) =>
      readOne(
        verifiersTraces,
        trace([
          handed('user', 'An example.', null, [1]),
          gap,
          handed('user', 'Fit.', 1, [2, 3]),
          reply({ content: 'Done.' }, 2, { scaffold: [4], sampled: [5] }),
        ]),
      ).turns[3]?.policy?.prompt_ids;
    expect(promptBehind(handed('assistant', 'Shown.', 0))).toEqual([1, 2, 3, 4]);
    expect(promptBehind(handed('user', 'Lost.', 0))).toBeNull();
  });

  it('are one conversation where no node names the one before', () => {
    const linear = (RUN['nodes'] as Fields[]).map(({ parent: _, ...node }) => node);
    const run = readOne(verifiersTraces, { kind: 'envelope', trace: { ...RUN, nodes: linear } });
    expect(run.epochs).toEqual([{ turns: [0, 1, 2, 3, 4], reason: null }]);
  });

  it('train neither replies that were handed in nor an agent that the run does not train', () => {
    const nodes = RUN['nodes'] as Fields[];
    const prefilled = trace(nodes.map((node, index) => (index === 2 ? { ...node, sampled: false } : node)));
    const run = readOne(verifiersTraces, prefilled, ANY_PYTHON);
    expect(run.turns[2]).toMatchObject({ flags: ['copied_context'], policy: null });
    expect(run.turns[2]?.spans.map(({ origin }) => origin)).toEqual(['environment', 'environment']);
    expect(run.executions).toEqual([]);
    const judge = readOne(verifiersTraces, { ...RUN, agent: { config: {}, trainable: false } });
    expect(judge.turns.map(({ weight }) => weight)).toEqual([1, 1, 0, 1, 0]);
  });

  it.each([
    ['max_turns', 'step_limit'],
    ['max_total_tokens', 'context_limit'],
    ['agent_timeout', 'time_limit'],
    ['sandbox_error', 'error'],
  ])('stopped by %s ended by %s', (stop_condition, termination) => {
    expect(readOne(verifiersTraces, { ...RUN, stop_condition }).termination).toBe(termination);
  });

  it('have a reply that was cut where its call ran out of length', () => {
    const run = readOne(verifiersTraces, {
      ...RUN,
      calls: [{ node: 4, model: 'm', finish_reason: 'length' }],
    });
    expect(run.turns.map(({ truncated }) => truncated)).toEqual([null, null, null, null, 'length']);
  });

  it('tell reasoning of a provider from the summary that it gives of it', () => {
    const item = { type: 'reasoning', encrypted_content: 'x', summary: [{ text: 'Leaves are missing.' }] };
    const last = (state: unknown[], message: Fields = {}): RawTrajectory['turns'][number] | undefined => {
      const nodes = RUN['nodes'] as Fields[];
      const own = { ...(nodes[4]?.['message'] as Fields), provider_state: state, ...message };
      return readOne(verifiersTraces, trace([...nodes.slice(0, 4), { ...nodes[4], message: own }])).turns[4];
    };
    const reasoning = (turn: RawTrajectory['turns'][number] | undefined) =>
      turn?.spans.filter(({ kind }) => kind === 'reasoning').map(({ origin }) => origin);
    expect(reasoning(last([item]))).toEqual(['environment']);
    expect(last([item])?.flags).toEqual(['reasoning_summary']);
    expect(reasoning(last([{ ...item, content: [{ text: 'Leaves are missing.' }] }]))).toEqual(['model']);
    expect(reasoning(last([{ type: 'thinking', signature: 's' }, { type: 'redacted_thinking' }]))).toEqual([
      'model',
    ]);
    expect(last([{ ...item, summary: [] }], { reasoning_content: null })?.flags).toEqual([
      'reasoning_hidden',
    ]);
  });

  it('keep the free text of a custom tool as the call that it is', () => {
    const patch = {
      id: 'p',
      type: 'custom',
      name: 'apply_patch',
      namespace: 'repo',
      arguments: '*** Begin Patch',
    };
    const run = readOne(
      verifiersTraces,
      trace([
        handed('user', 'Patch.', null),
        reply({ content: null, tool_calls: [patch] }, 0, { scaffold: [], sampled: [1] }),
      ]),
    );
    expect(run.turns[1]?.spans).toMatchObject([
      { kind: 'tool_call', text: '*** Begin Patch', call: { name: 'repo.apply_patch' } },
    ]);
  });

  it('say nothing of the tokens of a reply whose mask does not run to its end', () => {
    const nodes = RUN['nodes'] as Fields[];
    const odd = { ...nodes[4], mask: [true, false] };
    const run = readOne(verifiersTraces, trace([...nodes.slice(0, 4), odd]));
    expect(run.turns[4]?.policy).toBeNull();
    expect(run.turns[2]?.policy?.response_ids).toEqual([10, 11]);
  });

  it('of several agents are runs of their own, a faulty one refused alone', async () => {
    const broken = { ...RUN, nodes: [handed('user', 'x', 1), handed('user', 'y', 0)] };
    const results = await readFiles({ 'traces.jsonl': JSON.stringify(episode([broken, RUN])) });
    expect(trajectoriesOf(results)).toHaveLength(1);
    expect(rejectsOf(results)).toMatchObject([{ code: 'bad_shape' }]);
    expect(rejectsOf(results)[0]?.message).toContain('nodes[0].parent: 1 is no node before it');
  });

  it('without messages are refused as logs without turns', async () => {
    const results = await readFiles({ 'traces.jsonl': `${JSON.stringify(episode([]))}\n` });
    expect(rejectsOf(results)).toMatchObject([{ code: 'no_turns' }]);
  });

  it('have one turn a message, in the order in which they were made', async () => {
    const run = onlyTrajectory(await readFiles({ 'one.json': RUN }));
    expect(run.turns.map(turnContent).slice(0, 2)).toEqual(['You fit models.', 'Fit the leaves.']);
    expect(readDocument(verifiersTraces, [RUN, RUN])).toHaveLength(2);
    expect(formatNamed('verifiers-traces')).toBe(verifiersTraces);
  });

  it('name the message at fault by its place in the graph', async () => {
    const nodes = [
      handed('user', 'Fit.', null),
      reply({ content: 'One.' }, 0, { scaffold: [], sampled: [1] }),
      handed('user', 'Go on.', 1),
      { ...handed('user', 'x', 1), message: { role: 'user', content: 7 } },
    ];
    const results = await readFiles({ 'one.json': trace(nodes) });
    expect(rejectsOf(results)[0]?.message).toMatch(/^nodes\[3\]\.message\.content: /);
  });

  it('link a score to the experiment before it in its own branch', () => {
    const score = (id: string): Fields => ({ id, type: 'function', name: 'score', arguments: '{}' });
    const run = readOne(
      verifiersTraces,
      trace([
        ...twoTries,
        result('b', 'Traceback (most recent call last):\nNameError: two', 2),
        reply({ content: null, tool_calls: [score('s')] }, 3, { scaffold: [], sampled: [3] }),
        result('s', '{"score": 0.5}', 5),
        reply({ content: null, tool_calls: [score('t')] }, 4, { scaffold: [], sampled: [4] }),
        result('t', '{"score": 0.6}', 7),
      ]),
      {
        experiments: {
          experiment: ['python'],
          scoring: ['score'],
          score: { key: 'score', scale: 'validation' },
        },
      },
    );
    const called = new Map(run.executions.map(({ execution_id, call_turn }) => [execution_id, call_turn]));
    expect(
      run.submissions.map(({ execution_id, score, stale }) => [called.get(execution_id ?? ''), score, stale]),
    ).toEqual([
      [1, 0.5, false],
      [2, 0.6, true],
    ]);
  });

  it('read alike whether a branch is read from its start or behind what is known', () => {
    const spine = RUN['nodes'] as Fields[];
    const forks = [
      ...[2, 4, 3].map((parent, index) =>
        reply({ content: `Fork ${index}.`, odd: 1 }, parent, { scaffold: [8], sampled: [20 + index] }),
      ),
      // answers in the role of a user are feedback behind feedback
      handed('user', '<output>one</output>', 4, [6]),
      handed('user', '<output>two</output>', 8, [7]),
      handed('user', '<output>other</output>', 8, [7]),
    ];
    const run = readOne(verifiersTraces, trace([...spine, ...forks]), ANY_PYTHON);
    for (const [index, epoch] of run.epochs.entries()) {
      const chain = epoch.turns.map((turn, position): Fields => {
        const node: Fields = [...spine, ...forks][turn] ?? {};
        return { ...node, parent: position === 0 ? null : position - 1 };
      });
      const alone = readOne(verifiersTraces, trace(chain), ANY_PYTHON);
      expect(epoch.turns.map((turn) => run.turns[turn])).toEqual(alone.turns);
      if (index === 0) expect(run.executions).toEqual(alone.executions);
    }
    expect(run.flags.filter((flag) => flag.startsWith('unread'))).toEqual(['unread_message_keys:odd']);
  });

  it('train no reply that the harness may have written in the place of the model’s', () => {
    const nodes = (RUN['nodes'] as Fields[]).map((node, index) =>
      index === 4 ? { ...node, token_ids: [], mask: [], logprobs: [] } : node,
    );
    const told = (rest: Fields) =>
      readOne(verifiersTraces, trace(nodes, rest))
        .turns.filter(({ role }) => role === 'assistant')
        .map(({ weight, flags }) => [weight, flags]);
    expect(told({ response_rewrites: [{ handler: 'guard' }] })).toEqual([
      [1, []],
      [0, ['reply_may_be_rewritten']],
    ]);
    expect(told({ response_rewrites: [] })).toEqual([
      [1, []],
      [1, []],
    ]);
  });

  it('that end in a summary which nothing went on from end before it', () => {
    const run = readOne(
      verifiersTraces,
      trace([
        handed('user', 'Fit.', null),
        reply({ content: 'Working.' }, 0, { scaffold: [], sampled: [1] }),
        handed('user', 'Summarise.', 1),
        {
          ...reply({ content: 'Summary.' }, 2, { scaffold: [], sampled: [2] }),
          semantic_parents: [{ node: 1, type: 'compaction_attempt' }],
        },
      ]),
    );
    expect(run.epochs).toEqual([{ turns: [0, 1, 2], reason: null }]);
  });

  it('of early versions say at the message why a reply ended', () => {
    const nodes = (RUN['nodes'] as Fields[]).map((node, index) =>
      index === 4 ? { ...node, finish_reason: 'length' } : node,
    );
    expect(readOne(verifiersTraces, trace(nodes)).turns[4]?.truncated).toBe('length');
  });
});
