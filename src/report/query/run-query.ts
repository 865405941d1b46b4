import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TrajmillError } from '../../errors.js';
import type { QueryJob, QueryOutcome } from './query-job.js';

/** Compiled entry of the process; a run from sources uses the build beside them. */
function processFile(): string {
  const here = import.meta.url;
  return fileURLToPath(
    here.endsWith('.ts')
      ? new URL('../../../dist/report/query/query-process.js', here)
      : new URL('./query-process.js', here),
  );
}

/** What an answer may take after its time is over, before its process is ended from outside. */
const GRACE_SECONDS = 2;

/** Starts a process that waits for a question with DuckDB loaded already, which is most of the wait for an answer. */
export function startQueryProcess(): ChildProcess {
  // no variable of this process is of use to it, and some are secret
  return fork(processFile(), [], { execArgv: [], env: {}, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

export interface QueryRun {
  /** one that waits; default: a new one */
  readonly process?: ChildProcess;
  /** takes the answer of the formats page, csv and json; resolved when more may follow */
  readonly output: (chunk: string) => Promise<void> | void;
  readonly signal: AbortSignal;
}

/**
 * Asks DuckDB one question in a process of its own, which is gone afterwards. Returns the rows that were written.
 * Throws TrajmillError E_USAGE for a mistake in the SQL, for one that took too long or too much memory, E_IO where the
 * tables cannot be read or the answer cannot be written, E_INTERRUPTED when the signal came. What was written until then is no whole answer.
 */
export async function runQuery(job: QueryJob, { process, output, signal }: QueryRun): Promise<number> {
  if (signal.aborted) {
    process?.kill('SIGKILL');
    throw interrupted();
  }
  const child = process ?? startQueryProcess();
  const state: { outcome: QueryOutcome | null; late: boolean } = { outcome: null, late: false };
  const end = (): void => {
    child.kill('SIGKILL');
  };
  const late = setTimeout(
    () => {
      state.late = true;
      end();
    },
    (job.limits.seconds + GRACE_SECONDS) * 1000,
  );
  signal.addEventListener('abort', end, { once: true });
  const exited = once(child, 'exit');
  const told = new Promise<void>((resolve) => {
    child.once('message', (outcome: QueryOutcome) => {
      state.outcome = outcome;
      resolve();
    });
    child.once('exit', () => resolve());
  });
  try {
    child.send(job, () => {});
    if (child.stdout !== null) {
      for await (const chunk of child.stdout.setEncoding('utf8')) await output(String(chunk));
    }
    await told;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
    end();
  }
  const [code, killedBy] = (await exited) as [number | null, NodeJS.Signals | null];
  if (signal.aborted) throw interrupted();
  if (state.outcome !== null) return rowsOf(state.outcome, job);
  if (state.late) return rowsOf({ kind: 'timeout' }, job);
  // nobody else ends it so but a system that runs out of memory
  if (killedBy === 'SIGKILL') return rowsOf({ kind: 'memory' }, job);
  throw new TrajmillError('E_INTERNAL', `the process of the query ended by itself (${killedBy ?? code})`);
}

const interrupted = (): TrajmillError => new TrajmillError('E_INTERRUPTED', 'the query was interrupted');

function rowsOf(outcome: QueryOutcome, { limits, source }: QueryJob): number {
  switch (outcome.kind) {
    case 'done':
      return outcome.rows;
    case 'mistake':
      throw new TrajmillError('E_USAGE', outcome.message);
    case 'timeout':
      throw new TrajmillError(
        'E_USAGE',
        `stopped after ${limits.seconds} s: ask for less, or allow more time`,
      );
    case 'memory':
      throw new TrajmillError(
        'E_USAGE',
        `the query took more than its ${limits.memory} MiB of memory: ask for less, or allow more`,
      );
    case 'unreadable':
      throw new TrajmillError('E_IO', `the tables cannot be read: ${outcome.message}`, {
        place: source.corpus,
      });
    case 'disk':
      throw new TrajmillError('E_IO', outcome.message);
  }
}
