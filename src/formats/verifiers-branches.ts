import { RejectError } from '../logs/reject.js';
import type { Execution } from '../trajectory/execution.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { chatRun } from './chat-run.js';
import { asOrigin } from './content-parts.js';
import { isSummary, REASONING_SUMMARY } from './reasoning-summary.js';
import { asArray, isObject, type JsonObject } from './shape.js';
import { boundaryFlags } from './shell-executions.js';
import { isoSeconds } from './times.js';
import type { Branch, TraceNode } from './verifiers-graph.js';
import { NO_TOKENS, type NodeTokens, nodeTokenIds, Prompts, policiesOf } from './verifiers-tokens.js';

interface Graph {
  readonly nodes: readonly TraceNode[];
  /** the call of the model that made a node */
  readonly calls: ReadonlyMap<number, JsonObject>;
  readonly version: string | null;
  /** whether the run trains the agent of this trace */
  readonly trained: boolean;
  /** whether the harness rewrote replies of this trace */
  readonly rewritten: boolean;
}

/**
 * Each branch is read as the chat that it is, so that calls find their answers in their own context; a message of
 * several branches is the turn of the first. Of a later branch only what is new is read, behind the reply before it.
 */
export function readBranches(
  branches: readonly Branch[],
  graph: Graph & { readonly context: ReadContext },
): { turns: Turn[]; executions: Execution[]; flags: string[]; termination: Termination } {
  const { nodes } = graph;
  const ids = nodeTokenIds(nodes);
  const prompts = new Prompts(ids);
  const turns: Turn[] = [];
  const known = new Set<number>();
  const executions: Execution[] = [];
  const flags = new Set<string>();
  let termination: Termination = 'unknown';
  for (const branch of branches) {
    const own = newPart(branch, { nodes, known });
    const run = chatOf(own, graph);
    const place = (position: number): number => own[position] ?? 0;
    const policies = policiesOf(branch, known, { ...graph, ids, prompts });
    for (const execution of run.executions) {
      const call_turn = place(execution.call_turn);
      if (known.has(call_turn) || nodes[call_turn]?.sampled !== true) continue;
      const { feedback_turn } = execution;
      executions.push({
        ...execution,
        call_turn,
        feedback_turn: feedback_turn === null ? null : place(feedback_turn),
      });
    }
    own.forEach((index, position) => {
      const node = nodes[index];
      const turn = run.turns[position];
      if (known.has(index) || node === undefined || turn === undefined) return;
      known.add(index);
      turns[index] = turnOf(turn, { ...graph, node, policy: policies.get(index) ?? NO_TOKENS });
    });
    const boundary = boundaryFlags(run.executions);
    for (const flag of run.flags) if (!boundary.includes(flag)) flags.add(flag);
    if (!branch.abandoned) termination = run.termination;
  }
  const ordered = executions
    .sort((a, b) => a.call_turn - b.call_turn || (a.call_span ?? 0) - (b.call_span ?? 0))
    .map((execution, order) => ({ ...execution, order, execution_id: `call-${order}` }));
  return { turns, executions: ordered, flags: mergedFlags(flags), termination };
}

const UNREAD = 'unread_message_keys:';

/** The flags of all parts, of which each names the unread fields of its own messages. */
function mergedFlags(flags: ReadonlySet<string>): string[] {
  const named = [...flags].filter((flag) => flag.startsWith(UNREAD));
  const keys = new Set(named.flatMap((flag) => flag.slice(UNREAD.length).split(',')));
  const others = [...flags].filter((flag) => !flag.startsWith(UNREAD));
  return keys.size === 0 ? others : [...others, `${UNREAD}${[...keys].sort().join(',')}`];
}

/** The experiment that each other call comes after in its own context, by the id of the call. */
export function artefactsOf(
  nodes: readonly TraceNode[],
  executions: readonly Execution[],
): ReadonlyMap<string, Execution | null> {
  const called = new Map<number, Execution[]>();
  for (const execution of executions) {
    called.set(execution.call_turn, [...(called.get(execution.call_turn) ?? []), execution]);
  }
  const artefacts = new Map<string, Execution | null>();
  const latest: (Execution | null)[] = [];
  nodes.forEach(({ parent }, index) => {
    let experiment = parent === null ? null : (latest[parent] ?? null);
    for (const execution of called.get(index) ?? []) {
      if (execution.kind === 'experiment') experiment = execution;
      else artefacts.set(execution.execution_id, experiment);
    }
    latest.push(experiment);
  });
  return artefacts;
}

