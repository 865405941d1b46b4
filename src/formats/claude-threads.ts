import {
  answeredIds,
  callIds,
  isSpoken,
  type KeptTail,
  keptTail,
  messageId,
  type SessionRecord,
  startsContext,
} from './claude-records.js';

/** One conversation: its records in order and the contexts that the model had, the last one leading to the leaf. */
export interface Thread {
  /** every record, also of rewound branches, parents before children */
  readonly order: readonly SessionRecord[];
  readonly contexts: readonly (readonly SessionRecord[])[];
  readonly flags: readonly string[];
}

/** The main conversation, and those of sub-agents that stand in the same file. */
export function splitThreads(records: readonly SessionRecord[]): {
  readonly main: readonly SessionRecord[];
  readonly agents: readonly (readonly SessionRecord[])[];
} {
  const main = records.filter((record) => !record.sidechain);
  const byUuid = new Map(records.map((record) => [record.uuid, record]));
  const roots = new Map<string, string>();
  const agents = new Map<string, SessionRecord[]>();
  for (const record of records) {
    if (!record.sidechain) continue;
    const parent = byUuid.get(record.parent ?? '');
    // Parents stand before their children, so that the root of a parent is known.
    const root = (parent?.sidechain === true ? roots.get(parent.uuid) : undefined) ?? record.uuid;
    roots.set(record.uuid, root);
    const key = record.agent ?? root;
    const own = agents.get(key);
    if (own === undefined) agents.set(key, [record]);
    else own.push(record);
  }
  return { main, agents: [...agents.values()] };
}

/**
 * Follows a conversation from its leaf, the last message in the file that is no tool result, back through the parents;
 * at a compaction the context before it is followed in turn. Answers to parallel calls and parts of one API message
 * hang beside the path and belong to it; what else hangs beside it was rewound.
 */
export function followThread(records: readonly SessionRecord[]): Thread | null {
  const leaf = records.findLast((record) => isSpoken(record) && answeredIds(record).length === 0);
  if (leaf === undefined) return null;
  const tree = linkRecords(records);
  const paths: Path[] = [];
  const visited = new Set<SessionRecord>();
  for (let end: SessionRecord | null = leaf; end !== null; ) {
    const path = climb(end, tree, visited);
    paths.unshift(path);
    end = path.before;
  }
  const onPath = new Set(paths.flatMap((path) => path.records));
  const order = depthFirst(tree, onPath);
  const contexts = paths.map((path) => contextOf(path, order, tree));
  return { order, contexts, flags: [...tree.flags] };
}

interface Tree {
  readonly records: readonly SessionRecord[];
  readonly byUuid: ReadonlyMap<string, SessionRecord>;
  readonly parents: ReadonlyMap<SessionRecord, SessionRecord>;
  /** by the boundary record */
  readonly kept: readonly KeptTail[];
  readonly flags: ReadonlySet<string>;
}

/** A way from a root to a leaf; `before` is the leaf of the context that was compacted at its root. */
interface Path {
  readonly records: readonly SessionRecord[];
  readonly before: SessionRecord | null;
}

function linkRecords(records: readonly SessionRecord[]): Tree {
  const byUuid = new Map(records.map((record) => [record.uuid, record]));
  const kept = records.flatMap((record) => keptTail(record) ?? []);
  const parents = new Map<SessionRecord, SessionRecord>();
  const flags = new Set<string>();
  records.forEach((record, position) => {
    const previous = records[position - 1];
    let parent = byUuid.get(record.parent ?? '');
    if (parent === undefined && record.parent !== null && !startsContext(record)) {
      if (record.parent !== undefined) flags.add(previous === undefined ? 'history_missing' : 'chain_gap');
      parent = previous;
    }
    const tail = kept.find(({ tail, boundary }) => tail === parent?.uuid && record.index > boundary.index);
    const moved = kept.find(
      ({ anchor, members }) => anchor === record.parent && members.includes(record.uuid),
    );
    if (moved !== undefined) parent = placeBefore(record, moved, { records, byUuid });
    else if (tail !== undefined) parent = byUuid.get(tail.anchor) ?? tail.boundary;
    if (parent !== undefined && parent !== record) parents.set(record, parent);
  });
  return { records, byUuid, parents, kept, flags };
}

/** What a kept record followed in the old context, where it was written only after it hung on the summary. */
function placeBefore(
  record: SessionRecord,
  kept: KeptTail,
  at: Pick<Tree, 'records' | 'byUuid'>,
): SessionRecord | undefined {
  const before = kept.members[kept.members.indexOf(record.uuid) - 1];
  const known = before === undefined ? undefined : at.byUuid.get(before);
  return known ?? at.records.findLast((other) => other.index < kept.boundary.index && isSpoken(other));
}

