import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog, tally } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, trajectoriesOf } from './read-all.js';

const root = () => sharedFile('logs');
const readTape = async (name: string) =>
  onlyTrajectory(await readAll({ root: root(), path: `tapeagents_tape/${name}` }));

describeWithShared('the real data science tape', () => {
  it('has 9 turns out of 30 steps, and two experiments that another agent ran', async () => {
    const run = await readTape('data_science_final_tape.json');
    expect(run.turns.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'user Initiator',
      'assistant SoftwareEngineer',
      'tool code_execution_result',
      'user CodeExecutor',
      'assistant AssetReviewer',
      'assistant SoftwareEngineer',
      'tool code_execution_result',
      'user CodeExecutor',
      'assistant AssetReviewer',
    ]);
    expect(run.executions).toMatchObject([
      { call_turn: 1, feedback_turn: 2, exit_code: 0, status: 'ok', kind: 'experiment' },
      { call_turn: 5, feedback_turn: 6, exit_code: 0, status: 'ok', kind: 'experiment' },
    ]);
    expect(run.termination).toBe('submitted');
    expect(run.flags).toEqual(['submissions_not_recorded']);
  });

  it('holds every text of the tape once', async () => {
    const run = await readTape('data_science_final_tape.json');
    const contents = run.turns.map(turnContent);
    const { steps } = realLog('tapeagents_tape', 'data_science_final_tape.json');
    for (const step of steps) {
      const text = typeof step.content === 'string' ? step.content : (step.result?.output ?? '');
      if (text !== '') expect(contents.filter((content) => content === text)).toHaveLength(1);
      for (const block of step.kind === 'execute_code' ? step.code : []) {
        expect(contents.some((content) => content.includes(block.code))).toBe(true);
      }
    }
  });
});

describeWithShared('the real failed tape', () => {
  it('has three calls of which the last is never answered', async () => {
    const run = await readTape('failed_tape.json');
    expect(tally(run.turns.map((turn) => turn.role))).toEqual({ user: 1, assistant: 4, tool: 2 });
    const calls = run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.name ?? []));
    expect(calls).toEqual(['get_stock_ticker', 'get_stock_data', 'get_stock_data']);
    expect(run.termination).toBe('unknown');
  });
});

