import { describe, expect, it } from 'vitest';
import { atif } from '../../src/formats/atif.js';
import { parseJsonText } from '../../src/logs/json.js';
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

describe('atif: Terminus 2', () => {
  const command = (keystrokes: string, duration: number) => ({
    tool_call_id: keystrokes,
    function_name: 'bash_command',
    arguments: { keystrokes, duration },
  });
  const done = { tool_call_id: 'd', function_name: 'mark_task_complete', arguments: {} };
  const step = (message: string, tool_calls: object[] | undefined, seen: string) => ({
    source: 'agent',
    message,
    ...(tool_calls === undefined ? {} : { tool_calls }),
    observation: { results: [{ content: seen }] },
  });
  const log = (extra: object, ...steps: object[]) => ({
    schema_version: 'ATIF-v1.5',
    session_id: 's',
    agent: { name: 'terminus-2', version: '2.0.0', model_name: 'm', ...extra },
    steps: [
      { source: 'user', message: 'Format your response as JSON with the following structure' },
      ...steps,
    ],
  });
  const steps = [
    step('Analysis: a "b"\nPlan: p\nPlan: q', [command('ls\n', 0.1), command('pwd\n', 1)], 'x.py'),
    step('Analysis: waiting\nPlan: wait', undefined, 'y.py'),
    step('Analysis: good\nPlan: end', [done], 'Are you sure?'),
  ];

  it('has the JSON that its model is asked for, and prompts for answers', () => {
    const run = readOne(atif, log({}, ...steps));
    expect(run.turns.map(({ role }) => role)).toEqual([
      'user',
      ...['assistant', 'user', 'assistant', 'user', 'assistant', 'user'],
    ]);
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(contentsOf(replies).map((text) => JSON.parse(text))).toEqual([
      {
        analysis: 'a "b"',
        plan: 'p\nPlan: q',
        commands: [
          { keystrokes: 'ls\n', duration: 0.1 },
          { keystrokes: 'pwd\n', duration: 1 },
        ],
      },
      { analysis: 'waiting', plan: 'wait', commands: [] },
      { analysis: 'good', plan: 'end', commands: [], task_complete: true },
    ]);
    expect(contentsOf(replies)[2]).toBe(
      '{\n  "analysis": "good",\n  "plan": "end",\n  "commands": [],\n  "task_complete": true\n}',
    );
    expect(run.executions).toEqual([]);
    expect(replies.flatMap(({ spans }) => spans.flatMap((span) => span.call?.arguments ?? []))).toEqual([
      '{"keystrokes":"ls\\n","duration":0.1}',
      '{"keystrokes":"pwd\\n","duration":1}',
    ]);
    expect(replies.every(({ spans }) => spans.every((span) => span.call === null || span.inline))).toBe(true);
    expect(run.flags).toContain('text_rebuilt');
  });

  it('is context where its model is asked for something else, and stays as it is where the raw text is kept', () => {
    const xml = log({ extra: { parser: 'xml' } }, ...steps, step('<response>raw</response>', undefined, 'z'));
    const run = readOne(atif, xml);
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(replies.map(({ spans }) => spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
    ]);
    expect(replies.map(({ flags }) => flags)).toEqual([
      ['reply_not_recorded'],
      ['reply_not_recorded'],
      ['reply_not_recorded'],
      [],
    ]);
    const raw = '{"analysis": "a", "plan": "p", "commands": []}';
    const kept = readOne(atif, log({}, step(raw, undefined, 'x')));
    expect(contentsOf(kept.turns)[1]).toBe(raw);
    expect(kept.flags).not.toContain('text_rebuilt');
  });
});

