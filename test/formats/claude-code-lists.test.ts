import { describe, expect, it } from 'vitest';
import { claudeCodeLegacy } from '../../src/formats/claude-code-legacy.js';
import { claudeCodeStream } from '../../src/formats/claude-code-stream.js';
import { describeWithShared } from '../shared.js';
import {
  detectDocument,
  readDocument,
  readOne,
  realLog,
  realLogs,
  rolesOf,
  spansOf,
} from './adapter-context.js';
import { blockTexts, modelTexts, type Untyped } from './model-texts.js';
import { onlyTrajectory, readFiles } from './read-all.js';

const LEGACY = 'claude_code_legacy_json';
const STREAM = 'claude_code_stream_json';

describeWithShared('claude-code-legacy: real logs', () => {
  it.each(realLogs(LEGACY))('%s: everything that a model wrote is there, once', (name) => {
    const log = realLog(LEGACY, name);
    const texts = log.flatMap((item: Untyped) => (item.role === 'assistant' ? blockTexts(item.content) : []));
    expect(modelTexts([readOne(claudeCodeLegacy, log)])).toEqual(texts.sort());
  });

  it('counted by hand', () => {
    const run = readOne(claudeCodeLegacy, realLog(LEGACY, 'mlrbench_claude_bi_align_claude_output.json'));
    expect(rolesOf(run.turns)).toEqual({ user: 4, assistant: 24, tool: 23 });
    expect(spansOf(run.turns, 'assistant')).toEqual({ 'model text': 21, 'model tool_call': 23 });
    expect(run).toMatchObject({
      model: 'claude-3-7-sonnet-20250219',
      scaffold: 'claude-code',
      termination: 'submitted',
      flags: ['no_experiment_boundary', 'system_prompt_absent'],
    });
    // One person spoke; what stands between a result and the next reply is the harness.
    expect(spansOf(run.turns, 'user')).toEqual({ 'environment prompt': 1, 'environment observation': 3 });
    expect(run.executions.map(({ status }) => status).filter((status) => status === 'error')).toHaveLength(1);
  });
});

const message = (id: string, content: object[], rest: object = {}) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'end_turn',
  usage: {},
  ...rest,
});
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const answer = (id: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }],
});

describe('claude-code-legacy', () => {
  it('reads numbers that are strings, and sees a result that no message has', () => {
    const run = readOne(claudeCodeLegacy, [
      { role: 'user', content: 'task' },
      message('a', [text('go')]),
      message('a', [call('c')]),
      answer('c'),
      { role: 'user', content: 'Note: a file was modified' },
      message('b', [text('done')]),
      { role: 'user', content: 'thanks' },
      message('d', [text('bye')]),
      { role: 'system', cost_usd: '0.1', duration_ms: '9', result: 'something else', session_id: 's' },
    ]);
    expect(run.session_id).toBe('s');
    expect(run.flags).toContain('final_text_without_message');
    expect(run.turns.map((turn) => `${turn.role} ${turn.spans[0]?.kind}`)).toEqual([
      'user prompt',
      'assistant text',
      'tool observation',
      'user observation',
      'assistant text',
      'user prompt',
      'assistant text',
    ]);
  });

  it('is told from other lists', () => {
    expect(detectDocument(claudeCodeLegacy, [message('a', [])])?.confidence).toBe('certain');
    expect(detectDocument(claudeCodeLegacy, [{ role: 'user', content: 'x' }])).toBeNull();
  });
});

describeWithShared('claude-code-stream: real logs', () => {
  it.each(realLogs(STREAM))('%s: everything that a model wrote is there, once', (name) => {
    const log = realLog(STREAM, name);
    const texts = log.flatMap((item: Untyped) =>
      item.type === 'assistant' ? blockTexts(item.message.content) : [],
    );
    const run = readOne(claudeCodeStream, log);
    expect(modelTexts([run])).toEqual(texts.sort());
    expect(rolesOf(run.turns)).toEqual({ assistant: 4, tool: 3 });
    expect(run).toMatchObject({
      session_id: 'sample-session-id',
      model: 'claude-test-model',
      termination: 'submitted',
    });
    // Its result words differ from the last message.
    expect(run.flags).toEqual([
      'no_experiment_boundary',
      'system_prompt_absent',
      'prompts_absent',
      'final_text_without_message',
    ]);
  });
});

