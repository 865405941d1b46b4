import { surveyPath, writeMarker } from './completion.js';
import { faultPoint } from './fault.js';
import type { SurveyRow } from './survey.js';
import { surveyQuestions, surveyRow } from './survey-row.js';
import type { TaskContext } from './task-context.js';
import { readTask } from './task-input.js';
import type { WorkerProgress } from './task-message.js';

/** Reads a task and writes one small row for each trajectory: what the decide pass must know of all. */
export async function surveyTask(
  context: TaskContext,
  task: number,
  report: (delta: WorkerProgress) => void,
): Promise<void> {
  const { plan, location, folder, siblings } = context;
  const questions = surveyQuestions(plan, location);
  const rows: SurveyRow[] = [];
  for await (const { result, piece } of readTask({ plan, location, task, siblings })) {
    if (result.kind !== 'trajectory') continue;
    rows.push(surveyRow(context, questions, { trajectory: result.trajectory, input: piece.input }));
  }
  faultPoint('survey-task');
  writeMarker(surveyPath(folder, task), { plan_id: plan.plan_id, task, rows });
  report({ bytes: 0, trajectories: 0, rejected: 0, tokens: 0 });
}
