import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { loadEncoder } from '../tokens/load-encoder.js';
import { shareEncoder } from '../tokens/share-encoder.js';
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
import { type RunFolder, runFolder, taskName } from './run-folder.js';
import type { Survey } from './survey.js';
import type { Progress, TaskMessage, WorkerSetup } from './task-message.js';
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
  const run = new RunProgress(plan, options);
  const pool = new WorkerPool({
    workers: options.workers,
    tasks: plan.body.tasks.length,
    setup,
    signal: options.signal,
    onProgress: (delta) => run.add(delta),
    onTaskDone: () => run.taskDone(),
  });
  try {
    await survey(folder, plan, { options, pool, run });
    const owed = await owedTasks(folder, plan, options.shard);
    for (const task of owed) removeAttempts(folder, task);
    run.startPass('build', owed);
    await pool.run(owed.map((task): TaskMessage => ({ pass: 'build', task })));
  } finally {
    await pool.close();
  }
  const left = await owedTasks(folder, plan, undefined);
  return { done: plan.body.tasks.length - left.length, owed: left.length };
}

/** Counts what workers report into one state. */
class RunProgress {
  readonly #plan: Plan;
  readonly #notify: ((progress: Progress) => void) | undefined;
  #state: Progress;

  constructor(plan: Plan, options: ExecuteRunOptions) {
    this.#plan = plan;
    this.#notify = options.onProgress;
    this.#state = emptyProgress('survey', 0, 0);
  }

  startPass(pass: 'survey' | 'build', tasks: readonly number[]): void {
    let bytes = 0;
    for (const task of tasks) {
      for (const piece of this.#plan.body.tasks[task] ?? []) bytes += piece.byte_end - piece.byte_start;
    }
    this.#state = emptyProgress(pass, tasks.length, bytes);
    this.#notify?.(this.#state);
  }

  add(delta: { bytes: number; trajectories: number; rejected: number; tokens: number }): void {
    const state = this.#state;
    this.#state = {
      ...state,
      bytesDone: state.bytesDone + delta.bytes,
      trajectories: state.trajectories + delta.trajectories,
      rejected: state.rejected + delta.rejected,
      tokens: state.tokens + delta.tokens,
    };
    this.#notify?.(this.#state);
  }

  taskDone(): void {
    this.#state = { ...this.#state, tasksDone: this.#state.tasksDone + 1 };
    this.#notify?.(this.#state);
  }
}

function emptyProgress(pass: 'survey' | 'build', tasksTotal: number, bytesTotal: number): Progress {
  return {
    pass,
    tasksDone: 0,
    tasksTotal,
    bytesDone: 0,
    bytesTotal,
    trajectories: 0,
    rejected: 0,
    tokens: 0,
    startedAt: Date.now(),
  };
}

function startAnew(folder: RunFolder): void {
  for (const path of [folder.survey, folder.taskDecisions, folder.completions, folder.staging]) {
    rmSync(path, { recursive: true, force: true });
  }
  rmSync(folder.decisions, { force: true });
  rmSync(folder.manifest, { force: true });
}

/** Folders of attempts that never reached a completion; another rank's running attempt is never ours to remove. */
function removeAttempts(folder: RunFolder, task: number): void {
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

async function owedTasks(
  folder: RunFolder,
  plan: Plan,
  shard: { index: number; count: number } | undefined,
): Promise<number[]> {
  const owed: number[] = [];
  for (let task = shard?.index ?? 0; task < plan.body.tasks.length; task += shard?.count ?? 1) {
    const completion: Completion | null = readCompletion(folder, task, plan.plan_id);
    if (completion === null || !(await partsIntact(folder, completion))) owed.push(task);
  }
  return owed;
}

/**
 * The survey pass and its decisions. A rank first surveys its own share and then whatever other ranks have not
 * done yet, so that it never waits: surveys are cheap, equal whoever makes them, and written atomically.
 */
async function survey(
  folder: RunFolder,
  plan: Plan,
  work: { options: ExecuteRunOptions; pool: WorkerPool; run: RunProgress },
): Promise<void> {
  if (readDecisions(folder, plan.plan_id) !== null) return;
  const { options, pool, run } = work;
  const count = options.shard?.count ?? 1;
  const index = options.shard?.index ?? 0;
  const all = plan.body.tasks.map((_, task) => task);
  const own = all.filter((task) => task % count === index);
  const others = all.filter((task) => task % count !== index);
  for (const share of [own, others]) {
    const owed = share.filter((task) => readSurvey(folder, task, plan.plan_id) === null);
    if (owed.length === 0) continue;
    run.startPass('survey', owed);
    await pool.run(owed.map((task): TaskMessage => ({ pass: 'survey', task })));
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
