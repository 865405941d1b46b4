import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog, tally } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const readReal = async (name: string) =>
  trajectoriesOf(await readAll({ root: sharedFile('logs'), path: `inspect_ai_log/${name}` }));

describeWithShared('the real logs', () => {
  it('hold one trajectory a sample, with the verdict of its scorer', async () => {
    const counts: Record<string, unknown> = {};
    for (const name of [
      'legacy_input-task_2024-11-05.json',
      'log_formats.json',
      'security-guide_2025-05-12.json',
    ]) {
      const runs = await readReal(name);
      counts[name] = runs.map((run) => [run.turns.length, run.resolved, run.submissions[0]?.score]);
    }
    expect(counts).toEqual({
      'legacy_input-task_2024-11-05.json': [[3, true, 1]],
      'log_formats.json': [[3, false, 0]],
      'security-guide_2025-05-12.json': [
        [3, true, 1],
        [3, true, 1],
        [3, true, 1],
      ],
    });
  });

  it('are the same as .json and as .eval', async () => {
    const [json] = await readReal('log_formats.json');
    const [zip] = await readReal('log_formats.eval');
    expect(zip?.trajectory_id).toBe(json?.trajectory_id);
    expect(zip?.source.format).toBe('inspect');
  });

  it('keep what the model wrote and leave the grader out', async () => {
    const [run] = await readReal('security-guide_2025-05-12.json');
    const log = realLog('inspect_ai_log', 'security-guide_2025-05-12.json');
    expect(run?.turns.map(turnContent)).toEqual(
      log.samples[0].messages.map((message: { content: string }) => message.content),
    );
    expect(run?.turns.map((turn) => turn.spans[0]?.origin)).toEqual(['environment', 'environment', 'model']);
    expect(run?.flags).toEqual(['no_experiment_boundary', 'sample_epoch:1']);
  });

  it('pool the inputs of calls: 5 calls of bash in 12 messages', async () => {
    const [run] = await readReal('log_message_deduplication.eval');
    expect(tally(run?.turns.map((turn) => turn.role) ?? [])).toEqual({ user: 1, assistant: 6, tool: 5 });
    expect(run?.executions.map(({ tool, status, feedback_turn }) => [tool, status, feedback_turn])).toEqual(
      [2, 4, 6, 8, 10].map((turn) => ['bash', 'ok', turn]),
    );
    expect(run?.executions[0]?.seconds).toBeCloseTo(0.0933, 4);
    expect(JSON.parse(run?.tools ?? '[]')).toMatchObject([
      { name: 'bash', description: 'Use this function to execute bash commands.' },
      { name: 'python', description: expect.stringMatching(/^Use the python function/) },
    ]);
  });
});

const generated = (content: unknown, rest: Record<string, unknown> = {}) => ({
  role: 'assistant',
  content,
  source: 'generate',
  ...rest,
});

const modelEvent = (message: unknown, rest: Record<string, unknown> = {}) => ({
  event: 'model',
  model: 'm',
  input: [],
  output: { choices: [{ message, stop_reason: 'stop' }] },
  tools: [],
  ...rest,
});

const sample = (rest: Record<string, unknown> = {}) => ({
  id: 1,
  epoch: 1,
  input: 'q',
  target: 't',
  messages: [{ role: 'user', content: 'q', source: 'input' }, generated('a')],
  output: { choices: [{ message: generated('a'), stop_reason: 'stop' }] },
  scores: { match: { value: 'C' } },
  ...rest,
});

const log = (samples: unknown[], rest: Record<string, unknown> = {}) => ({
  version: 2,
  status: 'success',
  eval: { run_id: 'r', task: 'task', model: 'provider/m', packages: { inspect_ai: '0.3.1' } },
  plan: {},
  samples,
  ...rest,
});

const one = async (rest: Record<string, unknown>, logRest: Record<string, unknown> = {}) =>
  onlyTrajectory(await readFiles({ 'log.json': log([sample(rest)], logRest) }));

