import type { ChildProcess } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TrajmillError } from '../../errors.js';
import type { QueryCorpus } from '../query/query-corpus.js';
import type { QueryJob, QueryLimits } from '../query/query-job.js';
import { freeParameters, questionParameters } from '../query/question.js';
import { questionNamed } from '../query/question-files.js';
import { type QueryRun, runQuery, startQueryProcess } from '../query/run-query.js';
import { SqlMistake } from '../query/sql-mistake.js';
import { writeText } from '../query/write-text.js';
import { type AskedQuestion, RequestFault } from './body.js';
import { send, writeHead } from './reply.js';

/** Queries that run at one time; each has a process of its own. */
export const CONCURRENT_QUERIES = 4;

const TYPES = {
  page: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** Answers questions about one corpus over HTTP. */
export class QueryService {
  readonly #source: QueryCorpus;
  readonly #limits: QueryLimits;
  #running = 0;
  /** waits for the next question */
  #spare: ChildProcess | null = null;

  constructor(source: QueryCorpus, limits: QueryLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  /** Lets the process that waits go; those that answer are ended by their own signal. */
  close(): void {
    this.#spare?.kill('SIGKILL');
    this.#spare = null;
  }

  /** Throws RequestFault before anything was sent; afterwards a fault ends the connection, so that it is seen. */
  async answer(asked: AskedQuestion, response: ServerResponse, ending: AbortSignal): Promise<void> {
    if (this.#running >= CONCURRENT_QUERIES) {
      throw new RequestFault(
        503,
        `${CONCURRENT_QUERIES} queries are running already: try again when one has ended`,
      );
    }
    this.#running += 1;
    // who leaves needs no answer
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      const job = this.#job(asked);
      const signal = AbortSignal.any([left.signal, ending]);
      const run = { process: this.#process(), signal };
      if (job.format === 'parquet') await sendParquet(job, response, run);
      else await sendText(job, response, run);
    } catch (error) {
      if (!response.headersSent && !response.destroyed) throw requestFault(error);
      response.destroy();
    } finally {
      this.#running -= 1;
      if (!ending.aborted) this.#spare ??= startQueryProcess();
    }
  }

  #process(): ChildProcess {
    const spare = this.#spare;
    this.#spare = null;
    return spare?.connected === true ? spare : startQueryProcess();
  }

  #job({ sql, question, parameters, format }: AskedQuestion): QueryJob {
    if ((sql === undefined) === (question === undefined))
      throw new RequestFault(400, 'expected sql or question');
    const common = { source: this.#source, format, out: null, limits: this.#limits };
    if (question === undefined) return { ...common, sql: sql ?? '', parameters: freeParameters(parameters) };
    const named = questionNamed(question);
    return { ...common, sql: named.sql, parameters: questionParameters(named, parameters) };
  }
}

function requestFault(error: unknown): unknown {
  if (error instanceof SqlMistake) return new RequestFault(400, error.message);
  if (error instanceof TrajmillError)
    return new RequestFault(error.code === 'E_USAGE' ? 400 : 500, error.message);
  return error;
}

const attachment = (format: string): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="query.${format}"`,
});

type Run = Pick<QueryRun, 'process' | 'signal'>;

async function sendText(job: QueryJob, response: ServerResponse, run: Run): Promise<void> {
  const type = TYPES[job.format];
  if (job.format === 'page') {
    let body = '';
    await runQuery(job, {
      output: (chunk) => {
        body += chunk;
      },
      ...run,
    });
    send(response, { status: 200, type, body });
    return;
  }
  await runQuery(job, {
    output: async (chunk) => {
      if (!response.headersSent) writeHead(response, { status: 200, type, headers: attachment(job.format) });
      await writeText(response, chunk);
    },
    ...run,
  });
  response.end();
}

async function sendParquet(job: QueryJob, response: ServerResponse, run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-query-'));
  try {
    const out = join(folder, 'query.parquet');
    await runQuery({ ...job, out }, { output: () => {}, ...run });
    writeHead(response, { status: 200, type: TYPES.parquet, headers: attachment('parquet') });
    await pipeline(createReadStream(out), response);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
