import type { Counts } from './run-summary.js';

/** A mutable tally by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, n = 1): void {
    if (n !== 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  addAll(names: Iterable<string>): void {
    for (const name of names) this.add(name);
  }

  merge(counts: Counts): void {
    for (const [name, n] of Object.entries(counts)) this.add(name, n);
  }

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** Counts with names in code-unit order, so that output never depends on the order of arrival. */
  toCounts(): Counts {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
}
