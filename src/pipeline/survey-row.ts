import { resolveTask } from '../grading/resolve.js';
import { sanityReport } from '../grading/sanity.js';
import type { TaskRecord } from '../grading/task-record.js';
import { validSubmissions } from '../grading/valid-submissions.js';
import { DescriptionOverlap, ListedTasks } from '../selection/decontamination.js';
import { richesOf } from '../selection/equal-runs.js';
import { MinHasher } from '../selection/minhash.js';
import { type Prospect, prospectOf, waitsForCorpus } from '../selection/prospect.js';
import { SCORE_SCALES, type ScoreScale } from '../trajectory/execution.js';
import type { Origin } from '../trajectory/span.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { segmentWindows } from '../windows/segment.js';
import { admitted } from './admission.js';
import type { Location, Plan, PlanBody } from './plan.js';
import { plannedTexts } from './plan-decontamination.js';
import { type StageOfInput, selectionsOf, stageOf } from './stage.js';
import { StagedReject } from './staged-reject.js';
import { encodeSignature, type SurveyRow } from './survey.js';
import type { TaskContext } from './task-context.js';

/** What the options of a pipeline ask of the survey, with the engines for it. */
export interface SurveyQuestions {
  readonly hasher: MinHasher | null;
  readonly listed: ListedTasks | null;
  readonly overlap: DescriptionOverlap | null;
  /** scales whose scores some quantile is taken over */
  readonly scales: readonly ScoreScale[];
  readonly prospects: boolean;
  readonly tasksWithQuantiles: ReadonlySet<string>;
}

export function surveyQuestions(plan: Plan, location: Location): SurveyQuestions {
  const { config, task_records: records, decontamination, corpus_thresholds: thresholds } = plan.body;
  const { near_duplicates: near, decontamination: options, seed } = config;
  return {
    hasher: near === null ? null : new MinHasher({ ...near, seed }),
    listed: decontamination.lists.length === 0 ? null : new ListedTasks(decontamination.lists, records),
    overlap:
      options === 'none' || decontamination.texts.length === 0
        ? null
        : new DescriptionOverlap(plannedTexts(plan, location), options),
    scales: askedScales(plan.body),
    prospects: asksProspects(config),
    tasksWithQuantiles: new Set(thresholds.map(({ task_id }) => task_id)),
  };
}

function askedScales({ config, corpus_thresholds: thresholds }: PlanBody): ScoreScale[] {
  const asked = new Set<ScoreScale>(thresholds.length > 0 ? ['test'] : []);
  for (const { quality, score_scale } of selectionsOf(config)) {
    if (quality !== null && typeof quality !== 'string' && 'quantile' in quality) asked.add(score_scale);
  }
  return SCORE_SCALES.filter((scale) => asked.has(scale));
}

/** Caps and shares are counted over what selection keeps. */
export function asksProspects(config: PlanBody['config']): boolean {
  const { caps, mix, stages } = config;
  const staged = stages.some((stage) => stage.max_trajectories !== null || stage.max_per_task !== null);
  return staged || mix.as === 'share' || caps.task !== null || caps.source !== null || caps.stage !== null;
}

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
    ...(questions.prospects && !rejected && leftOut === null
      ? { prospect: prospect(context, questions, { trajectory, task, stage: stageOf(config, planned) }) }
      : {}),
    ...(scales.length > 0 && !rejected ? { scores: scoresOn(trajectory, scales) } : {}),
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
