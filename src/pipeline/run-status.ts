import { isCommitted } from './committed.js';
import { partsPresent, readCompletion, readDecisions, readSurvey } from './completion.js';
import { requirePlan } from './plan.js';
import { readPresumption } from './presumption.js';
import { runFolder } from './run-folder.js';

export interface RunStatus {
  readonly plan_id: string;
  readonly tasks: number;
  readonly surveyed: number;
  /** surveyed tasks that are built already, and stand if the corpus decides as presumed */
  readonly presumed: number;
  readonly decided: boolean;
  readonly completed: number;
  /** tasks without a completion, or whose parts are gone, by number */
  readonly owed: readonly number[];
  readonly committed: boolean;
}

/** What of a run is done. Reads markers, and whether the parts are there; `trajmill verify` checks the bytes. */
export function runStatus(options: { outDir: string }): RunStatus {
  const folder = runFolder(options.outDir);
  const { plan } = requirePlan(folder);
  const tasks = plan.body.tasks.map((_, task) => task);
  const committed = isCommitted(folder, plan.plan_id);
  const owed = tasks.filter((task) => {
    const completion = readCompletion(folder, task, plan.plan_id);
    // a corpus took the parts; where it is gone, so are they
    return completion === null || !(committed || partsPresent(folder, completion));
  });
  return {
    plan_id: plan.plan_id,
    tasks: tasks.length,
    surveyed: tasks.filter((task) => readSurvey(folder, task, plan.plan_id) !== null).length,
    presumed: owed.filter((task) => readPresumption(folder, task, plan.plan_id) !== null).length,
    decided: readDecisions(folder, plan.plan_id) !== null,
    completed: tasks.length - owed.length,
    owed,
    committed,
  };
}
