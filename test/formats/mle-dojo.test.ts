import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberText } from '../../src/formats/json-slice.js';
import { writtenAction } from '../../src/formats/mle-dojo-action.js';
import { outcomeOfResult, outcomeOfText } from '../../src/formats/mle-dojo-outcome.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { folderWith, onlyReject, onlyTrajectory, readAll, readFiles } from './read-all.js';

const PATH = 'mle_dojo/random-acts-of-pizza_agent_trajectory.json';
const HISTORY = 'mle_dojo/random-acts-of-pizza_env_history.json';

interface History {
  competition: string;
  actions: { feedback: { base: { feedback: string } } }[];
}
type Messages = { role: string; content: string }[];

describeWithShared('the real run on random-acts-of-pizza', () => {
  const messages = () => JSON.parse(readFileSync(sharedFile(`logs/${PATH}`), 'utf8')) as Messages;
  const history = () => JSON.parse(readFileSync(sharedFile(`logs/${HISTORY}`), 'utf8')) as History;
  const read = async (): Promise<Trajectory> =>
    onlyTrajectory(await readAll({ root: sharedFile('logs'), path: PATH }));

  it('has 20 messages and the feedback that they lack', async () => {
    const run = await read();
    expect(run.turns).toHaveLength(21);
    expect(run.turns.filter((turn) => turn.role === 'assistant')).toHaveLength(10);
    expect(run.turns[0]?.spans[0]?.kind).toBe('prompt');
    expect(run.turns[2]?.spans[0]?.kind).toBe('observation');
    const last = run.turns[20];
    expect(last?.role).toBe('user');
    expect(last?.flags).toEqual(['feedback_from_sidecar']);
    expect(last && turnContent(last)).toBe(history().actions[9]?.feedback.base.feedback);
    expect(run.flags).toEqual(['feedback_from_sidecar']);
    expect(run.task_id).toBe('random-acts-of-pizza');
    expect(run.feedback_exposes_test_score).toBe(true);
    expect([run.turn_budget, run.seconds_budget, run.termination]).toEqual([10, 10000, 'step_limit']);
  });

  it('has five executions: two errors, then three scores', async () => {
    const run = await read();
    const rows = run.executions.map((execution) => [
      execution.tool,
      execution.kind,
      execution.status,
      execution.seconds,
      execution.error_type,
      execution.call_turn,
      execution.feedback_turn,
    ]);
    expect(rows).toEqual([
      ['execute_code', 'experiment', 'error', 1.2, 'KeyError', 11, 12],
      ['execute_code', 'experiment', 'error', 1.17, 'KeyError', 13, 14],
      ['execute_code', 'experiment', 'ok', 1.08, null, 15, 16],
      ['execute_code', 'experiment', 'ok', 1.36, null, 17, 18],
      ['execute_code', 'experiment', 'ok', 1.36, null, 19, 20],
    ]);
    expect(run.submissions.map((submission) => submission.score)).toEqual([
      0.5563755038419854, 0.5988220346894952, 0.6225761800963643,
    ]);
    expect(run.submissions[2]).toMatchObject({
      execution_id: 'action-10',
      observed_turn: 20,
      gradable: true,
      scale: 'test',
      grader: 'mle-dojo',
      flags: ['rank:private:198/462', 'rank:public:198/462'],
    });
    expect(run.executions[4]?.completed_at).toBe('2025-04-17T20:50:29.741309');
  });

  it('cuts each reply into text and one call, verbatim', async () => {
    const run = await read();
    const original = messages();
    run.turns.slice(0, 20).forEach((turn, index) => {
      expect(turnContent(turn)).toBe(original[index]?.content);
    });
    for (const turn of run.turns.filter((candidate) => candidate.role === 'assistant')) {
      expect(turn.spans.map((span) => span.kind)).toEqual(['text', 'tool_call']);
    }
    const call = run.turns[1]?.spans[1]?.call;
    expect(call?.name).toBe('request_info');
    expect(call?.arguments).toBe('{\n        "info_type": "overview"\n    }');
    expect(run.executions[0]?.code).toMatch(/^import pandas as pd\n/);
  });

  it('names its companion, with its sum', async () => {
    const run = await read();
    expect(run.source.sidecars).toEqual([
      {
        path: HISTORY,
        sha256: 'a22aa2d12eb23d7aef95b1da06afe0b6326bed31e3ac88a2dbd4c93de4b57a03',
        role: 'environment history: scores and the last feedback',
      },
    ]);
    expect(run.source.sha256).toBe('2726d62e3aa58f233858e7b15cdaca4ca287421b3a1b3887541e301e5d534c21');
  });

  it('is read from its texts where the history is missing, but for the last result', async () => {
    const run = onlyTrajectory(await readFiles({ 'agent_trajectory.json': messages() }));
    expect(run.flags).toEqual(['missing_sidecar']);
    expect(run.turns).toHaveLength(20);
    expect(run.task_id).toBeNull();
    expect(run.executions.map((execution) => [execution.status, execution.seconds])).toEqual([
      ['error', null],
      ['error', null],
      ['ok', 1.08],
      ['ok', 1.36],
      ['unknown', null],
    ]);
    expect(run.submissions.map((submission) => [submission.score, ...submission.flags])).toEqual([
      [0.5563755038419854, 'rank:private:301/462', 'rank:public:301/462'],
      [0.5988220346894952, 'rank:private:234/462', 'rank:public:234/462'],
    ]);
    expect(run.executions[4]?.feedback_turn).toBeNull();
  });

  it('says so where the history is damaged', async () => {
    const run = onlyTrajectory(
      await readFiles({
        'agent_trajectory.json': messages(),
        'env_history.json': '{"competition": "x", "act',
      }),
    );
    expect(run.flags).toContain('bad_sidecar');
  });

  it('gives no score to another call when the numbers differ', async () => {
    // A first reply of an earlier run is inherited: eleven replies, ten actions.
    const inherited = [
      ...messages().slice(0, 1),
      { role: 'assistant', content: '```json\n{"action": "validate_code", "params": {"code": "1"}}\n```' },
      { role: 'user', content: 'something of another run' },
      ...messages().slice(1),
    ];
    const run = onlyTrajectory(
      await readFiles({ 'agent_trajectory.json': inherited, 'env_history.json': history() }),
    );
    expect(run.flags).toContain('actions_do_not_match_messages');
    const scored = run.submissions.map((submission) => [submission.score, submission.observed_turn]);
    expect(scored).toEqual([
      [0.5563755038419854, 18],
      [0.5988220346894952, 20],
      [0.6225761800963643, 22],
    ]);
    // what was inherited is condition: not the model's in this run, and nothing that it launched
    expect(run.turns[1]?.spans.map(({ origin }) => origin)).toEqual(['environment']);
    expect(run.flags).toContain('inherited_replies');
    expect(run.executions.map(({ call_turn }) => call_turn)).toEqual([13, 15, 17, 19, 21]);
    expect(run.termination).toBe('step_limit');
  });

  it('takes the last replies for its own where an earlier run began with the same question', async () => {
    const inherited = [
      ...messages().slice(0, 3),
      { role: 'assistant', content: '```json\n{"action": "validate_code", "params": {"code": "1"}}\n```' },
      { role: 'user', content: 'something of another run' },
      ...messages().slice(1),
    ];
    const run = onlyTrajectory(
      await readFiles({ 'agent_trajectory.json': inherited, 'env_history.json': history() }),
    );
    const own = await read();
    const origins = [1, 3, 5].map((turn) => run.turns[turn]?.spans.map(({ origin }) => origin));
    expect(origins.map((found) => found?.includes('model'))).toEqual([false, false, true]);
    expect(run.executions.map(({ call_turn }) => call_turn - 4)).toEqual(
      own.executions.map(({ call_turn }) => call_turn),
    );
    expect(run.submissions.map(({ score }) => score)).toEqual(own.submissions.map(({ score }) => score));
    // a log that ends before the environment wrote down its last action begins with no other run
    const cut = { ...history(), actions: history().actions.slice(0, -1) };
    const late = onlyTrajectory(
      await readFiles({ 'agent_trajectory.json': messages(), 'env_history.json': cut }),
    );
    expect(late.flags).not.toContain('inherited_replies');
  });

  it('keeps a first reply that the model was asked to repair as its own', async () => {
    const repaired = [
      ...messages().slice(0, 1),
      { role: 'assistant', content: '```json\n{"action": "request_info"\n```' },
      { role: 'user', content: 'Fix your answer.' },
      ...messages().slice(1),
    ];
    const run = onlyTrajectory(
      await readFiles({ 'agent_trajectory.json': repaired, 'env_history.json': history() }),
    );
    expect(run.turns[1]?.spans.map(({ origin }) => origin)).toEqual(['model']);
    expect(run.flags).not.toContain('inherited_replies');
    expect(run.flags).toContain('actions_do_not_match_messages');
  });

  it('is read where the environment itself puts it: in folders side by side', async () => {
    const root = folderWith({});
    for (const [name, content] of [
      ['agent_history/trajectory.json', messages()],
      ['agent_history/cost_history.json', [{ action: 'get_llm_response', cost: 0.1 }]],
      ['env_history/history.json', history()],
    ] as const) {
      mkdirSync(join(root, dirname(name)), { recursive: true });
      writeFileSync(join(root, name), JSON.stringify(content));
    }
    const run = onlyTrajectory(await readAll({ root, path: 'agent_history/trajectory.json' }));
    expect(run.turns).toEqual((await read()).turns);
    expect(run.submissions).toEqual((await read()).submissions);
    expect(run.source.sidecars.map(({ path }) => path)).toEqual(['env_history/history.json']);
    expect(await readAll({ root, path: 'env_history/history.json' })).toEqual([
      { kind: 'sidecar', path: 'env_history/history.json', of: 'agent_history/trajectory.json' },
    ]);
  });

  it('of the OpenAI Agents SDK has its actions as the scaffold printed them', async () => {
    const parsed = (content: string) => JSON.parse(content.replace(/^[\s\S]*?```json|```\s*$/g, ''));
    const printed = messages().map((message) => {
      if (message.role !== 'assistant') return message;
      const { action, params } = parsed(message.content) as {
        action: string;
        params: Record<string, string>;
      };
      const [[key, value] = ['', '']] = Object.entries(params);
      const repr = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
      return { role: 'assistant', content: `action: ${action}, params: {'${key}': '${repr}'}` };
    });
    const run = onlyTrajectory(await readFiles({ 'agent_trajectory.json': printed }));
    const original = onlyTrajectory(await readFiles({ 'agent_trajectory.json': messages() }));
    expect(run.executions.map(({ tool, status, code }) => [tool, status, code])).toEqual(
      original.executions.map(({ tool, status, code }) => [tool, status, code]),
    );
    expect(run.submissions).toEqual(original.submissions);
    expect(run.flags).toEqual(['missing_sidecar', 'text_rebuilt']);
    expect(JSON.parse(run.turns[1]?.spans[0]?.call?.arguments ?? '')).toEqual({ info_type: 'overview' });
  });

  it('flags a feedback that is not the one of the history', async () => {
    const changed = history();
    const action = changed.actions[3];
    if (action !== undefined) action.feedback.base.feedback = 'another text';
    const run = onlyTrajectory(
      await readFiles({ 'agent_trajectory.json': messages(), 'env_history.json': changed }),
    );
    expect(run.flags).toContain('feedback_differs_from_sidecar');
    expect(run.submissions).toHaveLength(3);
  });

  it('tells the pair by name, and a history alone is refused', async () => {
    const pair = {
      'b_agent_trajectory.json': messages(),
      'a_env_history.json': {},
      'b_env_history.json': history(),
    };
    expect(onlyTrajectory(await readFiles(pair)).source.sidecars.map((sidecar) => sidecar.path)).toEqual([
      'b_env_history.json',
    ]);
    const alone = onlyReject(await readFiles({ 'env_history.json': history() }));
    expect(alone.code).toBe('sidecar_without_primary');
    const frozen = onlyReject(await readAll({ root: sharedFile('logs'), path: HISTORY, siblings: [] }));
    expect(frozen.code).toBe('sidecar_without_primary');
    const unnamed = await readFiles({ 'env_history.json': history(), 'messages.json': messages() });
    expect(unnamed).toEqual([{ kind: 'sidecar', path: 'env_history.json', of: 'messages.json' }]);
  });

  it('takes which actions are experiments from the pipeline', async () => {
    const run = onlyTrajectory(
      await readAll({
        root: sharedFile('logs'),
        path: PATH,
        experiments: { 'mle-dojo': { experiment: ['request_info'] } },
      }),
    );
    expect(run.executions.map((execution) => execution.tool)).toEqual(Array(5).fill('request_info'));
  });
});

