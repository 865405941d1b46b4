import { describe, expect, it } from 'vitest';
import { opencodeExport } from '../../src/formats/opencode-export.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { readOne, realLog, rolesOf } from './adapter-context.js';
import { modelTexts, type Untyped } from './model-texts.js';
import { onlyReject, readAll, readFiles, trajectoriesOf } from './read-all.js';

const FOLDER = 'opencode_db_export';

describeWithShared('opencode-export: real logs', () => {
  const read = () => readAll({ root: sharedFile('logs'), path: `${FOLDER}/parts.json` });

  it('everything that a model wrote is there, once', async () => {
    const replies = new Set(
      realLog(FOLDER, 'messages.json')
        .filter((row: Untyped) => JSON.parse(row.data).role === 'assistant')
        .map((row: Untyped) => row.id),
    );
    const texts = realLog(FOLDER, 'parts.json').flatMap((row: Untyped) => {
      if (!replies.has(row.message_id)) return [];
      const part = JSON.parse(row.data);
      if (part.type === 'text') return part.text === '' ? [] : [part.text];
      return part.type === 'tool' ? [JSON.stringify(part.state.input)] : [];
    });
    expect(modelTexts(trajectoriesOf(await read()))).toEqual(texts.sort());
  });

  it('five sessions: counted by hand', async () => {
    const runs = trajectoriesOf(await read());
    expect(runs.map((run) => rolesOf(run.turns))).toEqual([
      { user: 1, assistant: 12, tool: 32 },
      { user: 1, assistant: 8, tool: 23 },
      { user: 1, assistant: 5, tool: 18 },
      { user: 1, assistant: 5, tool: 11 },
      { user: 1, assistant: 9, tool: 26 },
    ]);
    const executions = runs.flatMap((run) => run.executions);
    expect(executions.filter(({ status }) => status === 'error').map(({ tool }) => tool)).toEqual([
      'read',
      'read',
    ]);
    expect(executions.filter(({ tool }) => tool === 'task')).toHaveLength(9);
    for (const run of runs) {
      expect(run).toMatchObject({
        model: 'openagents/khala',
        scaffold: 'opencode',
        scaffold_version: '1.17.9',
        termination: 'submitted',
      });
      expect(run.source.sidecars.map(({ path }) => path)).toEqual([
        `${FOLDER}/messages.json`,
        `${FOLDER}/session_messages.json`,
        `${FOLDER}/sessions.json`,
      ]);
    }
    expect(runs.filter((run) => run.flags.includes('subagents_in_other_files'))).not.toEqual([]);
  });
});

const row = (id: string, data: object, rest: object) => ({
  id,
  data: JSON.stringify(data),
  time_created: Number(id),
  ...rest,
});
const part = (id: string, message_id: string, data: object) => row(id, data, { message_id, session_id: 's' });
const message = (id: string, data: object) => row(id, data, { session_id: 's' });

