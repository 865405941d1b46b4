import { objectOf } from './fields.js';
import { orderedNodes } from './search-nodes.js';
import { asId, asNumber, asString, type JsonObject } from './shape.js';

/** The nodes of one search in the order in which they were run, with what is doubtful about them. */
export interface NodeRun {
  readonly nodes: readonly JsonObject[];
  readonly flags: readonly string[];
}

/** What a writer brings up to date when it writes a node again. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['children', 'current_best_node', 'timestamp']);

/**
 * The searches whose nodes stand one after the other in a list. A journal numbers its nodes from 0 as it appends
 * them, so that a second node 0 is the first of another search, where the numbers of each rise and each that follows
 * shows its beginning. Where steps repeat in any other way (a search that was resumed from a checkpoint, or several in
 * one another) all stay one run in the order of the list, flagged. A node that is written twice counts once.
 */
export function nodeRuns(list: readonly unknown[], path = 'nodes'): NodeRun[] {
  const written = list.map((value, index) => objectOf(value, `${path}[${index}]`));
  const nodes = withoutCopies(written);
  const flags = nodes.length < written.length ? ['node_copies'] : [];
  const parts = atBeginnings(nodes);
  const [first, ...others] = parts;
  if (first === undefined) return [{ nodes: [], flags }];
  if (others.length > 0 && rises(first) && others.every(isWhole)) {
    return parts.map((part) => ({ nodes: part, flags: ['several_runs', ...flags] }));
  }
  const steps = nodes.flatMap((node) => asNumber(node['step']) ?? []);
  if (new Set(steps).size === steps.length) return [{ nodes: orderedNodes(nodes, path), flags }];
  return [{ nodes, flags: ['steps_repeat', ...flags] }];
}

/** Without nodes that stand twice: the same id, and nothing new but bookkeeping. */
function withoutCopies(nodes: readonly JsonObject[]): JsonObject[] {
  const ids = nodes.map((node) => asId(node['id']));
  const once = new Set<string | null>();
  const twice = new Set<string | null>();
  for (const id of ids) (once.has(id) ? twice : once).add(id);
  const seen = new Set<string>();
  return nodes.filter((node, index) => {
    const id = ids[index] ?? null;
    if (id === null || !twice.has(id)) return true;
    const content = JSON.stringify(Object.entries(node).filter(([key]) => !BOOKKEEPING.has(key)));
    if (seen.has(content)) return false;
    seen.add(content);
    return true;
  });
}

/** Cut before each node 0 but the first. */
function atBeginnings(nodes: readonly JsonObject[]): JsonObject[][] {
  const parts: JsonObject[][] = [];
  const begun = new Set<string | null>();
  for (const node of nodes) {
    const id = asId(node['id']);
    const begins = asNumber(node['step']) === 0 && begun.size > 0 && !begun.has(id);
    if (asNumber(node['step']) === 0) begun.add(id);
    const part = parts.at(-1);
    if (part === undefined || begins) parts.push([node]);
    else part.push(node);
  }
  return parts;
}

function rises(part: readonly JsonObject[]): boolean {
  return part.every((node, index) => {
    const step = asNumber(node['step']);
    const before = index === 0 ? Number.NEGATIVE_INFINITY : asNumber(part[index - 1]?.['step']);
    return step !== null && before !== null && step > before;
  });
}

/** Whether nodes are a search from its beginning: a root without a program, or at least 0 and 1 in a row. */
function isWhole(part: readonly JsonObject[]): boolean {
  const root = (asString(part[0]?.['code']) ?? '').trim() === '';
  return rises(part) && (root || (part.length > 1 && asNumber(part[1]?.['step']) === 1));
}
