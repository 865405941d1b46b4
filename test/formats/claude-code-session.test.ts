import { describe, expect, it } from 'vitest';
import type { RawTrajectory } from '../../src/formats/adapter.js';
import { claudeCodeSession } from '../../src/formats/claude-code-session.js';
import { describeWithShared } from '../shared.js';
import { contextFor, readDocument, readOne, realLogs, rolesOf, spansOf } from './adapter-context.js';
import { blockTexts, filledLogs, modelTexts, realLines, type Untyped } from './model-texts.js';
import { onlyReject, readFiles, trajectoriesOf } from './read-all.js';

const FOLDER = 'claude_code_session_jsonl';
const SESSIONS = 'summary_only.jsonl';

const read = (name: string): readonly RawTrajectory[] =>
  readDocument(claudeCodeSession, realLines(FOLDER, name));

/** Calls by name. */
function calls(run: RawTrajectory): string[] {
  return run.turns.flatMap((turn) => turn.spans.flatMap((span) => span.call?.name ?? []));
}

describeWithShared('claude-code-session: real logs', () => {
  const names = filledLogs(FOLDER, '.jsonl').filter((name) => name !== SESSIONS);

  it.each(names)('%s: everything that a model wrote is there, once', (name) => {
    const texts = realLines(FOLDER, name).flatMap((line) => {
      if (line.type === 'assistant') return blockTexts(line.message.content);
      return line.type === 'tool_use' ? [JSON.stringify(line.input)] : [];
    });
    expect(modelTexts(read(name))).toEqual(texts.sort());
  });

  it.each(names)('%s: every tool result is a tool turn behind its call', (name) => {
    const results = realLines(FOLDER, name).flatMap((line) =>
      line.type === 'user' && Array.isArray(line.message.content)
        ? line.message.content.filter((block: Untyped) => block.type === 'tool_result')
        : [],
    );
    const turns = read(name).flatMap((run) => run.turns);
    for (const result of results) {
      const at = turns.findIndex((turn) => turn.tool_call_id === result.tool_use_id);
      const called = turns.findIndex((turn) =>
        turn.spans.some((span) => span.call?.id === result.tool_use_id),
      );
      expect(called).toBeGreaterThanOrEqual(0);
      expect(at).toBeGreaterThan(called);
      if (typeof result.content === 'string') expect(turns[at]?.spans[0]?.text).toBe(result.content);
    }
    expect(turns.filter((turn) => turn.role === 'tool' && turn.tool_call_id !== null).length).toBe(
      results.length,
    );
  });

  it('1.0.24: counted by hand', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'v1.0.24_summaries_thinking.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 5, assistant: 34, tool: 32 });
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'model text': 7,
      'model tool_call': 32,
      'model reasoning': 20,
    });
    expect(spansOf(run.turns, 'user')).toEqual({ 'environment prompt': 2, 'environment observation': 3 });
    expect(run).toMatchObject({
      session_id: 'fe869ecb-c176-478f-9734-7e4b8ef12cff',
      parent_session: null,
      model: 'claude-sonnet-4-20250514',
      scaffold: 'claude-code',
      scaffold_version: '1.0.24',
      termination: 'submitted',
      flags: ['no_experiment_boundary', 'reasoning_may_be_summary', 'system_prompt_absent'],
    });
    // Six of twelve shell commands failed, as their results say.
    const shell = run.executions.filter(({ tool }) => tool === 'Bash');
    expect(shell.map(({ status }) => status).sort()).toEqual([
      ...Array(6).fill('error'),
      ...Array(6).fill('ok'),
    ]);
  });

  it('2.0.42: parallel calls, rejections and an interruption', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'v2.0.42_thinking.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 8, assistant: 36, tool: 71 });
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'model reasoning': 36,
      'model text': 13,
      'model tool_call': 71,
    });
    expect(
      run.turns.flatMap((turn) => (turn.flags.includes('interrupted') ? [turn.spans[0]?.text] : [])),
    ).toEqual(['[Request interrupted by user for tool use]']);
    expect(run.turns.every((turn) => turn.truncated === null)).toBe(true);
    expect(run.executions.filter(({ error_type }) => error_type === 'not_run').length).toBe(4);
    expect(run.executions.filter(({ error_type }) => error_type === 'bad_call').length).toBe(1);
    // What the editor told stands beside the prompt of the human in one message.
    const opened = run.turns.find((turn) => turn.flags.includes('ide_context'));
    expect(opened?.spans.map(({ kind }) => kind)).toEqual(['observation', 'prompt']);
  });

  it('2.1.114: messages whose parts, calls and results are forks of the chain', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'v2.1.114_main_with_subagents.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 9, assistant: 17, tool: 40 });
    expect(spansOf(run.turns, 'assistant')).toEqual({ 'model text': 8, 'model tool_call': 40 });
    expect(run.turns.filter((turn) => turn.flags.includes('reasoning_hidden')).length).toBe(14);
    expect(run.epochs.map(({ turns }) => turns.length)).toEqual([66]);
    expect(calls(run).filter((name) => name === 'Agent').length).toBe(6);
    expect(run.flags).toContain('subagents_in_other_files');
    expect(run.flags).not.toContain('chain_gap');
    const message = run.turns.findIndex(
      (turn) => turn.spans.filter(({ call }) => call?.name === 'Agent').length === 3,
    );
    expect(run.turns.slice(message + 1, message + 7).map(({ role }) => role)).toEqual(Array(6).fill('tool'));
  });

  it('2.1.114: a sub-agent in its own file, with a note beside it', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'v2.1.114_subagent_a4ca.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 1, assistant: 20, tool: 24 });
    expect(run).toMatchObject({
      session_id: 'a4ca7529859c158c2',
      parent_session: 'ef958aa1-0e93-49f0-bb71-150f63befcd1',
      termination: 'submitted',
    });
    expect(run.flags).toContain('subagent');
    const note = contextFor(claudeCodeSession, {
      place: { path: 'x/agent-1.meta.json', line: null, byte_start: 0, byte_end: 0, sha256: '' },
      siblings: { names: ['agent-1.jsonl'], readText: () => null },
    });
    expect(claudeCodeSession.read({ agentType: 'general-purpose' }, note)).toEqual({
      sidecar_of: 'agent-1.jsonl',
    });
  });

  it('2.1.17: calls that were never permitted did not fail, they did not run', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'v2.1.17_errors.jsonl'));
    expect(rolesOf(run.turns)).toEqual({ user: 1, assistant: 10, tool: 9 });
    const refused = run.executions.filter(({ error_type }) => error_type === 'not_run');
    expect(refused.map(({ status }) => status)).toEqual(Array(6).fill('infrastructure'));
  });

  it('a fork follows its leaf; what was rewound stands outside of every context', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'agent-history_claude_forked.jsonl'));
    const context = run.epochs[0]?.turns.map((index) => run.turns[index]?.spans[0]?.text.slice(0, 22));
    expect(context?.slice(0, 4)).toEqual([
      'Help me implement a so',
      "I'd be happy to help y",
      "Actually, let's try Me",
      'Good choice for stable',
    ]);
    expect(run.turns.flatMap((turn, index) => (turn.flags.includes('rewound') ? [index] : []))).toEqual([
      2, 3, 4, 5,
    ]);
    expect(run.epochs).toHaveLength(1);
    expect(run.flags).toContain('rewound_turns:2');
  });

  it('a compaction begins a context with its summary, which is no model text', () => {
    const run = readOne(claudeCodeSession, realLines(FOLDER, 'agent-history_claude_compaction.jsonl'));
    expect(run.epochs.map(({ turns, reason }) => [turns.length, reason])).toEqual([
      [8, null],
      [5, 'compaction'],
    ]);
    const summary = run.turns[run.epochs[1]?.turns[0] ?? -1];
    expect(summary).toMatchObject({ role: 'user', flags: ['compact_summary'] });
    expect(summary?.spans[0]).toMatchObject({ kind: 'observation', origin: 'environment' });
  });

  it('files without a conversation are rejected by code', async () => {
    const lines = realLines(FOLDER, SESSIONS).map((line) => JSON.stringify(line));
    expect(onlyReject(await readFiles({ 's.jsonl': `${lines.join('\n')}\n` })).code).toBe('no_turns');
    expect(realLogs(FOLDER)).toContain('empty_file.jsonl');
  });
});

