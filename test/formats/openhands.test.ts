import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openhands } from '../../src/formats/openhands.js';
import { contextFor, detectDocument } from './adapter-context.js';
import { folderWith, onlyReject, onlyTrajectory, readAll } from './read-all.js';
import { detectLines, outline, placed, runOf } from './session-logs.js';

const part = (text: string) => ({ type: 'text', text });
const sdk = (id: string, kind: string, source: string, rest: object = {}) => ({
  id,
  timestamp: 't',
  source,
  kind,
  ...rest,
});
const action = (id: string, response: string, rest: object = {}) =>
  sdk(id, 'ActionEvent', 'agent', {
    thought: [],
    llm_response_id: response,
    tool_name: 'terminal',
    tool_call_id: `call-${id}`,
    tool_call: { id: `call-${id}`, name: 'terminal', arguments: '{"command": "python t.py"}' },
    action: { kind: 'TerminalAction', command: 'python t.py' },
    ...rest,
  });
const observation = (id: string, of: string, rest: object) =>
  sdk(id, 'ObservationEvent', 'environment', {
    tool_name: 'terminal',
    tool_call_id: `call-${of}`,
    action_id: of,
    observation: { kind: 'TerminalObservation', ...rest },
  });
const asked = sdk('u', 'MessageEvent', 'user', {
  llm_message: { role: 'user', content: [part('go')] },
  extended_content: [part('rule')],
});

describe('openhands: events of the SDK', () => {
  const events = [
    sdk('s', 'SystemPromptEvent', 'agent', {
      system_prompt: part('S'),
      dynamic_context: part('D'),
      tools: [{ name: 't' }],
    }),
    asked,
    action('a', 'r1', { thought: [part('Both.')], reasoning_content: 'hm' }),
    action('b', 'r1'),
    sdk('t', 'TokenEvent', 'agent', { prompt_token_ids: [1], response_token_ids: [2, 3] }),
    observation('oa', 'a', { content: [part('A')], exit_code: 0 }),
    observation('ob', 'b', { content: [part('B')], exit_code: -1, timeout: true }),
    sdk('st', 'ConversationStateUpdateEvent', 'environment', {
      key: 'stats',
      value: { usage_to_metrics: { default: { model_name: 'm' } } },
    }),
    sdk('e', 'AgentErrorEvent', 'agent', { error: 'bad call', tool_name: 'x', tool_call_id: 'y' }),
    sdk('m', 'MessageEvent', 'agent', {
      llm_response_id: 'r2',
      llm_message: {
        role: 'assistant',
        content: [part('<think>deep</think>Done.')],
        reasoning_content: 'deep',
      },
    }),
  ];

  it('make one reply of one response, with tokens, tools and outcomes', () => {
    expect(detectLines(openhands, events)?.unit).toBe('lines');
    const run = runOf(openhands, events, { experiment_patterns: [/t\.py/] });
    expect(outline(run.turns)).toEqual([
      'system: prompt S | prompt D',
      'user: prompt go | observation rule',
      'assistant: REASONING hm | TEXT Both. | TOOL_CALL {"command": "python t.py"} | TOOL_CALL {"command": "python t.py"}',
      'tool: observation A',
      'tool: observation B',
      'tool: observation bad call',
      'assistant: REASONING <think>deep</think> | TEXT Done.',
    ]);
    expect(run.turns[2]?.policy).toMatchObject({ prompt_ids: [1], response_ids: [2, 3], logprobs: null });
    expect(
      run.executions.map(({ status, exit_code, feedback_turn }) => [status, exit_code, feedback_turn]),
    ).toEqual([
      ['ok', 0, 3],
      ['timeout', null, 4],
    ]);
    expect(run).toMatchObject({ model: 'm', tools: '[{"name":"t"}]', termination: 'submitted' });
  });

  it('forget what a condensation names', () => {
    const run = runOf(openhands, [
      asked,
      action('a', 'r1'),
      observation('oa', 'a', { content: [part('A')] }),
      sdk('c', 'Condensation', 'environment', {
        forgotten_event_ids: ['a', 'oa'],
        summary: 'so far',
        summary_offset: 1,
        llm_response_id: 'x',
      }),
      action('b', 'r2', { action: { kind: 'FinishAction' } }),
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2], reason: null },
      { turns: [0, 3, 4], reason: 'condensation' },
    ]);
    expect(run.termination).toBe('submitted');
  });

  it('in files of their own are read from the first', () => {
    const names = ['event-00000-u.json', 'event-00001-a.json', 'event-00010-m.json'];
    const list = [asked, action('a', 'r1'), events[9]];
    const files = Object.fromEntries(names.map((name, index) => [name, JSON.stringify(list[index])]));
    const { [names[0] ?? '']: _first, ...others } = files;
    const run = runOf(openhands, asked, placed(`d/${names[0]}`, others));
    expect(outline(run.turns)).toHaveLength(3);
    const { [names[1] ?? '']: _second, ...rest } = files;
    const second = openhands.read(list[1], contextFor(openhands, placed(`d/${names[1]}`, rest)));
    expect(second).toEqual({ sidecar_of: names[0] });
  });

  it('the state above the folder of event files names the conversation and the model', async () => {
    const root = folderWith({});
    mkdirSync(join(root, 'c/events'), { recursive: true });
    const state = { id: 'c1', agent: { llm: { model: 'm' } }, execution_status: 'finished' };
    writeFileSync(join(root, 'c/base_state.json'), JSON.stringify(state));
    writeFileSync(join(root, 'c/events/event-00000-u.json'), JSON.stringify(asked));
    writeFileSync(join(root, 'c/events/event-00001-a.json'), JSON.stringify(action('a', 'r1')));
    const run = onlyTrajectory(await readAll({ root, path: 'c/events/event-00000-u.json' }));
    expect(run).toMatchObject({ session_id: 'c1', model: 'm' });
    expect(run.source.sidecars).toContainEqual(
      expect.objectContaining({ path: 'c/base_state.json', role: 'state' }),
    );
    expect(onlyReject(await readAll({ root, path: 'c/base_state.json' })).code).toBe('not_a_trajectory');
  });

  it("reasoning beside a message in its event is the reply's", () => {
    const said = {
      id: 'm',
      source: 'agent',
      kind: 'MessageEvent',
      llm_message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
      thinking_blocks: [{ type: 'thinking', thinking: 'hm' }],
    };
    expect(outline(runOf(openhands, [asked, said]).turns).at(-1)).toBe('assistant: REASONING hm | TEXT done');
    const within = { ...said, llm_message: { ...said.llm_message, thinking_blocks: said.thinking_blocks } };
    expect(outline(runOf(openhands, [asked, within]).turns).at(-1)).toBe(
      'assistant: REASONING hm | TEXT done',
    );
  });
});

