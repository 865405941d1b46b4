import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ResultPage } from '../browser/query/data.js';
import { TrajmillError } from '../errors.js';
import type { QueryFormat, QueryJob, QueryParameters } from '../report/query/query-job.js';
import { freeParameters, questionParameters } from '../report/query/question.js';
import { namedQuestions, questionNamed } from '../report/query/question-files.js';
import { runQuery } from '../report/query/run-query.js';
import { SqlMistake } from '../report/query/sql-mistake.js';
import type { CliContext } from './context.js';
import { openCorpus } from './corpus-folder.js';
import { note } from './output.js';
import type { QueryFlags } from './query.js';
import { writeTo, writeWhole } from './query-output.js';
import { formatPage, formatQuestions } from './query-print.js';
import { queryCorpusOf } from './query-source.js';
import { STDIN } from './stdin-file.js';
import { paintFor } from './style.js';

export interface QueryRequest {
  readonly flags: QueryFlags;
  readonly dir: string | undefined;
  readonly sql: string | undefined;
}

export async function listQuestions(context: CliContext): Promise<void> {
  const { stdout, env } = context.process;
  stdout.write(formatQuestions(namedQuestions(), paintFor(stdout, env)));
}

/** Answers one question on standard output or in a file. */
export async function query(context: CliContext, request: QueryRequest): Promise<void> {
  const { flags, dir } = request;
  if (dir === undefined)
    throw new TrajmillError('E_USAGE', 'name a run folder and SQL (trajmill query --help)');
  if (flags.format === 'parquet' && flags.out === undefined) {
    throw new TrajmillError('E_USAGE', '--format parquet needs --out FILE');
  }
  const { sql, parameters } = await asked(context, request);
  const source = queryCorpusOf(await openCorpus(context, dir));
  const format: QueryFormat = flags.format === 'table' ? 'page' : flags.format;
  const { timeout: seconds, memory, threads, limit: rows } = flags;
  const job: QueryJob = {
    source,
    sql,
    parameters,
    format,
    out: null,
    limits: { seconds, memory, threads, rows },
  };
  if (flags.out === undefined) {
    await answer(context, job, (chunk) => writeTo(context.process.stdout, chunk));
    return;
  }
  const path = resolve(context.cwd, flags.out);
  const n = await writeWhole(path, (write, unfinished) =>
    answer(context, { ...job, out: format === 'parquet' ? unfinished : null }, write),
  );
  note(context, `wrote ${n.toLocaleString('en-US')} ${n === 1 ? 'row' : 'rows'} to ${flags.out}`);
}

async function answer(
  context: CliContext,
  job: QueryJob,
  write: (chunk: string) => Promise<void>,
): Promise<number> {
  const { signal } = context;
  if (job.format !== 'page') return runQuery(job, { output: write, signal });
  let page = '';
  const collect = (chunk: string): void => {
    page += chunk;
  };
  const n = await runQuery(job, { output: collect, signal });
  const { stdout, env } = context.process;
  await write(formatPage(JSON.parse(page) as ResultPage, paintFor(stdout, env)));
  return n;
}

/** The SQL and its values: as an argument, out of a file, from standard input, or a named question. */
async function asked(
  context: CliContext,
  { flags, sql }: QueryRequest,
): Promise<{ sql: string; parameters: QueryParameters }> {
  if ((sql === undefined) === (flags.file === undefined)) {
    const found = sql === undefined ? 'name SQL, @NAME or --file FILE' : 'name SQL or --file FILE, not both';
    throw new TrajmillError('E_USAGE', found);
  }
  const given = Object.fromEntries(flags.param ?? []);
  try {
    if (sql?.startsWith('@')) {
      const question = questionNamed(sql.slice(1));
      return { sql: question.sql, parameters: questionParameters(question, given) };
    }
    return { sql: await sqlText(context, sql, flags.file), parameters: freeParameters(given) };
  } catch (error) {
    throw error instanceof SqlMistake ? new TrajmillError('E_USAGE', error.message) : error;
  }
}

async function sqlText(
  context: CliContext,
  sql: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (sql === STDIN || file === STDIN) return text(context.process.stdin ?? process.stdin);
  if (file === undefined) return sql ?? '';
  try {
    return readFileSync(resolve(context.cwd, file), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new TrajmillError('E_USAGE', 'no such file', { place: file, cause });
  }
}
