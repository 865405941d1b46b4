import { describe, expect, it } from 'vitest';
import { rllmEpisode } from '../../src/formats/rllm-episode.js';
import { windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { finish } from '../windows/synthetic-run.js';
import { contentsOf, detectDocument, readDocument, readOne, rolesOf } from './adapter-context.js';
import { readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

interface Message {
  role: string;
  content: string;
  [field: string]: unknown;
}

const system = { role: 'system', content: 'You have the tools python and Score.' };
const task = { role: 'user', content: '# Task\n## Competition ID: pizza-small\nPredict.' };
const say = (content: string, rest: object = {}): Message => ({ role: 'assistant', content, ...rest });
const answer = (text: string): Message => ({
  role: 'user',
  content: `<tool_response>\n${text}\n</tool_response>`,
});
const script = (code: string) => `<think>go</think>\n<tool_call>\npython\n<code>${code}</code>\n</tool_call>`;
const SCORE =
  '<think>grade</think>\n<tool_call>{"name": "Score", "arguments": {"competition_id": "pizza-small"}}</tool_call>';
const details = (score: unknown, rest: object = {}) =>
  JSON.stringify({
    'score_primary (main competition metric for current code)': score,
    'metric_lower_is_better (true means lower score is better)': false,
    'threshold_gold (score needed for gold tier)': 0.9,
    'threshold_silver (score needed for silver tier)': 0.8,
    'threshold_bronze (score needed for bronze tier)': 0.7,
    'threshold_median (median submission score)': 0.6,
    submission_path: '/out/submission.csv',
    ...rest,
  });
const FOUND = 'Note: no stderr, and submission.csv found at /out/submission.csv.';

/** One step for each assistant message, as SandMLE writes them: the context up to it, what follows as observation. */
function stepsOf(messages: Message[]): object[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const next = messages[index + 1];
    return [
      {
        prompt_ids: [],
        response_ids: [],
        logprobs: [],
        chat_completions: messages.slice(0, index + 1),
        observation: next?.role === 'user' ? next.content : '',
        thought: '',
        action: null,
        model_response: message.content,
        model_output: null,
        info: {},
        reward: 0,
        done: false,
        mc_return: 0,
        advantage: null,
        weight_version: null,
      },
    ];
  });
}

const trajectory = (steps: object[], rest: object = {}) => ({
  uid: 'u1',
  name: 'deepresearch_agent',
  task: 'q',
  steps,
  reward: 0.5,
  info: {},
  ...rest,
});
const episode = (trajectories: object[], rest: object = {}) => ({
  id: '4f7a:2',
  task: { question: 'q' },
  termination_reason: 'env_done',
  is_correct: true,
  trajectories,
  metrics: { rounds: 1 },
  info: {},
  ...rest,
});
const chat = (...messages: Message[]) => episode([trajectory(stepsOf([system, task, ...messages]))]);

