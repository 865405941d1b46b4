import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const message = (role: string, content: string) => ({ role, content });
const call = (call_id: string, command: string) => ({
  call_id,
  name: 'bash',
  arguments: { command },
  id: null,
});
const result = (call_id: string, success: boolean, text: string | null, error: string | null = null) => ({
  call_id,
  success,
  result: text,
  error,
  id: null,
});
const answer = (one: object) => ({ role: 'user', content: null, tool_result: one });
const turn = (
  input_messages: object[],
  content: string,
  tool_calls: object[] | null,
  finish = 'tool_use',
) => ({
  timestamp: '2025-06-12T22:05:47.000000',
  provider: 'anthropic',
  model: 'claude-sonnet-4-20250514',
  input_messages,
  response: { content, model: 'claude-sonnet-4-20250514', finish_reason: finish, usage: {}, tool_calls },
  tools_available: ['bash', 'task_done'],
});
const start = [message('system', 'You are an agent.'), message('user', 'fix it')];
const log = (llm_interactions: object[], rest: object = {}) => ({
  'trajectory_1.json': {
    task: 'fix it',
    provider: 'anthropic',
    model: 'claude-sonnet-4-20250514',
    max_steps: 20,
    llm_interactions,
    agent_steps: [],
    success: true,
    final_result: 'fixed',
    ...rest,
  },
});

describe('a trajectory of Trae Agent', () => {
  it('is one run of what each interaction adds, reflections of the harness untrained', async () => {
    const run = onlyTrajectory(
      await readFiles(
        log([
          turn(start, 'I look.', [call('a', 'ls'), call('b', 'no')]),
          turn(
            [
              answer(result('a', true, 'x.py\n')),
              answer(result('b', false, null, 'no such command')),
              message('assistant', 'The tool execution failed with error: no such command.'),
            ],
            '',
            [call('c', 'fix')],
          ),
          turn([answer(result('c', true, 'ok'))], 'fixed', null, 'end_turn'),
        ]),
      ),
    );
    expect(run.source.format).toBe('trae-agent');
    expect(outline(run.turns)).toEqual([
      'system: prompt You are an agent.',
      'user: prompt fix it',
      'assistant: TEXT I look. | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"no"}',
      'tool: observation x.py',
      'tool: observation Tool call failed with error:\nno such command',
      'assistant: text The tool execution failed with error: no such command.',
      'assistant: TOOL_CALL {"command":"fix"}',
      'tool: observation ok',
      'assistant: TEXT fixed',
    ]);
    expect(run.turns[5]?.flags).toEqual(['harness_reply']);
    expect(run.executions.map(({ status }) => status)).toEqual(['ok', 'error', 'ok']);
    expect(run).toMatchObject({
      scaffold: 'trae-agent',
      model: 'claude-sonnet-4-20250514',
      turn_budget: 20,
      termination: 'submitted',
      resolved: null,
    });
  });

  it('that ran out of steps has the results of its last calls', async () => {
    const run = onlyTrajectory(
      await readFiles(
        log([turn(start, '', [call('a', 'ls')])], {
          success: false,
          final_result: 'Task execution exceeded maximum steps without completion.',
          agent_steps: [{ step_number: 1, tool_results: [result('a', true, 'x.py')] }],
        }),
      ),
    );
    expect(outline(run.turns).at(-1)).toBe('tool: observation x.py');
    expect(run.termination).toBe('step_limit');
  });

  it('takes the context once where interactions repeat it, and a new one as a run of its own', async () => {
    const spoken = message('assistant', 'I look.');
    const runs = trajectoriesOf(
      await readFiles(
        log([
          turn(start, 'I look.', null, 'end_turn'),
          turn([...start, spoken, message('user', 'go on')], 'done', null, 'end_turn'),
          turn([message('system', 'You judge.'), message('user', 'good?')], 'yes', null, 'length'),
        ]),
      ),
    );
    expect(runs.map(({ turns }) => outline(turns))).toEqual([
      [
        'system: prompt You are an agent.',
        'user: prompt fix it',
        'assistant: TEXT I look.',
        'user: prompt go on',
        'assistant: TEXT done',
      ],
      ['system: prompt You judge.', 'user: prompt good?', 'assistant: TEXT yes'],
    ]);
    expect(runs[1]?.turns[2]?.truncated).toBe('length');
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['max_tokens', 'length'],
    ['incomplete', 'length'],
    ['SAFETY', 'aborted'],
    ['STOP', null],
    ['completed', null],
  ])('marks a reply that ended with %s, in the words of each client', async (finish, truncated) => {
    const run = onlyTrajectory(await readFiles(log([turn(start, 'so', null, finish)])));
    expect(run.turns.at(-1)?.truncated).toBe(truncated);
  });

  it('ends by its own words alone: a reply without calls ends no run', async () => {
    const ends = async (rest: object) =>
      onlyTrajectory(await readFiles(log([turn(start, 'I think I am done.', null, 'end_turn')], rest)))
        .termination;
    expect(await ends({ success: true })).toBe('submitted');
    expect(await ends({ success: false, final_result: null })).toBe('cut');
    const failed = [{ step_number: 2, tool_results: null, error: 'rate limit' }];
    expect(await ends({ success: false, final_result: null, agent_steps: failed })).toBe('error');
  });

  it('with a call without a name is refused', async () => {
    const rejected = onlyReject(await readFiles(log([turn(start, '', [{ call_id: 'a', arguments: {} }])])));
    expect(rejected).toMatchObject({ code: 'bad_shape', format: 'trae-agent' });
  });

  it.each([
    ['error', [{ step_number: 1 }, { step_number: 2, error: 'timed out' }]],
    ['cut', [{ step_number: 1, error: 'once' }, { step_number: 2 }]],
  ])('that failed ends with %s, as its last step says', async (termination, agent_steps) => {
    const failed = log([turn(start, 'I stop.', null, 'end_turn')], { success: false, agent_steps });
    expect(onlyTrajectory(await readFiles(failed)).termination).toBe(termination);
  });
});
