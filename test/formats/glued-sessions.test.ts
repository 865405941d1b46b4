import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FormatAdapter } from '../../src/formats/adapter.js';
import { gluedSessions, type SessionMark, withoutCopies } from '../../src/formats/glued-sessions.js';
import { FORMATS } from '../../src/formats/registry.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared } from '../shared.js';
import { filledLogs, realLines } from './model-texts.js';
import { onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

type Line = Readonly<Record<string, unknown>>;

const text = (type: string, value: string) => ({ type, text: value });
const chat = (role: string, id: string) => ({ role, content: [text('text', `${role} ${id}`)] });

/** A small session of every kind whose log tells where one begins or ends, by its id. */
const SESSIONS: Readonly<Record<string, (id: string) => Line[]>> = {
  'grok: what it prints': (id) => [
    { type: 'text', data: 'assistant ' },
    { type: 'text', data: id },
    { type: 'end', stopReason: 'end_turn', sessionId: id },
  ],
  grok: (id) => [
    { type: 'system', content: 'You are Grok.' },
    { type: 'user', content: [text('text', `user ${id}`)], prompt_index: 0 },
    { type: 'assistant', content: `assistant ${id}`, model_id: 'grok-4' },
  ],
  'copilot-cli': (id) => [
    { type: 'session.start', data: { sessionId: id }, id: `${id}1`, parentId: null },
    { type: 'user.message', data: { content: `user ${id}` }, id: `${id}2`, parentId: `${id}1` },
    {
      type: 'assistant.message',
      data: { content: `assistant ${id}`, messageId: id },
      id: `${id}3`,
      parentId: `${id}2`,
    },
  ],
  'copilot-cli: what it prints': (id) => [
    { type: 'user.message', data: { content: `user ${id}` }, id: `${id}2`, parentId: null },
    { type: 'assistant.message', data: { content: `assistant ${id}` }, id: `${id}3`, parentId: `${id}2` },
    { type: 'result', sessionId: id, exitCode: 0 },
  ],
  'kimi-cli: journal': (id) => [
    { type: 'metadata', protocol_version: '1.4', created_at: 1 },
    { type: 'context.append_message', message: chat('user', id) },
    { type: 'context.append_loop_event', event: { type: 'step.begin', uuid: id } },
    {
      type: 'context.append_loop_event',
      event: { type: 'content.part', stepUuid: id, part: text('text', `assistant ${id}`) },
    },
    { type: 'context.append_loop_event', event: { type: 'step.end', uuid: id, finishReason: 'end_turn' } },
  ],
  'kimi-cli: events': (id) => [
    { type: 'metadata', protocol_version: '1' },
    { timestamp: 1, message: { type: 'TurnBegin', payload: { user_input: `user ${id}` } } },
    { timestamp: 2, message: { type: 'StepBegin', payload: { n: 1 } } },
    { timestamp: 3, message: { type: 'ContentPart', payload: text('text', `assistant ${id}`) } },
  ],
  'kimi-cli: context': (id) => [
    { role: '_system_prompt', content: 'You are Kimi.' },
    { role: '_checkpoint', id: 0 },
    chat('user', id),
    chat('assistant', id),
  ],
  'pi-session': (id) => [
    { type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00Z', cwd: '/' },
    { type: 'message', id: 'a', parentId: null, timestamp: 't', message: chat('user', id) },
    { type: 'message', id: 'b', parentId: 'a', timestamp: 't', message: chat('assistant', id) },
  ],
  'claude-code-stream': (id) => [
    { type: 'system', subtype: 'init', session_id: id, model: 'm', tools: [] },
    { type: 'user', session_id: id, message: chat('user', id) },
    { type: 'assistant', session_id: id, message: { id: `m${id}`, model: 'm', ...chat('assistant', id) } },
    { type: 'result', subtype: 'success', session_id: id, result: `assistant ${id}` },
  ],
  'claude-code-session': (id) => [
    { type: 'user', uuid: `${id}1`, parentUuid: null, sessionId: id, message: chat('user', id) },
    {
      type: 'assistant',
      uuid: `${id}2`,
      parentUuid: `${id}1`,
      sessionId: id,
      message: { id: `m${id}`, model: 'm', ...chat('assistant', id) },
    },
  ],
  'qwen-code': (id) => [
    {
      type: 'user',
      uuid: `${id}1`,
      parentUuid: null,
      sessionId: id,
      message: { role: 'user', parts: [{ text: `user ${id}` }] },
    },
    {
      type: 'assistant',
      uuid: `${id}2`,
      parentUuid: `${id}1`,
      sessionId: id,
      message: { role: 'model', parts: [{ text: `assistant ${id}` }] },
    },
  ],
  'codex-rollout': (id) => [
    { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id } },
    ...['user', 'assistant'].map((role) => ({
      timestamp: '2026-01-01T00:00:01Z',
      type: 'response_item',
      payload: { type: 'message', role, content: [text('output_text', `${role} ${id}`)] },
    })),
  ],
  'codex-exec': (id) => [
    { type: 'thread.started', thread_id: id },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `assistant ${id}` } },
    { type: 'turn.completed' },
  ],
  'droid: store': (id) => [
    { type: 'session_start', id, title: 't' },
    { type: 'message', id: 'a', parentId: null, message: chat('user', id) },
    { type: 'message', id: 'b', parentId: 'a', message: chat('assistant', id) },
  ],
  'droid: stream': (id) => [
    { type: 'system', subtype: 'init', session_id: id, model: 'm' },
    { type: 'message', role: 'user', text: `user ${id}`, session_id: id },
    { type: 'message', role: 'assistant', text: `assistant ${id}`, session_id: id },
    { type: 'completion', finalText: `assistant ${id}`, session_id: id },
  ],
  'gemini-cli': (id) => [
    { sessionId: id, projectHash: 'p' },
    { id: 'a', type: 'user', content: `user ${id}` },
    { id: 'b', type: 'gemini', content: `assistant ${id}`, model: 'g' },
  ],
  'gemini-cli: stream': (id) => [
    { type: 'init', session_id: id, model: 'g' },
    { type: 'message', role: 'user', content: `user ${id}` },
    { type: 'message', role: 'assistant', content: `assistant ${id}`, delta: true },
    { type: 'result', status: 'success' },
  ],
  'cursor: stream': (id) => [
    { type: 'system', subtype: 'init', apiKeySource: 'login', session_id: id, model: 'm' },
    { type: 'user', session_id: id, message: chat('user', id) },
    { type: 'assistant', session_id: id, message: chat('assistant', id) },
  ],
  antigravity: (id) => [
    {
      step_index: 0,
      source: 'USER_EXPLICIT',
      type: 'USER_INPUT',
      status: 'DONE',
      content: `<USER_REQUEST>user ${id}</USER_REQUEST>`,
    },
    { step_index: 1, source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE', content: `assistant ${id}` },
  ],
  'opencode-export': (id) => [
    {
      type: 'text',
      sessionID: id,
      part: { id: `p${id}`, type: 'text', messageID: `m${id}`, text: `assistant ${id}` },
    },
  ],
  'openhands: SDK': (id) => [
    { kind: 'SystemPromptEvent', source: 'agent', id: `${id}0`, system_prompt: { text: 'You are.' } },
    { kind: 'MessageEvent', source: 'user', id: `${id}1`, llm_message: chat('user', id) },
    { kind: 'MessageEvent', source: 'agent', id: `${id}2`, llm_message: chat('assistant', id) },
  ],
  'openhands: older': (id) => [
    { id: 0, source: 'user', action: 'message', args: { content: `user ${id}` } },
    { id: 1, source: 'agent', action: 'message', args: { content: `assistant ${id}` } },
  ],
};

