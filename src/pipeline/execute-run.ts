import { rmSync } from 'node:fs';
import { TrajmillError } from '../errors.js';
import { loadEncoder } from '../tokens/load-encoder.js';
import { shareEncoder } from '../tokens/share-encoder.js';
import { adoptTasks } from './adopt-tasks.js';
import { isCommitted } from './committed.js';
import {
  type Completion,
  partsIntact,
  readCompletion,
  readDecisions,
  readSurvey,
  taskDecisionsPath,
  writeMarker,
} from './completion.js';
import { decide } from './decide.js';
import { faultPoint } from './fault.js';
import { type Plan, requirePlan } from './plan.js';
import { RepeatWatch } from './repeat-watch.js';
import { type RunFolder, runFolder } from './run-folder.js';
import { RunProgress } from './run-progress.js';
import type { Survey } from './survey.js';
import { removeAttempts } from './task-attempts.js';
import type { Progress, WorkerSetup } from './task-message.js';
import { WorkerPool } from './worker-pool.js';

export interface ExecuteRunOptions {
  readonly outDir: string;
  readonly workers?: number;
  /** does tasks[index::count] of the plan */
  readonly shard?: { readonly index: number; readonly count: number };
  /** keep what is finished; without it (and without a shard) the work starts anew */
  readonly resume: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Does the tasks of a planned run that are owed: the survey pass, the decisions, the build pass. Kill it at any
 * point and call it again with `resume`: only what has no completion is done again.
 */
export async function executeRun(options: ExecuteRunOptions): Promise<{ done: number; owed: number }> {
  const folder = runFolder(options.outDir);
  const { plan, location } = requirePlan(folder);
  if (isCommitted(folder, plan.plan_id) && (options.resume || options.shard !== undefined)) {
    return { done: plan.body.tasks.length, owed: 0 };
  }
  if (!options.resume && options.shard === undefined) startAnew(folder);

  const setup: WorkerSetup = {
    dir: folder.dir,
    encoder: shareEncoder(loadEncoder({ tokenizer: location.tokenizer })),
  };
  const run = new RunProgress(plan, options.onProgress);
  const watch = new RepeatWatch(folder, plan);
  const pool = new WorkerPool({
    workers: options.workers,
    tasks: plan.body.tasks.length,
    setup,
    signal: options.signal,
    onProgress: (delta) => run.add(delta),
    onTaskDone: ({ pass, task }) => {
      run.taskDone();
      if (pass === 'survey') watch.note(task);
    },
  });
  try {
    await survey(folder, plan, { options, pool, run, watch });
    adoptTasks(folder, plan, tasksOf(plan, options.shard).own);
    const owed = await owedTasks(folder, plan, options.shard);
    for (const task of owed) removeAttempts(folder, task);
    run.startPass('build', owed);
    await pool.run(owed, (task) => ({ pass: 'build', task }));
  } finally {
    await pool.close();
  }
  const left = await owedTasks(folder, plan, undefined);
  return { done: plan.body.tasks.length - left.length, owed: left.length };
}

function startAnew(folder: RunFolder): void {
  for (const path of [
    folder.survey,
    folder.presumed,
    folder.taskDecisions,
    folder.completions,
    folder.staging,
  ]) {
    rmSync(path, { recursive: true, force: true });
  }
  rmSync(folder.decisions, { force: true });
  rmSync(folder.manifest, { force: true });
}

async function owedTasks(
  folder: RunFolder,
  plan: Plan,
  shard: { index: number; count: number } | undefined,
): Promise<number[]> {
  const owed: number[] = [];
  for (const task of tasksOf(plan, shard).own) {
    const completion: Completion | null = readCompletion(folder, task, plan.plan_id);
    if (completion === null || !(await partsIntact(folder, completion))) owed.push(task);
  }
  return owed;
}

function tasksOf(plan: Plan, shard: ExecuteRunOptions['shard']): { own: number[]; others: number[] } {
  const { index, count } = shard ?? { index: 0, count: 1 };
  const all = plan.body.tasks.map((_, task) => task);
  return {
    own: all.filter((task) => task % count === index),
    others: all.filter((task) => task % count !== index),
  };
}

/**
 * The survey pass and its decisions. A rank first surveys its own share, building it on the way where that promises to
 * stand, and then whatever other ranks have not done yet, so that it never waits: surveys are cheap, equal whoever
 * makes them, and written atomically.
 */
async function survey(
  folder: RunFolder,
  plan: Plan,
  work: { options: ExecuteRunOptions; pool: WorkerPool; run: RunProgress; watch: RepeatWatch },
): Promise<void> {
  if (readDecisions(folder, plan.plan_id) !== null) return;
  const { options, pool, run, watch } = work;
  const { own, others } = tasksOf(plan, options.shard);
  for (const share of [own, others]) {
    const owed = share.filter((task) => readSurvey(folder, task, plan.plan_id) === null);
    if (owed.length === 0) continue;
    if (share === own) for (const task of owed) removeAttempts(folder, task);
    run.startPass('survey', owed);
    await pool.run(owed, (task) => ({ pass: 'survey', task, presume: share === own && watch.presume }));
  }
  const { decisions, tasks } = decide(plan, surveysOf(folder, plan));
  for (const decided of tasks) writeMarker(taskDecisionsPath(folder, decided.task), decided);
  writeMarker(folder.decisions, decisions);
  faultPoint('after-decide');
}

function* surveysOf(folder: RunFolder, plan: Plan): Generator<Survey> {
  for (const task of plan.body.tasks.keys()) {
    const found = readSurvey(folder, task, plan.plan_id);
    if (found === null) {
      throw new TrajmillError('E_IO', `the survey of task ${task} vanished`, { place: folder.survey });
    }
    yield found;
  }
}
