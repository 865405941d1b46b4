import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';

/** The log does not say from which node each of its nodes was made. */
const PARENTS_ABSENT = 'parents_absent';
/** On an execution: the log names a parent that it does not hold. */
const PARENT_MISSING = 'parent_missing';

/** Whether a run is a search over nodes, of which each may come from any earlier one, or one conversation. */
export function isSearch({ flags, executions }: Trajectory): boolean {
  return flags.includes('tree_search') || executions.some((each) => each.parent_execution !== null);
}

/** Whether a log tells from which node a node was made: a node without a parent is then a root. */
export function knowsParent({ flags }: Trajectory, node: Execution): boolean {
  return !flags.includes(PARENTS_ABSENT) && !node.flags.includes(PARENT_MISSING);
}

/** Experiments, and whatever has or is a parent; in a log of nodes alone all but calls that only score. */
export function nodesOf({ executions, flags }: Trajectory): Execution[] {
  const parents = new Set(executions.map((each) => each.parent_execution));
  const bare = flags.includes('tree_search');
  return executions.filter(
    ({ kind, execution_id, parent_execution }) =>
      kind === 'experiment' ||
      parent_execution !== null ||
      parents.has(execution_id) ||
      (bare && kind !== 'scoring'),
  );
}

/**
 * For each turn the call of the node that it belongs to: feedback to its own, answers to calls with their turn, anything
 * else to the next node. Turns that launch nothing but scoring go with the node before. Null for turns of no node.
 */
export function ownersOf(
  { turns, executions }: Trajectory,
  calls: ReadonlySet<number>,
): readonly (number | null)[] {
  const others = executions.filter((each) => !calls.has(each.call_turn));
  const scoring = new Set(others.filter(({ kind }) => kind === 'scoring').map((each) => each.call_turn));
  const owners: (number | null)[] = turns.map(() => null);
  let waiting: number[] = [];
  let last: number | null = null;
  let answered: number | 'waiting' | null = null;
  turns.forEach(({ role }, turn) => {
    if (calls.has(turn)) {
      for (const each of [...waiting, turn]) owners[each] = turn;
      waiting = [];
      last = turn;
      answered = turn;
    } else if (scoring.has(turn)) {
      owners[turn] = last;
      answered = last;
    } else if (role === 'tool' && answered !== 'waiting') {
      owners[turn] = answered;
    } else {
      waiting.push(turn);
      if (role === 'assistant') answered = 'waiting';
    }
  });
  for (const { call_turn: call, feedback_turn: feedback } of executions) {
    if (feedback !== null) owners[feedback] = owners[call] ?? null;
  }
  return owners;
}

/**
 * Whether a turn stands before the first node and in the context of another one, such as the task of a whole search; or
 * before the only node.
 */
export function sharedBy({ epochs }: Trajectory, calls: ReadonlySet<number>): (turn: number) => boolean {
  const first = [...calls].reduce((least, call) => Math.min(least, call), Number.POSITIVE_INFINITY);
  const shared = new Set<number>();
  for (const { turns } of epochs) {
    if (calls.size > 1 && !turns.some((turn) => turn !== first && calls.has(turn))) continue;
    for (const turn of turns) if (turn < first) shared.add(turn);
  }
  return (turn) => shared.has(turn);
}