describe('a sample', () => {
  it('gives its epochs one group', async () => {
    const runs = trajectoriesOf(
      await readFiles({ 'log.json': log([sample(), sample({ epoch: 2 }), sample({ id: 'spaceship' })]) }),
    );
    expect(runs.map(({ group, session_id, task_id }) => [group, session_id, task_id])).toEqual([
      ['r/1', 'r/1/1', 'task/1'],
      ['r/1', 'r/1/2', 'task/1'],
      ['r/spaceship', 'r/spaceship/1', 'spaceship'],
    ]);
    expect(runs.map(({ flags }) => flags.filter((flag) => flag.startsWith('sample_epoch')))).toEqual([
      ['sample_epoch:1'],
      ['sample_epoch:2'],
      ['sample_epoch:1'],
    ]);
  });

  it('has strings of its attachments, old and new, in their places', async () => {
    const messages = [{ role: 'user', content: 'attachment://aa' }, generated('tc://bb')];
    const run = await one({
      messages,
      attachments: { aa: 'long' },
      transcript: { content: { bb: 'old' }, events: [] },
    });
    expect(run.turns.map(turnContent)).toEqual(['long', 'old']);
    expect((await one({ messages })).flags).toContain('attachments_missing');
  });

  it('without messages is read from the last call, out of the pool', async () => {
    const pool = [
      { role: 'user', content: 'q' },
      generated('first', { id: 'x' }),
      { role: 'user', content: 'more' },
    ];
    const events = [
      modelEvent(pool[1], { input_refs: [[0, 1]] }),
      modelEvent(generated('second', { id: 'y' }), { input_refs: [[0, 3]] }),
    ];
    const run = await one({ messages: [], message_pool: pool, events });
    expect(run.turns.map(turnContent)).toEqual(['q', 'first', 'more', 'second']);
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'model',
      'environment',
      'model',
    ]);
  });

  it('is flagged where the model was shown less than its messages hold', async () => {
    const messages = [
      { role: 'user', content: 'q' },
      generated('one', { id: 'x' }),
      { role: 'user', content: 'more' },
      generated('two', { id: 'y' }),
    ];
    const whole = modelEvent(generated('two', { id: 'y' }), { input: messages.slice(0, 3) });
    const compacted = modelEvent(generated('two', { id: 'y' }), { input: [messages[0], messages[2]] });
    expect((await one({ messages, events: [whole] })).flags).not.toContain('context_edited');
    expect((await one({ messages, events: [compacted] })).flags).toContain('context_edited');
  });

  it('trains no demonstration, edit or prefill, and counts replies that its messages lack', async () => {
    const messages = [
      { role: 'user', content: 'example', source: 'input' },
      { role: 'assistant', content: 'shown', source: 'input' },
      { role: 'assistant', content: 'EDITED', id: 'x' },
      generated('kept', { id: 'y' }),
    ];
    const events = [
      modelEvent(generated('raw', { id: 'x' })),
      modelEvent(generated('kept', { id: 'y' })),
      { event: 'span_begin', type: 'scorer', id: 's', name: 'grader' },
      modelEvent(generated('GRADE: C'), { span_id: 's' }),
      { event: 'span_end', id: 's' },
    ];
    const run = await one({ messages, events });
    expect(run.turns.map((turn) => turn.spans[0]?.origin)).toEqual([
      'environment',
      'environment',
      'environment',
      'model',
    ]);
    expect(run.flags).toEqual(
      expect.arrayContaining(['generations_not_in_messages:1', 'assistant_text_not_generated']),
    );
  });

  it('keeps reasoning that is logged, flags what is encrypted, and shows errors of tools', async () => {
    const messages = [
      { role: 'user', content: 'q' },
      generated(
        [
          { type: 'reasoning', reasoning: 'think' },
          { type: 'reasoning', reasoning: 'b64', redacted: true },
          { type: 'text', text: 'so' },
        ],
        {
          tool_calls: [
            { id: '1', function: 'python', arguments: { code: 'x' } },
            { id: '2', function: 'python', arguments: {}, parse_error: 'bad json' },
          ],
        },
      ),
      {
        role: 'tool',
        content: '',
        tool_call_id: '1',
        function: 'python',
        error: { type: 'timeout', message: 'too slow' },
      },
    ];
    const run = await one({ messages, events: [] });
    expect(run.turns[1]?.spans.map((span) => span.kind)).toEqual([
      'reasoning',
      'text',
      'tool_call',
      'malformed_call',
    ]);
    expect(run.turns[1]?.flags).toEqual(['reasoning_hidden']);
    expect(run.turns[2] && turnContent(run.turns[2])).toBe('too slow');
  });

  it.each([
    [{ error: { message: 'x' } }, 'error'],
    [{ limit: { type: 'message', limit: 3 } }, 'step_limit'],
    [{ limit: { type: 'token', limit: 3 } }, 'context_limit'],
    [{ limit: { type: 'working', limit: 3 } }, 'time_limit'],
    [{ limit: { type: 'operator' } }, 'cut'],
    [{ output: { choices: [{ stop_reason: 'max_tokens' }] } }, 'context_limit'],
    [{}, 'submitted'],
  ])('ends as %j says: %s', async (rest, termination) => {
    expect((await one(rest)).termination).toBe(termination);
  });

  it('of a cancelled evaluation was cut, unless it was scored', async () => {
    expect((await one({ scores: {} }, { status: 'cancelled' })).termination).toBe('cut');
    expect((await one({}, { status: 'cancelled' })).termination).toBe('submitted');
  });

  it.each([
    ['P', 0.5, null],
    ['N', 0, false],
    [0.25, 0.25, null],
    [1, 1, true],
    ['maybe', null, null],
  ])('scored %j has %j', async (value, score, resolved) => {
    const run = await one({ scores: { s: { value } } });
    expect(run.submissions).toMatchObject([{ score, scale: 'test', grader: 's' }]);
    expect(run.resolved).toBe(resolved);
  });

  it('with several scores has none for all', async () => {
    const run = await one({ scores: { a: { value: 'C' }, b: { value: { x: 1, y: 'I' } } } });
    expect(run.resolved).toBeNull();
    expect(run.submissions[1]).toMatchObject({
      score: null,
      gradable: true,
      flags: ['value:x=1', 'value:y=I'],
    });
  });

  it('that cannot be read is refused alone', async () => {
    const results = await readFiles({ 'log.json': log([sample(), { id: 2, messages: [7] }, 5]) });
    expect(trajectoriesOf(results)).toHaveLength(1);
    expect(rejectsOf(results).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'bad_shape samples[1].messages[0]: expected an object, found a number',
      'bad_shape samples[2]: expected an object, found a number',
    ]);
  });
});

