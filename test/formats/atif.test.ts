import { describe, expect, it } from 'vitest';
import { atif } from '../../src/formats/atif.js';
import { describeWithShared } from '../shared.js';
import {
  contentsOf,
  detectDocument,
  readDocument,
  readOne,
  realLog,
  realLogs,
  rolesOf,
  spansOf,
} from './adapter-context.js';

const FOLDER = 'atif_trajectory';

interface LoggedStep {
  source: string;
  message: string;
  reasoning_content?: string;
  observation?: { results: { content: string }[] };
}

describeWithShared('atif: real logs', () => {
  it.each(realLogs(FOLDER))('%s: messages and results are turns, in order and verbatim', (name) => {
    const log = realLog(FOLDER, name);
    const texts = log.steps.flatMap((step: LoggedStep) => [
      step.message,
      ...(step.observation?.results ?? []).map((result) => result.content),
    ]);
    expect(contentsOf(readOne(atif, log).turns)).toEqual(texts);
  });

  it('openagents_login-trace: counted by hand', () => {
    const log = realLog(FOLDER, 'openagents_login-trace_trajectory.json');
    const run = readOne(atif, log);
    expect(rolesOf(run.turns)).toEqual({ user: 1, assistant: 6, tool: 6 });
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'model reasoning': 6,
      'model text': 6,
      'model tool_call': 6,
    });
    expect(run).toMatchObject({
      session_id: 'login-trace',
      task_id: null,
      scaffold: 'openagents-qa-runner',
      scaffold_version: '0.1.0',
      model: 'openagents/khala',
      termination: 'unknown',
      executions: [],
      flags: ['no_experiment_boundary'],
    });
    expect(run.turns[1]?.timestamp).toBe('2026-06-24T14:39:44.732Z');
    expect(run.turns[2]).toMatchObject({ role: 'tool', tool_call_id: 'call_2' });
    expect(run.turns[1]?.spans.at(-1)?.call).toEqual({
      id: 'call_2',
      name: 'navigate',
      arguments: '{"action":"navigate","target":"/login","narration":"navigate to /login"}',
      arguments_were_object: true,
    });
    expect(run.turns.every((turn) => turn.policy === null && turn.truncated === null)).toBe(true);
  });
});

const user = { step_id: 1, source: 'user', message: 'task' };
const agentStep = (message: unknown, rest: object = {}) => ({
  step_id: 2,
  source: 'agent',
  message,
  ...rest,
});
const document = (steps: object[], rest: object = {}) => ({
  schema_version: 'ATIF-v1.7',
  session_id: 's',
  agent: { name: 'a', version: '1', model_name: 'm' },
  steps,
  ...rest,
});

describe('atif: detection', () => {
  it.each(['ATIF-v1.0', 'ATIF-v1.4', 'ATIF-v1.7', 'ATIF-v2.0'])('knows %s', (schema_version) => {
    expect(detectDocument(atif, { schema_version })?.confidence).toBe('certain');
  });

  it('leaves others alone', () => {
    expect(detectDocument(atif, { schema_version: '1.0' })).toBeNull();
    expect(detectDocument(atif, { schema_version: 1 })).toBeNull();
    expect(detectDocument(atif, [])).toBeNull();
  });
});