describe('rllm-episode: a SandMLE run', () => {
  const run = readOne(
    rllmEpisode,
    chat(
      say(script('print(1/0)')),
      answer(
        '[Output]\nstart\n\n[Stderr]\nTraceback (most recent call last):\n  File "m.py", line 1, in <module>\nZeroDivisionError: division by zero\n\nNote: submission.csv not found.',
      ),
      say(script('fit(); save()')),
      answer(`[Output]\ncv 0.71\n\n${FOUND}`),
      say(SCORE),
      answer(
        `Submission OK. But you do not reach the bronze threshold to get the medal. Please revise your Python code to improve your score. Details: ${details(0.65)}`,
      ),
      say(script('slow()')),
      answer('[Timeout] Python execution timed out after 90s. Please optimize your code for efficiency.'),
      say(script('better()')),
      answer(`[Output]\nok\n\n${FOUND}`),
      say(SCORE),
      answer(`Submission OK. Details: ${details(0.83)}`),
      say('<think>done</think>\n<answer>submission.csv</answer>'),
    ),
  );

  it('is one trajectory with every message as a turn', () => {
    expect(rolesOf(run.turns)).toEqual({ system: 1, user: 7, assistant: 7 });
    expect(run.epochs).toEqual([{ turns: run.turns.map((_, index) => index), reason: null }]);
    expect(run).toMatchObject({
      session_id: '4f7a:2',
      group: '4f7a',
      task_id: 'pizza-small',
      scaffold: 'rllm/deepresearch_agent',
      termination: 'submitted',
      resolved: null,
      feedback_exposes_test_score: true,
      flags: [],
    });
  });

  it('reads experiments and their outcome out of the text', () => {
    const seen = run.executions.map(
      ({ kind, status, call_turn, feedback_turn, seconds, error_type, code }) => [
        kind,
        status,
        call_turn,
        feedback_turn,
        seconds,
        error_type,
        code,
      ],
    );
    expect(seen).toEqual([
      ['experiment', 'error', 2, 3, null, 'ZeroDivisionError', 'print(1/0)'],
      ['experiment', 'ok', 4, 5, null, null, 'fit(); save()'],
      ['scoring', 'ok', 6, 7, null, null, null],
      ['experiment', 'timeout', 8, 9, 90, null, 'slow()'],
      ['experiment', 'ok', 10, 11, null, null, 'better()'],
      ['scoring', 'ok', 12, 13, null, null, null],
    ]);
  });

  it('links each score to the experiment before it', () => {
    expect(run.submissions).toMatchObject([
      {
        execution_id: run.executions[1]?.execution_id,
        scored_by: run.executions[2]?.execution_id,
        observed_turn: 7,
        score: 0.65,
        scale: 'test',
        grader: 'sandmle',
        gradable: true,
        stale: false,
      },
      { execution_id: run.executions[4]?.execution_id, observed_turn: 13, score: 0.83, stale: false },
    ]);
    expect(run.task_claims).toEqual({
      metric: null,
      is_lower_better: false,
      gold: 0.9,
      silver: 0.8,
      bronze: 0.7,
      median: 0.6,
    });
  });

  it('cuts replies into thought, call and text', () => {
    expect(run.turns[4]?.spans.map((span) => [span.kind, span.text])).toEqual([
      ['reasoning', '<think>go</think>'],
      ['text', '\n'],
      ['tool_call', '<tool_call>\npython\n<code>fit(); save()</code>\n</tool_call>'],
    ]);
    expect(run.turns[6]?.spans.at(-1)?.call).toMatchObject({
      name: 'Score',
      arguments: '{"competition_id": "pizza-small"}',
    });
    expect(run.turns.at(-1)?.spans.map((span) => span.kind)).toEqual(['reasoning', 'text']);
    expect(run.turns[3]?.spans).toMatchObject([{ kind: 'observation', origin: 'environment' }]);
    expect(run.turns[1]?.spans).toMatchObject([{ kind: 'prompt' }]);
  });
});

