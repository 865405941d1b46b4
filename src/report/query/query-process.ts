import type { QueryJob, QueryOutcome } from './query-job.js';
import { writeCsv, writeJson, writePage } from './result-text.js';
import { faultOf, QuerySession } from './session.js';
import { SqlMistake } from './sql-mistake.js';
import { writeText } from './write-text.js';

// The process that asks DuckDB one question and ends. What a statement takes, in time or memory, and what it breaks,
// is this process alone: whoever started it can end it, even inside of a function that heeds no interrupt.

/** MiB that the process may take over what DuckDB counts: values in flight are not counted by it. */
const MEMORY_SLACK = 512;
const WATCH_MILLISECONDS = 100;
/** What the outcome waits for a statement that was interrupted. */
const GRACE_MILLISECONDS = 1000;

const write = (text: string): Promise<void> => writeText(process.stdout, text);

async function answer(session: QuerySession, { sql, parameters, format, limits }: QueryJob): Promise<number> {
  if (format === 'parquet') return session.writeParquet(sql, parameters);
  const result = await session.select(sql, parameters);
  if (format === 'csv') return writeCsv(result, write);
  if (format === 'json') return writeJson(result, write);
  return writePage(result, write, limits.rows);
}

async function run(job: QueryJob): Promise<QueryOutcome> {
  let session: QuerySession;
  try {
    session = await QuerySession.open(job.source, { limits: job.limits, out: job.out });
  } catch (error) {
    return { kind: 'unreadable', message: error instanceof Error ? firstLine(error) : '' };
  }
  const stop = bounds(job, session);
  try {
    const rows = await Promise.race([answer(session, job), stop.reached]);
    if (typeof rows !== 'number') return rows;
    return stop.outcome() ?? { kind: 'done', rows };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return stop.outcome() ?? outcomeOf(error, job.sql);
  } finally {
    stop.clear();
  }
}

const firstLine = ({ message }: Error): string => message.split('\n')[0] ?? '';

function outcomeOf(error: Error, sql: string): QueryOutcome {
  const fault = faultOf(error, sql);
  if (fault instanceof SqlMistake) return { kind: 'mistake', message: fault.message };
  if (fault.message.startsWith('IO Error')) return { kind: 'disk', message: firstLine(fault) };
  return fault.message.startsWith('Out of Memory') ? { kind: 'memory' } : { kind: 'timeout' };
}

/** Watches time and memory. The statement is interrupted; if it heeds that not, its end is not waited for. */
function bounds({ limits }: QueryJob, session: QuerySession) {
  let over: QueryOutcome | null = null;
  let reach: (outcome: QueryOutcome) => void = () => {};
  const reached = new Promise<QueryOutcome>((resolve) => {
    reach = resolve;
  });
  const timers: NodeJS.Timeout[] = [];
  const end = (outcome: QueryOutcome, grace: number): void => {
    if (over !== null) return;
    over = outcome;
    session.interrupt();
    timers.push(setTimeout(reach, grace, outcome));
  };
  timers.push(setTimeout(end, limits.seconds * 1000, { kind: 'timeout' }, GRACE_MILLISECONDS));
  timers.push(
    setInterval(() => {
      const used = process.memoryUsage.rss() / 2 ** 20;
      if (used > limits.memory + MEMORY_SLACK) end({ kind: 'memory' }, 0);
    }, WATCH_MILLISECONDS),
  );
  return {
    reached,
    outcome: () => over,
    clear: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

// whoever waits for the answer decides when it is no longer wanted
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// a listener that stays keeps the process until it is ended: its outcome would be lost otherwise
process.on('message', async (job: QueryJob) => {
  const outcome = await run(job);
  process.stdout.end(() => process.send?.(outcome));
});
