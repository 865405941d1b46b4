import type { RunFact } from './facts.js';

/** A value that the log does not name. */
export const UNKNOWN = 'unknown';

const DIMENSIONS = ['task', 'scaffold', 'model'] as const;

/** Code-unit order, so that output never depends on the locale. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Runs under every key that they belong to: `all`, then `task:<id>`, `scaffold:<name>`, `model:<name>`, each in
 * code-unit order.
 */
export function groupRuns(runs: readonly RunFact[]): Map<string, readonly RunFact[]> {
  const groups = new Map<string, readonly RunFact[]>([['all', runs]]);
  for (const dimension of DIMENSIONS) {
    const own = groupBy(runs, (run) => `${dimension}:${nameOf(run, dimension)}`);
    for (const [key, list] of own) groups.set(key, list);
  }
  return groups;
}

function nameOf(run: RunFact, dimension: (typeof DIMENSIONS)[number]): string {
  switch (dimension) {
    case 'task':
      return run.task_id ?? UNKNOWN;
    case 'scaffold':
      return run.scaffold ?? UNKNOWN;
    case 'model':
      return run.model ?? UNKNOWN;
  }
}

/** The items by key, keys in code-unit order. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [item]);
    else list.push(item);
  }
  return new Map([...groups].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** How often each key occurs, keys in code-unit order. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  return new Map([...groupBy(items, keyOf)].map(([key, list]) => [key, list.length]));
}
