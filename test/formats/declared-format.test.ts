import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import {
  type DeclaredFormat,
  declaredAdapter,
  declaredFormatSchema,
} from '../../src/formats/declared-format.js';
import { valueAt } from '../../src/formats/json-path.js';
import { knownFormats, registerFormat } from '../../src/formats/known-formats.js';
import { probeFile } from '../../src/formats/probe.js';
import { parsePipeline } from '../../src/pipeline/config-file.js';
import { folderWith, onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const docs = readFileSync(fileURLToPath(new URL('../../docs/pipeline-formats.md', import.meta.url)), 'utf8');
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(docs)?.[1] ?? '';

const declare = (rest: object): DeclaredFormat =>
  declaredFormatSchema.parse({
    name: 'mine',
    unit: 'document',
    detect: { has: ['log'] },
    turns: 'log',
    role: 'who',
    content: 'text',
    ...rest,
  });

describe('the example of the docs', () => {
  it('is a pipeline that reads the log beside it', async () => {
    const config = parsePipeline(block('yaml'), 'example.yaml');
    const log: unknown = JSON.parse(block('json'));
    const line = JSON.stringify(log);
    const formats = config.formats.map(declaredAdapter);
    const request = {
      format: config.inputs[0]?.format ?? '',
      formats,
      experiments: config.experiments.tools,
    };
    const results = await readFiles({ 'a.jsonl': `${line}\n${line}\n` }, request);
    expect(results).toHaveLength(2);
    const run = onlyTrajectory(results.slice(0, 1));
    expect(outline(run.turns)).toEqual([
      'user: prompt Beat .8.',
      'assistant: REASONING A tree will do. | TEXT Training. | TOOL_CALL {"depth":3}',
      'tool: observation accuracy .81',
      'assistant: TEXT Done.',
    ]);
    expect(run).toMatchObject({
      session_id: 'r1',
      task_id: 'spaceship-titanic',
      model: 'm',
      resolved: true,
      termination: 'submitted',
    });
    expect(run.source).toMatchObject({ format: 'my-agent', line: 1 });
    expect(run.executions).toMatchObject([
      { kind: 'experiment', tool: 'train', call_turn: 1, feedback_turn: 2 },
    ]);
    expect(run.submissions).toMatchObject([
      { execution_id: 'call-0', score: 0.81, scale: 'validation', observed_turn: 2 },
    ]);
    expect(run.flags).toEqual([]);
  });

  it('is told by its paths, before the built-in formats, and may be cut', async () => {
    const config = parsePipeline(block('yaml'), 'example.yaml');
    const formats = config.formats.map(declaredAdapter);
    const log: unknown = JSON.parse(block('json'));
    const both = { ...(log as object), messages: [{ role: 'user', content: 'x' }] };
    const root = folderWith({ f: `${JSON.stringify(both)}\n${JSON.stringify(both)}\n` });
    expect(await probeFile(`${root}/f`, { formats })).toEqual({ splittable: true });
    const run = onlyTrajectory((await readFiles({ f: JSON.stringify(both) }, { formats })).slice(0, 1));
    expect(run.source.format).toBe('my-agent');
  });
});

describe('a declared format', () => {
  const log = (...turns: object[]) => JSON.stringify({ log: turns });
  const read = (format: DeclaredFormat, content: string) =>
    readFiles({ f: content }, { formats: [declaredAdapter(format)] });

  it('of lines takes each line for a turn', async () => {
    const format = declare({
      unit: 'lines',
      turns: undefined,
      detect: { has: ['who', 'text'] },
      session_id: 's',
    });
    const lines = [
      { who: 'user', text: 'q', s: 7 },
      { who: 'assistant', text: '<think>t</think>a' },
    ];
    const run = onlyTrajectory(await read(format, lines.map((line) => JSON.stringify(line)).join('\n')));
    expect(outline(run.turns)).toEqual(['user: prompt q', 'assistant: REASONING <think>t</think> | TEXT a']);
    expect(run.session_id).toBe('7');
    const more = [...lines, { who: 'user', text: 'r', s: 8 }, { who: 'assistant', text: 'b' }];
    const runs = trajectoriesOf(await read(format, more.map((line) => JSON.stringify(line)).join('\n')));
    expect(runs.map(({ session_id, turns }) => [session_id, turns.length])).toEqual([
      ['7', 2],
      ['8', 2],
    ]);
  });

  it('reads calls in the shape of OpenAI, and calls in the text where there are none', async () => {
    const format = declare({ tool_calls: 'calls' });
    const structured = {
      who: 'assistant',
      text: '',
      calls: [{ id: 'c', function: { name: 'f', arguments: '{"a": 1}' } }],
    };
    const inline = { who: 'assistant', text: '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>' };
    const run = onlyTrajectory(await read(format, log(structured, inline)));
    expect(run.turns.map((turn) => turn.spans[0]?.call?.name)).toEqual(['f', 'g']);
  });

  it.each([
    ['log[0].who: expected a known role (not "ghost")', log({ who: 'ghost', text: 'x' })],
    ['log[1].text', log({ who: 'user', text: 'x' }, { who: 'assistant', text: 7 })],
    ['log[0].who', log({ text: 'x' })],
    ['log[0].calls[0].tool', log({ who: 'assistant', text: '', calls: [{}] })],
    ['log[0].grade', log({ who: 'assistant', text: '', grade: 'A' })],
    ['log: expected a list', JSON.stringify({ log: {} })],
  ])('names the field that is wrong: %s', async (field, content) => {
    const format = declare({
      tool_calls: { list: 'calls', name: 'tool', arguments: 'input' },
      score: { path: 'grade', scale: 'test' },
    });
    expect(onlyReject(await read(format, content))).toMatchObject({
      code: 'bad_shape',
      format: 'mine',
      message: expect.stringContaining(field),
    });
  });

  it('without a model turn is rejected', async () => {
    expect(onlyReject(await read(declare({}), log({ who: 'user', text: 'x' }))).code).toBe('no_model_turns');
    expect(onlyReject(await read(declare({}), log())).code).toBe('no_turns');
  });

  it('leaves scores without an experiment aside, and says so', async () => {
    const format = declare({ score: { path: 'grade', scale: 'test' } });
    const run = onlyTrajectory(
      await read(format, log({ who: 'assistant', text: 'a' }, { who: 'tool', text: 'b', grade: 1 })),
    );
    expect(run.submissions).toEqual([]);
    expect(run.flags).toEqual(['no_experiment_boundary', 'no_experiment_before']);
    expect(run.feedback_exposes_test_score).toBe(false);
  });

  it.each([
    ['an unknown key', { colour: 'red' }, /colour/],
    ['a path with a space', { role: 'a b' }, /a path such as/],
    ['a role that does not exist', { roles: { x: 'robot' } }, /robot|Invalid/],
    ['turns for lines', { unit: 'lines' }, /the lines themselves/],
    ['no turns for a document', { turns: undefined }, /needed/],
    ['a name in capitals', { name: 'Mine' }, /lower case/],
    ['nothing to detect by', { detect: { has: [] } }, /has/],
  ])('is refused with %s', (_name, rest, message) => {
    expect(() => declare(rest)).toThrow(message);
  });

  it('cannot take the name of a built-in one', async () => {
    const taken = declaredAdapter(declare({ name: 'atif' }));
    await expect(readFiles({ f: '{}' }, { formats: [taken] })).rejects.toThrow(
      /there is a format atif already/,
    );
  });
});

describe('a registered format', () => {
  it('is known until it is taken away', async () => {
    const adapter = declaredAdapter(declare({ name: 'registered' }));
    const remove = registerFormat(adapter);
    try {
      expect(() => registerFormat(adapter)).toThrow(TrajmillError);
      const run = onlyTrajectory(
        await readFiles({ f: JSON.stringify({ log: [{ who: 'assistant', text: 'a' }] }) }),
      );
      expect(run.source.format).toBe('registered');
    } finally {
      remove();
    }
    expect(knownFormats().some(({ name }) => name === 'registered')).toBe(false);
    remove();
  });
});

describe('a path', () => {
  it('finds what stands at it', () => {
    const value = { a: [{ b: 1 }, [2, { c: null }]], 'x-y': 3 };
    expect(['a[0].b', 'a[1][0]', 'a[1][1].c', 'x-y'].map((path) => valueAt(value, path))).toEqual([
      1,
      2,
      null,
      3,
    ]);
    for (const path of ['a.b', 'a[2]', 'a[0].b.c', 'constructor', '__proto__', 'a.length', 'x-y.z']) {
      expect([path, valueAt(value, path)]).toEqual([path, undefined]);
    }
  });

  it('is taken from any value without a fault', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('a', '[0]', 'a[0].b', '[1][2]'),
        (value, path) => void valueAt(value, path),
      ),
    );
  });
});
