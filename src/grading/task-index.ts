import { TrajmillError } from '../errors.js';
import type { TaskRecord } from './task-record.js';

/** Task records by id and alias. An id or alias stands for one task only. */
export class TaskIndex {
  readonly records: readonly TaskRecord[];
  readonly #byName: ReadonlyMap<string, TaskRecord>;

  private constructor(records: readonly TaskRecord[], byName: ReadonlyMap<string, TaskRecord>) {
    this.records = records;
    this.#byName = byName;
  }

  /** Throws E_TASK_FILE where an id or alias is used by two records. */
  static of(records: readonly TaskRecord[]): TaskIndex {
    const byName = new Map<string, TaskRecord>();
    for (const record of records) {
      for (const name of new Set([record.task_id, ...record.aliases])) {
        const other = byName.get(name);
        if (other !== undefined) {
          throw new TrajmillError(
            'E_TASK_FILE',
            `"${name}" names two task records, ${other.task_id} and ${record.task_id}: ids and aliases must be unique`,
          );
        }
        byName.set(name, record);
      }
    }
    return new TaskIndex(records, byName);
  }

  /** The record with this id or alias, or null. */
  find(name: string): TaskRecord | null {
    return this.#byName.get(name) ?? null;
  }
}