describe('atif: what Terminus 2 says of a reply', () => {
  const PROMPT = 'Format your response as JSON with the following structure';
  const read = (message: string, answer: string, calls = '') =>
    readOne(
      atif,
      // as text, so that numbers are read as they were written
      parseJsonText(`{
        "schema_version": "ATIF-v1.6",
        "agent": {"name": "terminus-2", "version": "2", "model_name": "m"},
        "steps": [
          {"source": "user", "message": "${PROMPT}"},
          {"source": "agent", "message": ${JSON.stringify(message)}, "tool_calls": [${calls}],
           "observation": {"results": [{"content": ${JSON.stringify(answer)}}]}},
          {"source": "agent", "message": "{}"}
        ]
      }`).value,
    ).turns[1];
  const command = (seconds: string) =>
    `{"tool_call_id": "c", "function_name": "bash_command",
      "arguments": {"keystrokes": "say \\"duration\\": 2,\\n", "duration": ${seconds}}}`;

  it.each(['1.0', '1', '0.1'])('seconds stand as %s in the reply, as they were written', (seconds) => {
    const turn = read('Analysis: a\nPlan: p', 'x', command(seconds));
    expect(contentsOf(turn === undefined ? [] : [turn])[0]).toContain(`"duration": ${seconds}\n`);
    expect(turn?.spans.find(({ call }) => call !== null)?.call?.arguments).toBe(
      `{"keystrokes":"say \\"duration\\": 2,\\n","duration":${seconds}}`,
    );
  });

  it('keeps the text of one that could not be parsed, whatever it begins with', () => {
    const said = 'Analysis: I think aloud.';
    const turn = read(said, 'Previous response had parsing errors:\nERROR: No valid JSON found in response');
    expect(turn?.spans.map(({ origin, text }) => [origin, text])).toEqual([['model', said]]);
    expect(turn?.flags).toEqual([]);
  });

  const FENCED = '- Extra text detected before JSON object\n- Extra text detected after JSON object';
  const UNENDED = '- Command 1 should end with newline when followed by another command.';
  it.each([
    [FENCED, 'environment', 'reply_not_recorded'],
    [`${UNENDED}\n${FENCED}`, 'environment', 'reply_not_recorded'],
    [UNENDED, 'model', 'text_rebuilt'],
  ])('trains none of which more or other words stood there: %s', (warnings, origin, flag) => {
    const answer = `Previous response had warnings:\nWARNINGS: ${warnings}\n\nNew Terminal Output:\n- $`;
    const turn = read('Analysis: a\nPlan: p', answer, command('1.0'));
    expect([...new Set(turn?.spans.map((span) => span.origin))]).toEqual([origin]);
    expect(turn?.flags).toEqual([flag]);
    // as context it is the JSON all the same
    expect(JSON.parse(contentsOf(turn === undefined ? [] : [turn])[0] ?? '')).toMatchObject({
      analysis: 'a',
      commands: [{ duration: 1 }],
    });
  });

  it('trains no words that the harness put in the place of a reply that never came', () => {
    const turn = read(
      'Technical difficulties. Please continue with the task.',
      'Previous response had parsing errors:\nERROR: No valid JSON found in response',
    );
    expect(turn?.spans.map(({ origin }) => origin)).toEqual(['environment']);
    expect(turn?.flags).toEqual(['harness_reply']);
  });
});

describe('atif: what Harbor converts', () => {
  const convert = (name: string, step: object, model_name = 'claude-3') =>
    readOne(atif, {
      schema_version: 'ATIF-v1.7',
      agent: { name, version: '1', model_name },
      steps: [user, { source: 'agent', ...step }, { source: 'agent', message: 'the end' }],
    });
  const shape = (run: ReturnType<typeof convert>) =>
    run.turns.slice(1, 3).map(({ role, spans }) => ({
      [role]: spans.map(({ origin, kind, text }) => `${origin} ${kind} ${text}`),
    }));
  const seen = { observation: { results: [{ source_call_id: 'c', content: 'x.py' }] } };
  const made = (function_name: string, args: object) => ({
    tool_calls: [{ tool_call_id: 'c', function_name, arguments: args }],
  });

  it('of mini-swe-agent is the reply alone, its command in its text', () => {
    const run = convert('mini-swe-agent', {
      message: 'THOUGHT: I look.\n\n```bash\nls -a\n```',
      reasoning_content: 'I look.',
      ...made('bash_command', { command: 'ls -a' }),
      ...seen,
    });
    expect(shape(run)).toEqual([
      {
        assistant: ['model text THOUGHT: I look.\n\n', 'model tool_call ```bash\nls -a\n```'],
      },
      { user: ['environment observation x.py'] },
    ]);
    expect(run.turns[1]?.spans[1]?.call).toMatchObject({ name: 'bash', arguments: 'ls -a' });
  });

  it('of mini-swe-agent with tools has its calls, and its text once', () => {
    const run = convert('mini-swe-agent', {
      message: 'I look.',
      reasoning_content: 'I look.',
      ...made('bash', { command: 'ls' }),
      ...seen,
    });
    expect(shape(run)).toEqual([
      { assistant: ['model text I look.', 'model tool_call {"command":"ls"}'] },
      { tool: ['environment observation x.py'] },
    ]);
  });

  it('of SWE-agent is its text with the action in it, and context where the action stands elsewhere', () => {
    const step = (message: string, raw_action: string) =>
      convert('swe-agent', {
        message,
        reasoning_content: 'I submit.',
        ...made('swe_agent_action', { raw_action }),
        ...seen,
      });
    expect(shape(step('I submit.\n```\nsubmit\n```', 'submit\n'))).toEqual([
      { assistant: ['model text I submit.\n', 'model tool_call ```\nsubmit\n```'] },
      { user: ['environment observation x.py'] },
    ]);
    const called = step('I submit.', 'submit');
    expect(shape(called)[0]).toEqual({ assistant: ['environment text I submit.'] });
    expect(called.turns[1]?.flags).toEqual(['reply_not_recorded']);
    const exit = step('Exit due to cost limit', 'exit_cost');
    expect(shape(exit)[0]?.['assistant']?.every((text) => text.startsWith('environment'))).toBe(true);
    expect(exit.turns[1]?.flags).toEqual(['harness_reply']);
  });

  it.each([
    ['openai/gpt-5', 'environment', ['reasoning_summary']],
    ['gemini/gemini-2.5-pro', 'environment', ['reasoning_summary']],
    ['openai/gpt-oss-120b', 'model', []],
    ['Qwen/Qwen3-8B', 'model', []],
    ['anthropic/claude-sonnet-4-5', 'model', ['reasoning_may_be_summary']],
  ])("of %s has reasoning that is a summary or the model's own", (model, origin, flags) => {
    const run = convert('codex', { message: 'I look.', reasoning_content: 'Hm.' }, model);
    expect(run.turns[1]?.spans.map((span) => [span.kind, span.origin])).toEqual([
      ['reasoning', origin],
      ['text', 'model'],
    ]);
    expect(run.flags).toEqual(expect.arrayContaining(flags));
    expect(run.flags.filter((flag) => flag.startsWith('reasoning'))).toHaveLength(flags.length);
  });
});

