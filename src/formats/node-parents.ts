import { asId, type JsonObject } from './shape.js';

/** What a log tells of the node that another was made from. */
export interface NodeParent {
  /** null for none */
  readonly execution_id: string | null;
  /** the log names one that it does not hold */
  readonly missing: boolean;
}

export const NO_PARENT: NodeParent = { execution_id: null, missing: false };

/** For each node its one parent by id; one that is missing leaves the flag `parent_missing`. */
export function soleParents(
  nodes: readonly JsonObject[],
  parentOf: (node: JsonObject) => string | null,
  { executions, flags }: { executions: readonly string[]; flags: Set<string> },
): NodeParent[] {
  const stated = nodes.map(parentOf);
  const places = parentPlaces(
    nodes.map(({ id }) => asId(id)),
    stated.map((parent) => [parent]),
  );
  return places.map(([place = null], order) => {
    const missing = place === null && stated[order] !== null;
    if (missing) flags.add('parent_missing');
    return { execution_id: place === null ? null : (executions[place] ?? null), missing };
  });
}

/**
 * For each node the places of those of its parents that are there, by the keys that nodes have. Where several have one
 * key (a search that was resumed) it is the last before the child, else the first other; no node is its own parent.
 */
export function parentPlaces<Key>(
  keys: readonly (Key | null)[],
  parents: readonly (readonly (Key | null)[])[],
): number[][] {
  const places = new Map<Key, number[]>();
  keys.forEach((key, place) => {
    if (key === null) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  });
  const latest = new Map<Key | null, number>();
  return parents.map((wanted, order) => {
    const found = wanted.flatMap((key) => {
      const before = key === null ? undefined : latest.get(key);
      if (before !== undefined) return [before];
      const [first, second] = key === null ? [] : (places.get(key) ?? []);
      return (first === order ? second : first) ?? [];
    });
    latest.set(keys[order] ?? null, order);
    return found;
  });
}