const jsonl = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function read(content: unknown): Promise<Trajectory[]> {
  const results = await readFiles({ 'log.jsonl': content });
  expect(rejectsOf(results).map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  return trajectoriesOf(results);
}

const ids = (runs: readonly Trajectory[]): string[] => runs.map((run) => run.trajectory_id);

describe.each(Object.entries(SESSIONS))('sessions of %s', (_kind, session) => {
  it('that stand in one file one after another are read as each for itself, with the line where it begins', async () => {
    const alone = await Promise.all(['one', 'two', 'three'].map((id) => read(jsonl(session(id)))));
    const glued = await read(jsonl(['one', 'two', 'three'].flatMap(session)));
    expect(ids(glued)).toEqual(ids(alone.flat()));
    expect(glued.map((run) => run.session_id)).toEqual(alone.flat().map((run) => run.session_id));
    const { length } = session('one');
    expect(glued.map((run) => run.source.line)).toEqual([1, length + 1, 2 * length + 1]);
    expect(alone.flat().map((run) => run.source.line)).toEqual([null, null, null]);
  });

  it('that stand in one file twice are read once', async () => {
    const [alone] = await read(jsonl(session('one')));
    const twice = await read(jsonl(['one', 'two', 'one'].flatMap(session)));
    expect(twice).toHaveLength(2);
    const [first, second] = twice;
    expect([first?.trajectory_id, first?.turns]).toEqual([alone?.trajectory_id, alone?.turns]);
    expect(first?.flags).toContain('repeated_lines');
    expect(second?.flags).not.toContain('repeated_lines');
  });

  it('are read from a JSON list of their records as from their lines', async () => {
    const lines = ['one', 'two'].flatMap(session);
    const [listed, split] = [await read(JSON.stringify(lines, null, 2)), await read(jsonl(lines))];
    expect(ids(listed)).toEqual(ids(split));
    expect(listed.map(({ source }) => [source.format, source.line])).toEqual(
      split.map(({ source }) => [source.format, source.line]),
    );
  });
});

describeWithShared('real session logs', () => {
  /** Logs that begin with a head, or name their session on every line. */
  const TOLD: Readonly<Record<string, readonly string[]>> = {
    // one of them holds summaries of other sessions and nothing else
    claude_code_session_jsonl: filledLogs('claude_code_session_jsonl', '.jsonl').filter((name) =>
      (realLines('claude_code_session_jsonl', name) as Line[]).some((line) => line['type'] === 'assistant'),
    ),
    codex_rollout_jsonl: [
      'agent-history_codex_compaction.jsonl',
      'agent-history_codex_golden.jsonl',
      'agent-history_real_session-01_redacted.jsonl',
      'agent-sessions_codex_small.jsonl',
    ],
    gemini_cli_session: ['agent-history_gemini_tool_error.jsonl', 'jsonl_v040.jsonl'],
    pi_session_jsonl: ['agent-sessions_pi_small.jsonl', 'large-session.jsonl'],
  };

  it.each(Object.entries(TOLD))(
    'of %s are read from one file as each alone, in any order',
    async (folder, names) => {
      expect(names.length).toBeGreaterThan(1);
      const logs = await Promise.all(
        names.map(async (name) => {
          const lines = realLines(folder, name) as Line[];
          return { lines, alone: ids(await read(jsonl(lines))) };
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(logs, { minLength: 2 }), fc.boolean(), async (some, listed) => {
          const lines = some.flatMap((log) => log.lines);
          const glued = await read(listed ? JSON.stringify(lines) : jsonl(lines));
          // a session comes before its sub-agents, whichever file was first
          expect(ids(glued).sort()).toEqual(some.flatMap(({ alone }) => alone).sort());
        }),
        { numRuns: 12 },
      );
    },
  );

  it('of Claude Code that take turns in one file are told apart', async () => {
    const folder = 'claude_code_session_jsonl';
    const logs = (TOLD[folder] ?? []).map((name) => realLines(folder, name) as Line[]);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(logs, { minLength: 2, maxLength: 2 }),
        fc.infiniteStream(fc.boolean()),
        async ([one = [], two = []], picks) => {
          const [left, right] = [[...one], [...two]];
          const mixed: Line[] = [];
          for (const first of picks) {
            const [from, other] = first ? [left, right] : [right, left];
            const line = from.shift() ?? other.shift();
            if (line === undefined) break;
            mixed.push(line);
          }
          const alone = [...(await read(jsonl(one))), ...(await read(jsonl(two)))];
          const shown = (runs: readonly Trajectory[]) =>
            runs.map(({ turns }) => JSON.stringify(turns.map(turnContent))).sort();
          expect(shown(await read(jsonl(mixed)))).toEqual(shown(alone));
        },
      ),
      { numRuns: 12 },
    );
  });
});

