import { describe, expect, it } from 'vitest';
import { langfuse } from '../../src/formats/langfuse.js';
import { messageKey, replyMessages, traceMessages } from '../../src/formats/trace-messages.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { plainContent, readOne, realLog } from './adapter-context.js';
import { folderWith, onlyReject, onlyTrajectory, readAll, readFiles, trajectoriesOf } from './read-all.js';

const readReal = async (path: string) => trajectoriesOf(await readAll({ root: sharedFile('logs'), path }));
const shape = (run: Trajectory) =>
  run.turns
    .map((turn) => `${turn.role}${turn.spans.some((span) => span.origin === 'model') ? '*' : ''}`)
    .join(' ');
const calls = (run: Trajectory) =>
  run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.name ?? []));

describeWithShared('real Langfuse traces', () => {
  it('of LangGraph are one run, with its tools apart', async () => {
    const [run, ...others] = await readReal('langfuse_trace_export/langgraph-2025-08-22.json');
    expect(others).toEqual([]);
    expect(run && shape(run)).toBe('user user assistant* tool assistant*');
    expect(JSON.parse(run?.tools ?? '[]')).toHaveLength(1);
    expect(run?.flags.some((flag) => flag.startsWith('trace_score:'))).toBe(true);
  });

  it('of the OpenAI agents, in Responses items, are one run', async () => {
    const [run, ...others] = await readReal('langfuse_trace_export/openai-agents-2025-09-30.json');
    expect(others).toEqual([]);
    expect(run && shape(run)).toBe('user assistant* tool assistant*');
    expect(run && calls(run)).toEqual(['get_weather']);
    expect(run?.turns[1]?.timestamp).toBe('2025-09-30T09:03:59.963Z');
  });

  it('of pydantic-ai, in parts, are the run of the agent and that of its evaluator', async () => {
    const runs = await readReal('langfuse_trace_export/pydantic-ai-tools-2025-12-04.json');
    expect(runs.map(shape)).toEqual([
      'system user assistant* tool tool tool assistant* user assistant*',
      'system user assistant*',
    ]);
    expect(runs.map(({ scaffold }) => scaffold)).toEqual(['joke_agent run', 'evaluator_agent run']);
    expect(runs.map(calls)[0]).toHaveLength(3);
  });

  it.each(['langgraph-2025-08-22', 'openai-agents-2025-09-30', 'pydantic-ai-tools-2025-12-04'])(
    'of %s keep what each generation wrote, once',
    async (name) => {
      const runs = await readReal(`langfuse_trace_export/${name}.json`);
      const written = runs.flatMap((run) =>
        run.turns.filter((turn) => turn.spans.some((span) => span.origin === 'model')),
      );
      const { observations } = realLog('langfuse_trace_export', `${name}.json`);
      const generations = observations.filter(
        (observation: { type: string }) => observation.type === 'GENERATION',
      );
      expect(written).toHaveLength(generations.length);
      for (const { output } of generations) {
        for (const message of replyMessages(output)) {
          expect(written.map(turnContent)).toContain(plainContent(message['content']));
        }
      }
    },
  );
});

describeWithShared('a real LangSmith batch', () => {
  it('is one call, whose reasoning was counted and not shown', async () => {
    const [run] = await readReal('langsmith_batch_ingest/wrap_openai_reasoning_excerpt.json');
    const batch = realLog('langsmith_batch_ingest', 'wrap_openai_reasoning_excerpt.json');
    expect(run?.turns.map(turnContent)).toEqual([
      batch.post[0].inputs.messages[0].content,
      batch.patch[0].outputs.choices[0].message.content,
    ]);
    expect(run).toMatchObject({ model: 'o1-mini-2024-09-12', termination: 'submitted' });
    expect(run?.flags).toContain('reasoning_hidden');
  });
});