describe('rllm-episode: scores', () => {
  const submissions = (...texts: string[]) =>
    readOne(
      rllmEpisode,
      chat(
        say(script('a()')),
        answer(`[Output]\nok\n\n${FOUND}`),
        ...texts.flatMap((text) => [say(SCORE), answer(text)]),
      ),
    ).submissions;

  it.each([
    [
      'an invalid file',
      'Submission csv is invalid. Please revise your Python code. Detailed issue: x',
      null,
      [],
    ],
    ['no file', '[Error] submission file not found at /out/submission.csv.', null, []],
    [
      'a score that is not finite',
      `Submission OK. Details: ${details(0).replace(':0,', ': NaN,')}`,
      null,
      ['score_not_finite'],
    ],
    ['a grader that failed', '[Error] mlebench not found: x', null, ['grader_failed']],
    ['a score', `Submission OK. Details: ${details(0.7)}`, 0.7, []],
    ['a score under a key without explanation', 'Submission OK. Details: {"score_primary": 1.5}', 1.5, []],
  ])('reads %s', (_, text, score, flags) => {
    expect(submissions(text)).toMatchObject([{ score, gradable: score !== null, flags }]);
  });

  it('links several scores of one file to the same experiment', () => {
    const text = `Submission OK. Details: ${details(0.7)}`;
    const both = submissions(text, text);
    expect(both.map((submission) => submission.execution_id)).toEqual(['call-0', 'call-0']);
    expect(both.map((submission) => submission.order)).toEqual([0, 1]);
  });

  it('marks a file scored after a failed script as stale', () => {
    const run = readOne(
      rllmEpisode,
      chat(
        say(script('a()')),
        answer(`[Output]\nok\n\n${FOUND}`),
        say(script('b()')),
        answer('[Timeout] Exceeded 90s. Logs: /out/main.log'),
        say(SCORE),
        answer(`Submission OK. Details: ${details(0.7)}`),
      ),
    );
    expect(run.submissions).toMatchObject([
      {
        execution_id: run.executions[1]?.execution_id,
        stale: true,
        flags: ['scored_after_failed_execution'],
      },
    ]);
    expect(run.executions[1]).toMatchObject({ status: 'timeout', seconds: 90 });
  });

  it('does not take a note that a file was found for a submission', () => {
    expect(submissions()).toEqual([]);
  });

  it('exposes no score where none was shown, and flags claims that differ', () => {
    const hidden = readOne(rllmEpisode, chat(say(SCORE), answer('Submission csv is invalid.')));
    expect(hidden.feedback_exposes_test_score).toBe(false);
    const differ = readOne(
      rllmEpisode,
      chat(
        say(SCORE),
        answer(`Submission OK. Details: ${details(0.7)}`),
        say(SCORE),
        answer(
          `Submission OK. Details: ${details(0.7, { 'threshold_gold (score needed for gold tier)': 0.95 })}`,
        ),
      ),
    );
    expect(differ.flags).toContain('task_claims_differ');
    expect(differ.submissions[0]?.execution_id).toBeNull();
  });
});

describe('rllm-episode: outcomes of scripts', () => {
  it.each([
    ['[Output]\nfine', 'ok', null],
    ['No stdout and submission.csv not found.', 'ok', null],
    ['[Error] script not found: x', 'error', null],
    ['[Error] Failed to contact SRUN API at http://x: y', 'infrastructure', null],
    ['PythonInterpreter tool not available', 'infrastructure', null],
    ['[Timeout] Exceeded 12.5s. Logs: x', 'timeout', null],
    ['[Output]\nerror rate: 0.2\nNote: submission.csv not found.', 'ok', null],
    // The head of a long traceback is cut off by the tool.
    [
      '[Output]\na\n\n[Stderr]\n  File "x.py", line 3, in f\n    g()\nxgboost.core.XGBoostError: bad\n\nNote: submission.csv not found.',
      'error',
      'xgboost.core.XGBoostError',
    ],
    [
      'No stdout and submission.csv not found. Stderr:\n  File "x.py", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax',
      'error',
      'SyntaxError',
    ],
    ['[Output]\na\n\n[Stderr]\nUserWarning: something\n\nNote: submission.csv not found.', 'ok', null],
    ['[Output]\na\n\n[Stderr]\nslurmstepd: error: Detected 1 oom_kill event', 'error', null],
  ])('%s', (text, status, error_type) => {
    const run = readOne(rllmEpisode, chat(say(script('a()')), answer(text)));
    expect(run.executions).toMatchObject([{ status, error_type, flags: ['status_inferred'] }]);
  });

  it('leaves a script without an answer unknown', () => {
    const run = readOne(rllmEpisode, chat(say(script('a()'))));
    expect(run.executions).toMatchObject([{ status: 'unknown', feedback_turn: null, flags: [] }]);
  });

  it('calls the script infrastructure that the clock of the whole run cut off, and no other', () => {
    const cut = chat(say(script('a()')), answer(`[Output]\n${FOUND}`), say(script('b()')));
    const statusesOf = (log: object) =>
      readOne(rllmEpisode, log).executions.map(({ status, flags }) => [status, flags.at(-1)]);
    expect(statusesOf({ ...cut, termination_reason: 'timeout' })).toEqual([
      ['ok', 'status_inferred'],
      ['infrastructure', 'clock_ran_out'],
    ]);
    expect(statusesOf(cut)[1]).toEqual(['unknown', undefined]);
    // an answer came, so the clock ended later; and a script in the middle is unanswered for another reason
    const answered = chat(say(script('a()')), answer('[Timeout] Python execution timed out after 90s'));
    expect(statusesOf({ ...answered, termination_reason: 'timeout' })).toEqual([
      ['timeout', 'status_inferred'],
    ]);
    const middle = chat(say(script('a()')), say(script('b()')), answer(`[Output]\n${FOUND}`));
    expect(statusesOf({ ...middle, termination_reason: 'timeout' })[0]).toEqual(['unknown', undefined]);
    const { windows } = segmentWindows(
      finish(readOne(rllmEpisode, { ...cut, termination_reason: 'timeout' })),
      null,
      windowSchema.parse({}),
    );
    expect(windows.at(-1)).toMatchObject({ outcome: 'infrastructure', reward: null });
  });

  it('adds the last answer, which no context holds, from the step', () => {
    const messages = [
      system,
      task,
      say(script('a()')),
      answer('[Output]\n1'),
      say(script('b()')),
      answer('[Output]\n2'),
    ];
    const run = readOne(rllmEpisode, episode([trajectory(stepsOf(messages))]));
    expect(contentsOf(run.turns)).toEqual(messages.map((message) => message.content));
    expect(run.turns.at(-1)?.flags).toEqual(['feedback_from_step_observation']);
    expect(run.executions[1]).toMatchObject({ status: 'ok', feedback_turn: 5 });
  });

  it('does not add an observation that came before the reply', () => {
    const steps = [
      { chat_completions: [system, task, say('a')], observation: task.content },
      { chat_completions: [system, task, say('a'), answer('1'), say('b')], observation: answer('1').content },
    ];
    expect(readOne(rllmEpisode, episode([trajectory(steps)])).turns).toHaveLength(5);
  });
});