it('runs that were printed as a list each, on lines of their own, are read apart', async () => {
  const session = SESSIONS['claude-code-stream'] ?? (() => []);
  const lines = ['one', 'two'].map((id) => JSON.stringify(session(id)));
  const alone = await Promise.all(lines.map((line) => read(line)));
  const both = await read(`${lines.join('\n')}\n`);
  expect(ids(both)).toEqual(ids(alone.flat()));
  expect(both.map(({ source }) => source.line)).toEqual([1, 2]);
});

describe('records of several sessions', () => {
  const mark = (record: unknown): SessionMark => record as SessionMark;
  const split = (...records: SessionMark[]): number[][] =>
    [...gluedSessions(records, mark)].map((each) => [...each]);

  it('belong to the session that they name, else to that of the record before', () => {
    expect(split({}, { session: 'a' }, {}, { session: 'b' }, {}, { session: 'a' }, {})).toEqual([
      [0, 1, 2, 5, 6],
      [3, 4],
    ]);
  });

  it('go on where a head repeats a name, or stands behind one that may nest', () => {
    const head = (session: string | null, nests = false): SessionMark => ({ opens: true, session, nests });
    const fork = (session: string) => head(session, true);
    expect(split(head('b'), {}, head('b'), head('a'), {})).toEqual([
      [0, 1, 2],
      [3, 4],
    ]);
    expect(split(fork('b'), fork('a'), {}, fork('b'), {}, fork('c'), {})).toEqual([
      [0, 1, 2, 3, 4],
      [5, 6],
    ]);
    expect(split(head(null), {}, head(null), {}, {})).toEqual([
      [0, 1],
      [2, 3, 4],
    ]);
  });

  it('are another session behind the end of one, unless they name it', () => {
    expect(
      split({}, { closes: true, session: 'a' }, {}, { closes: true, session: 'b' }, { session: 'a' }),
    ).toEqual([
      [0, 1, 4],
      [2, 3],
    ]);
  });

  it('are of the session that the next end names, as where it was resumed', () => {
    const end = (session: string): SessionMark => ({ closes: true, session });
    expect(split({}, end('a'), {}, end('b'), {}, end('a'), {}, end('c'))).toEqual([
      [0, 1, 4, 5],
      [2, 3],
      [6, 7],
    ]);
  });

  it('are of the session of the record that they follow, where they name none', () => {
    expect(
      split(
        { session: 'a', id: '1' },
        { session: 'b', id: '2' },
        { id: '3', follows: ['1'] },
        { session: 'b' },
      ),
    ).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it('that hang together are one session, whatever they name', () => {
    expect(
      split({ session: 'a', id: '1' }, { session: 'b', id: '2' }, { session: 'c', id: '3', follows: ['1'] }),
    ).toEqual([[0, 2], [1]]);
  });

  it('are each in one session, in their order, and one session where nothing is marked', () => {
    const name = fc.constantFrom(null, 'a', 'b', 'c');
    const any = fc.record({
      opens: fc.boolean(),
      closes: fc.boolean(),
      session: name,
      id: fc.constantFrom(null, '1', '2', '3', '4'),
      follows: fc.array(fc.constantFrom('1', '2', '3', '4', '5'), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (records) => {
        const groups = split(...records);
        expect(groups.flat().sort((a, b) => a - b)).toEqual(records.map((_, index) => index));
        for (const group of groups) expect(group).toEqual([...group].sort((a, b) => a - b));
        expect(groups.map(([first]) => first ?? 0)).toEqual(
          groups.map(([first]) => first ?? 0).sort((a, b) => a - b),
        );
        expect(split(...records.map(() => ({})))).toHaveLength(1);
      }),
    );
  });

  it('count once where an equal one has the same id', () => {
    const records = [
      { id: 'a', x: 1 },
      { id: 'a', x: 1 },
      { id: 'a', x: 2 },
      { x: 1 },
      { x: 1 },
      { id: 'a', x: 2 },
    ];
    const indices = records.map((_, index) => index);
    expect(withoutCopies(records, indices, mark)).toEqual([0, 2, 3, 4]);
  });

  it('count once where equal ones of the same time stand apart, not where they were written at one go', () => {
    const [a, b, c] = [
      { time: '1', x: 'a' },
      { time: '1', x: 'b' },
      { time: '2', x: 'c' },
    ];
    const kept = (...records: SessionMark[]): readonly number[] =>
      withoutCopies(records, [...records.keys()], mark);
    expect(kept(a, b, a, b, c, c)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(kept(a, b, a, c, a, b, a, c)).toEqual([0, 1, 2, 3]);
  });
});

it('no record of whatever shape keeps a format from telling sessions apart', () => {
  const formats = FORMATS.filter(({ sessionOf }) => sessionOf !== undefined);
  expect(formats.length).toBeGreaterThan(14);
  const keys = fc.constantFrom(
    'type',
    'payload',
    'data',
    'id',
    'uuid',
    'role',
    'kind',
    'timestamp',
    'session_id',
    'message',
  );
  const record = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 })));
  fc.assert(
    fc.property(fc.array(record, { maxLength: 6 }), (records) => {
      for (const format of formats) {
        const groups = gluedSessions(records, (each) => format.sessionOf?.(each) ?? null);
        expect(groups.flat()).toHaveLength(records.length);
      }
    }),
  );
});

