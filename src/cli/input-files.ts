import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { TrajmillError } from '../errors.js';
import { builtinTasks } from '../grading/builtin-tasks.js';
import { parseTaskFile } from '../grading/task-file.js';
import { TaskIndex } from '../grading/task-index.js';
import type { TaskRecord } from '../grading/task-record.js';

/** Absolute path of a file that can be read. Throws E_USAGE where there is none, E_IO where it is closed to us. */
export function requireFile(path: string, cwd: string): string {
  const absolute = resolve(cwd, path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats === undefined) throw new TrajmillError('E_USAGE', 'no such file', { place: path });
  if (stats.isDirectory()) {
    throw new TrajmillError(
      'E_USAGE',
      `is a folder; name files in it, for example ${path.replace(/\/$/, '')}/*`,
      {
        place: path,
      },
    );
  }
  try {
    accessSync(absolute, constants.R_OK);
  } catch (cause) {
    throw new TrajmillError('E_IO', 'cannot be read: permission denied', { place: path, cause });
  }
  return absolute;
}

/**
 * Absolute path of a log that can be read, as `requireFile`. A log is read more than once and by places, which a pipe does
 * not give: E_USAGE says how to hand it over.
 */
export function requireLog(path: string, cwd: string): string {
  const absolute = requireFile(path, cwd);
  if (statSync(absolute).isFile()) return absolute;
  throw new TrajmillError('E_USAGE', 'is no regular file; give its content on standard input, named -', {
    place: path,
  });
}

/** The shipped task records, with those of a task file in place of the ones with the same id. */
export function loadTaskIndex(taskFile: string | undefined, cwd: string): TaskIndex {
  const shipped = builtinTasks();
  if (taskFile === undefined) return TaskIndex.of(shipped);
  const own = readTaskFile(taskFile, cwd);
  const replaced = new Set(own.map((record) => record.task_id));
  return TaskIndex.of([...own, ...shipped.filter((record) => !replaced.has(record.task_id))]);
}

/** The records of a task file. */
export function readTaskFile(taskFile: string, cwd: string): TaskRecord[] {
  return parseTaskFile(readFileSync(requireFile(taskFile, cwd), 'utf8'), taskFile);
}
