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
  /** threads; one a core by default, never more than the longest list of tasks may need */
  readonly workers: number | undefined;
  readonly tasks: number;
  readonly setup: WorkerSetup;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkerProgress) => void;
  readonly onTaskDone: (message: TaskMessage) => void;
}

/**
 * The worker threads of a run. They start with the first task and live through all passes, since what they have
 * loaded and compiled is dear.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #threads: number;
  #piscina: Piscina | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#threads = Math.max(Math.min(options.workers ?? availableParallelism(), options.tasks), 1);
  }

  /**
   * Runs tasks in order of the list, with no more in flight than there are threads, so that memory does not grow with
   * the number of tasks. The message of a task is made when it begins. The first failure stops the others and is
   * thrown.
   */
  async run(tasks: readonly number[], messageOf: (task: number) => TaskMessage): Promise<void> {
    if (tasks.length === 0) return;
    const { signal, onTaskDone } = this.#options;
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    let next = 0;
    const drain = async (): Promise<void> => {
      while (next < tasks.length && !abort.signal.aborted) {
        const task = tasks[next++];
        if (task === undefined) return;
        const message = messageOf(task);
        const fault: unknown = await this.#open().run(message, { signal: abort.signal });
        if (fault !== null) throw reviveFault(fault);
        onTaskDone(message);
      }
    };
    try {
      if (signal.aborted) throw new Error('aborted before start');
      await Promise.all(Array.from({ length: this.#threads }, drain));
    } catch (error) {
      abort.abort();
      if (signal.aborted) throw interrupted(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    if (signal.aborted) throw interrupted(undefined);
  }

  async close(): Promise<void> {
    await this.#piscina?.destroy();
    this.#piscina = null;
  }

  #open(): Piscina {
    if (this.#piscina !== null) return this.#piscina;
    const piscina = new Piscina({
      filename: workerFile(),
      name: 'runTask',
      minThreads: this.#threads,
      maxThreads: this.#threads,
      maxQueue: this.#threads,
      // threads wait for the next pass while the main thread decides
      idleTimeout: Number.POSITIVE_INFINITY,
      workerData: this.#options.setup,
    });
    piscina.on('message', this.#options.onProgress);
    this.#piscina = piscina;
    return piscina;
  }
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
