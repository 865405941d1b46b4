import { contentSpan, inlineCallSpan, makeTurn } from '../trajectory/build.js';
import type { ExecutionStatus } from '../trajectory/execution.js';
import type { Origin } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import { objectOf } from './fields.js';
import { asArray, asId, asNumber, asString, hasKeys, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';

/** Every node of the AIDE family runs its program, and nothing else is run. */
export const NODE_TOOL = 'python';

/** A node of the AIDE agent of MLE-Dojo, whose environment graded it. */
export function isDojoNode(value: unknown): boolean {
  return hasKeys(value, 'code', 'instruction_prompt', 'position_score');
}

/** Nodes by step; a node without one keeps its place in the file. */
export function orderedNodes(list: readonly unknown[], path = 'nodes'): JsonObject[] {
  return byStep(list.map((value, index) => objectOf(value, `${path}[${index}]`)));
}

function byStep(nodes: readonly JsonObject[]): JsonObject[] {
  return nodes
    .map((node, index) => ({ node, step: asNumber(node['step']) ?? index }))
    .sort((a, b) => a.step - b.step)
    .map(({ node }) => node);
}

/** Ids of nodes as ids of executions; one that stands twice gets its place added, with a flag. */
export function executionIds(nodes: readonly JsonObject[], flags: Set<string>): string[] {
  const taken = new Set<string>();
  return nodes.map((node, order) => {
    const id = asId(node['id']) ?? `node-${order}`;
    if (!taken.has(id)) {
      taken.add(id);
      return id;
    }
    flags.add('duplicate_node_ids');
    return `${id}#${order}`;
  });
}

/** Plan and fenced program, as the scaffolds of the AIDE family ask the model to answer. */
export function nodeReply(node: JsonObject, origin: Origin = 'model'): Turn {
  const plan = asString(node['plan']) ?? '';
  const code = asString(node['code']) ?? '';
  const spans = [];
  const fence = `\`\`\`${NODE_TOOL}\n${code}${code.endsWith('\n') ? '' : '\n'}\`\`\``;
  if (plan !== '') spans.push(contentSpan('text', origin, code === '' ? plan : `${plan}\n\n`));
  if (code !== '') spans.push({ ...inlineCallSpan(fence, { name: NODE_TOOL, arguments: code }), origin });
  return makeTurn('assistant', spans, { timestamp: isoSeconds(node['ctime']) });
}

/** What the program printed: chunks joined as they stand, or the one text that some writers make of them. */
export function nodeOutput(node: JsonObject, key = '_term_out'): string {
  const whole = asString(node[key]);
  if (whole !== null) return whole;
  return asArray(node[key])
    .map((chunk) => asString(chunk) ?? '')
    .join('');
}

/** By exception class; `is_buggy` without one is a run that finished and left nothing to grade. */
export function nodeStatus(node: JsonObject): ExecutionStatus {
  const exception = asString(node['exc_type']);
  if (exception === 'TimeoutError') return 'timeout';
  if (exception !== null) return 'error';
  return asNumber(node['exec_time']) === null && nodeOutput(node) === '' && !Array.isArray(node['_term_out'])
    ? 'unknown'
    : 'ok';
}

/** Index of the span that holds the call, null where there is none. */
export function firstCallSpan(turn: Turn): number | null {
  const index = turn.spans.findIndex((span) => span.call !== null);
  return index === -1 ? null : index;
}