describeWithShared('a real LiteLLM log', () => {
  const name = 'claude-sonnet-4_1757015046.707.json';
  const log = () => realLog('litellm_completion_log', name);

  it('has 12 messages and the reply, 5 calls and the last that finishes', async () => {
    const [run] = await readReal(`litellm_completion_log/${name}`);
    expect(run?.turns).toHaveLength(13);
    expect(run && calls(run)).toEqual([
      'str_replace_editor',
      'terminal',
      'str_replace_editor',
      'str_replace_editor',
      'terminal',
      'finish',
    ]);
    expect(run).toMatchObject({ scaffold: 'openhands', scaffold_version: '1.0.0', termination: 'submitted' });
    const last = run?.turns.at(-1);
    expect(last && turnContent(last)).toBe(log().response.choices[0].message.content);
  });

  it('holds the earlier ones of its session, which are its sidecars', async () => {
    const whole = log();
    const earlier = {
      ...whole,
      messages: whole.messages.slice(0, 4),
      response: {
        ...whole.response,
        choices: [
          {
            finish_reason: 'tool_calls',
            message: { ...whole.messages[4], content: whole.messages[4].content[0].text },
          },
        ],
      },
    };
    const files = { 'm_1757015040.1.json': earlier, 'm_1757015046.7.json': whole };
    const root = folderWith(files);
    expect(await readAll({ root, path: 'm_1757015040.1.json' })).toEqual([
      { kind: 'sidecar', path: 'm_1757015040.1.json', of: 'm_1757015046.7.json' },
    ]);
    expect(onlyTrajectory(await readAll({ root, path: 'm_1757015046.7.json' })).turns).toHaveLength(13);
    const other = { ...earlier, messages: [{ role: 'user', content: 'another session' }] };
    const apart = await readFiles({ 'm_1757015040.1.json': other, 'm_1757015046.7.json': whole });
    expect(trajectoriesOf(apart)).toHaveLength(1);
    const lines = [earlier, whole, other].map((line) => JSON.stringify(line)).join('\n');
    expect(trajectoriesOf(await readFiles({ 'calls.jsonl': lines })).map((run) => run.turns.length)).toEqual([
      13, 2,
    ]);
  });
});

describe('a chain of calls', () => {
  const generation = (input: unknown, output: unknown, at: string, rest: Record<string, unknown> = {}) => ({
    type: 'GENERATION',
    id: at,
    startTime: at,
    input,
    output,
    model: 'm',
    ...rest,
  });
  const trace = (observations: unknown[]) => ({ trace: { id: 't', scores: [] }, observations });
  const user = { role: 'user', content: 'q' };
  const said = (content: string) => ({ role: 'assistant', content });

  it('launched what its calls wrote, not what its history had called', () => {
    const call = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'python', arguments: '{"code": "fit()"}' } }],
    });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
    const log = trace([generation([user, call('old'), result('old'), user], call('new'), '1')]);
    const run = readOne(langfuse, log, { experiments: { experiment: ['python'], scoring: [] } });
    expect(run.executions.map(({ execution_id, call_turn }) => [execution_id, call_turn])).toEqual([
      ['call-0', 4],
    ]);
  });

  it('trains what its calls wrote, not the history that it began with', async () => {
    const log = trace([
      generation([user, said('old'), user], said('one'), '1'),
      generation([user, said('old'), user, said('one'), user], said('two'), '2'),
    ]);
    const run = onlyTrajectory(await readFiles({ 'trace.json': log }));
    expect(shape(run as Trajectory)).toBe('user assistant user assistant* user assistant*');
    expect(run.turns[1]?.flags).toEqual(['copied_context']);
  });

  it('names the model of each reply where there are several', async () => {
    const log = trace([
      generation([user], said('one'), '1', { model: 'a' }),
      generation([user, said('one'), user], said('two'), '2', { model: 'b' }),
    ]);
    const run = onlyTrajectory(await readFiles({ 'trace.json': log }));
    // the first of them at a tie
    expect(run.model).toBe('a');
    expect(run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.model ?? []))).toEqual(['b']);
  });

  it('is needed: a trace without generations holds nothing', async () => {
    expect(onlyReject(await readFiles({ 'trace.json': trace([{ type: 'SPAN', id: 'x' }]) })).code).toBe(
      'no_model_turns',
    );
    expect(onlyReject(await readFiles({ 'batch.json': { post: [], patch: [] } })).code).toBe(
      'no_model_turns',
    );
  });
});

