import { describe, expect, it } from 'vitest';
import { verifiers } from '../../src/formats/verifiers.js';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { readOne, realLog, tally } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const readReal = async (path: string) => readAll({ root: sharedFile('logs'), path });

describeWithShared('real ToolBench searches', () => {
  it.each([
    [
      'G1_10_ChatGPT_DFS.json',
      7,
      ['transitaires_for_transitaires', 'transitaire_for_transitaires', 'Finish'],
    ],
    [
      'G3_21_ChatGPT_DFS.json',
      9,
      ['raiderio_call_for_raider_io', 'dota_2_steam_web', 'getsponsorships_for_diablo4_smartable', 'Finish'],
    ],
  ])('%s: %i turns', async (name, turns, calls) => {
    const run = onlyTrajectory(await readReal(`toolbench_dfs_tree/${name}`));
    expect(run.turns).toHaveLength(turns);
    expect(run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.name ?? []))).toEqual(calls);
    expect(run).toMatchObject({ termination: 'submitted', resolved: null, scaffold: 'toolbench' });
    expect(run.flags).toEqual(['no_experiment_boundary', 'win:true']);
  });

  it('are the same without their replay, from the tree alone', async () => {
    const log = realLog('toolbench_dfs_tree', 'G3_21_ChatGPT_DFS.json');
    const whole = onlyTrajectory(await readReal('toolbench_dfs_tree/G3_21_ChatGPT_DFS.json'));
    delete log.answer_generation.train_messages;
    const rebuilt = onlyTrajectory(await readFiles({ 'tree.json': log }));
    const written = (run: typeof whole) =>
      run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.arguments ?? []));
    expect(written(rebuilt)).toEqual(written(whole));
    expect(rebuilt.flags).toContain('rebuilt_from_tree');
  });
});

describe('a search', () => {
  const input = (text: string, children: unknown[] = [], rest: Record<string, unknown> = {}) => ({
    node_type: 'Action Input',
    description: text,
    observation: `saw ${text}`,
    children,
    ...rest,
  });
  const action = (name: string, child: unknown) => ({
    node_type: 'Action',
    description: name,
    children: [child],
  });
  const search = (children: unknown[], rest: Record<string, unknown> = {}) => ({
    win: false,
    tree: { tree: { node_type: 'Action Input', description: '', children } },
    answer_generation: { query: 'q', query_count: 3, valid_data: false, ...rest },
    forward_args: { max_query_count: 3 },
  });

  it('that gave up counts the replies that it left', async () => {
    const left = action('f', input('1', [], { expand_num: 1 }));
    const end = action('Finish', input('{"return_type": "give_up"}', [], { expand_num: 2 }));
    const run = onlyTrajectory(
      await readFiles({ 't.json': search([left, end], { finish_type: 'give_up' }) }),
    );
    expect(run.turns.map(turnContent)).toEqual(['q', '', 'saw {"return_type": "give_up"}']);
    expect(run.flags).toEqual(expect.arrayContaining(['gave_up', 'rewound_replies:1', 'win:false']));
  });

  it('that never answered ran into its limit, and one without nodes is refused', async () => {
    const run = onlyTrajectory(await readFiles({ 't.json': search([action('f', input('1'))]) }));
    expect(run.termination).toBe('step_limit');
    expect(onlyReject(await readFiles({ 't.json': search([]) })).code).toBe('no_model_turns');
  });
});

describeWithShared('real Who&When transcripts', () => {
  it('of generated agents: 4 programs of which 1 succeeded', async () => {
    const run = onlyTrajectory(await readReal('who_and_when_autogen/algorithm-generated_59.json'));
    expect(run.turns).toHaveLength(10);
    expect(run.executions.map(({ exit_code, feedback_turn }) => [exit_code, feedback_turn])).toEqual([
      [1, 3],
      [1, 5],
      [0, 7],
      [1, 9],
    ]);
    expect(run.resolved).toBe(false);
    expect(run.flags).toEqual(
      expect.arrayContaining(['several_agents', 'mistake_agent:DataExtraction_Expert']),
    );
    expect(run.turns[1]?.flags).toEqual(['mistake']);
    expect(run.flags).toContain('mistake_step_of_other_agent');
  });

  it('of Magentic-One: only ledgers and the assistant are a model’s', async () => {
    const run = onlyTrajectory(await readReal('who_and_when_autogen/hand-crafted_51.json'));
    const { history } = realLog('who_and_when_autogen', 'hand-crafted_51.json');
    expect(run.turns).toHaveLength(123);
    expect(run.turns.map(turnContent)).toEqual(
      history.map((message: { content: string }) => message.content),
    );
    const byModel = run.turns.filter((turn) => turn.spans.some((span) => span.origin === 'model'));
    const ledgers = history.filter((message: { content: string }) =>
      message.content.startsWith('Updated Ledger:'),
    );
    expect(byModel).toHaveLength(ledgers.length + 8);
    expect(run.turns[5]?.flags).toEqual(['mistake']);
    expect(run.flags).not.toContain('mistake_step_of_other_agent');
  });
});

describeWithShared('the real ALFWorld results', () => {
  it('hold 50 reflections; 84 environments hold none', async () => {
    const results = await readReal('reflexion_run_log/alfworld_env_results_trial_0.json');
    const runs = trajectoriesOf(results);
    const rows = realLog('reflexion_run_log', 'alfworld_env_results_trial_0.json');
    const texts = rows.flatMap((row: { memory: string[] }) => row.memory);
    expect(runs.flatMap((run) => run.turns.map(turnContent))).toEqual(texts);
    expect(runs).toHaveLength(50);
    expect(tally(runs.map((run) => String(run.resolved)))).toEqual({ false: 50 });
    expect(rejectsOf(results)).toMatchObject([
      { code: 'no_model_turns', message: '84 of 134 environments hold no text of a model' },
    ]);
  });
});