describe('rllm-episode: calls', () => {
  const spansOf = (content: string, ...rest: Message[]) =>
    readOne(rllmEpisode, chat(say(content), ...rest)).turns[2]?.spans.map((span) => [
      span.kind,
      span.text,
      span.call?.name ?? null,
      span.call?.arguments ?? null,
    ]) ?? [];

  it('joins all code blocks of a message into one script', () => {
    const second = '<tool_call>\npython\n<code>b = 2</code>\n</tool_call>';
    const first = '<tool_call>\npython\n<code>\na = 1\n</code>\n</tool_call>';
    expect(spansOf(`${first}\n${second}`, answer('[Output]\nok'))).toEqual([
      ['tool_call', first, 'python', 'a = 1\n\nb = 2'],
      ['text', `\n${second}`, null, null],
    ]);
  });

  it('runs an unclosed call that was answered, and takes it for malformed where it was not', () => {
    const open = '<tool_call>\npython\n<code>a()';
    expect(spansOf(open, answer('[Output]\nok'))).toEqual([['tool_call', open, 'python', 'a()']]);
    expect(spansOf(open)).toEqual([['malformed_call', open, null, null]]);
  });

  it('takes a call that the agent refused for malformed, and for no execution', () => {
    const refused =
      'Error: Tool call is not a valid JSON. Tool call must contain a valid "name" and "arguments" field.';
    const run = readOne(rllmEpisode, chat(say('<tool_call>{"name": Score}</tool_call>'), answer(refused)));
    expect(run.turns[2]?.spans[0]?.kind).toBe('malformed_call');
    expect(run.executions).toEqual([]);
    expect(run.flags).toContain('no_experiment_boundary');
  });

  it('passes by a tag that reasoning mentions', () => {
    const thought = '<think>I use <tool_call> now</think>';
    expect(spansOf(`${thought}${SCORE}`, answer('x')).map(([kind]) => kind)).toEqual([
      'reasoning',
      'reasoning',
      'text',
      'tool_call',
    ]);
  });

  it('finds a call inside an unclosed thought', () => {
    const call = '<tool_call>\npython\n<code>a()</code>\n</tool_call>';
    expect(spansOf(`<think>hm ${call}`, answer('[Output]\nok'))).toEqual([
      ['reasoning', '<think>hm ', null, null],
      ['tool_call', call, 'python', 'a()'],
    ]);
  });
});