const legacy = (id: number, source: string, rest: object) => ({
  id,
  timestamp: 't',
  source,
  message: 'm',
  ...rest,
});
const response = (id: string, content: string, calls: object[]) => ({
  tool_call_metadata: {
    function_name: 'execute_bash',
    tool_call_id: 'c1',
    model_response: {
      id,
      model: 'gpt',
      choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', content, tool_calls: calls } }],
    },
  },
});
const bash = {
  id: 'c1',
  type: 'function',
  function: { name: 'execute_bash', arguments: '{"command":"ls"}' },
};

describe('openhands: older events', () => {
  const history = [
    legacy(0, 'agent', {
      action: 'system',
      args: { content: 'S', tools: [{ type: 'function' }], openhands_version: '0.5' },
    }),
    legacy(1, 'user', { action: 'message', args: { content: 'go', image_urls: [] } }),
    legacy(2, 'user', { action: 'recall', args: { query: 'go' } }),
    legacy(3, 'environment', { observation: 'recall', content: 'repo facts', extras: {} }),
    legacy(4, 'agent', {
      action: 'run',
      args: { command: 'ls', thought: 'Look.' },
      ...response('r1', 'Look.', [bash]),
    }),
    legacy(5, 'agent', {
      observation: 'run',
      content: 'a.txt',
      extras: { metadata: { exit_code: 1 } },
      cause: 4,
      tool_call_metadata: { function_name: 'execute_bash', tool_call_id: 'c1' },
    }),
    legacy(6, 'agent', { action: 'finish', args: { final_thought: 'Done.', outputs: {} } }),
    legacy(7, 'environment', {
      observation: 'agent_state_changed',
      content: '',
      extras: { agent_state: 'finished' },
    }),
  ];
  const row = {
    instance_id: 'x-1',
    history,
    metadata: { max_iterations: 30 },
    test_result: { report: { resolved: true } },
  };
  const expected = [
    'system: prompt S',
    'user: prompt go',
    'user: observation repo facts',
    'assistant: TEXT Look. | TOOL_CALL {"command":"ls"}',
    'tool: observation a.txt',
    'assistant: TOOL_CALL {"final_thought":"Done.","outputs":{}}',
  ];

  it('in a row, a list, pairs or a trajectory object read alike', () => {
    const pairs = [
      [history[0], history[1]],
      [history[4], history[5]],
    ];
    expect(detectLines(openhands, [row])?.unit).toBe('line');
    for (const document of [row, history, { trajectory: history }, pairs, { history: pairs }]) {
      expect(detectDocument(openhands, document)?.confidence).toBe('certain');
    }
    for (const document of [row, history, { trajectory: history }]) {
      expect(outline(runOf(openhands, document).turns)).toEqual(expected);
    }
    expect(outline(runOf(openhands, pairs).turns)).toEqual([
      expected[0],
      expected[1],
      expected[3],
      expected[4],
    ]);
  });

  it('take words and calls from the reply of the model where it is kept', () => {
    const run = runOf(openhands, row);
    expect(run).toMatchObject({
      task_id: 'x-1',
      model: 'gpt',
      scaffold_version: '0.5',
      turn_budget: 30,
      resolved: true,
      termination: 'submitted',
    });
    expect(run.executions).toMatchObject([
      { tool: 'execute_bash', status: 'error', exit_code: 1, feedback_turn: 4 },
    ]);
    expect(run.flags).toEqual(['no_experiment_boundary', 'text_rebuilt']);
  });

  it('know why a row ended badly', () => {
    expect(runOf(openhands, { ...row, error: 'Agent reached maximum iteration.' }).termination).toBe(
      'step_limit',
    );
    expect(runOf(openhands, { ...row, error: 'AgentStuckInLoopError' }).termination).toBe('error');
  });

  it('ask with the instruction where no event does', () => {
    const run = runOf(openhands, { instruction: 'task', history: history.slice(4, 6) });
    expect(outline(run.turns)[0]).toBe('user: prompt task');
  });

  it('leave other histories alone', () => {
    expect(detectDocument(openhands, { history: [{ role: 'user', content: 'x' }] })).toBeNull();
    expect(detectDocument(openhands, [{ action: 'a', observation: 'b' }])).toBeNull();
    expect(detectDocument(openhands, [])).toBeNull();
  });
});
