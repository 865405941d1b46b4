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