it('an adapter that fails to tell sessions apart refuses the log', async () => {
  const faulty: FormatAdapter = {
    ...FORMATS.filter(({ name }) => name === 'grok')[0],
    name: 'faulty',
    sessionOf: () => {
      throw new TypeError('no');
    },
  } as FormatAdapter;
  const content = jsonl((SESSIONS['grok'] ?? (() => []))('one'));
  const results = await readFiles({ 'log.jsonl': content }, { formats: [faulty] });
  expect(rejectsOf(results).map(({ code, format }) => [code, format])).toEqual([['internal', 'faulty']]);
});

it('a bare head between two sessions is passed over, a prompt without a reply is refused with its line', async () => {
  const session = SESSIONS['pi-session'] ?? (() => []);
  const [head = {}, prompt = {}] = session('three');
  const both = jsonl([...session('one'), ...session('two'), head]);
  expect(await read(both)).toHaveLength(2);
  const results = await readFiles({ 'log.jsonl': `${both}${JSON.stringify(prompt)}\n` });
  expect(trajectoriesOf(results)).toHaveLength(2);
  expect(rejectsOf(results).map(({ code, line }) => [code, line])).toEqual([['no_model_turns', 7]]);
  expect(rejectsOf(await readFiles({ 'log.jsonl': jsonl([head]) })).map(({ code }) => code)).toHaveLength(1);
});

