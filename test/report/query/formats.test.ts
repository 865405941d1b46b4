import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultPage } from '../../../src/browser/query/data.js';
import type { QueryCorpus } from '../../../src/report/query/query-corpus.js';
import { writeCsv, writePage } from '../../../src/report/query/result-text.js';
import { mistakeLine, SqlMistake } from '../../../src/report/query/sql-mistake.js';
import { oneSelect } from '../../../src/report/query/statement.js';
import { temporaryFolder } from '../../pipeline/child-run.js';
import { ask, askRows, corpusAt, LIMITS, makeCorpus, sessionOf, storedRows } from './corpus.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

let source: QueryCorpus;
beforeAll(async () => {
  // a folder whose name is a pattern, and ends a text of SQL
  const folder = join(home, "it's [a] *");
  mkdirSync(folder);
  source = await corpusAt(await makeCorpus(folder));
});

async function csvOf(sql: string, parameters: Record<string, string> = {}): Promise<string> {
  let text = '';
  await writeCsv(await (await sessionOf(source)).select(sql, parameters), async (chunk) => {
    text += chunk;
  });
  return text;
}

async function pageOf(sql: string, limit = 5): Promise<ResultPage> {
  let text = '';
  const result = await (await sessionOf(source)).select(sql, {});
  await writePage(
    result,
    async (chunk) => {
      text += chunk;
    },
    limit,
  );
  return JSON.parse(text) as ResultPage;
}