describe('rllm-episode: contexts', () => {
  const a1 = say(script('bad()'));
  const o1 = answer('[Error] x');
  const a2 = say(script('good()'));
  const o2 = answer('[Output]\nok');
  const a3 = say('<answer>x</answer>');
  const step = (...chat_completions: Message[]) => ({ chat_completions });

  it('begins an epoch where the harness pruned the context', () => {
    const run = readOne(
      rllmEpisode,
      episode([
        trajectory([step(system, task, a1), step(system, task, a1, o1, a2), step(system, task, a2, o2, a3)]),
      ]),
    );
    expect(contentsOf(run.turns)).toEqual(
      [system, task, a1, o1, a2, o2, a3].map((message) => message.content),
    );
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3, 4], reason: null },
      { turns: [0, 1, 4, 5, 6], reason: 'pruned' },
    ]);
    expect(run.executions).toMatchObject([
      { status: 'error', feedback_turn: 3 },
      { status: 'ok', feedback_turn: 5 },
    ]);
  });

  it('keeps the first two and the last two messages apart from what lay between', () => {
    const run = readOne(
      rllmEpisode,
      episode([trajectory([step(system, task, a1, o1, a2, o2, a1), step(system, task, a2, o2, a3)])]),
    );
    expect(run.epochs[1]?.turns).toEqual([0, 1, 4, 5, 7]);
  });

  it('gives a turn of its own to words that the model wrote again', () => {
    const run = readOne(
      rllmEpisode,
      episode([trajectory([step(system, task, a1), step(system, task, a1, o1, a2), step(system, task, a1)])]),
    );
    expect(run.turns).toHaveLength(6);
    expect(run.epochs.map((epoch) => epoch.turns)).toEqual([
      [0, 1, 2, 3, 4],
      [0, 1, 5],
    ]);
  });

  it('keeps the answer that a pruned context dropped', () => {
    const steps = [
      { ...step(system, task, a1), observation: o1.content },
      { ...step(system, task, a2), observation: o2.content },
    ];
    const run = readOne(rllmEpisode, episode([trajectory(steps)]));
    expect(contentsOf(run.turns)).toEqual([system, task, a1, o1, a2, o2].map((message) => message.content));
    expect(run.epochs.map((epoch) => epoch.turns)).toEqual([
      [0, 1, 2, 3],
      [0, 1, 4, 5],
    ]);
    expect(run.executions.map((execution) => execution.status)).toEqual(['error', 'ok']);
  });

  it('takes a reply that a later context holds in another form for environment', () => {
    const stripped = say('short');
    const run = readOne(
      rllmEpisode,
      episode([
        trajectory([step(task, say('<think>long</think>short')), step(task, stripped, answer('x'), a3)]),
      ]),
    );
    expect(run.turns.map((turn) => [turn.role, turn.spans[0]?.origin])).toEqual([
      ['user', 'environment'],
      ['assistant', 'model'],
      ['assistant', 'environment'],
      ['user', 'environment'],
      ['assistant', 'model'],
    ]);
    expect(run.turns[2]?.flags).toEqual(['copied_reply']);
  });

  it('takes examples before the first sampled reply for environment', () => {
    const run = readOne(
      rllmEpisode,
      episode([
        trajectory([step(task, say('example'), task, a1), step(task, say('example'), task, a1, o1, a3)]),
      ]),
    );
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
      'environment',
      'model',
    ]);
  });

  it('adds a reply that only model_response holds', () => {
    const run = readOne(
      rllmEpisode,
      episode([trajectory([{ chat_completions: [task], model_response: 'hello' }])]),
    );
    expect(contentsOf(run.turns)).toEqual([task.content, 'hello']);
  });

  it('says so when turns were pruned without a trace', () => {
    const log = { ...chat(a1, o1, a3), metrics: { rounds: 5 } };
    expect(readOne(rllmEpisode, log).flags).toContain('turns_pruned_from_log');
  });
});