describe('messages of other libraries', () => {
  it.each([
    ['LangChain', { type: 'ai', content: 'x', tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c' }] }],
    [
      'LangChain, serialised',
      {
        lc: 1,
        id: ['langchain', 'schema', 'AIMessage'],
        kwargs: { content: 'x', tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c' }] },
      },
    ],
    [
      'OpenAI',
      {
        role: 'assistant',
        content: 'x',
        tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a": 1}' } }],
      },
    ],
    [
      'parts',
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'x' },
          { type: 'tool_call', id: 'c', name: 'f', arguments: { a: 1 } },
        ],
      },
    ],
    [
      'Anthropic blocks',
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
        ],
      },
    ],
    [
      'LangChain messages of Anthropic, which tell a call twice',
      {
        type: 'ai',
        content: [
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
        ],
        tool_calls: [{ id: 'c', name: 'f', args: { a: 1 } }],
      },
    ],
    ['Gemini', { role: 'model', parts: [{ text: 'x' }, { functionCall: { name: 'f', args: { a: 1 } } }] }],
  ])('%s are the same message', (_name, message) => {
    const { messages } = traceMessages([message]);
    expect(messages.map(messageKey)).toEqual([JSON.stringify(['assistant', 'x', [['f', { a: 1 }]]])]);
  });

  it('join the items of one Responses reply', () => {
    const output = [
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'r' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ];
    expect(replyMessages({ object: 'response', output })).toMatchObject([
      { role: 'assistant', content: 'x', reasoning_content: 'r', tool_calls: [{ id: 'c' }] },
    ]);
  });
});

const said = { role: 'assistant', content: 'yo' };
const asked = { role: 'user', content: 'hi' };
const jsonLines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('exports without their trace', () => {
  const observation = (id: string, traceId: string, rest: object = {}) => ({
    id,
    traceId,
    type: 'GENERATION',
    startTime: `2025-01-01T00:00:0${id}Z`,
    model: 'm',
    input: [asked],
    output: said,
    ...rest,
  });
  const list = [
    observation('1', 'a'),
    observation('2', 'b'),
    observation('3', 'a', { input: [asked, said, asked] }),
  ];

  it.each([
    ['lines', jsonLines(...list)],
    ['a list', JSON.stringify(list)],
  ])('observations of Langfuse as %s are runs by trace', async (_name, content) => {
    const runs = trajectoriesOf(await readFiles({ 'o.json': content }));
    expect(runs.map(({ source, session_id }) => [source.format, session_id])).toEqual([
      ['langfuse', 'a'],
      ['langfuse', 'b'],
    ]);
    expect(runs.map(shape)).toEqual(['user assistant* user assistant*', 'user assistant*']);
  });

  it('a trace of Langfuse that holds its observations is one run', async () => {
    const run = onlyTrajectory(
      await readFiles({ 't.json': { id: 't', name: 'n', observations: [list[0]] } }),
    );
    expect(run).toMatchObject({ session_id: 't', scaffold: 'n', model: 'm' });
  });

  it.each([
    ['lines', (runs: object[]) => jsonLines(...runs)],
    ['a list', (runs: object[]) => JSON.stringify(runs)],
  ])('runs of LangSmith as %s are read as a batch is', async (_name, write) => {
    const langRun = (id: string, run_type: string) => ({
      id,
      run_type,
      trace_id: 't',
      start_time: '2025-01-01T00:00:00',
      inputs: { messages: [[{ id: ['HumanMessage'], kwargs: { type: 'human', content: 'hi' } }]] },
      outputs: { generations: [[{ message: { id: ['AIMessage'], kwargs: { type: 'ai', content: 'yo' } } }]] },
    });
    const run = onlyTrajectory(
      await readFiles({ 'r.json': write([langRun('1', 'chain'), langRun('2', 'llm')]) }),
    );
    expect(run.source.format).toBe('langsmith');
    expect(shape(run)).toBe('user assistant*');
  });
});