describe('opencode-export', () => {
  const parts = [
    part('2', '10', { type: 'text', text: 'task' }),
    part('1', '10', { type: 'text', text: 'file', synthetic: true }),
    part('3', '11', { type: 'step-start' }),
    part('4', '11', { type: 'reasoning', text: 'hm' }),
    part('5', '11', {
      type: 'tool',
      tool: 'bash',
      callID: 'c',
      state: {
        status: 'completed',
        input: { command: 'x' },
        output: 'o',
        metadata: { exit: 2 },
        time: { start: 1000, end: 2500 },
      },
    }),
    part('6', '11', { type: 'step-finish', reason: 'tool-calls' }),
    part('7', '11', { type: 'step-start' }),
    part('8', '11', { type: 'text', text: 'cut o' }),
    part('9', '11', { type: 'step-finish', reason: 'length' }),
  ];
  const messages = [message('10', { role: 'user' }), message('11', { role: 'assistant', modelID: 'm' })];

  it('orders by time, parts each step, and reads exit codes and times', async () => {
    const [run] = trajectoriesOf(await readFiles({ 'parts.json': parts, 'messages.json': messages }));
    expect(run?.turns.map((turn) => turn.spans.map(({ kind }) => kind))).toEqual([
      ['observation', 'prompt'],
      ['reasoning', 'tool_call'],
      ['observation'],
      ['text'],
    ]);
    expect(run?.turns[3]?.truncated).toBe('length');
    expect(run?.executions[0]).toMatchObject({ status: 'error', exit_code: 2, seconds: 1.5 });
    expect(run?.flags).toContain('missing_sidecar');
  });

  it('reads parts without the tables beside them, and says so', async () => {
    const [run] = trajectoriesOf(await readFiles({ 'parts.json': parts }));
    expect(run?.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(run?.flags).toContain('missing_sidecar');
  });

  it('a table without its parts is refused', async () => {
    expect(onlyReject(await readFiles({ 'messages.json': messages })).code).toBe('sidecar_without_primary');
  });

  it('a reply whose request failed and was sent again is no complete one', () => {
    const run = readOne(opencodeExport, {
      info: { id: 's' },
      messages: [
        { info: { id: '1', role: 'user' }, parts: [{ type: 'text', text: 'task' }] },
        {
          info: { id: '2', role: 'assistant', modelID: 'm' },
          parts: [
            { type: 'step-start' },
            { type: 'text', text: 'I lo' },
            { type: 'retry', attempt: 1 },
            { type: 'step-start' },
            { type: 'text', text: 'I look' },
            { type: 'step-finish', reason: 'stop' },
          ],
        },
      ],
    });
    expect(run.turns.map(({ spans, truncated }) => [spans[0]?.text, truncated])).toEqual([
      ['task', null],
      ['I lo', 'error'],
      ['I look', null],
    ]);
    // a log that notes no ends says nothing of failed ones
    const endless = readOne(opencodeExport, {
      info: { id: 's' },
      messages: [
        {
          info: { id: '2', role: 'assistant', modelID: 'm' },
          parts: ['one', 'two'].flatMap((said) => [{ type: 'step-start' }, { type: 'text', text: said }]),
        },
      ],
    });
    expect(endless.turns.map(({ truncated }) => truncated)).toEqual([null, null]);
  });

  it('a call that the harness made for the user is no move of the model', () => {
    const tool = (name: string, rest: object = {}) => ({
      type: 'tool',
      tool: name,
      callID: name,
      state: { status: 'completed', input: { command: name }, output: 'out' },
      ...rest,
    });
    const said = (id: string, role: string, ...parts: object[]) => ({
      info: { id, role, modelID: 'm' },
      parts,
    });
    const shell = { type: 'text', text: 'The following tool was executed by the user', synthetic: true };
    const run = readOne(opencodeExport, {
      info: { id: 's' },
      messages: [
        said('1', 'user', shell),
        said('2', 'assistant', tool('bash')),
        said('3', 'user', { type: 'subtask', prompt: 'look', agent: 'a', command: 'c' }),
        said('4', 'assistant', tool('task')),
        said('5', 'assistant', { type: 'step-start' }, tool('read'), { type: 'step-finish', reason: 'stop' }),
        said('6', 'user', { type: 'text', text: 'thanks' }),
        said('7', 'assistant', tool('grep'), { type: 'text', text: 'done' }),
      ],
    });
    expect(
      run.turns.flatMap(({ spans }) =>
        spans.flatMap(({ call, origin }) => (call === null ? [] : [[call.name, origin]])),
      ),
    ).toEqual([
      ['bash', 'environment'],
      ['task', 'environment'],
      ['read', 'model'],
      ['grep', 'model'],
    ]);
    expect(run.turns.filter(({ flags }) => flags.includes('harness_reply'))).toHaveLength(2);
    const stepless = readOne(opencodeExport, {
      info: { id: 's' },
      messages: [
        said('1', 'user', shell),
        said('2', 'assistant', tool('bash')),
        said('3', 'assistant', tool('read'), { type: 'step-finish', reason: 'tool-calls' }),
        said('4', 'assistant', { type: 'text', text: 'it says' }),
      ],
    });
    expect(
      stepless.turns
        .filter(({ role }) => role === 'assistant')
        .map(({ spans }) => [spans[0]?.text, spans[0]?.origin]),
    ).toEqual([
      ['{"command":"bash"}', 'environment'],
      ['{"command":"read"}', 'model'],
      ['it says', 'model'],
    ]);
  });

  it('reads an exported session: compaction, revert and an aborted reply', () => {
    const exported = {
      info: { id: 's', version: '1', revert: { messageID: 'm7' } },
      messages: [
        { info: { id: 'm1', role: 'user' }, parts: [{ type: 'text', text: 'task' }] },
        { info: { id: 'm2', role: 'assistant', modelID: 'm' }, parts: [{ type: 'text', text: 'one' }] },
        { info: { id: 'm3', role: 'user' }, parts: [{ type: 'compaction', auto: true }] },
        {
          info: { id: 'm4', role: 'assistant', modelID: 'm', summary: true },
          parts: [{ type: 'text', text: 'sum' }],
        },
        { info: { id: 'm5', role: 'user' }, parts: [{ type: 'text', text: 'go on' }] },
        {
          info: { id: 'm6', role: 'assistant', modelID: 'm', error: { name: 'MessageAbortedError' } },
          parts: [{ type: 'text', text: 'tw' }],
        },
        { info: { id: 'm7', role: 'user' }, parts: [{ type: 'text', text: 'taken back' }] },
      ],
    };
    const run = readOne(opencodeExport, exported);
    expect(run.epochs.map(({ turns }) => turns.map((index) => run.turns[index]?.spans[0]?.text))).toEqual([
      ['task', 'one'],
      ['sum', 'go on', 'tw'],
    ]);
    expect(run.turns[2]?.spans[0]?.origin).toBe('environment');
    expect(run.turns[4]?.truncated).toBe('aborted');
    expect(run.turns[5]?.flags).toEqual(['rewound']);
  });
});