function climb(leaf: SessionRecord, tree: Tree, visited: Set<SessionRecord>): Path {
  const path: SessionRecord[] = [];
  let at: SessionRecord | undefined = leaf;
  while (at !== undefined && !visited.has(at)) {
    visited.add(at);
    path.push(at);
    at = tree.parents.get(at);
  }
  path.reverse();
  return { records: path, before: at === undefined ? contextBefore(path[0], tree, visited) : null };
}

function contextBefore(
  root: SessionRecord | undefined,
  tree: Tree,
  visited: ReadonlySet<SessionRecord>,
): SessionRecord | null {
  if (root === undefined || !startsContext(root)) return null;
  const logical = root.fields['logicalParentUuid'];
  const named = typeof logical === 'string' ? tree.byUuid.get(logical) : undefined;
  const before = named ?? tree.records.findLast((record) => record.index < root.index && isSpoken(record));
  return before === undefined || visited.has(before) ? null : before;
}

/** Parents before children; of several children the one on the path comes last. */
function depthFirst(tree: Tree, onPath: ReadonlySet<SessionRecord>): SessionRecord[] {
  const children = new Map<SessionRecord | null, SessionRecord[]>();
  for (const record of tree.records) {
    const parent = tree.parents.get(record) ?? null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [record]);
    else siblings.push(record);
  }
  const order = new Set<SessionRecord>();
  // Records of a damaged chain that leads into itself are reached from the first of them.
  for (const root of [...(children.get(null) ?? []), ...tree.records]) {
    const stack = [root];
    for (let record = stack.pop(); record !== undefined; record = stack.pop()) {
      if (order.has(record)) continue;
      order.add(record);
      const next = children.get(record) ?? [];
      // The last one pushed comes first: branches in the order of the file, then the path.
      for (const child of next.toReversed()) if (onPath.has(child)) stack.push(child);
      for (const child of next.toReversed()) if (!onPath.has(child)) stack.push(child);
    }
  }
  return [...order];
}

/** The records of a path and what belongs to them, in order; a tail that compaction kept stands after its anchor. */
function contextOf(path: Path, order: readonly SessionRecord[], tree: Tree): SessionRecord[] {
  const members = withCompanions(path.records, order, tree);
  const context = order.filter((record) => members.has(record));
  const kept = tree.kept.find(({ boundary }) => members.has(boundary));
  if (kept === undefined) return context;
  const tail = keptRecords(kept, tree);
  const companions = withCompanions(tail, order, tree);
  const anchor = context.findIndex((record) => record.uuid === kept.anchor);
  const at = (anchor < 0 ? context.indexOf(kept.boundary) : anchor) + 1;
  const before = order.filter((record) => companions.has(record) && !members.has(record));
  return [...context.slice(0, at), ...before, ...context.slice(at)];
}

function keptRecords(kept: KeptTail, tree: Tree): SessionRecord[] {
  const listed = kept.members.flatMap((uuid) => tree.byUuid.get(uuid) ?? []);
  if (listed.length > 0) return listed;
  const records: SessionRecord[] = [];
  const seen = new Set<SessionRecord>();
  let at = tree.byUuid.get(kept.tail);
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    records.push(at);
    if (at.uuid === kept.head) return records;
    at = tree.parents.get(at);
  }
  return [];
}

/**
 * The records with the other parts of their API messages, the first answers to their open calls, and what the harness
 * attached to those.
 */
function withCompanions(
  records: readonly SessionRecord[],
  order: readonly SessionRecord[],
  tree: Tree,
): Set<SessionRecord> {
  const members = new Set(records);
  const ids = new Set(records.flatMap((record) => messageId(record) ?? []));
  for (const record of order) if (ids.has(messageId(record) ?? '')) members.add(record);
  const open = new Set([...members].flatMap(callIds));
  for (const record of members) for (const id of answeredIds(record)) open.delete(id);
  const answers = new Set<SessionRecord>();
  for (const record of order) {
    if (members.has(record)) continue;
    const parent = tree.parents.get(record);
    const attached = !isSpoken(record) && parent !== undefined && answers.has(parent);
    const answered = answeredIds(record).filter((id) => open.delete(id));
    if (attached || answered.length > 0) {
      answers.add(record);
      members.add(record);
    }
  }
  return members;
}
