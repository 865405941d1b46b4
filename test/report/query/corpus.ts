import { join } from 'node:path';
import { expect } from 'vitest';
import { openCorpus } from '../../../src/cli/corpus-folder.js';
import { queryCorpusOf } from '../../../src/cli/query-source.js';
import type { QueryCorpus } from '../../../src/report/query/query-corpus.js';
import type { QueryJob } from '../../../src/report/query/query-job.js';
import { writeJson } from '../../../src/report/query/result-text.js';
import { runQuery } from '../../../src/report/query/run-query.js';
import { QuerySession } from '../../../src/report/query/session.js';
import { readShard } from '../../../src/tables/read-shard.js';
import { TABLES, type TableName, type TableRow } from '../../../src/tables/table-specs.js';
import { memoryStream } from '../../cli/harness.js';
import { trajmill, writePipeline } from '../../pipeline/child-run.js';

/** A corpus of the sample logs, cut into several tasks, in `<home>/run`. */
export async function makeCorpus(home: string): Promise<string> {
  const run = join(home, 'run');
  const { code, stderr } = await trajmill(['run', writePipeline(home), '--out', run, '--workers', '1']);
  expect(code, stderr).toBe(0);
  return run;
}

/** The corpus of a folder as SQL sees it. */
export async function corpusAt(dir: string): Promise<QueryCorpus> {
  const process = { stdout: memoryStream(), stderr: memoryStream(), env: {} };
  return queryCorpusOf(await openCorpus({ process, cwd: dir, signal: new AbortController().signal }, dir));
}

export const LIMITS = { seconds: 30, memory: 1024, threads: 2, rows: 100 };

/** The answer to a question as one text. */
export async function ask(
  source: QueryCorpus,
  sql: string,
  changes: Partial<Omit<QueryJob, 'source' | 'sql'>> = {},
): Promise<string> {
  let text = '';
  const output = (chunk: string): void => {
    text += chunk;
  };
  const job: QueryJob = {
    source,
    sql,
    parameters: {},
    format: 'json',
    out: null,
    limits: LIMITS,
    ...changes,
  };
  await runQuery(job, { output, signal: new AbortController().signal });
  return text;
}

const sessions = new Map<QueryCorpus, Promise<QuerySession>>();

/** DuckDB over a corpus in this process, opened once. */
export function sessionOf(source: QueryCorpus): Promise<QuerySession> {
  const open = sessions.get(source) ?? QuerySession.open(source, { limits: LIMITS });
  sessions.set(source, open);
  return open;
}

/** Rows of the answer, as JSON holds them, without a process of their own. */
export async function askRows(
  source: QueryCorpus,
  sql: string,
  parameters: QueryJob['parameters'] = {},
): Promise<Record<string, unknown>[]> {
  const session = await sessionOf(source);
  let text = '';
  await writeJson(await session.select(sql, parameters), async (chunk) => {
    text += chunk;
  });
  return JSON.parse(text) as Record<string, unknown>[];
}

/** All rows of a table, by the reader that shares no code with DuckDB. */
export async function storedRows<T extends TableName>(
  { corpus, manifest }: QueryCorpus,
  table: T,
): Promise<TableRow<T>[]> {
  const rows: TableRow<T>[] = [];
  for (const file of manifest.files.filter((each) => each.table === table)) {
    for await (const row of readShard(join(corpus, file.path), TABLES[table])) {
      rows.push({ ...row } as unknown as TableRow<T>);
    }
  }
  return rows;
}
