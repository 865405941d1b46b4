import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type RunFolder, taskName } from './run-folder.js';

/** Name of a folder in staging for a new attempt at a task, which no other attempt has. */
export function attemptName(task: number): string {
  return `${taskName(task)}.${process.pid}-${threadId}-${Date.now().toString(36)}`;
}

/** Folders of attempts that reached no completion; another rank's running attempt is never ours to remove. */
export function removeAttempts(folder: RunFolder, task: number): void {
  let names: string[];
  try {
    names = readdirSync(folder.staging);
  } catch {
    return;
  }
  for (const name of names) {
    if (name.startsWith(`${taskName(task)}.`)) {
      rmSync(join(folder.staging, name), { recursive: true, force: true });
    }
  }
}