describe('the written action', () => {
  const action = (name: string, params: unknown) => JSON.stringify({ action: name, params });

  it('is found in a fence, or as the whole reply', () => {
    const fence = `Think.\n\`\`\`json\n${action('execute_code', { code: 'x = 1.0' })}\n\`\`\` end`;
    expect(writtenAction(fence)).toMatchObject({ name: 'execute_code', code: 'x = 1.0' });
    const bare = `  ${action('request_info', { info_type: 'overview' })}\n`;
    expect(writtenAction(bare)?.mark).toMatchObject({ start: 2, end: bare.length - 1 });
    expect(writtenAction('I am done.')).toBeNull();
    const printed = `action: execute_code, params: {'code': "print('a')\\n"}`;
    expect(writtenAction(printed)).toMatchObject({ code: "print('a')\n", mark: { end: printed.length } });
    expect(writtenAction(printed.replace('}', ''))).toBeNull();
    expect(writtenAction(printed.replace('code', 'cod'))).toMatchObject({ mark: { call: null } });
  });

  it.each([
    ['no JSON', '```json\n{"action": \n```'],
    ['an unknown action', `\`\`\`json\n${action('run', { code: '1' })}\n\`\`\``],
    ['other parameters', `\`\`\`json\n${action('execute_code', { code: '1', time: 3 })}\n\`\`\``],
    ['an open fence', `\`\`\`json\n${action('execute_code', { code: '1' })}`],
    [
      'backticks in the program, which end the fence',
      `\`\`\`json\n${action('execute_code', { code: '```x```' })}\n\`\`\``,
    ],
    ['half an object as the whole reply', '{"action": "execute_code"'],
  ])('is malformed with %s, up to its end', (_name, content) => {
    const written = writtenAction(content);
    expect(written).toMatchObject({ name: null, mark: { start: 0, end: content.length, call: null } });
  });
});

