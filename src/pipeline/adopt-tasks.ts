import { rmSync } from 'node:fs';
import { completionPath, readDecisions, readTaskDecisions, writeMarker } from './completion.js';
import { faultPoint } from './fault.js';
import type { Plan } from './plan.js';
import { cameTrue, corpusCameTrue, presumptionPath, readPresumption } from './presumption.js';
import type { RunFolder } from './run-folder.js';
import { removeAttempts } from './task-attempts.js';

/**
 * Gives tasks that were built while they were surveyed their completions where the corpus decided as presumed, and
 * drops what was built of the others. May be broken off and called again.
 */
export function adoptTasks(folder: RunFolder, plan: Plan, tasks: readonly number[]): void {
  const decisions = readDecisions(folder, plan.plan_id);
  const corpus = decisions !== null && corpusCameTrue(plan, decisions);
  for (const task of tasks) {
    const presumed = readPresumption(folder, task, plan.plan_id);
    if (presumed === null) continue;
    const decided = readTaskDecisions(folder, task, plan.plan_id);
    if (corpus && decided !== null && cameTrue(presumed, decided)) {
      writeMarker(completionPath(folder, task), presumed.completion);
      faultPoint('after-completion');
    } else {
      removeAttempts(folder, task);
    }
    rmSync(presumptionPath(folder, task));
  }
}
