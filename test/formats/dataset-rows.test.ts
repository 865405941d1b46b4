import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog } from './adapter-context.js';
import { onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const DIR = 'adp_sample_raw';
const readReal = async (name: string) =>
  trajectoriesOf(await readAll({ root: sharedFile('logs'), path: `${DIR}/${name}_sample_raw.json` }));
const calls = (run: Trajectory) =>
  run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call ?? [])).length;

/** Messages, and calls, of each row, counted apart from this code. */
const COUNTS = [
  ['code_feedback', 'openai-messages', 'messages', [8, 6, 4, 4, 14, 4, 4, 4, 4, 16], Array(10).fill(0)],
  ['codeactinstruct', 'dataset-rows', 'conversations', [9, 11, 7, 7, 7], [3, 3, 2, 1, 2]],
  ['nebius_SWE-agent-trajectories', 'dataset-rows', 'trajectory', [13, 29, 11, 17, 33], [6, 14, 5, 8, 16]],
  [
    'swe-gym_openhands_sampled_trajectories',
    'dataset-rows',
    'messages',
    [41, 23, 26, 37, 61],
    [21, 9, 11, 17, 29],
  ],
  ['swe-smith', 'dataset-rows', 'messages', [31, 47, 37, 45, 77], [15, 23, 18, 22, 38]],
  ['toucan_1_5m', 'dataset-rows', 'messages', [6], [1]],
] as const;

describeWithShared('the real rows', () => {
  it.each(COUNTS)('of %s have their messages and calls', async (name, format, _key, turns, called) => {
    const runs = await readReal(name);
    expect(runs.map((run) => run.source.format)).toEqual(turns.map(() => format));
    expect(runs.map((run) => run.turns.length)).toEqual(turns);
    expect(runs.map(calls)).toEqual(called);
  });

  it.each(COUNTS)('of %s keep every text, and train no text but the model’s', async (name, _format, key) => {
    const rows = realLog(DIR, `${name}_sample_raw.json`);
    (await readReal(name)).forEach((run, index) => {
      rows[index][key].forEach((message: Record<string, string | null>, turn: number) => {
        const text = message['content'] ?? message['text'] ?? message['system_prompt'] ?? '';
        const found = run.turns[turn];
        expect(found && turnContent(found)).toBe(text);
        const byModel = message['role'] === 'assistant' || message['role'] === 'ai';
        expect(found?.spans.every((span) => (span.origin === 'model') === byModel)).toBe(true);
      });
    });
  });

  it('of nebius and SWE-Gym carry verdicts and models', async () => {
    const [nebius] = await readReal('nebius_SWE-agent-trajectories');
    expect(nebius).toMatchObject({ resolved: true, termination: 'submitted', model: 'swe-agent-llama-70b' });
    const [gym] = await readReal('swe-gym_openhands_sampled_trajectories');
    expect(gym).toMatchObject({
      resolved: true,
      model: 'gpt-4o-2024-08-06',
      turn_budget: 50,
      scaffold: 'openhands',
    });
  });
});

