import { expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog, tally } from './adapter-context.js';
import { onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const NAME = 'gpt-4o-airline_tasks0-3_4trials.json';

describeWithShared('the real airline results', () => {
  const read = async () =>
    trajectoriesOf(await readAll({ root: sharedFile('logs'), path: `tau_bench_results/${NAME}` }));

  it('hold 4 trials of 4 tasks, of which 2 succeeded', async () => {
    const runs = await read();
    expect(runs.map((run) => run.turns.length)).toEqual([
      32, 12, 24, 62, 26, 22, 62, 48, 24, 20, 38, 36, 46, 16, 36, 40,
    ]);
    expect(tally(runs.map((run) => String(run.group)))).toEqual({
      'tau-bench/airline/0': 4,
      'tau-bench/airline/1': 4,
      'tau-bench/airline/2': 4,
      'tau-bench/airline/3': 4,
    });
    expect(runs.flatMap((run, index) => (run.resolved === true ? [index] : []))).toEqual([5, 10]);
    expect(tally(runs.map((run) => run.termination))).toEqual({ submitted: 15, step_limit: 1 });
  });

  it('keep every message, and only the agent is the model', async () => {
    const rows = realLog('tau_bench_results', NAME);
    (await read()).forEach((run, index) => {
      const { traj } = rows[index];
      expect(run.turns.map(turnContent)).toEqual(
        traj.map((message: { content: string | null }) => message.content ?? ''),
      );
      const calls = traj.flatMap((message: { tool_calls?: { function: { arguments: string } }[] | null }) =>
        (message.tool_calls ?? []).map((call) => call.function.arguments),
      );
      expect(
        run.turns.flatMap((turn) => turn.spans.flatMap((span) => (span.call === null ? [] : [span.text]))),
      ).toEqual(calls);
      for (const turn of run.turns) {
        const origin = turn.role === 'assistant' ? 'model' : 'environment';
        expect(turn.spans.every((span) => span.origin === origin)).toBe(true);
      }
    });
  });
});

const trial = (rest: Record<string, unknown> = {}) => ({
  task_id: 7,
  reward: 1,
  info: { reward_info: { reward: 1 } },
  traj: [
    { role: 'system', content: '# Retail agent policy\n' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello', tool_calls: null },
    { role: 'user', content: 'bye ###STOP###' },
  ],
  trial: 2,
  ...rest,
});

it('names task and trial, and grades the final state', async () => {
  const run = onlyTrajectory(await readFiles({ 'r.json': [trial()] }));
  expect(run).toMatchObject({
    task_id: 'tau-bench/retail/7',
    session_id: 'tau-bench/retail/7/2',
    resolved: true,
  });
  expect(run.submissions).toMatchObject([{ score: 1, scale: 'test', execution_id: null }]);
});

it('does not choose between rewards that contradict each other', async () => {
  const run = onlyTrajectory(
    await readFiles({ 'r.json': [trial({ info: { reward_info: { reward: 0 } } })] }),
  );
  expect(run.resolved).toBeNull();
  expect(run.flags).toContain('reward_contradicts_info');
});

it('refuses a trial that crashed before it began, and reads the others', async () => {
  const crashed = trial({ reward: 0, traj: [], info: { error: 'boom', traceback: '' } });
  const results = await readFiles({ 'r.json': [crashed, trial()] });
  expect(trajectoriesOf(results)).toHaveLength(1);
  expect(rejectsOf(results)).toMatchObject([{ code: 'no_turns', message: '[0]: an empty list of messages' }]);
});
