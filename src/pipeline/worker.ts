import { parentPort, workerData } from 'node:worker_threads';
import { TrajmillError } from '../errors.js';
import { buildTask } from './build-task.js';
import { surveyTask } from './survey-task.js';
import { openTaskContext, type TaskContext } from './task-context.js';
import type { TaskMessage, WorkerProgress, WorkerSetup } from './task-message.js';
import type { WorkerFault } from './worker-pool.js';

const REPORT_EVERY_MS = 200;

let context: TaskContext | null = null;
let pending = { bytes: 0, trajectories: 0, rejected: 0, tokens: 0 };
let lastReport = 0;

function report(delta: WorkerProgress, force: boolean): void {
  pending.bytes += delta.bytes;
  pending.trajectories += delta.trajectories;
  pending.rejected += delta.rejected;
  pending.tokens += delta.tokens;
  const now = Date.now();
  if (!force && now - lastReport < REPORT_EVERY_MS) return;
  parentPort?.postMessage(pending);
  pending = { bytes: 0, trajectories: 0, rejected: 0, tokens: 0 };
  lastReport = now;
}

/** Entry of a worker thread: does one task; returns null, or the fault as data. */
export async function runTask(message: TaskMessage): Promise<WorkerFault | null> {
  try {
    context ??= await openTaskContext(workerData as WorkerSetup);
    const onDone = (delta: WorkerProgress): void => report(delta, false);
    if (message.pass === 'survey') await surveyTask(context, message, onDone);
    else await buildTask(context, message.task, onDone);
    report({ bytes: 0, trajectories: 0, rejected: 0, tokens: 0 }, true);
    return null;
  } catch (error) {
    if (error instanceof TrajmillError) {
      return { code: error.code, message: error.message, stack: null };
    }
    const known = error instanceof Error ? error : new Error(String(error));
    const io = (known as NodeJS.ErrnoException).code;
    if (io !== undefined && /^E[A-Z]+$/.test(io)) {
      return { code: 'E_IO', message: known.message, stack: null };
    }
    return { code: null, message: known.message, stack: known.stack ?? null };
  }
}
