import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryCorpus } from '../../../src/report/query/query-corpus.js';
import { runQuery } from '../../../src/report/query/run-query.js';
import type { QuerySession } from '../../../src/report/query/session.js';
import { SqlMistake } from '../../../src/report/query/sql-mistake.js';
import { oneSelect } from '../../../src/report/query/statement.js';
import { TABLE_FUNCTIONS } from '../../../src/report/query/table-functions.js';
import { temporaryFolder } from '../../pipeline/child-run.js';
import { ask, corpusAt, LIMITS, makeCorpus, sessionOf } from './corpus.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

let source: QueryCorpus;
let session: QuerySession;

beforeAll(async () => {
  const run = await makeCorpus(home);
  source = await corpusAt(run);
  writeFileSync(join(home, 'secret.csv'), 'secret\nhidden\n');
  mkdirSync(join(home, 'written'));
  session = await sessionOf(source);
});

const written = join(home, 'written', 'file');
const secret = join(home, 'secret.csv');

/** Statements that read, write, load or change what is no table of the corpus. */
const HOSTILE: readonly string[] = [
  `SELECT * FROM read_csv('${secret}')`,
  `SELECT * FROM '${secret}'`,
  `SELECT * FROM read_text('${secret}')`,
  `SELECT * FROM read_blob('${secret}')`,
  `SELECT * FROM sniff_csv('${secret}')`,
  `SELECT * FROM glob('${home}/*')`,
  `SELECT * FROM read_json('${home}/run/plan.json')`,
  `SELECT (SELECT content FROM read_text('${secret}')) AS x FROM windows`,
  `WITH t AS (FROM read_csv('${secret}')) FROM t`,
  `SELECT * FROM 'https://example.org/x.parquet'`,
  `SELECT getenv('HOME')`,
  `COPY (SELECT 1) TO '${written}'`,
  `COPY windows FROM '${secret}'`,
  `EXPORT DATABASE '${written}'`,
  `IMPORT DATABASE '${written}'`,
  `ATTACH '${written}'`,
  'INSTALL httpfs',
  'LOAD httpfs',
  'UPDATE EXTENSIONS',
  'SET enable_external_access = true',
  'SET lock_configuration = false',
  "SET allowed_directories = ['/']",
  'RESET lock_configuration',
  'PRAGMA enable_external_access',
];

/** Refused before DuckDB binds anything, although the lock alone would let them pass. */
const REFUSED: readonly string[] = [
  'SELECT 1; SELECT 2',
  `SELECT 1; COPY (SELECT 1) TO '${written}'`,
  'CREATE TABLE t AS SELECT 1',
  'DROP VIEW windows',
  'CREATE MACRO m() AS 1',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'BEGIN',
  'SET VARIABLE x = 1',
  'CALL enable_logging()',
  'EXPLAIN ANALYZE SELECT 1',
  `EXPLAIN ANALYZE COPY (SELECT 1) TO '${written}'`,
  'PRAGMA database_list',
  "SELECT * FROM enable_logging(storage = 'stdout')",
  "SELECT * FROM main.enable_logging(storage = 'stdout')",
  `SELECT * FROM Enable_Logging(storage = 'file', storage_path = '${written}')`,
  `SELECT * FROM query('FROM read_csv(''${secret}'')')`,
  "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  'SELECT * FROM checkpoint()',
  'SELECT 1 WHERE EXISTS (SELECT * FROM checkpoint())',
  '',
  ' -- nothing',
  ';;',
  'SELECT 1\0',
];

describe('a query', () => {
  it.each(HOSTILE.map((sql) => [sql.replaceAll(home, 'HOME'), sql]))('is refused: %s', async (_, sql) => {
    const fault = await session.select(sql, {}).then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(SqlMistake);
    expect(String(fault)).not.toMatch(/hidden|\n/);
    expect(existsSync(written)).toBe(false);
  });

  it('in a process of its own is refused with exit code 2', async () => {
    await expect(ask(source, HOSTILE[0] ?? '')).rejects.toMatchObject({ code: 'E_USAGE', exitCode: 2 });
    await expect(ask(source, HOSTILE[1] ?? '')).rejects.toMatchObject({ code: 'E_USAGE', exitCode: 2 });
  });

  it.each(REFUSED)('is no single harmless SELECT: %s', async (sql) => {
    await expect(oneSelect(session.connection, sql)).rejects.toThrow(/SELECT|not available in FROM|NUL/);
    expect(existsSync(written)).toBe(false);
  });

  it('cannot use a function in FROM that reads files or runs text', () => {
    for (const name of TABLE_FUNCTIONS) expect(name).not.toMatch(/read|scan|glob|query|log|exec|parquet|csv/);
  });

  it('changes nothing of the corpus, not even by a path that it may read', async () => {
    const path = source.rejects ?? '';
    const before = readFileSync(path, 'utf8');
    expect(before).not.toBe('');
    for (const form of ['COPY (SELECT 1)', 'EXPLAIN ANALYZE COPY (SELECT 1)']) {
      const sql = `${form} TO '${path}' (FORMAT csv, USE_TMP_FILE false)`;
      await expect(ask(source, sql)).rejects.toMatchObject({ code: 'E_USAGE' });
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
});

describe('the lock of DuckDB itself', () => {
  const lockable = HOSTILE.filter((sql) => !sql.startsWith('PRAGMA'));
  it.each(lockable.map((sql) => [sql.replaceAll(home, 'HOME'), sql]))('refuses: %s', async (_, sql) => {
    await expect(session.connection.run(sql)).rejects.toThrow(
      /disabled|locked|does not exist|Cannot|not allowed|Error/,
    );
    expect(existsSync(written)).toBe(false);
  });

  it('still lets every view be read', async () => {
    for (const view of ['sft', 'rl', 'windows', 'executions', 'trajectories', 'rejects', 'tasks', 'files']) {
      const reader = await session.connection.runAndReadAll(`SELECT count(*) FROM ${view}`);
      expect(Number(reader.value(0, 0)), view).toBeGreaterThan(0);
    }
  });
});

describe('a query that takes too much', () => {
  const recursive = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t';
  it.each([
    ['never ends', recursive],
    ['is one call that heeds no interrupt', "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))"],
    [
      'joins everything',
      'SELECT count(*) FROM range(100000000) a, range(10000000) b WHERE a.range * b.range = -1',
    ],
  ])('is stopped when its time is over: it %s', async (_, sql) => {
    const asked = ask(source, sql, { limits: { ...LIMITS, seconds: 1 } });
    await expect(asked).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringMatching(/after 1 s/),
    });
  });

  it.each([
    ['within DuckDB', 'SELECT count(DISTINCT md5(a::VARCHAR)) FROM range(100000000) t(a)'],
    ['in a value that DuckDB does not count', 'SELECT list_sum(range(400000000))'],
  ])('is stopped when its memory is over: %s', async (_, sql) => {
    const asked = ask(source, sql, { limits: { ...LIMITS, memory: 128 } });
    await expect(asked).rejects.toMatchObject({ code: 'E_USAGE', message: expect.stringMatching(/128 MiB/) });
  });

  it('is ended by whoever no longer wants the answer', async () => {
    const abort = new AbortController();
    const job = {
      source,
      sql: recursive,
      parameters: {},
      format: 'page',
      out: null,
      limits: LIMITS,
    } as const;
    const asked = runQuery(job, { output: () => {}, signal: abort.signal });
    setTimeout(() => abort.abort(), 300);
    await expect(asked).rejects.toMatchObject({ code: 'E_INTERRUPTED', exitCode: 75 });
  });
});
