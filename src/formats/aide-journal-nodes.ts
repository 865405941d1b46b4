import { parseJsonText } from '../logs/json.js';
import type { ReadContext } from './adapter.js';
import { isDojoNode, orderedNodes } from './search-nodes.js';
import {
  asArray,
  asBoolean,
  asId,
  asNumber,
  asNumeral,
  asString,
  hasKeys,
  isObject,
  type JsonObject,
} from './shape.js';

/** What AIDE puts in the place of each output when it writes a journal of the best path alone. */
const OMITTED = '<OMITTED>';
const JOURNAL = /journal\.json$/;

/** Nodes of one search with the map from child to parent, which older and forked writers leave out. */
export interface Journal {
  readonly nodes: readonly unknown[];
  readonly parents: JsonObject;
  /** whether it names parents, in that map or in the nodes: a node without one is then a root */
  readonly names_parents: boolean;
}

/** The journal that an object, or a bare list of nodes, is; null for anything else. */
export function asJournal(value: unknown): Journal | null {
  if (Array.isArray(value)) return isNodeList(value) ? listed(value) : null;
  if (!isObject(value) || !Array.isArray(value['nodes'])) return null;
  const { nodes, node2parent } = value;
  if (!isObject(node2parent)) return isNodeList(nodes) ? listed(nodes) : null;
  // AI-Scientist v2 and MLE-Dojo keep the same envelope.
  return nodes.some(isOfOthers) ? null : { nodes, parents: node2parent, names_parents: true };
}

function listed(nodes: readonly unknown[]): Journal {
  const names_parents = nodes.some((node) => hasKeys(node, 'parent_id') || hasKeys(node, 'parent'));
  return { nodes, parents: {}, names_parents };
}

function isNodeList(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every(isAideNode);
}

/** A node as AIDE and its forks write it, where no `node2parent` beside it tells. */
export function isAideNode(value: unknown): boolean {
  return (
    hasKeys(value, 'code', 'plan', 'metric', 'is_buggy') &&
    // nodes of aira-dojo name their operators and keep the direction beside the metric
    !hasKeys(value, 'metric_maximize') &&
    !hasKeys(value, 'operators_used') &&
    !isOfOthers(value)
  );
}

/** Nodes with plots or metrics of several data sets (AI-Scientist v2), or that an environment graded (MLE-Dojo). */
function isOfOthers(node: unknown): boolean {
  const scientist = hasKeys(node, 'plot_code') || (hasKeys(node, 'metric') && isObject(metricValue(node)));
  return scientist || isDojoNode(node);
}

function metricValue(node: JsonObject): unknown {
  const metric = node['metric'];
  return isObject(metric) ? metric['value'] : metric;
}

/** The metric of a node, also where a fork wrote the number as text; null where it is none or not finite. */
export function nodeScore(node: JsonObject): number | null {
  return asNumeral(metricValue(node));
}

/** The direction that a node states: a boolean, or what Python's str and int make of one. */
export function nodeMaximize(node: JsonObject): boolean | null {
  const stated = isObject(node['metric']) ? node['metric']['maximize'] : null;
  if (stated === 1 || stated === 0) return stated === 1;
  const text = asString(stated)?.toLowerCase();
  return text === 'true' || text === 'false' ? text === 'true' : asBoolean(stated);
}

export function parentId(node: JsonObject, parents: JsonObject): string | null {
  return asId(parents[asId(node['id']) ?? '']) ?? asId(node['parent_id']) ?? asId(node['parent']);
}

/**
 * The stubs that tree searches of later forks start from: nothing was run, and other nodes come from them. One that says
 * it is the root may hold words of the scaffold (ML-Master: `# virtual code`).
 */
export function stubsOf({ nodes, parents }: Journal): ReadonlySet<JsonObject> {
  const written = nodes.filter(isObject);
  const named = new Set(written.map((node) => parentId(node, parents)));
  return new Set(
    written.filter((node) => {
      if (asNumber(node['exec_time']) !== null || nodeScore(node) !== null) return false;
      if (asArray(node['_term_out']).length > 0) return false;
      if (node['stage'] === 'root') return true;
      const id = asId(node['id']);
      return (asString(node['code']) ?? '').trim() === '' && id !== null && named.has(id);
    }),
  );
}

/**
 * The reply of MLEvolve's planner, which it keeps as the JSON of what it parsed out of it; null for any other plan. The
 * program beside it is that of the parent with patches, which another call of the model wrote: no reply holds it whole.
 */
export function plannerReply(node: JsonObject): string | null {
  const plan = asString(node['plan']) ?? '';
  if (!plan.startsWith('{') || !plan.includes('"raw_response"')) return null;
  try {
    const { value } = parseJsonText(plan);
    return hasKeys(value, 'parse_success') ? asString(value['raw_response']) : null;
  } catch {
    return null;
  }
}

/** Whether the journal holds the program of a node: a copy that was made slim names it in files that lie elsewhere. */
export function holdsProgram(node: JsonObject): boolean {
  return typeof node['code'] === 'string';
}

export function isOmitted(node: JsonObject): boolean {
  return node['_term_out'] === OMITTED;
}

/**
 * The journal beside this one that holds all its nodes and more of them: AIDE writes the best path a second time,
 * without outputs (filtered_journal.json). Looked for only where steps are missing or outputs are omitted.
 */
export function fullerJournal(nodes: readonly JsonObject[], { siblings }: ReadContext): string | null {
  const steps = nodes.map((node) => asNumber(node['step']) ?? 0);
  const whole = Math.max(...steps) < nodes.length && !nodes.some(isOmitted);
  if (whole) return null;
  const beside = siblings.names.filter((name) => JOURNAL.test(name) && !name.includes('/'));
  return beside.find((name) => holdsMore(siblings.readText(name, 'journal'), nodes)) ?? null;
}

function holdsMore(text: string | null, nodes: readonly JsonObject[]): boolean {
  try {
    const other = text === null ? null : asJournal(parseJsonText(text).value);
    if (other === null) return false;
    const full = orderedNodes(other.nodes);
    const ids = new Set(full.map((node) => asId(node['id'])));
    const all = nodes.every((node) => ids.has(asId(node['id'])));
    return all && (full.length > nodes.length || (nodes.some(isOmitted) && !full.some(isOmitted)));
  } catch {
    // A journal that cannot be read is rejected as a file of its own.
    return false;
  }
}
