import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Field, List, Struct, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { probeFile } from '../../src/formats/probe.js';
import { plainValue } from '../../src/logs/plain-value.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { folderWith, onlyReject, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

/** A Parquet file written by DuckDB, which shares no code with the reader. */
async function parquet(query: string, options = ''): Promise<{ root: string; path: string }> {
  const root = folderWith({});
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${query}) TO '${join(root, 'd.parquet')}' (FORMAT parquet${options})`);
  connection.closeSync();
  instance.closeSync();
  return { root, path: 'd.parquet' };
}

const NESTED = `SELECT 't-' || i AS instance_id, i % 2 = 0 AS resolved, [
  {role: 'user', content: 'task ' || i, tool_calls: NULL, tool_call_id: NULL},
  {role: 'assistant', content: NULL, tool_calls: [
    {id: 'c', type: 'function', function: {name: 'bash', arguments: {command: 'ls', path: NULL}}}], tool_call_id: NULL},
  {role: 'tool', content: 'a.txt', tool_calls: NULL, tool_call_id: 'c'},
  {role: 'assistant', content: 'done', tool_calls: NULL, tool_call_id: NULL}] AS messages
  FROM range(1, 6) t(i)`;

describe('parquet', () => {
  it('of nested lists and structs is read row by row', async () => {
    for (const options of ['', ', COMPRESSION zstd', ', COMPRESSION gzip, ROW_GROUP_SIZE 2']) {
      const runs = trajectoriesOf(await readAll(await parquet(NESTED, options)));
      expect(runs.map((run) => [run.source.line, run.task_id, run.resolved])).toEqual([
        [1, 't-1', false],
        [2, 't-2', true],
        [3, 't-3', false],
        [4, 't-4', true],
        [5, 't-5', false],
      ]);
      // Nulls of a struct are no arguments.
      expect(outline(runs[1]?.turns ?? [])).toEqual([
        'user: prompt task 2',
        'assistant: TOOL_CALL {"command":"ls"}',
        'tool: observation a.txt',
        'assistant: TEXT done',
      ]);
      expect(runs[0]?.source).toMatchObject({
        path: 'd.parquet',
        byte_start: 0,
        byte_end: 0,
        format: 'openai-messages',
      });
      expect(new Set(runs.map((run) => run.source.sha256)).size).toBe(5);
    }
  });

  it('with columns of JSON text and names of its own needs a mapping', async () => {
    const messages = JSON.stringify([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'a' },
    ]).replaceAll("'", "''");
    const tools = JSON.stringify([{ type: 'function', function: { name: 'f' } }]);
    const file = await parquet(
      `SELECT '${messages}' AS steps, '${tools}' AS functions, 7::BIGINT AS seed, 1 AS ok, 'gpt-x' AS who`,
    );
    expect(onlyReject(await readAll(file))).toMatchObject({
      code: 'bad_shape',
      line: 1,
      message: expect.stringContaining('steps'),
    });
    const columns = { messages: 'steps', task_id: 'seed', resolved: 'ok', model: 'who' };
    const [run] = trajectoriesOf(await readAll({ ...file, columns }));
    expect(run).toMatchObject({
      task_id: '7',
      resolved: true,
      model: 'gpt-x',
      tools: JSON.stringify(JSON.parse(tools)),
    });
    const missing = await readAll({ ...file, columns: { ...columns, tools: 'nope' } });
    expect(onlyReject(missing)).toMatchObject({ code: 'bad_shape', message: 'no column nope for tools' });
  });

  it('of conversations goes to ShareGPT, and a bad row fails alone', async () => {
    const good = "[{'from': 'human', 'value': 'q'}, {'from': 'gpt', 'value': 'a'}]";
    const bad = "[{'from': 'martian', 'value': 'q'}, {'from': 'martian', 'value': 'a'}]";
    const results = await readAll(
      await parquet(`SELECT ${good} AS conversations UNION ALL SELECT ${bad} UNION ALL SELECT ${good}`),
    );
    expect(trajectoriesOf(results).map((run) => [run.source.format, run.source.line])).toEqual([
      ['sharegpt', 1],
      ['sharegpt', 3],
    ]);
    expect(rejectsOf(results)).toMatchObject([{ line: 2 }]);
  });

  it('that is damaged, empty or above a limit has a code', async () => {
    const { root, path } = await parquet(NESTED);
    const bytes = readFileSync(join(root, path));
    expect(onlyReject(await readFiles({ f: bytes.subarray(0, bytes.length - 20) })).code).toBe('bad_table');
    const flipped = Buffer.from(bytes);
    flipped.fill(0xff, 40, 120);
    for (const reject of rejectsOf(await readFiles({ f: flipped })))
      expect(reject.code).toMatch(/^bad_(table|shape)$/);
    expect(onlyReject(await readAll(await parquet(`${NESTED} LIMIT 0`))).code).toBe('empty_file');
    const limits = { row_group_bytes: 50 };
    expect(onlyReject(await readAll({ root, path, limits }))).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('limit of 50'),
    });
    expect(await probeFile(join(root, path))).toEqual({ splittable: false });
    rmSync(root, { recursive: true });
  });

  it('of something else names its columns', async () => {
    expect(onlyReject(await readAll(await parquet('SELECT 1 AS a, 2 AS b')))).toMatchObject({
      code: 'bad_shape',
      message: 'no column of messages among a, b',
    });
    const rows = await readAll({ ...(await parquet(NESTED)), format: 'aide-journal' });
    expect(new Set(rejectsOf(rows).map((reject) => reject.code))).toEqual(new Set(['unknown_format']));
  });
});

describe('arrow', () => {
  const message = new Struct([new Field('role', new Utf8(), true), new Field('content', new Utf8(), true)]);
  const messages = Array.from({ length: 3 }, (_, index) => [
    { role: 'user', content: `task ${index}` },
    { role: 'assistant', content: 'done' },
  ]);
  const table = new Table({
    instance_id: vectorFromArray(['t-0', 't-1', 't-2'], new Utf8()),
    messages: vectorFromArray(messages, new List(new Field('item', message, true))),
  });

  it.each(['file', 'stream'] as const)('%s is read batch by batch', async (kind) => {
    const bytes = Buffer.from(tableToIPC(table, kind));
    const runs = trajectoriesOf(await readFiles({ 'data.arrow': bytes }));
    expect(runs.map((run) => [run.source.line, run.task_id, outline(run.turns)[0]])).toEqual([
      [1, 't-0', 'user: prompt task 0'],
      [2, 't-1', 'user: prompt task 1'],
      [3, 't-2', 'user: prompt task 2'],
    ]);
    const cut = await readFiles({ 'data.arrow': bytes.subarray(0, Math.floor(bytes.length / 2)) });
    expect(cut.length).toBeGreaterThan(0);
    for (const reject of rejectsOf(cut)) expect(['bad_table', 'empty_file']).toContain(reject.code);
  });
});

describe('values of columns', () => {
  it('become JSON', () => {
    expect(
      plainValue({
        a: 1n,
        b: 2n ** 60n,
        c: new Date(0),
        d: null,
        e: [null, { f: undefined }],
        g: new Int32Array([1, 2]),
      }),
    ).toEqual({
      a: 1,
      b: '1152921504606846976',
      c: '1970-01-01T00:00:00.000Z',
      e: [null, {}],
      g: [1, 2],
    });
  });
});

describeWithShared('a real set of trajectories', () => {
  it('is the same from Parquet as from its lines', async () => {
    const source = sharedFile('logs/openai_messages_sft/swesmith_ft_xml_example.jsonl');
    const plain = trajectoriesOf(
      await readAll({ root: sharedFile('logs/openai_messages_sft'), path: 'swesmith_ft_xml_example.jsonl' }),
    );
    const file = await parquet(`SELECT * FROM read_json('${source}', maximum_object_size=100000000)`);
    const found = trajectoriesOf(await readAll(file));
    expect(found.map((run) => run.trajectory_id)).toEqual(plain.map((run) => run.trajectory_id));
  });
});