describeWithShared('the real training samples', () => {
  it('keep ids, labels and log-probabilities exactly', async () => {
    const path = 'tapeagents_tape/gsm8k_rl_training_samples.jsonl';
    const runs = trajectoriesOf(await readAll({ root: root(), path }));
    const rows = readFileSync(sharedFile(`logs/${path}`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(runs.map((run) => run.turns[1]?.policy?.response_ids.length)).toEqual([
      803, 261, 237, 358, 1485, 208,
    ]);
    rows.forEach((row, index) => {
      const policy = runs[index]?.turns.at(-1)?.policy;
      const trained = row.labels.filter((label: number) => label !== -100);
      expect(policy?.response_ids).toEqual(trained);
      expect([...(policy?.prompt_ids ?? []), ...(policy?.response_ids ?? [])]).toEqual(row.input_ids);
      expect(policy?.logprobs).toEqual(row.logprobs);
      expect(runs[index]?.group).toBe(row.group_id);
      const texts = runs[index]?.turns.map(turnContent) ?? [];
      expect(row.text).toBe(
        `<|start_header_id|>user<|end_header_id|>\n\n${texts[0]}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n${texts[1]}<|eot_id|>`,
      );
    });
    expect(runs[0]?.flags).toContain('reward:-1');
  });
});

const step = (kind: string, rest: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  kind,
  metadata: { agent: '', prompt_id: '', ...metadata },
  ...rest,
});

const tape = (steps: unknown[], metadata: Record<string, unknown> = {}) => ({
  metadata: { id: 't', error: null, ...metadata },
  context: null,
  steps,
});

describe('a tape of reinforcement learning', () => {
  const llm_call = {
    prompt: {
      messages: [
        { role: 'system', content: 'SYSTEM' },
        { role: 'user', content: 'q' },
      ],
    },
    output: { role: 'assistant', content: '<think>so</think>42' },
    logprobs: [
      { token_id: 1, logprob: -0.5, generated: 0 },
      { token_id: 7, logprob: -0.25, generated: 1 },
      { token_id: 8, logprob: -0.125, generated: 1 },
    ],
  };

  it('keeps the output of its calls, and their tokens', async () => {
    const by = { agent: 'solver', prompt_id: 'p1', other: { llm_call } };
    const run = onlyTrajectory(
      await readFiles({
        'tape.json': tape([
          step('user', { content: 'q' }),
          step('reasoning_thought', { reasoning: 'so' }, by),
          step('final_answer_action', { answer: 42 }, { ...by, other: { llm_call } }),
        ]),
      }),
    );
    expect(run.turns.map((turn) => `${turn.role}:${turnContent(turn)}`)).toEqual([
      'system:SYSTEM',
      'user:q',
      'assistant:<think>so</think>42',
    ]);
    expect(run.turns[2]?.policy).toEqual({
      prompt_ids: [1],
      response_ids: [7, 8],
      logprobs: [-0.25, -0.125],
      weight_version: null,
    });
    expect(run.flags).not.toContain('text_rebuilt');
    expect(run.termination).toBe('submitted');
  });
});

it('joins the steps of one call, and puts steps of fields together as JSON', async () => {
  const by = { agent: 'a', prompt_id: 'p' };
  const run = onlyTrajectory(
    await readFiles({
      'tape.json': tape([
        step('user', { content: 'q' }),
        step('plan_thought', { plan: ['x'] }, by),
        step('search_action', { query: 'y' }, by),
        step('search_results_observation', { results: [1] }),
      ]),
    }),
  );
  expect(run.turns.map((turn) => turn.spans.map((span) => span.text))).toEqual([
    ['q'],
    ['{"kind":"plan_thought","plan":["x"]}', '{"query":"y"}'],
    ['{"results":[1]}'],
  ]);
  expect(run.flags).toContain('text_rebuilt');
});

it('does not train on the tape that a tape continues', async () => {
  const by = { agent: 'a', prompt_id: 'p' };
  const outer = {
    ...tape([step('assistant', { content: 'new' }, { ...by, prompt_id: 'p2' })]),
    context: tape([step('user', { content: 'q' }), step('assistant', { content: 'old' }, by)]),
  };
  const run = onlyTrajectory(await readFiles({ 'tape.json': outer }));
  expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual(['environment', 'environment', 'model']);
});

it('ends in error where the tape says so, and refuses one without steps', async () => {
  const steps = [
    step('user', { content: 'q' }),
    step('assistant', { content: 'a' }, { agent: 'a', prompt_id: 'p' }),
  ];
  const run = onlyTrajectory(await readFiles({ 'tape.json': tape(steps, { error: 'boom' }) }));
  expect(run.termination).toBe('error');
  expect(onlyReject(await readFiles({ 'tape.json': tape([]) })).code).toBe('no_turns');
});

describe('a training sample', () => {
  const row = (rest: Record<string, unknown> = {}) => ({
    text: '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n😀 yo<|im_end|>',
    n_predicted: 14,
    reward: 1,
    input_ids: [1, 2, 3, 4],
    labels: [-100, -100, 3, 4],
    logprobs: [-1, -2],
    group_id: 'g',
    ...rest,
  });
  const readRow = async (rest: Record<string, unknown>) =>
    onlyTrajectory(await readFiles({ 'samples.jsonl': `${JSON.stringify(row(rest))}\n` }));

  it('counts its reply in code points', async () => {
    expect((await readRow({})).turns.map(turnContent)).toEqual(['hi', '😀 yo']);
  });

  it('without a stop token was cut', async () => {
    const run = await readRow({
      text: '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyo',
      n_predicted: 2,
    });
    expect(run.turns[1]?.truncated).toBe('length');
    expect(run.termination).toBe('context_limit');
  });

  it('says what its tokens do not fit', async () => {
    expect((await readRow({ logprobs: [-1] })).flags).toContain('logprobs_length_mismatch');
    const gaps = await readRow({ labels: [1, -100, 3, 4], logprobs: [-1, -2, -3] });
    expect(gaps.flags).toContain('labels_not_one_stretch');
    expect(gaps.turns[1]?.policy).toBeNull();
  });
});
