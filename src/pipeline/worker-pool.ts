import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { TrajmillError } from '../errors.js';
import type { TaskMessage, WorkerProgress, WorkerSetup } from './task-message.js';

/** Compiled entry of the worker threads; a run from sources uses the build beside them. */
function workerFile(): string {
  const here = import.meta.url;
  return fileURLToPath(
    here.endsWith('.ts') ? new URL('../../dist/pipeline/worker.js', here) : new URL('./worker.js', here),
  );
}

export interface PoolOptions {
  readonly workers: number | undefined;
  readonly setup: WorkerSetup;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkerProgress) => void;
  readonly onTaskDone: (message: TaskMessage) => void;
}

/**
 * Runs tasks on worker threads, in order of the list, with no more in flight than there are threads, so that
 * memory does not grow with the number of tasks. The first failure ends the pool and is thrown.
 */
export async function runOnPool(messages: readonly TaskMessage[], options: PoolOptions): Promise<void> {
  if (messages.length === 0) return;
  const threads = Math.min(Math.max(options.workers ?? availableParallelism(), 1), messages.length);
  const pool = new Piscina({
    filename: workerFile(),
    name: 'runTask',
    minThreads: threads,
    maxThreads: threads,
    maxQueue: threads,
    workerData: options.setup,
  });
  pool.on('message', options.onProgress);
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  options.signal.addEventListener('abort', stop, { once: true });
  let next = 0;
  const drain = async (): Promise<void> => {
    while (next < messages.length && !abort.signal.aborted) {
      const message = messages[next++];
      if (message === undefined) return;
      const fault: unknown = await pool.run(message, { signal: abort.signal });
      if (fault !== null) throw reviveFault(fault);
      options.onTaskDone(message);
    }
  };
  try {
    if (options.signal.aborted) throw new Error('aborted before start');
    await Promise.all(Array.from({ length: threads }, drain));
  } catch (error) {
    abort.abort();
    if (options.signal.aborted) throw interrupted(error);
    throw error;
  } finally {
    options.signal.removeEventListener('abort', stop);
    await pool.destroy();
  }
  if (options.signal.aborted) throw interrupted(undefined);
}

function interrupted(cause: unknown): TrajmillError {
  return new TrajmillError('E_INTERRUPTED', 'interrupted; go on with the same command and --resume', {
    cause,
  });
}

/** Typed errors do not survive the way between threads: workers return them as data. */
export interface WorkerFault {
  readonly code: TrajmillError['code'] | null;
  readonly message: string;
  readonly stack: string | null;
}

function reviveFault(fault: unknown): Error {
  const { code, message, stack } = fault as WorkerFault;
  if (code !== null) return new TrajmillError(code, message);
  const error = new Error(message);
  if (stack !== null) error.stack = stack;
  return error;
}
