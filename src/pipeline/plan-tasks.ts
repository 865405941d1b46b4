import { basename, resolve } from 'node:path';
import { builtinTasks } from '../grading/builtin-tasks.js';
import { parseLeaderboard } from '../grading/leaderboard-file.js';
import { parseTaskFile } from '../grading/task-file.js';
import { TaskIndex } from '../grading/task-index.js';
import type { TaskRecord } from '../grading/task-record.js';
import { withMapping } from '../grading/threshold-mapping.js';
import type { PipelineConfig } from './config.js';
import { readNamedFile } from './named-file.js';
import type { PlanBody } from './plan.js';

type TasksConfig = PipelineConfig['tasks'];

/** Stands for every task whose record has no thresholds. */
const EVERY_TASK = '*';

/**
 * The task records of a plan: the user's, then the shipped ones, with the thresholds that the pipeline maps; and the
 * quantiles that only the corpus itself can turn into thresholds.
 */
export function planTasks(
  tasks: TasksConfig,
  home: string,
): Pick<PlanBody, 'task_records' | 'corpus_thresholds'> {
  const records = loadTasks(tasks, home);
  const index = TaskIndex.of(records);
  const byId = new Map(records.map((record) => [record.task_id, record]));
  const waiting = new Map<string, PlanBody['corpus_thresholds'][number]>();
  const readBoard = (path: string) =>
    parseLeaderboard(readText(resolve(home, path), 'leaderboard', path), basename(path));
  const apply = (name: string, record: TaskRecord | null): void => {
    const mapping = tasks.thresholds[name];
    if (mapping === undefined) return;
    const taskId = record?.task_id ?? name;
    const find = (other: string): TaskRecord | null => index.find(other);
    const mapped = withMapping(mapping, { taskId, record, find, readBoard });
    byId.set(taskId, mapped);
    if ('quantiles' in mapping) waiting.set(taskId, { task_id: taskId, ...mapping.quantiles });
  };
  for (const record of records) if (record.thresholds === null) apply(EVERY_TASK, record);
  for (const name of Object.keys(tasks.thresholds)) {
    if (name === EVERY_TASK) continue;
    const record = index.find(name);
    waiting.delete(record?.task_id ?? name);
    apply(name, record);
  }
  return { task_records: [...byId.values()], corpus_thresholds: [...waiting.values()] };
}

function loadTasks(tasks: TasksConfig, home: string): TaskRecord[] {
  const own = tasks.files.flatMap((file) =>
    parseTaskFile(readText(resolve(home, file), 'task file', file), file),
  );
  const shipped = tasks.builtin ? builtinTasks() : [];
  // a user's record replaces the shipped one of the same id
  const ids = new Set(own.map((record) => record.task_id));
  return [...own, ...shipped.filter((record) => !ids.has(record.task_id))];
}

function readText(path: string, what: string, named: string): string {
  return readNamedFile(path, { what, named, code: 'E_TASK_FILE' }).toString('utf8');
}
