/** A record of a log whose records point to their parents. */
export interface ChainLink {
  readonly id: string | null;
  readonly parent: string | null;
  /** a record that can end the conversation: a message, not a notice */
  readonly message: boolean;
}

export interface Chain {
  /** indices of the records on the way from the root to the last message */
  readonly indices: readonly number[];
  /** messages that lie on another branch */
  readonly left_out: number;
  /** a record points to a parent that the log does not hold, though others stand before it */
  readonly gap: boolean;
  /** false where ids repeat or are missing, so that file order had to stand in for the tree */
  readonly readable: boolean;
}

/** Follows the last message of a log back to its root: rewinds and forks leave branches that no longer count. */
export function lastChain(links: readonly ChainLink[]): Chain {
  const byId = new Map<string, number>();
  let unique = true;
  links.forEach((link, index) => {
    if (link.id === null || byId.has(link.id)) unique = false;
    else byId.set(link.id, index);
  });
  const inFileOrder: Chain = {
    indices: links.map((_, index) => index),
    left_out: 0,
    gap: false,
    readable: false,
  };
  const leaf = links.findLastIndex((link) => link.message);
  if (!unique || leaf === -1) return inFileOrder;
  const indices: number[] = [];
  const seen = new Set<number>();
  let gap = false;
  for (let at = leaf; !seen.has(at); ) {
    seen.add(at);
    indices.push(at);
    const parent = links[at]?.parent ?? null;
    if (parent === null) break;
    const index = byId.get(parent);
    // A parent outside of the file: the session goes on from one that is not here, or its line is lost.
    if (index === undefined && at === 0) break;
    gap ||= index === undefined;
    const next = index ?? at - 1;
    if (seen.has(next)) return inFileOrder;
    at = next;
  }
  indices.reverse();
  // Notices after the leaf hang on it: they belong to the end of the chain.
  for (let at = leaf + 1; at < links.length; at++) {
    const parent = byId.get(links[at]?.parent ?? '');
    if (parent !== undefined && seen.has(parent)) {
      seen.add(at);
      indices.push(at);
    }
  }
  const left_out = links.filter((link, index) => link.message && !seen.has(index)).length;
  return { indices, left_out, gap, readable: true };
}
