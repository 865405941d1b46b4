import { describe, expect, it } from 'vitest';
import { cline } from '../../src/formats/cline.js';
import { detectDocument, readOne } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readFiles } from './read-all.js';

const user = (...texts: string[]) => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});
const reply = (content: object[], rest: object = {}) => ({
  role: 'assistant',
  content,
  modelInfo: { modelId: 'm', providerId: 'p' },
  metrics: {},
  ts: 1_700_000_000_000,
  ...rest,
});
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });

const TASK = [
  user('<task>\nfix it\n</task>', '<environment_details>\ncwd\n</environment_details>'),
  reply([{ type: 'thinking', thinking: 'hm' }, text('I read'), call('c1', 'read_file', { path: 'X' })]),
  user("[read_file for 'X'] Result:", 'the content', '<environment_details>\ncwd\n</environment_details>'),
  reply([call('c2', 'execute_command', { command: 'python train.py' })]),
  user(
    "[execute_command for 'python train.py'] Result:",
    'Traceback (most recent call last):\n  File "x", line 1\nValueError: no',
  ),
  user('<feedback>\nno, the other\n</feedback>'),
  reply([text('done'), call('c3', 'attempt_completion', { result: 'done' })]),
];

describe('cline', () => {
  it('results are texts of the user side: feedback, not a human', () => {
    const run = readOne(cline, TASK);
    expect(run.turns.map((turn) => `${turn.role} ${turn.spans.map(({ kind }) => kind).join()}`)).toEqual([
      'user prompt,observation',
      'assistant reasoning,text,tool_call',
      'user observation,observation,observation',
      'assistant tool_call',
      'user observation,observation',
      'user prompt',
      'assistant text,tool_call',
    ]);
    expect(run).toMatchObject({ model: 'm', scaffold: 'cline', termination: 'submitted' });
    expect(run.turns[1]?.timestamp).toBe('2023-11-14T22:13:20.000Z');
  });

  it('pairs feedback with calls by order', () => {
    const run = readOne(cline, TASK, {
      experiments: { experiment: [], scoring: [] },
      experiment_patterns: [/train\.py/],
    });
    expect(run.executions).toMatchObject([
      { kind: 'experiment', call_turn: 3, feedback_turn: 4, status: 'error', error_type: 'ValueError' },
    ]);
  });

  it('reads calls that older versions wrote as tags', () => {
    const written =
      'Now:\n<write_to_file>\n<path>a.xml</path>\n<content>\n<path>b</path>\n</content>\n</write_to_file>';
    const run = readOne(cline, [
      user('<task>\nfix\n</task>'),
      { role: 'assistant', content: written },
      user("[write_to_file for 'a.xml'] Result:\nok"),
      { role: 'assistant', content: '<thinking>x</thinking>\n<read_file>\n<path>a' },
    ]);
    expect(run.turns[1]?.spans.map((span) => span.text).join('')).toBe(written);
    expect(JSON.parse(run.turns[1]?.spans[1]?.call?.arguments ?? '')).toEqual({
      path: 'a.xml',
      content: '<path>b</path>',
    });
    expect(run.turns[3]?.spans.at(-1)?.kind).toBe('malformed_call');
    expect(run.termination).toBe('cut');
  });

  it('takes the reasoning of other providers, and the summary that Roo Code puts in the place of all before', () => {
    const run = readOne(cline, [
      user('<task>\nfix\n</task>'),
      reply([{ type: 'reasoning', text: 'hm', summary: [] }, text('I read')]),
      user('<feedback>\nmore\n</feedback>'),
      {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'sum up' }, text('so far')],
        isSummary: true,
      },
      user('<feedback>\ngo on\n</feedback>'),
      reply([text('done')]),
    ]);
    expect(run.turns[1]?.spans.map(({ kind, origin }) => `${origin} ${kind}`)).toEqual([
      'model reasoning',
      'model text',
    ]);
    expect(run.turns[3]).toMatchObject({
      role: 'user',
      flags: ['compact_summary'],
      spans: [{ kind: 'observation', origin: 'environment', text: 'so far' }],
    });
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2], reason: null },
      { turns: [3, 4, 5], reason: 'compaction' },
    ]);
    expect(run.flags).toContain('compacted_context_assumed');
  });

  it('what Cline put into a reply that it broke off, or in the place of one, is no word of the model', () => {
    const ends = [
      'Response interrupted by user',
      'Response interrupted by API Error',
      'Response interrupted by a tool use result. Only one tool may be used at a time and should be placed at the end of the message.',
    ];
    const run = readOne(cline, [
      TASK[0],
      ...ends.flatMap((end) => [reply([text(`I look\n\n[${end}]`)]), user('[ERROR] no')]),
      reply([text('Failure: I did not provide a response.')]),
      user('[ERROR] no'),
      reply([text('done')]),
    ]);
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(
      replies.map(({ spans, truncated }) => [
        ...spans.map(({ origin, text: said }) => [origin, said]),
        truncated,
      ]),
    ).toEqual([
      ...ends.map((end) => [['model', 'I look'], ['environment', `\n\n[${end}]`], 'aborted']),
      [['environment', 'Failure: I did not provide a response.'], null],
      [['model', 'done'], null],
    ]);
    // words of the model that only mention it stay its own
    const quoted = readOne(cline, [
      TASK[0],
      reply([text('It printed [Response interrupted by user] and went on.')]),
    ]);
    expect(quoted.turns.at(-1)?.spans).toHaveLength(1);
    // looking for the mark takes one walk, however many blanks there are
    const blanks = `a${'\n'.repeat(1e6)}b`;
    const spaced = readOne(cline, [TASK[0], reply([text(blanks)])]);
    expect(spaced.turns.at(-1)?.spans.map((span) => span.text)).toEqual([blanks]);
  });

  it('is told from other lists of messages', async () => {
    expect(detectDocument(cline, TASK)?.confidence).toBe('certain');
    expect(detectDocument(cline, [{ role: 'user', content: 'x' }])).toBeNull();
    const old = [user('<task>\nfix\n</task>'), { role: 'assistant', content: 'ok' }];
    const run = onlyTrajectory(await readFiles({ 'api_conversation_history.json': old }));
    expect(run.source.format).toBe('cline');
  });

  it('the records of reasoning that Roo Code keeps between messages are no messages', async () => {
    const hidden = { type: 'reasoning', role: 'assistant', summary: [], encrypted_content: 'x', ts: 1 };
    const call = { type: 'tool_use', id: 'c', name: 'read_file', input: { path: 'a' } };
    const list = [
      user('<task>\nfix\n</task>'),
      hidden,
      { role: 'assistant', content: [{ type: 'thoughtSignature', thoughtSignature: 's' }, call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'text' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'done' },
        ],
      },
    ];
    const run = onlyTrajectory(await readFiles({ 'api_conversation_history.json': list }));
    expect(run.source.format).toBe('cline');
    expect(
      run.turns.map(({ role, spans }) => [role, spans.map(({ kind, origin }) => `${origin} ${kind}`)]),
    ).toEqual([
      ['user', ['environment prompt']],
      ['assistant', ['model tool_call']],
      ['tool', ['environment observation']],
      ['assistant', ['model reasoning', 'model text']],
    ]);
    expect(run.flags).toContain('reasoning_hidden');
    // alone, the calls are not taken for items of another API, which would lose them
    const bare = list.map((item) =>
      'content' in item && item.role === 'user' ? { ...item, content: 'x' } : item,
    );
    expect(onlyReject(await readFiles({ 'a.json': bare })).code).toBe('bad_shape');
  });

  it('the log of the window belongs to the history beside it', async () => {
    const ui = [{ ts: 1, type: 'say', say: 'text', text: 'x' }];
    const files = { 'ui_messages.json': ui, 'api_conversation_history.json': TASK };
    expect(await readFiles(files)).toEqual([
      { kind: 'sidecar', path: 'ui_messages.json', of: 'api_conversation_history.json' },
    ]);
    expect(onlyReject(await readFiles({ 'ui_messages.json': ui })).code).toBe('sidecar_without_primary');
  });
});