it('without samples is refused', async () => {
  expect(onlyReject(await readFiles({ 'log.json': log([]) })).code).toBe('no_turns');
});

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const { samples: _samples, ...header } = log([]);
const archive = (members: Record<string, Uint8Array>) => Buffer.from(zipSync(members));

describe('an archive', () => {
  it('holds samples in members of their own, and may lack its header', async () => {
    const members = {
      'samples/1_epoch_1.json': bytes(sample()),
      'samples/2_epoch_1.json': bytes(sample({ id: 2 })),
    };
    const runs = trajectoriesOf(
      await readFiles({ 'log.eval': archive({ ...members, 'header.json': bytes(header) }) }),
    );
    expect(runs.map((run) => run.group)).toEqual(['r/1', 'r/2']);
    const started = archive({ ...members, '_journal/start.json': bytes({ eval: header.eval, plan: {} }) });
    expect(trajectoriesOf(await readFiles({ 'log.eval': started }))).toHaveLength(2);
  });

  it('that is no Inspect log is read file by file', async () => {
    const reject = onlyReject(await readFiles({ 'x.zip': archive({ 'a.txt': bytes('x') }) }));
    expect([reject.code, reject.source]).toEqual(['unknown_format', 'x.zip!a.txt']);
  });

  it.each(['../../evil.json', '/etc/passwd', 'a\\..\\b', 'C:\\x'])(
    'with the path %s is unsafe',
    async (name) => {
      const file = archive({ 'header.json': bytes(header), [name]: bytes(1) });
      expect(onlyReject(await readFiles({ 'log.eval': file })).code).toBe('bad_archive');
    },
  );

  it('that unfolds beyond the limit is refused before it does', async () => {
    const file = archive({
      'header.json': bytes(header),
      'samples/1_epoch_1.json': new Uint8Array(5_000_000),
    });
    const reject = onlyReject(
      await readFiles({ 'log.eval': file }, { limits: { document_bytes: 1_000_000 } }),
    );
    expect([reject.code, reject.message]).toEqual(['bad_archive', expect.stringContaining('limit')]);
  });

  it('that is cut off is damaged', async () => {
    const file = archive({ 'header.json': bytes(header), 'samples/1_epoch_1.json': bytes(sample()) });
    expect(onlyReject(await readFiles({ 'log.eval': file.subarray(0, file.length - 30) })).code).toBe(
      'bad_archive',
    );
  });

  it('with a member in zstd names the method and reads the others', async () => {
    const file = archive({
      'header.json': bytes(header),
      'samples/1_epoch_1.json': bytes(sample()),
      'samples/2_epoch_1.json': bytes(sample({ id: 2 })),
    });
    // the method stands at 8 of the local header and at 10 of the entry in the directory
    const local = file.indexOf('samples/2_epoch_1.json') - 30;
    const central = file.lastIndexOf('samples/2_epoch_1.json') - 46;
    file.writeUInt16LE(93, local + 8);
    file.writeUInt16LE(93, central + 10);
    const results = await readFiles({ 'log.eval': file });
    expect(trajectoriesOf(results)).toHaveLength(1);
    expect(rejectsOf(results)).toMatchObject([
      { code: 'bad_archive', message: expect.stringMatching(/zstd \(93\)/) },
    ]);
  });
});