/** The nodes of a branch that no branch before it has, behind the last reply that they share with one. */
function newPart(
  branch: Branch,
  { nodes, known }: { nodes: readonly TraceNode[]; known: ReadonlySet<number> },
): readonly number[] {
  const first = branch.nodes.findIndex((index) => !known.has(index));
  let from = first;
  while (from > 0 && (from === first || nodes[branch.nodes[from] ?? 0]?.message['role'] !== 'assistant'))
    from--;
  return branch.nodes.slice(Math.max(from, 0));
}

/** @throws RejectError with the place of the node whose message is at fault */
function chatOf(
  indices: readonly number[],
  { nodes, calls, context }: Graph & { readonly context: ReadContext },
): RawTrajectory {
  const own = indices.flatMap((index) => nodes[index] ?? []);
  const messages = own.map((node, position) => chatMessage(node, calls.get(indices[position] ?? -1)));
  try {
    return chatRun({ messages }, context);
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    const placed = error.message.replace(PLACE, (place, position: string) => {
      const path = own[Number(position)]?.path;
      return path === undefined ? place : `${path}.message`;
    });
    throw new RejectError(error.code, placed);
  }
}

/** Where a chat is at fault, by the position of the message. */
const PLACE = /^messages\[(\d+)\]/;

/** A node as a message in the shape of the OpenAI API. */
function chatMessage(node: TraceNode, call: JsonObject | undefined): JsonObject {
  const { provider_state: _, ...message } = node.message;
  const named = asArray(message['tool_calls']).map(withNamespace);
  return {
    ...message,
    ...(named.length > 0 ? { tool_calls: named } : {}),
    // records of early versions have it at the node
    finish_reason: call?.['finish_reason'] ?? node.fields['finish_reason'] ?? null,
    timestamp: isoSeconds(node.fields['timestamp']),
  };
}

/** Some providers send the first part of a tool's name apart. */
function withNamespace(call: unknown): unknown {
  if (!isObject(call) || (call['namespace'] ?? null) === null) return call;
  return { ...call, name: `${String(call['namespace'])}.${String(call['name'])}` };
}

function turnOf(
  turn: Turn,
  of: { node: TraceNode; policy: NodeTokens; trained: boolean; rewritten: boolean },
): Turn {
  const { node, policy, trained, rewritten } = of;
  if (turn.role !== 'assistant') return turn;
  // An assistant message that no call made is an example, a prefilled or a copied one.
  if (!node.sampled) {
    return { ...turn, spans: asOrigin(turn.spans, 'environment'), flags: [...turn.flags, 'copied_context'] };
  }
  const reasoned = withSummary(turn, asArray(node.message['provider_state']).filter(isObject));
  // A reply that the harness put in the place of the model's has no tokens.
  const doubtful = rewritten && policy.policy === null;
  return {
    ...reasoned,
    weight: trained && !doubtful && !node.summary ? turn.weight : 0,
    policy: policy.policy,
    flags: [
      ...reasoned.flags,
      ...policy.flags,
      ...(doubtful ? ['reply_may_be_rewritten'] : []),
      ...(node.summary ? ['compact_summary'] : []),
    ],
  };
}

/**
 * What a provider keeps of its reasoning: OpenAI's items hold it encrypted, and at most a summary of it in words, which
 * the reply then has as its reasoning.
 */
function withSummary(turn: Turn, state: readonly JsonObject[]): Turn {
  const items = state.filter(({ type }) => type === 'reasoning');
  const summarised = items.length > 0 && items.every((item) => asArray(item['content']).length === 0);
  const spans = turn.spans.map((span) =>
    summarised && span.kind === 'reasoning' ? { ...span, origin: 'environment' as const } : span,
  );
  if (spans.some(isSummary)) return { ...turn, spans, flags: [...turn.flags, REASONING_SUMMARY] };
  const hidden = summarised || state.some(({ type }) => type === 'redacted_thinking');
  return hidden ? { ...turn, flags: [...turn.flags, 'reasoning_hidden'] } : turn;
}
