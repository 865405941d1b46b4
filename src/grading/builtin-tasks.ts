import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { type TaskRecord, taskRecordSchema } from './task-record.js';

/** data/tasks of the package: two folders up from here in src and in dist alike. */
const folder = fileURLToPath(new URL('../../data/tasks/', import.meta.url));

/** Files of records in data/tasks: the 82 competitions of MLE-bench, and the tasks of the sample logs. */
const RECORD_FILES = ['mlebench.json', 'samples.json'] as const;

let loaded: readonly TaskRecord[] | null = null;

/** The task records that the package ships. Read once. */
export function builtinTasks(): readonly TaskRecord[] {
  loaded ??= RECORD_FILES.flatMap((name) => readRecords(`${folder}${name}`));
  return loaded;
}

function readRecords(path: string): TaskRecord[] {
  try {
    return z.array(taskRecordSchema).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new TrajmillError(
      'E_TASK_FILE',
      'the shipped task records are damaged: install the package again',
      {
        place: path,
        cause,
      },
    );
  }
}
