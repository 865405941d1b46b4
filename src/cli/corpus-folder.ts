import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TrajmillError } from '../errors.js';
import { builtinTasks } from '../grading/builtin-tasks.js';
import type { TaskRecord } from '../grading/task-record.js';
import { readDecisions } from '../pipeline/completion.js';
import { CorpusThresholds } from '../pipeline/corpus-thresholds.js';
import type { Decisions } from '../pipeline/decisions.js';
import { type Plan, readPlan } from '../pipeline/plan.js';
import { type RunFolder, runFolder } from '../pipeline/run-folder.js';
import { type CorpusScores, corpusScoresOf } from '../selection/corpus-scores.js';
import { type CorpusManifest, readManifest } from '../tables/manifest.js';
import type { CliContext } from './context.js';
import { note } from './output.js';

/** A committed corpus with what lies beside it. */
export interface OpenCorpus {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  /** null where the corpus lies without its run folder, or with another version's plan */
  readonly run: { readonly folder: RunFolder; readonly plan: Plan } | null;
  /** of the plan, with the thresholds that the corpus gave them; else the shipped ones */
  readonly tasks: readonly TaskRecord[];
  /** quality quantiles that the run decided by */
  readonly scores: CorpusScores;
}

/**
 * Opens a run folder or its corpus folder. Throws TrajmillError E_UNCOMMITTED where there is no corpus. A missing plan
 * is said on stderr.
 */
export async function openCorpus(context: CliContext, dir: string): Promise<OpenCorpus> {
  const { corpus, manifest } = await readManifest(resolve(context.cwd, dir));
  const run = planBeside(context, corpus, manifest);
  if (run === null) return { corpus, manifest, run, tasks: builtinTasks(), scores: corpusScoresOf([]) };
  const { task_records: records } = run.plan.body;
  const { thresholds, quantiles } = decisionsOf(run.folder, run.plan.plan_id);
  const { tasks, scores } = new CorpusThresholds({ records, thresholds, quantiles });
  return { corpus, manifest, run, tasks: tasks.records, scores };
}

function planBeside(context: CliContext, corpus: string, manifest: CorpusManifest): OpenCorpus['run'] {
  const folder = runFolder(dirname(corpus));
  if (!existsSync(folder.plan)) {
    note(context, 'no plan beside the corpus: task records are the shipped ones');
    return null;
  }
  try {
    const plan = readPlan(folder);
    if (plan !== null && plan.plan_id === manifest.plan_id) return { folder, plan };
    note(context, 'the plan beside the corpus is another one: task records are the shipped ones');
  } catch (error) {
    if (!(error instanceof TrajmillError)) throw error;
    note(context, `${error.message}: task records are the shipped ones`);
  }
  return null;
}

/** What the decide pass found; a corpus that was moved without it is read as one that needed nothing. */
function decisionsOf(folder: RunFolder, planId: string): Pick<Decisions, 'thresholds' | 'quantiles'> {
  return readDecisions(folder, planId) ?? { thresholds: [], quantiles: [] };
}

/** The plan of a corpus, or E_USAGE where a command cannot do without. */
export function requireRun({ run, corpus }: OpenCorpus): { folder: RunFolder; plan: Plan } {
  if (run !== null) return run;
  throw new TrajmillError('E_USAGE', 'needs the run folder with its plan.json, not the corpus alone', {
    place: corpus,
  });
}
