import { describe, expect, it } from 'vitest';
import { kimiCli } from '../../src/formats/kimi-cli.js';
import { detectLines, outline, placed, runOf, runsOf } from './session-logs.js';

const meta = { type: 'metadata', protocol_version: '1.4', created_at: 1 };
const prompt = (text: string, origin: object = { kind: 'user' }) => ({
  type: 'context.append_message',
  message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin },
  time: 1000,
});
const loop = (event: object) => ({ type: 'context.append_loop_event', event, time: 2000 });
const step = (uuid: string, parts: object[], end: object | null = { finishReason: 'end_turn' }) => [
  loop({ type: 'step.begin', uuid, turnId: '0', step: 1 }),
  ...parts.map((part) => loop({ stepUuid: uuid, ...part })),
  ...(end === null ? [] : [loop({ type: 'step.end', uuid, ...end })]),
];
const say = (text: string) => ({ type: 'content.part', part: { type: 'text', text } });
const think = (text: string) => ({ type: 'content.part', part: { type: 'think', think: text } });
const calling = (id: string) => ({
  type: 'tool.call',
  toolCallId: id,
  name: 'Bash',
  args: { command: 'ls' },
});
const result = (id: string, value: object) =>
  loop({ type: 'tool.result', parentUuid: id, toolCallId: id, result: value });

