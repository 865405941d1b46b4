import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/app.js';
import { namedQuestions } from '../../src/report/query/question-files.js';
import { temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { cli, memoryStream } from './harness.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  const run = await trajmill(['run', writePipeline(home), '--out', join(home, 'run'), '--workers', '1']);
  expect(run.code, run.stderr).toBe(0);
});

const query = (...argv: string[]) => cli(['query', 'run', ...argv], { cwd: home });

describe('trajmill query', () => {
  it('prints a table, and says how many rows it leaves out', async () => {
    const { code, out, err } = await query(
      "SELECT range AS n, 'a' AS t, NULL AS z FROM range(12)",
      '--limit',
      '2',
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      'n  t     z\n0  a  NULL\n1  a  NULL\n… 10 more rows (--limit shows more, --format csv all)\n',
    );
  });

  it('prints all rows where they fit, and heads where there are none', async () => {
    expect((await query('SELECT 1 AS one')).out).toBe('one\n  1\n1 row\n');
    expect((await query('SELECT 1 AS one WHERE false')).out).toBe('one\n0 rows\n');
  });

  it('shows no control characters of a log on a terminal', async () => {
    const { out } = await query("SELECT 'a' || chr(27) || '[31m' || chr(10) || 'b' AS v");
    expect(out).toBe('v\na [31m b\n1 row\n');
  });

  it('says that a text takes single quotes where one was taken for a column', async () => {
    for (const where of ['outcome = "gold"', 'outcome = gold', 'outcome IN (gold)', 'outcome LIKE gold']) {
      const { code, err } = await query(`SELECT 1 FROM windows WHERE ${where}`);
      expect(code).toBe(2);
      expect(err).toMatch(/ \(a text takes single quotes: 'gold'\)\n$/);
    }
    expect((await query('SELECT gold FROM windows')).err).not.toContain('single quotes');
  });

  it('writes CSV and one JSON array on standard output', async () => {
    expect((await query("SELECT 1 AS a, 'x,y' AS b", '--format', 'csv')).out).toBe('a,b\r\n1,"x,y"\r\n');
    const { out } = await query('SELECT outcome FROM windows', '--format', 'json');
    expect(JSON.parse(out)).toHaveLength(57);
  });

  it('writes a file in each format, whole or not at all', async () => {
    for (const format of ['table', 'csv', 'json', 'parquet']) {
      const name = `answer.${format}`;
      const { code, out, err } = await query(
        'FROM windows',
        '--format',
        format,
        '--out',
        name,
        '--limit',
        '1000',
      );
      expect({ code, out, err }).toEqual({ code: 0, out: '', err: `wrote 57 rows to ${name}\n` });
      expect(existsSync(join(home, name))).toBe(true);
    }
    const file = await asyncBufferFromFile(join(home, 'answer.parquet'));
    expect(await parquetReadObjects({ file, compressors })).toHaveLength(57);
    const before = readFileSync(join(home, 'answer.csv'));
    const late =
      'SELECT CASE WHEN range > 900000 THEN error(range::VARCHAR) ELSE range END FROM range(1000000)';
    for (const format of ['csv', 'json', 'parquet']) {
      const failed = await query(late, '--format', format, '--out', 'answer.csv');
      expect(failed.code, format).toBe(2);
    }
    expect(readFileSync(join(home, 'answer.csv'))).toEqual(before);
    expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('says that a file was written only when it was, and ends with 74 where the disk refuses', async () => {
    mkdirSync(join(home, 'taken/full'), { recursive: true });
    for (const format of ['csv', 'json', 'parquet']) {
      for (const name of ['taken', 'missing/answer']) {
        const { code, err } = await query('SELECT 1 AS one', '--format', format, '--out', name);
        expect(code, err).toBe(74);
        expect(err).toMatch(new RegExp(`^trajmill: [^\\n]*${name}[^\\n]*\\n$`));
      }
    }
    expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('reads SQL from a file and from standard input', async () => {
    writeFileSync(join(home, 'question.sql'), '-- a comment\nSELECT 7 AS seven;\n');
    expect((await query('--file', 'question.sql')).out).toContain('7');
    const stdout = memoryStream();
    const process = { stdout, stderr: memoryStream(), env: {}, stdin: Readable.from(['SELECT 8 AS eight']) };
    const signal = new AbortController().signal;
    expect(await runCli(['query', 'run', '-'], { process, cwd: home, signal })).toBe(0);
    expect(stdout.text()).toContain('8');
    expect((await query('--file', 'absent.sql')).err).toBe('trajmill: absent.sql: no such file\n');
  });

  it('answers a named question, with the values of its parameters', async () => {
    const { out } = await query('@longest-rows', '--param', 'top=2', '--format', 'json');
    expect(JSON.parse(out)).toHaveLength(2);
    const free = await query(
      'SELECT $a + 1 AS a, $b AS b',
      '--param',
      'a=41',
      '--param',
      'b=x=y',
      '--format',
      'json',
    );
    expect(JSON.parse(free.out)).toEqual([{ a: 42, b: 'x=y' }]);
  });

  it('lists the named questions with or without a folder', async () => {
    const { code, out } = await cli(['query', '--list'], { cwd: home });
    expect(code).toBe(0);
    for (const { name, title } of namedQuestions()) expect(out).toContain(`@${name}  ${title}\n`);
    for (const argv of [
      ['query', '@'],
      ['query', 'run', '@'],
    ]) {
      expect((await cli(argv, { cwd: home })).out).toBe(out);
    }
  });

  it.each<[string[], RegExp]>([
    [['SELECT wrong FROM windows'], /^trajmill: line 1, column 8: Binder Error: Referenced column "wrong"/],
    [['SELECT 1; SELECT 2'], /^trajmill: 2 statements: expected one SELECT$/],
    [["SELECT * FROM read_csv('/etc/passwd')"], /not available in FROM/],
    [["COPY (SELECT 1) TO 'x'"], /only one SELECT is answered/],
    [['@reward'], /no question is called @reward: is it @reward-by-outcome or @reward-by-task\?/],
    [['@longest-rows', '--param', 'top=many'], /parameter top takes a number, not "many"/],
    [['SELECT $x'], /no value for \$x/],
    [[], /name SQL, @NAME or --file FILE/],
    [['SELECT 1', '--file', 'x.sql'], /not both/],
    [['SELECT 1', '--format', 'parquet'], /--format parquet needs --out FILE/],
    [['SELECT 1', '--memory', 'much'], /512MB or 2GB/],
    [['SELECT 1', '--param', 'novalue'], /NAME=VALUE/],
    [
      [
        'SELECT count(*) FROM range(100000000) a, range(10000000) b WHERE a.range * b.range = -1',
        '--timeout',
        '1',
      ],
      /stopped after 1 s/,
    ],
  ])('ends with code 2 and one line for %j', async (argv, line) => {
    const { code, out, err } = await query(...argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.trimEnd()).toMatch(line);
    expect(err.trimEnd()).not.toContain('\n');
  });

  it('needs a committed corpus, and ends with code 75 when it is interrupted', async () => {
    expect((await cli(['query', '.', 'SELECT 1'], { cwd: home })).code).toBe(2);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const recursive = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t';
    const { code } = await cli(['query', 'run', recursive], { cwd: home, signal: abort.signal });
    expect(code).toBe(75);
  });
});