describe("rllm-episode: the policy's tokens", () => {
  it('keeps ids, log-probabilities and weight version of each step', () => {
    const steps = [
      {
        chat_completions: [task, say('a')],
        prompt_ids: [1, 2],
        response_ids: [3],
        logprobs: [-0.125],
        weight_version: 7,
      },
      {
        chat_completions: [task, say('a'), task, say('b')],
        prompt_ids: [],
        response_ids: [],
        logprobs: [],
        model_output: {
          prompt_ids: [4],
          completion_ids: [5, 6],
          logprobs: null,
          weight_version: 7,
          finish_reason: 'length',
        },
      },
    ];
    const run = readOne(rllmEpisode, episode([trajectory(steps)]));
    expect(run.turns.map((turn) => turn.policy)).toEqual([
      null,
      { prompt_ids: [1, 2], response_ids: [3], logprobs: [-0.125], weight_version: '7' },
      null,
      { prompt_ids: [4], response_ids: [5, 6], logprobs: null, weight_version: '7' },
    ]);
    expect(run.turns[3]?.truncated).toBe('length');
    expect(run.policy_version).toBe('7');
  });

  it('reads reasoning beside the content once', () => {
    const steps = [
      { chat_completions: [task, say('a', { reasoning: 'why' })], model_output: { reasoning: 'why' } },
      {
        chat_completions: [task, say('a', { reasoning: 'why' }), task, say('b')],
        model_output: { reasoning: 'hm' },
      },
    ];
    const run = readOne(rllmEpisode, episode([trajectory(steps)]));
    expect(run.turns.map((turn) => turn.spans.map((span) => [span.kind, span.text, span.inline]))).toEqual([
      [['prompt', task.content, true]],
      [
        ['reasoning', 'why', false],
        ['text', 'a', true],
      ],
      [['observation', task.content, true]],
      [
        ['reasoning', 'hm', false],
        ['text', 'b', true],
      ],
    ]);
  });
});

describe('rllm-episode: episodes of other tasks', () => {
  const call = { id: 'c', type: 'function', function: { name: 'python', arguments: '{"code": "1+1"}' } };
  const tool = { role: 'tool', tool_call_id: 'c', content: '2' };
  const log = episode(
    [
      trajectory(
        stepsOf([{ role: 'user', content: 'add' }, say('', { tool_calls: [call] }), tool, say('2')]),
        { name: 'math' },
      ),
    ],
    { id: 'gsm:0', is_correct: false },
  );

  it('reads them without experiments', () => {
    const run = readOne(rllmEpisode, log);
    expect(run).toMatchObject({ task_id: 'gsm', scaffold: 'rllm/math', resolved: false, executions: [] });
    expect(run.flags).toEqual(['no_experiment_boundary']);
    expect(run.turns[1]?.spans).toMatchObject([
      { kind: 'tool_call', inline: false, call: { name: 'python' } },
    ]);
    expect(run.turns[2]).toMatchObject({ role: 'tool', tool_call_id: 'c' });
  });

  it('makes experiments of what a pipeline names', () => {
    const run = readOne(rllmEpisode, log, { experiment_patterns: [/1\+1/] });
    expect(run.executions).toMatchObject([
      { kind: 'experiment', call_turn: 1, feedback_turn: 2, code: '1+1' },
    ]);
  });

  it('reads several trajectories of one episode, each under its own id', () => {
    const one = (uid: string, name: string) =>
      trajectory([{ chat_completions: [task, say(uid)] }], { uid, name });
    const runs = readDocument(rllmEpisode, episode([one('x', 'solver'), one('y', 'judge')]));
    expect(runs.map((run) => [run.session_id, run.scaffold, run.group])).toEqual([
      ['4f7a:2/x', 'rllm/solver', '4f7a'],
      ['4f7a:2/y', 'rllm/judge', '4f7a'],
    ]);
  });
});

describe('rllm-episode: ends', () => {
  it.each([
    ['answer', 'submitted'],
    ['env_done', 'submitted'],
    ['TerminationReason.TIMEOUT', 'time_limit'],
    ['timeout', 'time_limit'],
    ['token_limit_no_answer', 'context_limit'],
    ['max_turns_exceeded', 'step_limit'],
    ['error', 'error'],
    ['unknown', 'unknown'],
    [null, 'unknown'],
  ])('%s is %s', (termination_reason, termination) => {
    expect(readOne(rllmEpisode, { ...chat(say('x')), termination_reason }).termination).toBe(termination);
  });
});

