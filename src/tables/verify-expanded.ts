import { createHash } from 'node:crypto';
import type { Check } from './check-list.js';
import { collapseSequence } from './expanded-rows.js';
import { RL_TABLE } from './specs/rl.js';
import { WINDOWS_TABLE } from './specs/windows.js';
import type { AnyRow, TableSpec } from './table-spec.js';
import type { ExpandedRow } from './table-specs.js';

function digest(spec: TableSpec, row: object): string {
  const values = spec.columns.map(({ name }) => {
    const value = (row as AnyRow)[name];
    return ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>) : value;
  });
  return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}

/** Compares expanded rows with the stored form: what they give back has to be the rows of `rl` and `windows`. */
export class ExpandedChecks {
  readonly #check: Check;
  /** digests of rows of `rl` and `windows`, by id */
  readonly #stored = { rl: new Map<string, string>(), windows: new Map<string, string>() };
  readonly #open = new Map<string, ExpandedRow[]>();

  constructor(check: Check) {
    this.#check = check;
  }

  storedSequence(row: AnyRow): void {
    this.#stored.rl.set(String(row['sequence_id']), digest(RL_TABLE, row));
  }

  storedWindow(row: AnyRow): void {
    this.#stored.windows.set(String(row['window_id']), digest(WINDOWS_TABLE, row));
  }

  /** Takes an expanded row that is right in itself; the last one of a sequence is checked with all the others. */
  take(row: ExpandedRow): void {
    const id = row.sequence_id ?? '';
    const rows = [...(this.#open.get(id) ?? []), row];
    if (rows.length < row.n_windows) {
      this.#open.set(id, rows);
      return;
    }
    this.#open.delete(id);
    this.#check.look(`sequence ${id} of expanded rows`, this.#problem(rows));
  }

  /** Sequences of which not all windows came, and those that never came. */
  finish(): void {
    for (const [id, rows] of this.#open) {
      this.#check.look(
        `sequence ${id} of expanded rows`,
        `${rows.length} of ${rows[0]?.n_windows} are there`,
      );
    }
    for (const id of this.#stored.rl.keys()) this.#check.look(`sequence ${id}`, 'has no expanded rows');
  }

  #problem(rows: readonly ExpandedRow[]): string | null {
    try {
      const { rl, windows } = collapseSequence(rows);
      const known = this.#stored.rl.get(rl.sequence_id);
      this.#stored.rl.delete(rl.sequence_id);
      if (known !== undefined && known !== digest(RL_TABLE, rl)) return 'they do not give back its row of rl';
      for (const window of windows) {
        const row = this.#stored.windows.get(window.window_id);
        if (row !== undefined && row !== digest(WINDOWS_TABLE, window)) {
          return `they do not give back window ${window.window_id}`;
        }
      }
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
