import { DIRECTION_INCONSISTENT, type Trajectory } from '../trajectory/trajectory.js';
import type { TaskIndex } from './task-index.js';
import type { TaskRecord } from './task-record.js';

/** Where the id of a task was found. */
export type TaskSource = 'log' | 'sidecar' | 'path' | 'mapping' | 'none';

export interface ResolveOptions {
  readonly index: TaskIndex;
  /** regular expressions over the source path, with a named group `task`; the first that matches counts */
  readonly pathPatterns?: readonly RegExp[];
  /** from a name in the log, a session id, or a source path or a folder of it, to a task id */
  readonly mapping?: Readonly<Record<string, string>>;
}

export interface ResolvedTask {
  readonly task: TaskRecord | null;
  /** the id of the record, else the name as found; null where nothing names a task */
  readonly task_id: string | null;
  readonly how: TaskSource;
}

/** Trajectory flag of an adapter that took the task id from a sidecar. */
export const TASK_FROM_SIDECAR = 'task_from_sidecar';

/**
 * The task of a trajectory. Sources in order: the log, a sidecar, a path pattern, the mapping. The first that names
 * a task counts, known or not, so that a stray folder name never grades a run of another task; the mapping also
 * translates a name that the index does not know.
 */
export function resolveTask(trajectory: Trajectory, options: ResolveOptions): ResolvedTask {
  const { index, pathPatterns = [], mapping = {} } = options;
  const mapped = (name: string): string | null =>
    Object.hasOwn(mapping, name) ? (mapping[name] ?? null) : null;
  const [name, how] = nameOf(trajectory, pathPatterns);
  if (name !== null) {
    const task = index.find(name);
    if (task !== null) return { task, task_id: task.task_id, how };
    const translated = mapped(name);
    if (translated === null) return { task: null, task_id: name, how };
    return found(index, translated);
  }
  const { session_id, source } = trajectory;
  const target = (session_id === null ? null : mapped(session_id)) ?? mappedPath(source.path, mapped);
  return target === null ? { task: null, task_id: null, how: 'none' } : found(index, target);
}

function nameOf(trajectory: Trajectory, patterns: readonly RegExp[]): [string | null, TaskSource] {
  if (trajectory.task_id !== null) {
    return [trajectory.task_id, trajectory.flags.includes(TASK_FROM_SIDECAR) ? 'sidecar' : 'log'];
  }
  for (const pattern of patterns) {
    const name = trajectory.source.path.match(pattern)?.groups?.['task'];
    if (name !== undefined && name !== '') return [name, 'path'];
  }
  return [null, 'none'];
}

/** The whole path, else its folders from the innermost outwards. */
function mappedPath(path: string, mapped: (name: string) => string | null): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const target = mapped(path.slice(0, end)) ?? mapped(path.slice(0, end + 1));
    if (target !== null) return target;
  }
  return null;
}

function found(index: TaskIndex, id: string): ResolvedTask {
  const task = index.find(id);
  return { task, task_id: task?.task_id ?? id, how: 'mapping' };
}

/**
 * A sentence where the log's direction of the metric contradicts the task record, else null. Such a run is rejected
 * (direction_contradicts_task): every comparison of its scores would be the wrong way round.
 */
export function contradiction(trajectory: Trajectory, task: TaskRecord): string | null {
  if (trajectory.flags.includes(DIRECTION_INCONSISTENT)) {
    return `the log says both that higher and that lower is better for task ${task.task_id}`;
  }
  const claimed = trajectory.task_claims?.is_lower_better ?? null;
  if (claimed === null || claimed === task.is_lower_better) return null;
  const word = (lower: boolean): string => (lower ? 'lower' : 'higher');
  return `the log says ${word(claimed)} is better, the record of task ${task.task_id} says ${word(task.is_lower_better)}`;
}

export const TASK_FLAGS = {
  thresholds_differ_from_task: 'the log states other thresholds than the task record, which counts',
} as const satisfies Record<string, string>;
export type TaskFlag = keyof typeof TASK_FLAGS;

/** What else the log claims of its task and the record does not bear out: the record counts, the run is flagged. */
export function taskFlags(trajectory: Trajectory, task: TaskRecord): TaskFlag[] {
  const { task_claims: claims } = trajectory;
  const { thresholds } = task;
  if (claims === null || thresholds === null) return [];
  const differs = (['gold', 'silver', 'bronze', 'median'] as const).some((tier) => {
    const claimed = claims[tier];
    const known = thresholds[tier];
    return claimed !== null && known !== null && claimed !== known;
  });
  return differs ? ['thresholds_differ_from_task'] : [];
}