it('what a tool printed of a session that was resumed is one session again', async () => {
  const session = SESSIONS['copilot-cli: what it prints'] ?? (() => []);
  const ended = (id: string): Line[] => [
    ...session(id).slice(0, -1),
    { type: 'result', sessionId: 'one', exitCode: 0 },
  ];
  const run = onlyTrajectory(await readFiles({ 'log.jsonl': jsonl([...ended('one'), ...ended('two')]) }));
  expect(run.turns.map(turnContent)).toHaveLength(4);
});

it.each(['droid: store', 'gemini-cli', 'pi-session', 'grok'])(
  'a prompt that was written before the head of its session is read with it: %s',
  async (kind) => {
    const lines = (SESSIONS[kind] ?? (() => []))('one');
    const prompt = lines.at(-2) ?? {};
    const alone = onlyTrajectory(await readFiles({ 'log.jsonl': jsonl(lines) }));
    const late = await readFiles({
      'log.jsonl': jsonl([prompt, ...lines.filter((line) => line !== prompt)]),
    });
    const run = onlyTrajectory(late);
    const shown = ({ turns }: Trajectory) => turns.map(turnContent).sort();
    expect(shown(run)).toEqual(shown(alone));
    expect(run.source.line).toBeNull();
  },
);

it('records without a turn before a head do not make two of its session', async () => {
  const session = SESSIONS['openhands: SDK'] ?? (() => []);
  const state = { kind: 'ConversationStateUpdateEvent', source: 'environment', id: 's', key: 'k', value: 1 };
  const [only, ...others] = await read(jsonl([state, ...session('one')]));
  expect([only?.source.line, others]).toEqual([null, []]);
});