describe('kimi-cli: journal', () => {
  it('puts the system prompt first and holds messages back while calls run', () => {
    const lines = [
      meta,
      { type: 'config.update', systemPrompt: 'You are Kimi.' },
      { type: 'turn.prompt', input: [{ type: 'text', text: 'go' }], origin: { kind: 'user' } },
      prompt('go'),
      { type: 'llm.request', model: 'kimi-k2' },
      ...step('s1', [think('hm'), calling('a'), calling('b')], { finishReason: 'tool_use' }),
      result('a', { output: 'A' }),
      prompt('<system-reminder>x</system-reminder>', { kind: 'injection', variant: 'v' }),
      result('b', { output: 'no', isError: true }),
      ...step('s2', [say('done')]),
    ];
    expect(detectLines(kimiCli, lines)?.confidence).toBe('certain');
    const run = runOf(kimiCli, lines, placed('sessions/abc/agents/main/wire.jsonl'));
    expect(outline(run.turns)).toEqual([
      'system: prompt You are Kimi.',
      'user: prompt go',
      'assistant: REASONING hm | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"ls"}',
      'tool: observation A',
      'tool: observation no',
      'user: observation <system-reminder>x</system-reminder>',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({
      session_id: 'abc',
      parent_session: null,
      model: 'kimi-k2',
      termination: 'submitted',
    });
    expect(run.executions.map(({ status, feedback_turn }) => [status, feedback_turn])).toEqual([
      ['error', 4],
    ]);
  });

  it('cuts replies that were stopped and leaves out those without a word', () => {
    const lines = [
      meta,
      prompt('go'),
      ...step('s0', [], null),
      { type: 'turn.cancel', time: 1 },
      ...step('s1', [say('half')], null),
      { type: 'turn.cancel', time: 1 },
      prompt('more'),
      ...step('s2', [say('too long')], { finishReason: 'max_tokens' }),
      ...step('s3', [say('torn')], null),
    ];
    const run = runOf(kimiCli, lines);
    expect(run.turns.map((turn) => [turn.spans[0]?.text, turn.truncated])).toEqual([
      ['go', null],
      ['half', 'aborted'],
      ['more', null],
      ['too long', 'length'],
      ['torn', 'cut'],
    ]);
    expect(run.epochs[0]?.turns).toEqual([0, 1, 2, 3, 4]);
    expect(run.flags).toContain('empty_replies');
    expect(run.termination).toBe('cut');
  });

  it('begins a context with the summary of a compaction', () => {
    const lines = [
      meta,
      { type: 'config.update', systemPrompt: 'S' },
      prompt('go'),
      ...step('s1', [say('one')]),
      ...step('s2', [say('two')]),
      { type: 'context.apply_compaction', summary: 'so far', compactedCount: 2, time: 1 },
      ...step('s3', [say('three')]),
    ];
    const run = runOf(kimiCli, lines);
    expect(outline(run.turns)[4]).toBe('assistant: text so far');
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3], reason: null },
      { turns: [0, 4, 3, 5], reason: 'compaction' },
    ]);
  });

  it('keeps prompts before the summary where a compaction says so', () => {
    const run = runOf(kimiCli, [
      meta,
      { type: 'config.update', systemPrompt: 'S' },
      prompt('first'),
      ...step('s1', [say('one')]),
      prompt('second'),
      prompt('<system-reminder>x</system-reminder>', { kind: 'injection', variant: 'v' }),
      ...step('s2', [say('two')]),
      prompt('third'),
      ...step('s3', [say('three'), calling('a')]),
      prompt('waits', { kind: 'background_task' }),
      {
        type: 'context.apply_compaction',
        summary: 'own words',
        contextSummary: 'so far',
        compactedCount: 8,
        keptUserMessageCount: 2,
        keptHeadUserMessageCount: 1,
      },
      ...step('s4', [say('four')]),
    ]);
    const texts = run.epochs.map(({ turns }) => turns.map((index) => run.turns[index]?.spans[0]?.text));
    expect(texts[1]).toEqual(['S', 'first', 'third', 'so far', 'four']);
    expect(run.turns.find(({ flags }) => flags.includes('compact_summary'))?.role).toBe('user');
    expect(run.flags).toContain('compacted_context_assumed');
  });

  it('takes back the last prompt and all that followed it, but for notes of the harness', () => {
    const lines = (count: number) => [
      meta,
      prompt('first'),
      ...step('s1', [say('one')]),
      prompt('second'),
      prompt('note', { kind: 'injection', variant: 'v' }),
      ...step('s2', [say('two')]),
      { type: 'context.undo', count },
      prompt('third'),
      ...step('s3', [say('three')]),
    ];
    const [one, two] = [runOf(kimiCli, lines(1)), runOf(kimiCli, lines(2))];
    const live = (run: typeof one) => run.epochs[0]?.turns.map((index) => run.turns[index]?.spans[0]?.text);
    expect(live(one)).toEqual(['first', 'one', 'note', 'third', 'three']);
    expect(live(two)).toEqual(['note', 'third', 'three']);
    expect(
      one.turns.filter(({ flags }) => flags.includes('rewound')).map(({ spans }) => spans[0]?.text),
    ).toEqual(['second', 'two']);
    expect(two.flags).toContain('rewound_turns:2');
  });

  it('what was copied into a fork is history', () => {
    const run = runOf(kimiCli, [
      meta,
      prompt('go'),
      ...step('s1', [say('before')]),
      { type: 'forked', time: 1 },
      prompt('on'),
      ...step('s2', [say('after')]),
    ]);
    expect(outline(run.turns)).toEqual([
      'user: prompt go',
      'assistant: text before',
      'user: prompt on',
      'assistant: TEXT after',
    ]);
    expect(run.flags).toContain('forked_session');
  });

  it('says that results were cleared', () => {
    const lines = [
      meta,
      prompt('go'),
      ...step('s', [say('x')]),
      { type: 'micro_compaction.apply', cutoff: 2 },
    ];
    expect(runOf(kimiCli, lines).flags).toContain('context_edited');
  });

  it('names what it cannot follow, and refuses parts of no step', () => {
    const lines = [meta, prompt('go'), ...step('s', [say('x')]), { type: 'context.splice', count: 1 }];
    expect(runOf(kimiCli, lines).flags).toContain('unread_records:context.splice');
    expect(() => runOf(kimiCli, [meta, loop({ ...say('x'), stepUuid: 'none' })])).toThrow(/stepUuid/);
  });

  it('of a sub-agent belongs to the session of its folder', () => {
    const lines = [
      meta,
      prompt('count', { kind: 'system_trigger', name: 'subagent' }),
      ...step('s', [say('3')]),
    ];
    const run = runOf(kimiCli, lines, placed('abc/agents/agent-0/wire.jsonl'));
    expect(run).toMatchObject({ session_id: 'abc/agent-0', parent_session: 'abc' });
    expect(outline(run.turns)[0]).toBe('user: prompt count');
  });
});