let serial = 0;
const envelope = (rest: object) => ({ sessionId: 's', version: '2.0.0', isSidechain: false, ...rest });
const user = (uuid: string, parentUuid: string | null, content: unknown, rest: object = {}) =>
  envelope({ type: 'user', uuid, parentUuid, message: { role: 'user', content }, ...rest });
const reply = (
  uuid: string,
  parentUuid: string | null,
  content: unknown,
  message: object = {},
  rest: object = {},
) =>
  envelope({
    type: 'assistant',
    uuid,
    parentUuid,
    message: { id: `m${serial++}`, role: 'assistant', model: 'a', stop_reason: null, content, ...message },
    ...rest,
  });
const text = (value: string) => [{ type: 'text', text: value }];
const call = (id: string, name = 'Bash') => ({ type: 'tool_use', id, name, input: { command: 'ls' } });
const result = (id: string, content: unknown = 'ok', rest: object = {}) => [
  { type: 'tool_result', tool_use_id: id, content, ...rest },
];
const one = (...lines: object[]) => readOne(claudeCodeSession, lines);
const shown = (run: RawTrajectory, epoch = 0) =>
  run.epochs[epoch]?.turns.map((index) => run.turns[index]?.spans.map((span) => span.text).join('|'));

describe('claude-code-session: the chain', () => {
  it('joins the parts of one API message and counts none twice', () => {
    const whole = [{ type: 'thinking', thinking: 'hm' }, ...text('go'), call('c1')];
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', whole.slice(0, 1), { id: 'm' }),
      reply('a2', 'a1', whole.slice(0, 2), { id: 'm' }),
      reply('a3', 'a2', [whole[2]], { id: 'm', stop_reason: 'tool_use' }),
      reply('a3', 'a2', [whole[2]], { id: 'm' }),
      user('u2', 'a3', result('c1')),
      reply('a4', 'u2', text('done')),
    );
    expect(run.turns.map((turn) => turn.spans.map(({ kind }) => kind))).toEqual([
      ['prompt'],
      ['reasoning', 'text', 'tool_call'],
      ['observation'],
      ['text'],
    ]);
    expect(run.turns[2]).toMatchObject({ role: 'tool', name: 'Bash', tool_call_id: 'c1' });
  });

  it('keeps answers to parallel calls that hang beside the path, in one context', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', [call('c1')], { id: 'm' }),
      reply('a2', 'a1', [call('c2')], { id: 'm' }),
      user('r2', 'a2', result('c2', 'two')),
      user('r1', 'a1', result('c1', 'one')),
      reply('a3', 'r1', text('done')),
    );
    const pair = '{"command":"ls"}|{"command":"ls"}';
    expect(shown(run)).toEqual(['task', pair, 'two', 'one', 'done']);
    expect(run.turns).toHaveLength(5);
    expect(run.epochs[0]?.turns).toHaveLength(5);
    expect(run.flags.some((flag) => flag.startsWith('rewound'))).toBe(false);
  });

  it('ends at the last message even where a late result of an earlier call follows it', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', [call('c1')]),
      user('r1', 'a1', result('c1')),
      reply('a2', 'r1', text('done')),
      user('r9', 'a1', result('c1', 'late')),
    );
    expect(shown(run)).toEqual(['task', '{"command":"ls"}', 'ok', 'done']);
    expect(run.executions).toEqual([]);
    expect(run.termination).toBe('submitted');
  });

  it('a missing parent is a gap, a cycle no endless walk', () => {
    const gap = one(user('u1', null, 'task'), reply('a1', 'lost', text('x')));
    expect(gap.flags).toContain('chain_gap');
    expect(shown(gap)).toEqual(['task', 'x']);
    const cycle = one(user('u1', 'a1', 'task'), reply('a1', 'u1', text('x')));
    expect(cycle.turns).toHaveLength(2);
    expect(cycle.epochs.flatMap(({ turns }) => turns).sort()).toEqual([0, 1]);
  });

  it('a compaction that keeps a tail shows it after the summary, and trains it once', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', text('one')),
      user('u2', 'a1', 'more'),
      reply('a2', 'u2', text('two')),
      envelope({
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b',
        parentUuid: null,
        logicalParentUuid: 'a2',
        compactMetadata: { preservedSegment: { headUuid: 'u2', tailUuid: 'a2', anchorUuid: 's' } },
      }),
      user('s', 'b', 'summary', { isCompactSummary: true }),
      user('u3', 'a2', 'next'),
      reply('a3', 'u3', text('three')),
    );
    expect(shown(run, 0)).toEqual(['task', 'one', 'more', 'two']);
    expect(shown(run, 1)).toEqual(['summary', 'more', 'two', 'next', 'three']);
    expect(run.turns).toHaveLength(7);
  });

  it('a compaction that lists what it kept may write it only after its summary', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', text('one')),
      user('u2', 'a1', 'more'),
      envelope({
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'b',
        parentUuid: null,
        logicalParentUuid: 'a2',
        compactMetadata: {
          preservedSegment: { headUuid: 'a1', tailUuid: 'a2', anchorUuid: 's' },
          preservedMessages: { anchorUuid: 's', uuids: ['a1', 'u2', 'a2'] },
        },
      }),
      user('s', 'b', 'summary', { isCompactSummary: true }),
      reply('a2', 's', text('two')),
      user('u3', 'a2', 'next'),
      reply('a3', 'u3', text('three')),
    );
    expect(shown(run, 0)).toEqual(['task', 'one', 'more', 'two']);
    expect(shown(run, 1)).toEqual(['summary', 'one', 'more', 'two', 'next', 'three']);
    expect(run.flags.filter((flag) => flag.startsWith('rewound'))).toEqual([]);
  });

  it('sessions that were written into one file are runs of their own', async () => {
    const other = { sessionId: 'z' };
    const unnamed = (uuid: string, parentUuid: string) =>
      envelope({ type: 'system', subtype: 'informational', uuid, parentUuid, sessionId: null });
    const lines = [
      user('u1', null, 'task'),
      unnamed('i', 'u1'),
      reply('a1', 'i', text('one')),
      user('v1', null, 'another', other),
      reply('b1', 'v1', text('two'), {}, other),
      unnamed('j', 'b1'),
      user('v2', 'j', 'on', other),
    ];
    const runs = trajectoriesOf(
      await readFiles({ 'log.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') }),
    );
    expect(runs.map((run) => [run.session_id, run.turns.length, run.termination])).toEqual([
      ['s', 2, 'submitted'],
      ['z', 3, 'cut'],
    ]);
    expect(runs.flatMap((run) => run.flags).filter((flag) => flag.startsWith('rewound'))).toEqual([]);
  });

  it('what a hook tells the human is shown to no model', () => {
    const note = (uuid: string, parentUuid: string, attachment: object) =>
      envelope({ type: 'attachment', uuid, parentUuid, attachment });
    const run = one(
      user('u1', null, 'task'),
      note('n1', 'u1', { type: 'hook_system_message', content: 'for you' }),
      note('n2', 'n1', { type: 'hook_additional_context', content: ['for the model'] }),
      reply('a1', 'n2', text('one')),
    );
    expect(shown(run, 0)).toEqual(['task', 'for the model', 'one']);
    expect(run.flags).not.toContain('attachments_lost');
  });

  it('sub-agents inline are runs of their own', () => {
    const side = { isSidechain: true };
    const runs = readDocument(claudeCodeSession, [
      user('u1', null, 'task'),
      reply('a1', 'u1', [call('c1', 'Task')]),
      user('x1', null, 'sub task', side),
      reply('x2', 'x1', text('sub answer'), { model: 'b' }, side),
      user('y1', null, 'other', { ...side, agentId: 'ag' }),
      reply('y2', 'y1', text('more'), {}, { ...side, agentId: 'ag' }),
      user('r1', 'a1', result('c1'), { toolUseResult: { agentId: 'ag' } }),
      reply('a2', 'r1', text('done')),
    ]);
    expect(runs.map((run) => [run.session_id, run.parent_session, run.model, run.turns.length])).toEqual([
      ['s', null, 'a', 4],
      ['x1', 's', 'b', 2],
      ['ag', 's', 'a', 2],
    ]);
    expect(runs[0]?.flags).not.toContain('subagents_in_other_files');
  });
});

