import { resolveTask } from '../grading/resolve.js';
import { sanityReport } from '../grading/sanity.js';
import type { TaskRecord } from '../grading/task-record.js';
import { validSubmissions } from '../grading/valid-submissions.js';
import { richesOf } from '../selection/equal-runs.js';
import { type Prospect, prospectOf, waitsForCorpus } from '../selection/prospect.js';
import { encodeReplyKeys, replyKeys } from '../selection/repeated-replies.js';
import type { ScoreScale } from '../trajectory/execution.js';
import type { Origin } from '../trajectory/span.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { segmentWindows } from '../windows/segment.js';
import { admitted } from './admission.js';
import type { PlanBody } from './plan.js';
import { type StageOfInput, stageOf } from './stage.js';
import { StagedReject } from './staged-reject.js';
import { encodeSignature, type SurveyRow } from './survey.js';
import type { SurveyQuestions } from './survey-questions.js';
import type { TaskContext } from './task-context.js';

/** The survey's row of one trajectory; `input` is the index of its file in the plan. */
export function surveyRow(
  context: TaskContext,
  questions: SurveyQuestions,
  { trajectory, input }: { trajectory: Trajectory; input: number },
): SurveyRow {
  const { body } = context.plan;
  const { config } = body;
  const { task, task_id: taskId } = resolveTask(trajectory, {
    index: context.tasks,
    pathPatterns: context.pathPatterns,
    mapping: config.tasks.mapping,
  });
  const { hasher, scales } = questions;
  const planned = body.inputs[input] ?? { stage: null, source: null };
  const compared = config.near_duplicates?.text === 'all' ? 'all' : 'model';
  const signature = hasher?.sign(spanTexts(trajectory, compared)) ?? null;
  const leftOut = leftOutBy(questions, config, { trajectory, task, taskId });
  const rejected = isRejected(trajectory, task, config);
  const replies = rejected || leftOut !== null ? '' : encodeReplyKeys(replyKeys(trajectory));
  // of several logs with one reply that one trains it which selection keeps
  const asked = (questions.prospects || replies !== '') && !rejected && leftOut === null;
  return {
    id: trajectory.trajectory_id,
    input,
    format: trajectory.source.format,
    task: taskId,
    family: task?.family ?? null,
    turns: trajectory.turns.length,
    chars: charsOf(trajectory),
    ...(rejected ? { rejected } : {}),
    ...(config.duplicates === 'drop' ? { riches: richesOf(trajectory, { task, task_id: taskId }) } : {}),
    ...(leftOut === null ? {} : { left_out: leftOut }),
    ...(asked
      ? { prospect: prospect(context, questions, { trajectory, task, stage: stageOf(config, planned) }) }
      : {}),
    ...(scales.length > 0 && !rejected ? { scores: scoresOn(trajectory, scales) } : {}),
    ...(replies === '' ? {} : { replies }),
    ...(signature === null ? {} : { signature: encodeSignature(signature) }),
  };
}

function isRejected(trajectory: Trajectory, task: TaskRecord | null, config: PlanBody['config']): boolean {
  try {
    admitted(trajectory, task, config);
    return false;
  } catch (error) {
    if (error instanceof StagedReject) return true;
    throw error;
  }
}

function leftOutBy(
  { listed, overlap }: SurveyQuestions,
  config: PlanBody['config'],
  from: { trajectory: Trajectory; task: TaskRecord | null; taskId: string | null },
): SurveyRow['left_out'] | null {
  const { trajectory, task, taskId } = from;
  const found =
    listed?.match({ record: task, names: [taskId, trajectory.task_id] }) ??
    overlap?.match(spanTexts(trajectory, 'environment')) ??
    null;
  if (found !== null) return { reason: 'decontaminated', detail: found.detail };
  if (task === null || config.tasks.sanity === 'keep') return null;
  const { verdict, violations } = sanityReport(task);
  if (verdict !== 'remove') return null;
  return { reason: 'unsound_task', detail: violations.map(({ detail }) => detail).join('; ') };
}

function prospect(
  context: TaskContext,
  { tasksWithQuantiles }: SurveyQuestions,
  from: { trajectory: Trajectory; task: TaskRecord | null; stage: StageOfInput },
): Prospect {
  const { config } = context.plan.body;
  const { trajectory, task, stage } = from;
  const { selection } = stage;
  if (!config.tables.includes('sft') || selection.rules.length === 0) {
    return segmentWindows(trajectory, task, config.windows).windows.length > 0;
  }
  const waits = waitsForCorpus(selection, task !== null && tasksWithQuantiles.has(task.task_id));
  return prospectOf(trajectory, task, selection, waits);
}

function scoresOn(trajectory: Trajectory, scales: readonly ScoreScale[]): SurveyRow['scores'] {
  const entries = scales.map((scale) => [
    scale,
    validSubmissions(trajectory, scale).list.map(({ score }) => score),
  ]);
  return Object.fromEntries(entries.filter(([, scores]) => scores?.length !== 0));
}

/** The texts of a run, of one origin or all. A task is described in prompts, or in a file that the agent reads. */
function spanTexts(trajectory: Trajectory, origin: Origin | 'all'): string {
  const texts: string[] = [];
  for (const turn of trajectory.turns) {
    for (const span of turn.spans) if (origin === 'all' || span.origin === origin) texts.push(span.text);
  }
  return texts.join('\n');
}

function charsOf(trajectory: Trajectory): number {
  let chars = 0;
  for (const turn of trajectory.turns) {
    for (const span of turn.spans) if (span.origin === 'model') chars += span.text.length;
  }
  return chars;
}
