import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { isSearch, knowsParent, nodesOf, ownersOf, sharedBy } from './search-tree.js';

/**
 * The turns before an anchor that lie off its path: those of all nodes but the ones from which the anchor's was made,
 * one from the other. A node goes whole: its prompts, its reply, its feedback. What stands before the first node stays,
 * where later nodes have it before them too. Empty for a run that is no search; null where the log does not tell the
 * path: it names no parents, or one that it lacks, that comes later, or that is its own descendant.
 */
export function turnsOffPath(trajectory: Trajectory, anchorTurn: number): readonly number[] | null {
  if (!isSearch(trajectory)) return [];
  const nodes = nodesOf(trajectory);
  const path = pathTo(anchorTurn, nodes, trajectory);
  if (path === null) return null;
  const calls = new Set(nodes.map((node) => node.call_turn));
  const owners = ownersOf(trajectory, calls);
  const isShared = sharedBy(trajectory, calls);
  return owners.flatMap((owner, turn) => {
    const stays = turn >= anchorTurn || owner === null || path.has(owner) || isShared(turn);
    return stays ? [] : [turn];
  });
}

/** The turns that launched the anchor and its ancestors. */
function pathTo(
  anchorTurn: number,
  nodes: readonly Execution[],
  trajectory: Trajectory,
): ReadonlySet<number> | null {
  const byId = new Map(nodes.map((node) => [node.execution_id, node]));
  const path = new Set<number>();
  const anchors = nodes.filter((node) => (node.feedback_turn ?? node.call_turn) === anchorTurn);
  if (anchors.length === 0) return null;
  for (const anchor of anchors) {
    const seen = new Set<Execution>();
    for (let node = anchor; ; ) {
      if (seen.has(node) || !knowsParent(trajectory, node)) return null;
      seen.add(node);
      path.add(node.call_turn);
      if (node.parent_execution === null) break;
      const parent = byId.get(node.parent_execution);
      if (parent === undefined || parent.call_turn > node.call_turn) return null;
      node = parent;
    }
  }
  return path;
}
