import { RejectError } from '../logs/reject.js';
import { objectOf, wrongType } from './fields.js';
import { asArray, asNumber, hasKeys, isObject, type JsonObject } from './shape.js';

/** A message of a trace, with the tokens that it adds to those before it. */
export interface TraceNode {
  readonly fields: JsonObject;
  readonly message: JsonObject;
  /** index of the message before it, null for the first of a conversation */
  readonly parent: number | null;
  /** a call of the model produced it; every other message, whatever its role, was handed in */
  readonly sampled: boolean;
  /** an attempt at a summary that is to take the place of what came before */
  readonly summary: boolean;
  readonly path: string;
}

/** Links that a harness adds to a compaction that it asked for, and to the turn that went on from one. */
const ATTEMPT = 'compaction_attempt';
const ACCEPTED = 'compaction';

/** Whether a value is a list of such nodes. */
export function isNodeGraph(value: unknown): boolean {
  return Array.isArray(value) && value.some((node) => hasKeys(node, 'message', 'sampled'));
}

/**
 * The nodes of a graph in the order in which they were made. Writers leave out what is null, so that a node without
 * `parent` begins a conversation; where no node has one, as converters write them, they are one conversation.
 *
 * @throws RejectError `bad_shape` for a parent that does not stand before its child
 */
export function traceNodes(list: readonly unknown[], path: string): TraceNode[] {
  const linear = !list.some((value) => isObject(value) && (value['parent'] ?? null) !== null);
  return list.map((value, index) => {
    const own = `${path}[${index}]`;
    const fields = objectOf(value, own);
    const stated = fields['parent'] ?? null;
    const parent = linear ? previous(index) : stated === null ? null : asNumber(stated);
    if (stated !== null && parent === null) throw wrongType(`${own}.parent`, 'an index', stated);
    if (parent !== null && !(Number.isInteger(parent) && parent >= 0 && parent < index)) {
      throw new RejectError('bad_shape', `${own}.parent: ${parent} is no node before it`);
    }
    const message = objectOf(fields['message'], `${own}.message`);
    const summary = hasLink(fields, ATTEMPT);
    return { fields, message, parent, sampled: fields['sampled'] === true, summary, path: own };
  });
}

function linksOf(fields: JsonObject): JsonObject[] {
  return asArray(fields['semantic_parents']).filter(isObject);
}

function hasLink(fields: JsonObject, type: string): boolean {
  return linksOf(fields).some((link) => link['type'] === type);
}

function previous(index: number): number | null {
  return index === 0 ? null : index - 1;
}

/** A context of the model: the nodes from the first message to the last one that nothing follows. */
export interface Branch {
  readonly nodes: readonly number[];
  /** it goes on from a summary of what came before */
  readonly compacted: boolean;
  /** an attempt at such a summary that the harness did not go on from */
  readonly abandoned: boolean;
}

/** One branch for each node that has no successor, in the order of these last nodes. */
export function branchesOf(nodes: readonly TraceNode[]): Branch[] {
  const followed = new Set(nodes.map(({ parent }) => parent));
  const links = nodes.flatMap(({ fields }) => linksOf(fields));
  const accepted = new Set(links.flatMap((link) => (link['type'] === ACCEPTED ? [link['node']] : [])));
  const leaves = nodes.flatMap((_, index) => (followed.has(index) ? [] : [index]));
  return leaves.map((leaf) => {
    const chain: number[] = [];
    for (let at: number | null = leaf; at !== null; at = nodes[at]?.parent ?? null) chain.push(at);
    return {
      nodes: chain.reverse(),
      compacted: chain.some((node) => hasLink(nodes[node]?.fields ?? {}, ACCEPTED)),
      abandoned: nodes[leaf]?.summary === true && !accepted.has(leaf),
    };
  });
}

/**
 * The contexts that are trained, without those of abandoned summaries; where a run has no other, it ends before the
 * summary.
 */
export function contextsOf(branches: readonly Branch[]): readonly Branch[] {
  const contexts = branches.filter(({ abandoned }) => !abandoned);
  if (contexts.length > 0) return contexts;
  return branches.map((branch) => ({ ...branch, nodes: branch.nodes.slice(0, -1) }));
}