/** RFC 4180 read by hand, letter by letter; null is an empty field without quotes. */
function readCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    let field: string | null = null;
    if (text[at] === '"') {
      field = '';
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++;
        field += text[at] ?? '';
      }
      at++;
    } else {
      const start = at;
      while (text[at] !== ',' && text[at] !== '\r') at++;
      field = start === at ? null : text.slice(start, at);
    }
    row.push(field);
    if (text[at] === ',') at++;
    else {
      expect(text.slice(at, at + 2)).toBe('\r\n');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

const VALUES: readonly (readonly [string, unknown, string | null])[] = [
  ['NULL', null, null],
  ["''", '', ''],
  ['true', true, 'true'],
  ['42', 42, '42'],
  ['9007199254740991::BIGINT', 9007199254740991, '9007199254740991'],
  ['9007199254740993::BIGINT', '9007199254740993', '9007199254740993'],
  ['-9007199254740993::BIGINT', '-9007199254740993', '-9007199254740993'],
  [
    '170141183460469231731687303715884105727::HUGEINT',
    '170141183460469231731687303715884105727',
    '170141183460469231731687303715884105727',
  ],
  ['1.50::DECIMAL(4,2)', 1.5, '1.50'],
  ['12345678901234567.89::DECIMAL(20,2)', '12345678901234567.89', '12345678901234567.89'],
  ['0.1::DOUBLE', 0.1, '0.1'],
  ["'nan'::DOUBLE", 'NaN', 'NaN'],
  ["'-inf'::DOUBLE", '-Infinity', '-Infinity'],
  ["DATE '2026-02-03'", '2026-02-03', '2026-02-03'],
  ["TIMESTAMP '2026-02-03 04:05:06.5'", '2026-02-03T04:05:06.5', '2026-02-03T04:05:06.5'],
  ["TIMESTAMPTZ '2026-02-03 04:05:06+02'", '2026-02-03T02:05:06Z', '2026-02-03T02:05:06Z'],
  ['INTERVAL 3 days', '3 days', '3 days'],
  ["'<script>,\"\r\n'", '<script>,"\r\n', '<script>,"\r\n'],
  ['[1, NULL, 3]', [1, null, 3], '[1,null,3]'],
  ["{'a': 1, 'b': [true, NULL]}", { a: 1, b: [true, null] }, '{"a":1,"b":[true,null]}'],
  [
    "MAP {'k': 9007199254740993}",
    [{ key: 'k', value: '9007199254740993' }],
    '[{"key":"k","value":"9007199254740993"}]',
  ],
];

describe('values', () => {
  it.each(VALUES)('%s stand in JSON and in CSV as documented', async (sql, json, csv) => {
    const [row] = await askRows(source, `SELECT ${sql} AS v, 1 AS one`);
    expect(row).toEqual({ v: json, one: 1 });
    expect(readCsv(await csvOf(`SELECT ${sql} AS v, 1 AS one`))).toEqual([
      ['v', 'one'],
      [csv, '1'],
    ]);
    expect((await pageOf(`SELECT ${sql} AS v`)).rows).toEqual([[csv]]);
  });

  it('of any text come back from CSV and JSON as they were', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
        async (texts) => {
          const clean = texts.map((text) => text.replaceAll('\0', ''));
          const given = Object.fromEntries(clean.map((text, index) => [`p${index}`, text]));
          const sql = `SELECT ${clean.map((_, index) => `$p${index}::VARCHAR AS c${index}`).join(', ')}`;
          expect(readCsv(await csvOf(sql, given))[1]).toEqual(clean);
          expect(Object.values((await askRows(source, sql, given))[0] ?? {})).toEqual(clean);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    ['a"b', '"a""b"'],
    ['"', '""""'],
    ['a\rb', '"a\rb"'],
    ['a\nb', '"a\nb"'],
    ['a,b', '"a,b"'],
    [' a;b\t', ' a;b\t'],
  ])('%j stands in CSV as RFC 4180 wants it', async (text, field) => {
    expect(await csvOf('SELECT $v AS v', { v: text })).toBe(`v\r\n${field}\r\n`);
  });

  it('of columns with one name are all there', async () => {
    expect(Object.values((await askRows(source, 'SELECT 1 AS a, 2 AS a'))[0] ?? {})).toEqual([1, 2]);
  });

  it('of bound parameters are never SQL', async () => {
    const hostile = "x'; DROP VIEW windows; --";
    expect(await askRows(source, 'SELECT $v AS v', { v: hostile })).toEqual([{ v: hostile }]);
    expect(await askRows(source, 'SELECT $a + 1 AS a, $b IS NULL AS b', { a: 2, b: null })).toEqual([
      { a: 3, b: true },
    ]);
  });
});

describe('a page', () => {
  it('says how many rows are behind it, and cuts long texts', async () => {
    const page = await pageOf("SELECT range AS n, repeat('x', 3000) AS long FROM range(12)");
    expect(page).toMatchObject({ more: 7, counted: true });
    expect(page.rows).toHaveLength(5);
    expect(page.rows[0]?.[1]).toHaveLength(2001);
    expect(page.columns).toEqual([
      { name: 'n', type: 'BIGINT', numeric: true },
      { name: 'long', type: 'VARCHAR', numeric: false },
    ]);
  });

  it('of no rows has its columns', async () => {
    expect(await pageOf('SELECT 1 AS a WHERE false')).toMatchObject({
      columns: [{ name: 'a' }],
      rows: [],
      more: 0,
    });
  });
});

describe('an answer of a process of its own', () => {
  it('is the same in every format', async () => {
    const sql =
      'SELECT window_id, outcome, reward, n_trained, flags FROM windows ORDER BY window_id; -- all of them';
    const stored = (await storedRows(source, 'windows'))
      .map(({ window_id, outcome, reward, n_trained, flags }) => ({
        window_id,
        outcome,
        reward,
        n_trained,
        flags,
      }))
      .sort((a, b) => (a.window_id < b.window_id ? -1 : 1));
    expect(JSON.parse(await ask(source, sql))).toEqual(stored);
    const [heads, ...lines] = readCsv(await ask(source, sql, { format: 'csv' }));
    expect(heads).toEqual(['window_id', 'outcome', 'reward', 'n_trained', 'flags']);
    expect(lines.map(([, , reward]) => (reward === null ? null : Number(reward)))).toEqual(
      stored.map(({ reward }) => reward),
    );
    const out = join(home, 'answer.parquet');
    expect(await ask(source, sql, { format: 'parquet', out })).toBe('');
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out), compressors });
    expect(rows).toEqual(stored);
  });

  it('of no rows is an empty array, a line of heads, and a Parquet file', async () => {
    expect(await ask(source, 'SELECT 1 AS a WHERE false')).toBe('[]\n');
    expect(await ask(source, 'SELECT 1 AS a WHERE false', { format: 'csv' })).toBe('a\r\n');
  });

  it('takes parameters into Parquet too', async () => {
    const out = join(home, 'bound.parquet');
    await ask(source, 'SELECT $v::VARCHAR AS v;', { format: 'parquet', out, parameters: { v: "it's" } });
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(out), compressors });
    expect(rows).toEqual([{ v: "it's" }]);
    expect(readFileSync(out).length).toBeGreaterThan(0);
  });

  it.each(['csv', 'json', 'page'] as const)(
    'as %s is no answer where it broke off midway',
    async (format) => {
      const late = (n: number): string =>
        `SELECT CASE WHEN range > ${0.9 * n} THEN error('at ' || range) ELSE range END AS v FROM range(${n})`;
      for (const n of [10_000, 1_000_000]) {
        const asked = ask(source, late(n), { format });
        await expect(asked).rejects.toMatchObject({
          code: 'E_USAGE',
          message: expect.stringContaining('at '),
        });
      }
    },
  );

  it('has no rejects where none were written', async () => {
    const rejects = join(home, 'empty.jsonl');
    writeFileSync(rejects, '');
    expect(await askRows({ ...source, rejects }, 'SELECT count(*) AS n FROM rejects')).toEqual([{ n: 0 }]);
  });

  it('cannot be had of tables that are gone or broken', async () => {
    const broken = {
      ...source,
      manifest: { ...source.manifest, files: source.manifest.files.map((file) => ({ ...file })) },
    };
    const [file] = broken.manifest.files;
    if (file !== undefined) file.path = 'data/sft/absent.parquet';
    await expect(ask(broken, 'SELECT 1')).rejects.toMatchObject({ code: 'E_IO', exitCode: 74 });
    writeFileSync(join(source.corpus, 'data/sft/absent.parquet'), 'no Parquet');
    await expect(ask(broken, 'SELECT 1')).rejects.toMatchObject({ code: 'E_IO' });
    rmSync(join(source.corpus, 'data/sft/absent.parquet'));
  });
});