describe('requests with their responses', () => {
  const response = (message: object, finish_reason = 'stop') => ({
    model: 'm',
    choices: [{ message, finish_reason }],
  });
  const callOf = (model: string, ...messages: object[]) => ({
    messages,
    response: { ...response(said), model },
  });

  it('of LiteLLM: the reply is the response, replies in the request are those of other calls', async () => {
    const call = (messages: object[], rest: object) => ({
      call_type: 'acompletion',
      startTime: 1,
      messages,
      ...rest,
    });
    const second = [asked, said, asked, { role: 'assistant', content: 'of nobody' }, asked];
    const runs = trajectoriesOf(
      await readFiles({
        'calls.jsonl': jsonLines(
          call([asked], { response: response(said) }),
          call(second, { response: response({ role: 'assistant', content: 'cut' }, 'length') }),
        ),
      }),
    );
    expect(runs.map(shape)).toEqual(['user assistant* user assistant user assistant*']);
    expect(runs[0]?.turns.at(-1)).toMatchObject({ truncated: 'length' });
    expect(runs[0]?.source.format).toBe('litellm-completion-log');
    const alone = onlyTrajectory(
      await readFiles({ 'call.json': call([asked], { response: response(said) }) }),
    );
    expect(shape(alone)).toBe('user assistant*');
  });

  it('of several models are a run of the one that wrote most, others on their spans', async () => {
    const run = onlyTrajectory(
      await readFiles({
        'calls.jsonl': jsonLines(
          callOf('small', asked),
          callOf('large', asked, said, asked),
          callOf('large', asked, said, asked, said, asked),
        ),
      }),
    );
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(run.model).toBe('large');
    expect(replies.map(({ spans }) => spans.map(({ model }) => model))).toEqual([['small'], [null], [null]]);
  });

  it('have for each reply why it ended and what its model thought, which no context repeats', async () => {
    const call = (reply: object, finish: string, ...messages: object[]) => ({
      messages,
      response: response(reply, finish),
    });
    const thought = { ...said, reasoning_content: 'hm' };
    const run = onlyTrajectory(
      await readFiles({
        'calls.jsonl': jsonLines(
          call(thought, 'length', asked),
          call(thought, 'stop', asked, said, asked),
          call(said, 'stop', asked, said, asked, said, asked),
        ),
      }),
    );
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(replies.map(({ truncated }) => truncated)).toEqual(['length', null, null]);
    expect(replies.map(({ spans }) => spans.map(({ kind, origin }) => `${origin} ${kind}`))).toEqual([
      ['model reasoning', 'model text'],
      ['model reasoning', 'model text'],
      ['model text'],
    ]);
  });

  it.each([
    ['gemini/gemini-2.5-pro', 'environment', ['reasoning_summary']],
    ['deepseek-reasoner', 'model', []],
  ])('of %s have a summary for reasoning, or reasoning', async (model, origin, flags) => {
    const thought = { ...said, reasoning_content: 'hm' };
    const exchange = { messages: [asked], response: { ...response(thought), model } };
    const run = onlyTrajectory(await readFiles({ 'calls.jsonl': jsonLines(exchange) }));
    expect(run.turns.at(-1)?.spans.map((span) => span.origin)).toEqual([origin, 'model']);
    expect(run.flags.filter((flag) => flag === 'reasoning_summary')).toEqual(flags);
    expect(run.model).toBe(model);
  });

  it('of a model that is also called by its snapshot are all its own', async () => {
    const run = onlyTrajectory(
      await readFiles({
        'calls.jsonl': jsonLines(
          callOf('gpt-4o-2024-08-06', asked),
          callOf('openai/gpt-4o', asked, said, asked),
          callOf('gpt-4o-2024-08-06', asked, said, asked, said, asked),
        ),
      }),
    );
    expect(run.model).toBe('gpt-4o-2024-08-06');
    expect(run.turns.flatMap(({ spans }) => spans.map(({ model }) => model))).toEqual(
      Array.from({ length: 6 }, () => null),
    );
  });

  it('as LiteLLM hands them to a logger hold the response as text, and only it is of this call', async () => {
    const dump = (rest: object) => ({
      litellm_call_id: 'x',
      model: 'm',
      messages: [asked, said, { role: 'user', content: 'more' }],
      log_event_type: 'post_api_call',
      ...rest,
    });
    const last = { role: 'assistant', content: '{"commands": []}' };
    const run = onlyTrajectory(
      await readFiles({
        'debug.json': dump({ original_response: JSON.stringify(response(last, 'length')) }),
      }),
    );
    expect(run.source.format).toBe('litellm-completion-log');
    expect(shape(run)).toBe('user assistant user assistant*');
    expect(run.turns.at(-1)).toMatchObject({ truncated: 'length' });
    expect(run.model).toBe('m');
    // what it shows its model are replies of other calls
    for (const original_response of ['Internal error', '', null, 'data: {}']) {
      const broken = onlyReject(await readFiles({ 'debug.json': dump({ original_response }) }));
      expect(broken).toMatchObject({ code: 'no_model_turns', format: 'litellm-completion-log' });
    }
  });

  it('of a proxy before the Anthropic API keep thinking, calls and results apart', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'look' },
      { type: 'tool_use', id: 'c', name: 'ls', input: {} },
    ];
    const reply = (blocks: object[], stop_reason: string) => ({
      body: { type: 'message', role: 'assistant', model: 'm', content: blocks, stop_reason },
    });
    const request = (messages: object[]) => ({
      body: { model: 'm', system: 'be good', messages, tools: [{ name: 'ls' }] },
    });
    const result = { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'a.py' }] };
    const run = onlyTrajectory(
      await readFiles({
        'proxy.jsonl': jsonLines(
          { request: request([asked]), response: reply(content, 'tool_use') },
          {
            request: request([
              asked,
              { role: 'assistant', content },
              { role: 'user', content: [result, { type: 'text', text: 'more' }] },
            ]),
            response: reply([{ type: 'text', text: 'do' }], 'max_tokens'),
          },
        ),
      }),
    );
    expect(shape(run)).toBe('system user assistant* tool user assistant*');
    expect(run.turns[2]?.spans.map(({ kind, text }) => [kind, text])).toEqual([
      ['reasoning', 'hm'],
      ['text', 'look'],
      ['tool_call', expect.anything()],
    ]);
    expect(run.turns.at(-1)?.truncated).toBe('length');
    expect(run.tools).toContain('ls');
  });
});