it('reads programs of Reflexion with feedback and reflections in turn', async () => {
  const row = {
    prompt: 'write f',
    implementations: ['def f(): 1', 'def f(): 2'],
    test_feedback: ['failed'],
    reflections: ['I was wrong'],
    is_solved: true,
    solution: 'def f(): 2',
  };
  const run = onlyTrajectory(await readFiles({ 'r.jsonl': `${JSON.stringify(row)}\n` }));
  expect(run.turns.map((turn) => `${turn.role}:${turnContent(turn)}`)).toEqual([
    'user:write f',
    'assistant:def f(): 1',
    'user:failed',
    'assistant:I was wrong',
    'assistant:def f(): 2',
  ]);
  expect(run.resolved).toBe(true);
});

describe('a rollout of verifiers', () => {
  const row = (rest: Record<string, unknown> = {}) => ({
    example_id: 3,
    task: 'gsm8k',
    prompt: [
      { role: 'user', content: 'example' },
      { role: 'assistant', content: 'shown' },
      { role: 'user', content: 'q' },
    ],
    completion: [
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'more' },
      { role: 'assistant', content: 'two' },
    ],
    reward: 0.5,
    ...rest,
  });
  const step = (completion_ids: number[], rest: Record<string, unknown> = {}) => ({
    tokens: { prompt_ids: [9], completion_ids, completion_logprobs: completion_ids.map(() => -1), ...rest },
  });
  const read = async (rest: Record<string, unknown>) =>
    onlyTrajectory(await readFiles({ 'rollouts.jsonl': `${JSON.stringify(row(rest))}\n` }));

  it('trains the completion alone, with the tokens of its steps', async () => {
    const run = await read({ trajectory: [step([1, 2]), step([3], { is_truncated: true })] });
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
      'environment',
      'model',
    ]);
    expect(run.turns[3]?.policy).toMatchObject({ prompt_ids: [9], response_ids: [1, 2], logprobs: [-1, -1] });
    expect(run.turns[5]?.truncated).toBe('length');
    expect(run).toMatchObject({ group: 'gsm8k/3', task_id: 'gsm8k', resolved: null });
    expect(run.flags).toContain('reward:0.5');
  });

  it('has its calls out of the strings that rows are saved with, in the old shape and the new', async () => {
    const flat = { id: 'c1', name: 'search', arguments: '{"q": 1.0}' };
    const nested = { id: 'c2', type: 'function', function: { name: 'search', arguments: '{}' } };
    const definition = { name: 'search', description: 'd', parameters: { type: 'object' } };
    const run = await read({
      completion: [
        { role: 'assistant', content: '', tool_calls: [flat, nested].map((call) => JSON.stringify(call)) },
        { role: 'tool', content: 'found', tool_call_id: 'c1' },
        { role: 'tool', content: 'more', tool_call_id: 'c2' },
        { role: 'assistant', content: 'two' },
      ],
      tool_defs: [definition],
    });
    expect(run.turns[3]?.spans.map((span) => span.call)).toMatchObject([
      { id: 'c1', name: 'search', arguments: '{"q": 1.0}' },
      { id: 'c2', name: 'search', arguments: '{}' },
    ]);
    expect(JSON.parse(run.tools ?? '')).toEqual([{ type: 'function', function: definition }]);
  });

  it('reads a completed text, and refuses a rollout without a reply', async () => {
    const run = await read({ prompt: 'two and two', completion: ' is four' });
    expect(run.turns.map((turn) => [turn.role, turn.spans[0]?.origin, turn.spans[0]?.text])).toEqual([
      ['user', 'environment', 'two and two'],
      ['assistant', 'model', ' is four'],
    ]);
    const empty = `${JSON.stringify(row({ completion: [], reward: null }))}\n`;
    expect(onlyReject(await readFiles({ 'rollouts.jsonl': empty })).code).toBe('no_model_turns');
  });

  it('launched what its own whole replies call, not what the prompt shows', () => {
    const code = (id: string) => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ id, type: 'function', function: { name: 'python', arguments: `{"code": "${id}"}` } }],
    });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
    const experiments = { experiments: { experiment: ['python'], scoring: [] } };
    const prompt = [
      { role: 'user', content: 'example' },
      code('a'),
      result('a'),
      { role: 'user', content: 'q' },
    ];
    const own = { prompt, completion: [code('b'), result('b'), code('c')] };
    const calls = (rest: Record<string, unknown>) =>
      readOne(verifiers, row({ ...own, ...rest }), experiments).executions.map(
        ({ execution_id, order, call_turn }) => [execution_id, order, call_turn],
      );
    expect(calls({})).toEqual([
      ['call-0', 0, 4],
      ['call-1', 1, 6],
    ]);
    expect(calls({ is_truncated: true })).toEqual([['call-0', 0, 4]]);
    const none = readOne(verifiers, row({ prompt }), experiments);
    expect([none.executions, none.flags]).toEqual([[], ['no_experiment_boundary', 'reward:0.5']]);
  });

  it('does not guess which tokens are whose', async () => {
    const run = await read({ trajectory: [step([1])] });
    expect(run.turns.every((turn) => turn.policy === null)).toBe(true);
    expect(run.flags).toContain('steps_do_not_match_replies');
  });

  it.each([
    [{ stop_condition: 'max_turns_reached' }, 'step_limit'],
    [{ is_truncated: true }, 'context_limit'],
    [{ error: { error: 'ModelError', error_chain_repr: 'x', error_chain_str: 'x' } }, 'error'],
    [{}, 'submitted'],
  ])('ends as %j says', async (rest, termination) => {
    expect((await read(rest)).termination).toBe(termination);
  });
});