describe('the statement', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['SELECT 1;', 'SELECT 1'],
    ['SELECT 1; ; -- ; end', 'SELECT 1'],
    ['SELECT 1 -- ;\n + 2', 'SELECT 1 -- ;\n + 2'],
    ['SELECT \';\' AS "a;b" /* ; */;', 'SELECT \';\' AS "a;b" /* ; */'],
    ['SELECT $$a;b$$', 'SELECT $$a;b$$'],
    ['FROM windows', 'FROM windows'],
    ['DESCRIBE sft;', 'DESCRIBE sft'],
    ['SUMMARIZE windows', 'SUMMARIZE windows'],
    [
      "PIVOT windows ON outcome IN ('gold', 'error') USING count(*)",
      "PIVOT windows ON outcome IN ('gold', 'error') USING count(*)",
    ],
    ['SELECT unnest([1]) FROM range(3)', 'SELECT unnest([1]) FROM range(3)'],
  ];
  it.each(accepted)('%s is one SELECT', async (sql, text) => {
    expect(await oneSelect((await sessionOf(source)).connection, sql)).toBe(text);
    expect((await askRows(source, sql)).length).toBeGreaterThan(0);
  });

  const mistakes: readonly (readonly [string, string])[] = [
    ['SELECT wrong FROM windows', 'line 1, column 8: Binder Error: Referenced column "wrong" not found'],
    ['SELECT\n  1,\n  worng FROM windows', 'line 3, column 3: Binder Error'],
    ["SELECT 'é😀', outcom FROM windows", 'line 1, column 14: Binder Error'],
    ["SELECT 'é😀', (", 'Parser Error: syntax error at end of input'],
    ["SELECT 'é😀', ) FROM x", 'line 1, column 14: Parser Error: syntax error at or near ")"'],
    [
      'SELECT * FROM window_s',
      'line 1, column 15: Catalog Error: Table with name window_s does not exist! Did you mean "windows"?',
    ],
    [`SELECT ${'1 + '.repeat(60)} wrong FROM windows`, 'line 1, column 249: Binder Error'],
    ["SELECT 'x'::INTEGER", 'line 1, column 11: Conversion Error'],
    ['PIVOT windows ON outcome USING count(*)', 'ON x IN (...)'],
  ];
  it.each(mistakes)('%s is told in one line, with its place', async (sql, line) => {
    const fault = await askRows(source, sql).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SqlMistake);
    expect((fault as SqlMistake).message).toContain(line);
    expect((fault as SqlMistake).message).not.toMatch(/[\n\r\t]/);
  });

  it('has no place where none is shown, and no control characters', () => {
    expect(mistakeLine('Binder Error: a\u001b[31m\tb\n\nmore', 'SELECT 1')).toBe('Binder Error: a [31m b');
    expect(mistakeLine('X Error: y\n\nLINE 1: elsewhere\n        ^', 'SELECT 1')).toBe('X Error: y');
  });

  it('wants a value for each parameter, and none that it does not have', async () => {
    await expect(askRows(source, 'SELECT $a, $b', { a: 1 })).rejects.toThrow('no value for $b');
    await expect(askRows(source, 'SELECT $a', { a: 1, c: 1 })).rejects.toThrow('no parameter $c: it has $a');
    await expect(askRows(source, 'SELECT 1', { c: 1 })).rejects.toThrow('it has none');
    expect(LIMITS.rows).toBe(100);
  });
});