describe('atif: models', () => {
  const run = (configured: string | null, ...names: (string | null)[]) =>
    readOne(atif, {
      schema_version: 'ATIF-v1.7',
      agent: { name: 'a', version: '1', ...(configured === null ? {} : { model_name: configured }) },
      steps: names.map((model_name) => ({
        source: 'agent',
        message: 'x',
        ...(model_name === null ? {} : { model_name }),
      })),
    });
  const spans = (of: { turns: readonly { spans: readonly { model: string | null }[] }[] }) =>
    of.turns.map((turn) => turn.spans[0]?.model);

  it('a snapshot that the provider answers with is the model that it was asked for', () => {
    const dated = run('anthropic/claude-x', 'claude-x-20250805', 'anthropic/claude-x', 'claude-x-20250805');
    expect(dated.model).toBe('anthropic/claude-x');
    expect(spans(dated)).toEqual([null, null, null]);
    expect(spans(run('gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4o-mini'))).toEqual([null, 'gpt-4o-mini']);
  });

  it('a run all of which one model wrote is trained, whatever the configuration calls it', () => {
    const alias = run('router/best', 'claude-x', 'claude-x');
    expect([alias.model, spans(alias)]).toEqual(['router/best', [null, null]]);
  });

  it("of several that the configuration does not name the one that wrote most is the run's", () => {
    const mixed = run('router/best', 'small', 'large', 'large');
    expect([mixed.model, spans(mixed)]).toEqual(['large', ['small', null, null]]);
  });

  it('a step without a name is of the configured model', () => {
    expect(spans(run('m', null, 'n', 'n'))).toEqual([null, 'n', 'n']);
  });
});

it('atif: a step that names its model without the provider is of the model of the run', () => {
  const step = (model_name: string) => ({ source: 'agent', message: 'x', model_name });
  const run = readOne(atif, {
    schema_version: 'ATIF-v1.7',
    agent: { name: 'a', version: '1', model_name: 'anthropic/claude-x' },
    steps: [step('claude-x'), step('anthropic/claude-x'), step('claude-y')],
  });
  expect(run.turns.map(({ spans }) => spans[0]?.model)).toEqual([null, null, 'claude-y']);
  expect(run.model).toBe('anthropic/claude-x');
  const unnamed = readOne(atif, {
    schema_version: 'ATIF-v1.7',
    agent: { name: 'a', version: '1' },
    steps: [step('claude-y'), step('claude-x'), step('claude-x')],
  });
  expect(unnamed.model).toBe('claude-x');
  expect(unnamed.turns.map(({ spans }) => spans[0]?.model)).toEqual(['claude-y', null, null]);
});