describe('claude-code-session: who wrote what', () => {
  it('harness text on the user side is an observation', () => {
    const run = one(
      user('u0', null, 'Caveat', { isMeta: true }),
      user('u1', 'u0', '<command-name>/init</command-name>'),
      user('u2', 'u1', 'Fix it<system-reminder>be nice</system-reminder>\nnow'),
      user('u3', 'u2', 'a task is done', { origin: { kind: 'task-notification' } }),
      envelope({
        type: 'attachment',
        uuid: 'u4',
        parentUuid: 'u3',
        attachment: { type: 'hook_additional_context', content: ['one', 'two'] },
      }),
      envelope({
        type: 'attachment',
        uuid: 'u5',
        parentUuid: 'u4',
        attachment: { type: 'queued_command', prompt: 'also this', commandMode: 'prompt' },
      }),
      reply('a1', 'u5', text('x')),
    );
    expect(run.turns.slice(0, 6).map((turn) => turn.spans.map(({ kind }) => kind))).toEqual([
      ['observation'],
      ['observation'],
      ['prompt', 'observation', 'prompt'],
      ['observation'],
      ['observation'],
      ['prompt'],
    ]);
    expect(run.turns[2]?.spans.map((span) => span.text).join('')).toBe(
      'Fix it<system-reminder>be nice</system-reminder>\nnow',
    );
    expect(run.turns[4]?.spans[0]?.text).toBe('one\ntwo');
  });

  it('names other models than the most used one on their spans', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', text('x'), { model: 'b' }),
      user('u2', 'a1', 'more'),
      reply('a2', 'u2', text('y')),
      user('u3', 'a2', 'more'),
      reply('a3', 'u3', text('z')),
    );
    expect(run.model).toBe('a');
    expect(run.turns.flatMap((turn) => (turn.role === 'assistant' ? [turn.spans[0]?.model] : []))).toEqual([
      'b',
      null,
      null,
    ]);
  });

  it('replies of the harness and copied history are environment', () => {
    const run = one(
      user('u0', null, 'old'),
      reply('a0', 'u0', text('old answer'), {}, { forkedFrom: { sessionId: 'p', messageUuid: 'q' } }),
      user('u1', 'a0', 'task'),
      reply('a1', 'u1', text('fine')),
      user('u2', 'a1', 'more'),
      reply('a2', 'u2', text('API Error: 500'), { model: '<synthetic>' }, { isApiErrorMessage: true }),
    );
    expect(run.turns.flatMap((turn) => (turn.role === 'assistant' ? [turn.spans[0]?.origin] : []))).toEqual([
      'environment',
      'model',
      'environment',
    ]);
    expect(run.termination).toBe('error');
  });

  it('reasoning of which only a signature is logged is absent', () => {
    const run = one(
      user('u1', null, 'task'),
      reply('a1', 'u1', [{ type: 'thinking', thinking: '', signature: 'abc' }, ...text('x')]),
    );
    expect(spansOf(run.turns, 'assistant')).toEqual({ 'model text': 1 });
    expect(run.turns[1]?.flags).toEqual(['reasoning_hidden']);
  });

  it('pictures are placeholders', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'AAAA' } };
    const run = one(
      user('u1', null, [...text('look'), image]),
      reply('a1', 'u1', [call('c1')]),
      user('r1', 'a1', result('c1', [image])),
      reply('a2', 'r1', text('x')),
    );
    expect(run.turns[0]?.spans[1]).toMatchObject({ kind: 'image', text: '[image]' });
    expect(JSON.stringify(run)).not.toContain('AAAA');
  });
});