describe('atif: steps', () => {
  it('takes copied context and steps without a model call for environment', () => {
    const { turns } = readOne(
      atif,
      document([
        user,
        agentStep('old', {
          is_copied_context: true,
          reasoning_content: 'r',
          metrics: { completion_token_ids: [1] },
        }),
        agentStep('scripted', { llm_call_count: 0 }),
        agentStep('new', { llm_call_count: 1, is_copied_context: false }),
      ]),
    );
    expect(turns.map((turn) => [turn.spans[0]?.origin, turn.flags])).toEqual([
      ['environment', []],
      ['environment', ['copied_context']],
      ['environment', ['no_model_call']],
      ['model', []],
    ]);
    expect(turns[1]?.policy).toBeNull();
  });

  it('keeps the tokens of the policy exactly', () => {
    const metrics = { prompt_token_ids: [1, 2], completion_token_ids: [3, 4], logprobs: [-0.25, null] };
    const [, turn] = readOne(atif, document([user, agentStep('x', { metrics })])).turns;
    expect(turn?.policy).toEqual({
      prompt_ids: [1, 2],
      response_ids: [3, 4],
      logprobs: [-0.25, null],
      weight_version: null,
    });
    const [, odd] = readOne(
      atif,
      document([user, agentStep('x', { metrics: { ...metrics, logprobs: [-1] } })]),
    ).turns;
    expect(odd).toMatchObject({ policy: { logprobs: null }, flags: ['logprobs_length_mismatch'] });
  });

  it('gives one tool turn a result, and a user turn where nothing was called', () => {
    const tool_calls = [
      { tool_call_id: 'a', function_name: 'f', arguments: { x: 1 } },
      { tool_call_id: 'b', function_name: 'g', arguments: '{"verbatim":  1.0}' },
    ];
    const results = [
      { source_call_id: 'b', content: 'B' },
      { source_call_id: 'a', content: 'A' },
    ];
    const { turns } = readOne(
      atif,
      document([
        user,
        agentStep('calls', { tool_calls, observation: { results } }),
        agentStep('ls', { observation: { results: [{ content: 'files' }] } }),
      ]),
    );
    expect(turns.map((turn) => [turn.role, turn.tool_call_id])).toEqual([
      ['user', null],
      ['assistant', null],
      ['tool', 'b'],
      ['tool', 'a'],
      ['assistant', null],
      ['user', null],
    ]);
    expect(turns[1]?.spans.map((span) => span.call?.arguments)).toEqual([
      undefined,
      '{"x":1}',
      '{"verbatim":  1.0}',
    ]);
    expect(turns[5]?.spans[0]?.kind).toBe('observation');
  });

  it('reads messages in parts, with placeholders for pictures', () => {
    const parts = [
      { type: 'text', text: 'see ' },
      { type: 'image', source: { media_type: 'image/png', path: 'a.png' } },
    ];
    const { turns } = readOne(atif, document([{ ...user, message: parts }, agentStep(parts)]));
    expect(contentsOf(turns)).toEqual(['see [image]', 'see [image]']);
    expect(turns[1]?.spans.map((span) => [span.origin, span.kind])).toEqual([
      ['model', 'text'],
      ['environment', 'image'],
    ]);
  });

  it('names another model on the spans that it wrote', () => {
    const { turns } = readOne(
      atif,
      document([user, agentStep('x', { model_name: 'other' }), agentStep('y')]),
    );
    expect(turns.map((turn) => turn.spans[0]?.model)).toEqual([null, 'other', null]);
  });

  it('makes experiments of the tools and commands that a pipeline names', () => {
    const tool_calls = [
      { tool_call_id: 'a', function_name: 'bash', arguments: { command: 'python train.py' } },
    ];
    const traceback =
      'Traceback (most recent call last):\n  File "train.py", line 1, in <module>\nKeyError: 1';
    const observation = { results: [{ source_call_id: 'a', content: traceback }] };
    const log = document([user, agentStep('x', { tool_calls, observation })]);
    const expected = [
      {
        kind: 'experiment',
        tool: 'bash',
        call_turn: 1,
        feedback_turn: 2,
        status: 'error',
        error_type: 'KeyError',
      },
    ];
    expect(readOne(atif, log, { experiment_patterns: [/train\.py/g] }).executions).toMatchObject(expected);
    expect(
      readOne(atif, log, { experiments: { experiment: ['bash'], scoring: [] } }).executions,
    ).toMatchObject(expected);
    expect(readOne(atif, log).executions).toEqual([]);
  });
});

describe('atif: runs', () => {
  it('keeps tool definitions as JSON and flags what it cannot see', () => {
    const tool_definitions = [{ type: 'function', function: { name: 'f' } }];
    const run = readOne(
      atif,
      document([user, agentStep('x')], {
        schema_version: 'ATIF-v1.9',
        agent: { name: 'a', version: '1', tool_definitions },
        continued_trajectory_ref: 'next.json',
        extra: { task_id: 't' },
      }),
    );
    expect(JSON.parse(run.tools ?? '')).toEqual(tool_definitions);
    expect(run.task_id).toBe('t');
    expect(run.flags).toEqual(['no_experiment_boundary', 'unknown_schema_version', 'continued_elsewhere']);
  });

  it('gives embedded sub-agents trajectories of their own', () => {
    const inner = document([user, agentStep('inner')], { trajectory_id: 'sub-2' });
    const sub = document([user, agentStep('sub')], {
      trajectory_id: 'sub-1',
      subagent_trajectories: [inner],
    });
    const results = [{ source_call_id: null, subagent_trajectory_ref: [{ session_id: 's' }] }];
    const runs = readDocument(
      atif,
      document([user, agentStep('x', { observation: { results } })], { subagent_trajectories: [sub] }),
    );
    expect(runs.map((run) => [run.session_id, run.parent_session, run.turns[1]?.spans[0]?.text])).toEqual([
      ['s', null, 'x'],
      ['sub-1', 's', 'sub'],
      ['sub-2', 'sub-1', 'inner'],
    ]);
    expect(runs[0]?.turns[2]).toMatchObject({ role: 'user', flags: ['subagent_result'] });
    expect(runs[1]?.flags).toContain('subagent');
  });

  it('refuses a run without turns or without a model', () => {
    expect(() => readOne(atif, document([]))).toThrow(expect.objectContaining({ code: 'no_turns' }));
    expect(() => readOne(atif, document([user]))).toThrow(
      expect.objectContaining({ code: 'no_model_turns' }),
    );
  });

  it.each([
    ['steps', document({} as object[])],
    ['steps[0].source', document([{ message: 'x' }])],
    ['steps[0].source: unknown source "robot"', document([{ source: 'robot', message: 'x' }])],
    ['steps[0].message', document([{ source: 'user', message: 5 }])],
    ['steps[0].message[0].type', document([{ source: 'user', message: [{ type: 'video' }] }])],
    [
      'steps[0].tool_calls[0].function_name',
      document([agentStep('x', { tool_calls: [{ tool_call_id: 'a' }] })]),
    ],
    [
      'steps[0].metrics.completion_token_ids[0]',
      document([agentStep('x', { metrics: { completion_token_ids: ['1'] } })]),
    ],
    ['steps[0].is_copied_context', document([agentStep('x', { is_copied_context: 'yes' })])],
    ['subagent_trajectories[0].steps', document([user, agentStep('x')], { subagent_trajectories: [{}] })],
  ])('names the field %s', (field, log) => {
    expect(() => readDocument(atif, log)).toThrow(
      expect.objectContaining({ code: 'bad_shape', message: expect.stringContaining(field) }),
    );
  });
});