describe('a row', () => {
  const nebius = (steps: unknown[], rest: Record<string, unknown> = {}) => ({
    instance_id: 'i',
    model_name: 'm',
    target: false,
    exit_status: 'submitted (exit_cost)',
    trajectory: steps,
    ...rest,
  });

  it('of nebius keeps its mask as a weight and knows the text of the scaffold', async () => {
    const row = nebius([
      { role: 'system', text: null, system_prompt: 'S', mask: false },
      { role: 'user', text: 'task', mask: false },
      { role: 'ai', text: 'a\n```\nls\n```', mask: false },
      { role: 'user', text: 'out', mask: false },
      { role: 'ai', text: 'Exit due to cost limit', mask: true },
    ]);
    const run = onlyTrajectory(await readFiles({ 'rows.jsonl': `${JSON.stringify(row)}\n` }));
    expect(run.turns.map(({ weight, spans }) => [weight, spans[0]?.kind, spans[0]?.origin])).toEqual([
      [1, 'prompt', 'environment'],
      [1, 'prompt', 'environment'],
      [0, 'text', 'model'],
      [1, 'observation', 'environment'],
      [1, 'text', 'environment'],
    ]);
    expect(run).toMatchObject({ termination: 'step_limit', resolved: false });
    expect(run.flags).toContain('autosubmitted');
  });

  const rebench = (rest: Record<string, unknown> = {}) => ({
    trajectory_id: 't1',
    instance_id: 'acme__lib-7',
    repo: 'acme/lib',
    trajectory: [
      { role: 'system', content: 'S', name: null, tool_call_id: null, tool_calls: null },
      { role: 'user', content: 'fix it', name: null, tool_call_id: null, tool_calls: null },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'execute_bash', arguments: '{"command": "ls"}' } },
        ],
      },
      { role: 'tool', content: 'setup.py', name: 'execute_bash', tool_call_id: 'c1', tool_calls: null },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c2', type: 'function', function: { name: 'finish', arguments: '{}' } }],
      },
    ],
    tools: [{ type: 'function', function: { name: 'execute_bash' } }],
    exit_status: 'submit',
    resolved: 1,
    gen_tests_correct: null,
    ...rest,
  });

  it('of SWE-rebench holds its chat under `trajectory` and its verdict as a number', async () => {
    const rows = [rebench(), rebench({ resolved: 0, exit_status: 'stuck_in_loop' })];
    const runs = trajectoriesOf(
      await readFiles({ 'rows.jsonl': rows.map((row) => JSON.stringify(row)).join('\n') }),
    );
    expect(runs.map(({ source }) => source.format)).toEqual(['dataset-rows', 'dataset-rows']);
    expect(runs.map(({ resolved, termination }) => [resolved, termination])).toEqual([
      [true, 'submitted'],
      [false, 'unknown'],
    ]);
    expect(runs[0]).toMatchObject({
      session_id: 't1',
      task_id: 'acme__lib-7',
      group: 'acme__lib-7',
      scaffold: 'openhands',
    });
    expect(
      runs[0]?.turns.map(({ role, spans }) => [role, spans.map(({ origin, kind }) => `${origin}/${kind}`)]),
    ).toEqual([
      ['system', ['environment/prompt']],
      ['user', ['environment/prompt']],
      ['assistant', ['model/text', 'model/tool_call']],
      ['tool', ['environment/observation']],
      ['assistant', ['model/tool_call']],
    ]);
  });

  it('of Open-SWE-Traces may hold each tool definition as JSON in a string', async () => {
    const tool = { type: 'function', function: { name: 'bash' } };
    const read = async (tools: unknown) => readFiles({ 'rows.json': [rebench({ tools })] });
    expect(JSON.parse(onlyTrajectory(await read([JSON.stringify(tool)])).tools ?? '')).toEqual([tool]);
    expect(rejectsOf(await read(['not JSON'])).map(({ message }) => message)).toEqual([
      '[0]: tools[0]: expected an object, or a string that is JSON, found a string',
    ]);
  });

  it('of SWE-Gym whose report contradicts it is neither resolved nor not', async () => {
    const row = {
      instance_id: 'i',
      run_id: 'model-x_maxiter_30_N',
      resolved: true,
      test_result: { report: { resolved: false, test_timeout: true } },
      messages: JSON.stringify([
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
      ]),
    };
    const run = onlyTrajectory(await readFiles({ 'rows.json': [row] }));
    expect(run.resolved).toBeNull();
    expect(run.flags).toEqual(expect.arrayContaining(['resolved_contradicts_report', 'report:test_timeout']));
  });

  it('of a list that cannot be read is refused alone', async () => {
    const good = nebius([{ role: 'ai', text: 'x', mask: true }]);
    const results = await readFiles({ 'rows.json': [good, nebius([{ role: 'robot', text: 'x' }]), {}] });
    expect(trajectoriesOf(results)).toHaveLength(1);
    expect(rejectsOf(results).map(({ message }) => message)).toEqual([
      '[1]: trajectory[0].role: expected system, user or ai (not "robot"), found a string',
      '[2]: expected a row of a known data set, found an object',
    ]);
  });
});