const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: ['Bash'] };
const said = (id: string, content: object[], rest: object = {}) => ({
  type: 'assistant',
  message: message(id, content),
  parent_tool_use_id: null,
  ...rest,
});
const heard = (content: unknown, rest: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  ...rest,
});
const result = (rest: object) => ({ type: 'result', subtype: 'success', is_error: false, ...rest });

describe('claude-code-stream', () => {
  it('reads JSON lines as well as a list', async () => {
    const records = [init, heard('task'), said('a', [text('done')]), result({ result: 'done' })];
    const lines = `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
    const run = onlyTrajectory(await readFiles({ 'out.jsonl': lines }));
    expect(run.source.format).toBe('claude-code-stream');
    expect(run.flags).toEqual(['no_experiment_boundary', 'system_prompt_absent']);
    expect(readOne(claudeCodeStream, records).turns).toEqual(run.turns);
  });

  it('of Amp is named so, and the states of a reply on its way count once', () => {
    const amp = { type: 'system', subtype: 'init', session_id: 'T-1', tools: ['Bash'] };
    const run = readOne(claudeCodeStream, [
      amp,
      heard('task'),
      said('a', [text('do')], { is_partial: true }),
      said('a', [text('done')], { is_partial: false }),
      result({ result: 'done' }),
    ]);
    expect(run.scaffold).toBe('amp');
    expect(run.turns.map(({ spans }) => spans.map((span) => span.text))).toEqual([['task'], ['done']]);
  });

  it('has the arguments that the model sent, and no reply as whole that was aborted', () => {
    const call = (id: string, input: object) => ({ type: 'tool_use', id, name: 'ExitPlanMode', input });
    const run = readOne(claudeCodeStream, [
      init,
      heard('task'),
      said('a', [call('t', { plan: 'all of it', planFilePath: '/p' }), call('u', { x: 1 })], {
        wire_tool_inputs: { t: {} },
      }),
      heard([{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]),
      said('b', [text('I beg')], { aborted: true }),
    ]);
    expect(run.turns[1]?.spans.map((span) => span.text)).toEqual(['{}', '{"x":1}']);
    expect(run.turns.map(({ truncated }) => truncated)).toEqual([null, null, null, 'aborted']);
  });

  it('sub-agents are runs of their own', () => {
    const runs = readDocument(claudeCodeStream, [
      init,
      said('a', [call('c')]),
      heard('sub task', { parent_tool_use_id: 'c' }),
      said('b', [text('sub answer')], { parent_tool_use_id: 'c' }),
      heard([{ type: 'tool_result', tool_use_id: 'c', content: 'sub answer' }]),
      said('d', [text('done')]),
    ]);
    expect(runs.map((run) => [run.session_id, run.parent_session, run.turns.length])).toEqual([
      ['s', null, 3],
      ['c', 's', 2],
    ]);
    expect(runs[1]?.flags).toContain('subagent');
  });

  it.each([
    ['error_max_turns', [said('a', [call('c')])], 'step_limit', false],
    ['error_during_execution', [said('a', [text('x')])], 'error', false],
    ['success', [said('a', [call('c')])], 'cut', true],
  ] as const)('ends by %s', (subtype, records, termination, contradicts) => {
    const run = readOne(claudeCodeStream, [init, ...records, result({ subtype })]);
    expect(run.termination).toBe(termination);
    expect(run.flags.includes('result_contradicts_messages')).toBe(contradicts);
  });

  it('a compaction begins a context', () => {
    const run = readOne(claudeCodeStream, [
      init,
      said('a', [text('one')]),
      { type: 'system', subtype: 'compact_boundary' },
      heard('summary', { isSynthetic: true }),
      said('b', [text('two')]),
    ]);
    expect(run.epochs.map(({ turns }) => turns)).toEqual([[0], [1, 2]]);
    expect(run.turns[1]?.spans[0]?.kind).toBe('observation');
  });
});