describe('claude-code-session: how it ended', () => {
  const task = user('u1', null, 'task');
  it.each([
    ['a final message', [reply('a1', 'u1', text('x'), { stop_reason: 'end_turn' })], 'submitted', null],
    [
      'the token limit',
      [reply('a1', 'u1', text('x'), { stop_reason: 'max_tokens' })],
      'context_limit',
      'length',
    ],
    ['an open call', [reply('a1', 'u1', [call('c')])], 'cut', null],
    ['a result', [reply('a1', 'u1', [call('c')]), user('r', 'a1', result('c'))], 'cut', null],
    ['an open question', [reply('a1', 'u1', text('x')), user('u2', 'a1', 'more')], 'cut', null],
    [
      'commands after the end',
      [reply('a1', 'u1', text('x')), user('u2', 'a1', '<command-name>/exit</command-name>')],
      'submitted',
      null,
    ],
    [
      'an interruption',
      [reply('a1', 'u1', text('x')), user('u2', 'a1', text('[Request interrupted by user]'))],
      'cut',
      'aborted',
    ],
  ] as const)('%s', (_name, lines, termination, truncated) => {
    const run = one(task, ...lines);
    expect(run.termination).toBe(termination);
    expect(run.turns[1]?.truncated).toBe(truncated);
  });

  it('reads the code of a failed experiment, and knows a limit from a failure', () => {
    const lines = [
      task,
      reply('a1', 'u1', [call('c1')]),
      user('r1', 'a1', result('c1', 'Exit code 3\nbad', { is_error: true })),
      reply('a2', 'r1', [call('c2')]),
      user('r2', 'a2', result('c2', 'Command timed out after 2m 0s', { is_error: true })),
      reply('a3', 'r2', text('done')),
    ];
    const [run] = readDocument(claudeCodeSession, lines, {
      experiments: { experiment: ['Bash'], scoring: [] },
    });
    expect(run?.executions.map(({ kind, status, exit_code }) => [kind, status, exit_code])).toEqual([
      ['experiment', 'error', 3],
      ['experiment', 'timeout', null],
    ]);
    expect(run?.flags).toContain('submissions_not_recorded');
  });
});