describe('rllm-episode: detection and refusal', () => {
  it('knows an episode by its steps', () => {
    expect(detectDocument(rllmEpisode, chat(say('x')))?.confidence).toBe('certain');
    expect(detectDocument(rllmEpisode, episode([]))?.confidence).toBe('certain');
    expect(detectDocument(rllmEpisode, { trajectories: [{ steps: [] }] })).toBeNull();
    expect(detectDocument(rllmEpisode, episode([{}]))).toBeNull();
    expect(detectDocument(rllmEpisode, [])).toBeNull();
  });

  it.each([
    ['no_turns', episode([])],
    ['no_turns', episode([trajectory([])])],
    ['no_model_turns', episode([trajectory([{ chat_completions: [task] }])])],
  ])('refuses an empty episode: %s', (code, log) => {
    expect(() => readOne(rllmEpisode, log)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['trajectories', { ...episode([]), trajectories: 1 }],
    ['trajectories[0].steps', episode([{ steps: {} }])],
    [
      'trajectories[0].steps[0].chat_completions[0].role',
      episode([trajectory([{ chat_completions: [{ content: 'x' }] }])]),
    ],
    [
      'trajectories[0].steps[0].chat_completions[0].content',
      episode([trajectory([{ chat_completions: [{ role: 'user', content: 3 }] }])]),
    ],
    [
      'trajectories[0].steps[0].response_ids[0]',
      episode([trajectory([{ chat_completions: [task, say('x')], response_ids: ['a'] }])]),
    ],
    [
      'trajectories[0].steps[0].response_ids[1]',
      episode([trajectory([{ chat_completions: [task, say('x')], response_ids: [3, -5] }])]),
    ],
    [
      'trajectories[0].steps[0].prompt_ids[0]',
      episode([
        trajectory([{ chat_completions: [task, say('x')], prompt_ids: [2 ** 31], response_ids: [3] }]),
      ]),
    ],
    [
      'unknown role "critic"',
      episode([trajectory([{ chat_completions: [{ role: 'critic', content: 'x' }, say('x')] }])]),
    ],
    ['termination_reason', { ...chat(say('x')), termination_reason: 4 }],
  ])('names the field %s', (field, log) => {
    expect(() => readDocument(rllmEpisode, log)).toThrow(
      expect.objectContaining({ code: 'bad_shape', message: expect.stringContaining(field) }),
    );
  });
});

describe('rllm-episode: several episodes in one file', () => {
  const one = { ...chat(say('a')), id: 'pizza-small:0' };
  const other = { ...chat(say('b')), id: 'pizza-small:1' };
  const none = { ...one, id: 'pizza-small:2', trajectories: [] };

  it.each([
    ['JSON lines', [one, none, other].map((item) => JSON.stringify(item)).join('\n')],
    ['a list', [one, none, other]],
  ])('are read from %s, and one without turns is refused alone', async (_name, content) => {
    const results = await readFiles({ 'episodes.jsonl': content });
    expect(trajectoriesOf(results).map(({ session_id, group }) => [session_id, group])).toEqual([
      ['pizza-small:0', 'pizza-small'],
      ['pizza-small:1', 'pizza-small'],
    ]);
    expect(rejectsOf(results).map(({ code }) => code)).toEqual(['no_turns']);
  });

  it('of which one has a faulty trajectory beside a sound one lose that one alone', async () => {
    const sound = stepsOf([system, task, say('a')]);
    const faulty = [{ chat_completions: [{ role: 'critic', content: 'x' }, say('x')] }];
    const results = await readFiles({
      'episode.json': episode([trajectory(sound, { uid: 'good' }), trajectory(faulty, { uid: 'bad' })]),
    });
    expect(trajectoriesOf(results).map(({ session_id }) => session_id)).toEqual(['4f7a:2/good']);
    expect(rejectsOf(results)).toMatchObject([
      { code: 'bad_shape', message: expect.stringMatching(/^trajectories\[1\]\./) },
    ]);
  });
});