it('a single chain of ToolBench is its messages', async () => {
  const train_messages = [
    [
      { role: 'system', content: 's' },
      { role: 'user', content: 'q' },
      { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'r' },
      { role: 'assistant', content: 'done' },
    ],
  ];
  const answer_generation = { query: 'q', finish_type: 'give_answer', function: [], train_messages };
  const run = onlyTrajectory(
    await readFiles({ 'a.json': { win: true, try_count: 1, trys: [], answer_generation } }),
  );
  expect(run).toMatchObject({ scaffold: 'toolbench', termination: 'submitted' });
  expect(shape(run)).toBe('system user assistant* tool assistant*');
});

describe('calls of Weave', () => {
  const weaveCall = (
    id: string,
    started_at: string,
    messages: object[],
    reply: string | null,
    rest: object = {},
  ) => ({
    id,
    op_name: 'weave:///x/op/openai.chat.completions.create:v',
    trace_id: `t${id}`,
    parent_id: null,
    started_at,
    inputs: { model: 'gpt', messages, tools: [{ type: 'function', function: { name: 'ls' } }] },
    output:
      reply === null
        ? null
        : {
            model: 'gpt-1',
            choices: [{ message: { role: 'assistant', content: reply }, finish_reason: 'stop' }],
          },
    ...rest,
  });
  const one = { role: 'assistant', content: 'one' };
  const more = { role: 'user', content: 'more' };
  const of = (weave_task_id: string) => ({ attributes: { weave_task_id } });

  it('under the results of HAL are a run for each task, with its verdict', async () => {
    const document = {
      config: { agent_name: 'a', benchmark_name: 'b' },
      results: { accuracy: 0.5, successful_tasks: ['7'], failed_tasks: [8] },
      raw_logging_results: [
        weaveCall('2', '2025-01-01T00:00:02Z', [asked, one, more], 'two', of('7')),
        weaveCall('1', '2025-01-01T00:00:01Z', [asked], 'one', of('7')),
        weaveCall('1a', '2025-01-01T00:00:01Z', [asked], 'one', { ...of('7'), parent_id: '1' }),
        weaveCall('3', '2025-01-01T00:00:03Z', [asked], 'other', of('8')),
        weaveCall('4', '2025-01-01T00:00:04Z', [asked], null, of('8')),
      ],
    };
    const runs = trajectoriesOf(await readFiles({ 'r_UPLOAD.json': document }));
    expect(runs.map(({ source }) => source.format)).toEqual(['weave', 'weave']);
    expect(runs.map(shape)).toEqual(['user assistant* user assistant*', 'user assistant*']);
    expect(runs.map(({ task_id, resolved }) => [task_id, resolved])).toEqual([
      ['7', true],
      ['8', false],
    ]);
    expect(runs[0]).toMatchObject({ session_id: 't2', group: '7', model: 'gpt-1' });
    expect(runs[0]?.turns[1]?.timestamp).toBe('2025-01-01T00:00:01.000Z');
    expect(JSON.parse(runs[0]?.tools ?? '[]')).toHaveLength(1);
  });

  it('in lines are read without a task, and those of other functions are none', async () => {
    const other = {
      id: 'p',
      op_name: 'weave:///x/op/run:v',
      trace_id: 't',
      inputs: { task: 1 },
      output: 'one',
    };
    const log = jsonLines(other, weaveCall('1', '2025-01-01T00:00:01Z', [asked], 'one', { parent_id: 'p' }));
    const run = onlyTrajectory(await readFiles({ 'calls.jsonl': log }));
    expect(shape(run)).toBe('user assistant*');
    expect(run).toMatchObject({ task_id: null, resolved: null });
    const alone = onlyReject(await readFiles({ 'calls.jsonl': jsonLines(other) }));
    expect(alone.code).toBe('unknown_format');
  });
});