it('a first step that is written again when its state changes begins no other session', async () => {
  const [first = {}, second = {}] = (SESSIONS['antigravity'] ?? (() => []))('one');
  const at = (created_at: string, status: string): Line => ({ ...first, created_at, status });
  const lines = [at('2026-01-01T00:00:00Z', 'RUNNING'), second, at('2026-01-01T00:00:00Z', 'DONE')];
  expect((await read(jsonl(lines))).map(({ turns }) => turns.length)).toEqual([2]);
  const another = [...lines, at('2026-01-01T01:00:00Z', 'DONE'), second];
  expect((await read(jsonl(another))).map(({ turns }) => turns.length)).toEqual([2, 2]);
});

it('a line without an id belongs to the session of its parent, also between lines of another', async () => {
  const session = SESSIONS['claude-code-session'] ?? (() => []);
  const [one, two] = [session('one'), session('two')];
  const { sessionId: _, ...nameless } = one[1] ?? {};
  const runs = await read(jsonl([one[0] ?? {}, two[0] ?? {}, nameless, two[1] ?? {}]));
  expect(runs.map(({ turns }) => turns.map(turnContent))).toEqual(
    [...(await read(jsonl(one))), ...(await read(jsonl(two)))].map(({ turns }) => turns.map(turnContent)),
  );
});

it('sessions that take turns in one file are told apart where every record names its own', async () => {
  const session = SESSIONS['claude-code-stream'] ?? (() => []);
  const [one, two] = [session('one'), session('two')];
  const mixed = one.flatMap((line, index) => [line, two[index] ?? {}]);
  const alone = [...(await read(jsonl(one))), ...(await read(jsonl(two)))];
  expect(ids(await read(jsonl(mixed)))).toEqual(ids(alone));
});

it('a resumed session that copied its records again is read once, with a flag', async () => {
  const session = SESSIONS['copilot-cli'] ?? (() => []);
  const alone = onlyTrajectory(await readFiles({ 'log.jsonl': jsonl(session('one')) }));
  const twice = onlyTrajectory(
    await readFiles({ 'log.jsonl': jsonl([...session('one'), ...session('one')]) }),
  );
  expect(twice.turns.map(turnContent)).toEqual(alone.turns.map(turnContent));
  expect(twice.flags).toContain('repeated_lines');
  expect(alone.flags).not.toContain('repeated_lines');
});

it('a list of chat messages with their time stays one of messages', async () => {
  const list = ['user', 'assistant'].map((role) => ({
    role,
    content: role,
    created_at: '2026-01-01T00:00:00Z',
  }));
  expect(onlyTrajectory(await readFiles({ 'log.json': list })).source.format).toBe('openai-messages');
});

it('a list of rows that no reader of lists takes is read as its lines would be', async () => {
  const row = {
    input_ids: [1, 2],
    labels: [-100, 2],
    logprobs: [-0.1],
    text: 'a b',
    input: 'a',
    n_predicted: 1,
  };
  const lines = await readFiles({ 'rows.jsonl': `${JSON.stringify(row)}\n${JSON.stringify(row)}\n` });
  const list = await readFiles({ 'rows.json': [row, row] });
  const shown = (results: typeof lines) =>
    results.map((each) =>
      each.kind === 'trajectory' ? [each.trajectory.trajectory_id, each.trajectory.source.line] : [each.kind],
    );
  expect(lines).toHaveLength(2);
  expect(shown(list)).toEqual(shown(lines));
});