describe('kimi-cli: events of the older wire', () => {
  const event = (type: string, payload: object = {}) => ({ timestamp: 1.5, message: { type, payload } });

  it('make replies of steps, and runs of sub-agents', () => {
    const lines = [
      { type: 'metadata', protocol_version: '1.2' },
      event('TurnBegin', { user_input: 'go' }),
      event('StepBegin', { n: 1 }),
      event('ContentPart', { type: 'think', think: 'hm', encrypted: null }),
      event('ContentPart', { type: 'text', text: 'Look.' }),
      event('ToolCall', { type: 'function', id: 'a', function: { name: 'Task', arguments: '{"x"' } }),
      event('ToolCallPart', { arguments_part: ': 1}' }),
      event('SubagentEvent', { task_tool_call_id: 'a', event: { type: 'StepBegin', payload: { n: 1 } } }),
      event('SubagentEvent', {
        task_tool_call_id: 'a',
        event: { type: 'ContentPart', payload: { type: 'text', text: 'sub' } },
      }),
      event('ToolResult', {
        tool_call_id: 'a',
        return_value: { is_error: false, output: 'ok', message: 'm' },
      }),
      event('StepBegin', { n: 2 }),
      event('ContentPart', { type: 'text', text: 'End' }),
      event('StepInterrupted'),
    ];
    const [main, sub, ...others] = runsOf(kimiCli, lines, placed('kimi/abc/wire.jsonl'));
    expect(others).toEqual([]);
    expect(outline(main?.turns ?? [])).toEqual([
      'user: prompt go',
      'assistant: REASONING hm | TEXT Look. | TOOL_CALL {"x": 1}',
      'tool: observation ok',
      'assistant: TEXT End',
    ]);
    expect(main?.turns[0]?.timestamp).toBe('1970-01-01T00:00:01.500Z');
    expect(main?.turns.at(-1)?.truncated).toBe('aborted');
    expect(sub).toMatchObject({ session_id: 'a', parent_session: 'abc' });
    expect(outline(sub?.turns ?? [])).toEqual(['assistant: TEXT sub']);
  });

  it('are known without their metadata line', () => {
    expect(detectLines(kimiCli, [event('StepBegin', { n: 1 })])?.confidence).toBe('certain');
    expect(detectLines(kimiCli, [event('Other')])).toBeNull();
  });
});

describe('kimi-cli: context file', () => {
  const lines = [
    { role: '_system_prompt', content: 'You are K' },
    { role: '_checkpoint', id: 0 },
    { role: 'user', content: [{ type: 'text', text: '<system>CHECKPOINT 0</system>' }] },
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [
        { type: 'think', think: 'hm' },
        { type: 'text', text: 'ok' },
      ],
      tool_calls: [
        { type: 'function', id: 'c', function: { name: 'Shell', arguments: '{"command": "ls"}' } },
      ],
    },
    { role: '_usage', token_count: 12 },
    { role: 'tool', content: [{ type: 'text', text: 'a.py' }], tool_call_id: 'c' },
    { role: 'assistant', content: 'done' },
  ];

  it('is the messages without its marks, and what the harness wraps is not the human', () => {
    expect(detectLines(kimiCli, lines)?.confidence).toBe('certain');
    const run = runOf(kimiCli, lines);
    expect(outline(run.turns)).toEqual([
      'system: prompt You are K',
      'user: observation <system>CHECKPOINT 0</system>',
      'user: prompt go',
      'assistant: REASONING hm | TEXT ok | TOOL_CALL {"command": "ls"}',
      'tool: observation a.py',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ scaffold: 'kimi-cli', termination: 'submitted' });
    expect(run.flags).not.toContain('system_prompt_absent');
  });

  it('refuses roles that it does not know', () => {
    expect(() => runOf(kimiCli, [...lines, { role: '_future', content: '' }])).toThrow(/known role/);
  });
});
