import type { TaskRecord } from '../../grading/task-record.js';
import type { StatsSection, TrajectoryFact } from './facts.js';
import type { Figure } from './figure.js';
import { countBy, UNKNOWN } from './groups.js';
import { shareFigure } from './intervals.js';

/** What a corpus is composed by, and where it is read. */
const DIMENSIONS: Readonly<
  Record<string, (trajectory: TrajectoryFact, task: TaskRecord | undefined) => string | null | undefined>
> = {
  domain: (_trajectory, task) => task?.domain,
  modality: (_trajectory, task) => task?.modality,
  problem_type: (_trajectory, task) => task?.problem_type,
  split: (_trajectory, task) => task?.split,
  origin: (_trajectory, task) => task?.origin,
  model: ({ model }) => model,
  scaffold: ({ scaffold }) => scaffold,
  termination: ({ termination }) => termination,
};

/** The kept trajectories by domain, modality, problem type and more: the share of each among all that are kept. */
export const compositionFigures: StatsSection = ({ trajectories, tasks }) => {
  const kept = trajectories.filter(({ decision }) => decision === 'kept');
  const figures: Figure[] = [];
  if (kept.length === 0) return figures;
  for (const [dimension, read] of Object.entries(DIMENSIONS)) {
    const counts = countBy(kept, (each) => read(each, tasks.get(each.task_id ?? '')) ?? UNKNOWN);
    for (const [value, count] of counts) {
      const place = { section: 'composition', key: dimension, figure: value };
      figures.push(shareFigure(place, count, kept.length));
    }
  }
  return figures;
};