describe('claude-code-session: results that were cleared', () => {
  const boundary = (
    uuid: string,
    parentUuid: string,
    calls: readonly string[],
    attachments: readonly string[] = [],
  ) =>
    envelope({
      type: 'system',
      subtype: 'microcompact_boundary',
      uuid,
      parentUuid,
      microcompactMetadata: {
        trigger: 'auto',
        preTokens: 9,
        compactedToolIds: calls,
        clearedAttachmentUUIDs: attachments,
      },
    });
  const lines = [
    user('u1', null, 'task'),
    reply('a1', 'u1', [call('c1')]),
    user('r1', 'a1', result('c1', 'long one')),
    reply('a2', 'r1', [call('c2')]),
    user('r2', 'a2', result('c2', 'long two')),
    boundary('m1', 'r2', ['c1']),
    reply('a3', 'm1', [call('c3')]),
    user('r3', 'a3', result('c3', 'long three')),
    boundary('m2', 'r3', ['c2', 'unknown']),
    reply('a4', 'm2', text('done')),
  ];

  /** What the model saw in each context, in order. */
  const seen = (run: RawTrajectory) =>
    run.epochs.map(({ turns }) =>
      turns.map((index) => run.turns[index]?.spans.map((span) => span.call?.id ?? span.text).join('')),
    );
  const CLEARED = '[Old tool result content cleared]';

  it('begin a context in which the model sees what stands in their place', () => {
    const run = readOne(claudeCodeSession, lines);
    expect(seen(run)).toEqual([
      ['task', 'c1', 'long one', 'c2', 'long two'],
      ['task', 'c1', CLEARED, 'c2', 'long two', 'c3', 'long three'],
      ['task', 'c1', CLEARED, 'c2', CLEARED, 'c3', 'long three', 'done'],
    ]);
    expect(run.epochs.map(({ reason }) => reason)).toEqual([null, 'microcompaction', 'microcompaction']);
    expect(run.flags).toContain('context_edited');
    const cleared = run.turns.filter((turn) => turn.flags.includes('cleared_result'));
    expect(cleared.map(({ role, tool_call_id, name }) => ({ role, tool_call_id, name }))).toEqual([
      { role: 'tool', tool_call_id: 'c1', name: 'Bash' },
      { role: 'tool', tool_call_id: 'c2', name: 'Bash' },
    ]);
  });

  it('stay the feedback of the experiments that they answered', () => {
    const [run] = readDocument(claudeCodeSession, lines, {
      experiments: { experiment: ['Bash'], scoring: [] },
    });
    const feedback = run?.executions.map(
      ({ feedback_turn }) => run.turns[feedback_turn ?? -1]?.spans[0]?.text,
    );
    expect(feedback).toEqual(['long one', 'long two', 'long three']);
  });

  it('train every turn of the model in one context only', () => {
    const run = readOne(claudeCodeSession, lines);
    const first = new Map<number, number>();
    run.epochs.forEach(({ turns }, epoch) => {
      for (const turn of turns) if (!first.has(turn)) first.set(turn, epoch);
    });
    const replies = [...first].filter(([turn]) => run.turns[turn]?.role === 'assistant');
    expect(replies.map(([, epoch]) => epoch)).toEqual([0, 0, 1, 2]);
    expect(new Set(replies.map(([turn]) => turn)).size).toBe(4);
  });

  it('of which the log names none leave the context as it was', () => {
    const run = readOne(claudeCodeSession, [
      ...lines.slice(0, 5),
      boundary('m1', 'r2', []),
      reply('a3', 'm1', text('x')),
    ]);
    expect(run.epochs).toHaveLength(1);
    expect(run.flags).toContain('context_edited');
  });
});

describe('claude-code-session: reading files', () => {
  it('reads a session whose last line is torn', async () => {
    const lines = [user('u1', null, 'task'), reply('a1', 'u1', text('x'))].map((line) =>
      JSON.stringify(line),
    );
    const [run] = trajectoriesOf(await readFiles({ 's.jsonl': `${lines.join('\n')}\n{"type":"assi` }));
    expect(run?.source.format).toBe('claude-code-session');
    expect(run?.flags).toContain('torn_line');
  });

  it('leaves the envelope around Gemini parts to others', () => {
    const line = envelope({
      type: 'user',
      uuid: 'u',
      parentUuid: null,
      message: { role: 'user', parts: [] },
    });
    const sniff = {
      path: 's.jsonl',
      head: '',
      json: undefined,
      siblings: { names: [], readText: () => null },
    };
    expect(claudeCodeSession.detect({ ...sniff, lines: [line] })).toBeNull();
    const snapshot = { type: 'file-history-snapshot', messageId: 'm', snapshot: {} };
    expect(claudeCodeSession.detect({ ...sniff, lines: [snapshot] })?.confidence).toBe('certain');
  });
});