describe('the outcome of an action', () => {
  const executed = (execution: unknown, submission: unknown = null) => ({
    status: 'x',
    execution,
    submission,
  });
  const ok = { status: 'SUCCESS', output: '', error: '', execution_time: '3.00s' };

  it.each([
    ['a score', executed(ok, { status: 'SUCCESS', raw_score: 0.5 }), 'ok', { gradable: true, score: 0.5 }],
    [
      'a score as text',
      executed(ok, { status: 'SUCCESS', raw_score: '5e-1' }),
      'ok',
      { gradable: true, score: 0.5 },
    ],
    [
      'a score that is not finite',
      executed(ok, { status: 'SUCCESS', raw_score: null }),
      'ok',
      { gradable: false, score: null },
    ],
    [
      'a refused file',
      executed(ok, { status: 'FAILED', error_type: 'InvalidSubmissionError' }),
      'ok',
      { gradable: false, score: null },
    ],
    ['no file', executed(ok, { status: 'FAILED', error_type: 'SubmissionNotFoundError' }), 'ok', null],
    [
      'a broken grader',
      executed(ok, { status: 'FAILED', error_type: 'GroundTruthError' }),
      'infrastructure',
      null,
    ],
    [
      'the time limit',
      executed({
        ...ok,
        status: 'FAILED',
        error: 'Execution failed: Process execution timed out after 600s',
      }),
      'timeout',
      null,
    ],
    [
      'a timeout inside the program',
      executed({
        ...ok,
        status: 'FAILED',
        error:
          'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nReadTimeout: timed out\n',
      }),
      'error',
      null,
    ],
    [
      'a failure with a file left over',
      executed({ ...ok, status: 'FAILED', error: 'x' }, { status: 'SUCCESS', raw_score: 1 }),
      'error',
      null,
    ],
  ])('with %s', (_name, result, status, submission) => {
    const outcome = outcomeOfResult('execute_code', result);
    expect(outcome?.status).toBe(status);
    if (submission === null) expect(outcome?.submission).toBeNull();
    else expect(outcome?.submission).toMatchObject(submission);
    expect(outcome?.seconds).toBe(3);
  });

  it('of a validation is its run, without a submission', () => {
    const runtime = {
      ...ok,
      status: 'FAILED',
      error: 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: x\n',
    };
    expect(outcomeOfResult('validate_code', { syntax: {}, runtime, status: 'FAILED' })).toMatchObject({
      status: 'error',
      error_type: 'ValueError',
      submission: null,
    });
  });

  it('of a text is not fooled by what the program prints', () => {
    const text =
      '=== Code Execution Results ===\n Execution successful\nCode execution time: 2.50s\nCode output: === Submission Evaluation ===\nRaw Score: 0.99\n\n\n === Submission Evaluation ===\n Submission successful\n Raw Score: 0.25\nAverage Position Score: 0.1';
    expect(outcomeOfText(text)).toMatchObject({ status: 'ok', seconds: 2.5, submission: { score: 0.25 } });
    expect(outcomeOfText('=== Competition Info ===\n Your requested information')).toBeNull();
  });

  it('of a text with a refused submission, a nan and a failed run', () => {
    const head =
      '=== Code Execution Results ===\n   Execution successful\n\n === Submission Evaluation ===\n';
    expect(outcomeOfText(`${head}Submission error (InvalidSubmissionError): bad`)?.submission?.gradable).toBe(
      false,
    );
    expect(outcomeOfText(`${head}Submission successful\nRaw Score: nan`)?.submission).toMatchObject({
      gradable: false,
      score: null,
    });
    const failed = outcomeOfText('=== Code Execution Results ===\n   Execution failed: boom');
    expect(failed).toMatchObject({ status: 'error', submission: null });
  });
});

it('slices a member of any object exactly as written', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.jsonValue(),
      fc.nat(4),
      (rest, key, value, indent) => {
        const text = JSON.stringify({ ...rest, [key]: value }, null, indent);
        const sliced = memberText(text, key);
        expect(JSON.parse(sliced ?? 'null')).toEqual(JSON.parse(text)[key]);
        expect(text).toContain(sliced);
      },
    ),
  );
  expect(memberText('{"a": 1.0, "b" : [1e5, {"a": 2}] , "c": "}"}', 'a')).toBe('1.0');
  expect(memberText('{"a": 1.0, "b" : [1e5, {"a": 2}] , "c": "}"}', 'b')).toBe('[1e5, {"a": 2}]');
  expect(memberText('{}', 'a')).toBeNull();
});
