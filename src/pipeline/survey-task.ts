import { surveyPath, writeMarker } from './completion.js';
import type { DecisionRow } from './decisions.js';
import { faultPoint } from './fault.js';
import { presumedRow, presumptionPath } from './presumption.js';
import type { SurveyRow } from './survey.js';
import { surveyQuestions } from './survey-questions.js';
import { surveyRow } from './survey-row.js';
import { TaskBuilder, type TaskRead } from './task-builder.js';
import type { TaskContext } from './task-context.js';
import { readTask } from './task-input.js';
import type { WorkerProgress } from './task-message.js';

/** Builds what is surveyed until a trajectory turns up whose equal was seen: then the corpus must decide first. */
class PresumingBuilder {
  readonly #builder: TaskBuilder;
  readonly #seen = new Set<string>();
  readonly #rows: DecisionRow[] = [];
  #open = true;

  constructor(context: TaskContext, task: number) {
    this.#builder = new TaskBuilder(context, { task, corpus: context.presumed() });
  }

  /** `row` is the survey's row of a trajectory, `order` its place among those of the task. */
  async take(read: TaskRead, row: SurveyRow | null, order: number): Promise<WorkerProgress | null> {
    if (!this.#open) return null;
    if (row !== null && this.#seen.has(row.id)) {
      await this.abort();
      return null;
    }
    const decision = row === null ? null : presumedRow(row, order);
    if (row !== null) this.#seen.add(row.id);
    if (decision !== null) this.#rows.push(decision);
    return this.#builder.take(read, decision);
  }

  /** Leaves the finished parts with what was presumed. */
  async finish({ folder, plan }: TaskContext, task: number): Promise<void> {
    if (!this.#open) return;
    const completion = await this.#builder.finish();
    faultPoint('before-completion');
    writeMarker(presumptionPath(folder, task), { plan_id: plan.plan_id, rows: this.#rows, completion });
  }

  async abort(): Promise<void> {
    if (this.#open) await this.#builder.abort();
    this.#open = false;
  }
}

/**
 * Reads a task and writes one small row for each trajectory: what the decide pass must know of all. With `presume`
 * the task is also built at once, on what is known of it alone.
 */
export async function surveyTask(
  context: TaskContext,
  { task, presume }: { task: number; presume: boolean },
  report: (delta: WorkerProgress) => void,
): Promise<void> {
  const { plan, location, folder, siblings, looks } = context;
  const questions = surveyQuestions(plan, location);
  const rows: SurveyRow[] = [];
  const builder = presume ? new PresumingBuilder(context, task) : null;
  try {
    for await (const read of readTask({ plan, location, task, siblings, looks })) {
      const { result, piece } = read;
      const row =
        result.kind === 'trajectory'
          ? surveyRow(context, questions, { trajectory: result.trajectory, input: piece.input })
          : null;
      const done = await builder?.take(read, row, rows.length);
      if (row !== null) rows.push(row);
      if (done != null) report(done);
    }
    await builder?.finish(context, task);
  } catch (error) {
    await builder?.abort();
    throw error;
  }
  faultPoint('survey-task');
  writeMarker(surveyPath(folder, task), { plan_id: plan.plan_id, task, rows });
}
