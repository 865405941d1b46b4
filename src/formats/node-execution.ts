import { contentSpan, makeExecution, makeTurn } from '../trajectory/build.js';
import type { Execution } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { ReadContext } from './adapter.js';
import type { NodeParent } from './node-parents.js';
import { firstCallSpan, NODE_TOOL } from './search-nodes.js';
import { asString, type JsonObject } from './shape.js';

/** What the program of a node printed, as the turn behind its reply. */
export function nodeFeedback(text: string): Turn {
  return makeTurn('tool', [contentSpan('observation', 'environment', text)], { name: NODE_TOOL });
}

type Facts = Parameters<typeof makeExecution>[1];

/** The run of a node's program, which its reply launched and the turn behind it tells of. */
export function nodeExecution(
  node: JsonObject,
  at: Pick<Execution, 'execution_id' | 'order' | 'call_turn' | 'status'> & {
    readonly reply: Turn;
    readonly context: ReadContext;
    /** the scaffold ran it for purposes of its own */
    readonly aside?: boolean;
    readonly parent: NodeParent;
  },
  facts: Omit<NonNullable<Facts>, 'call_span' | 'feedback_turn' | 'code' | 'parent_execution'>,
): Execution {
  const { reply, context, aside = false, parent, ...own } = at;
  const experiment = !aside && context.experiments.experiment.includes(NODE_TOOL);
  return makeExecution(
    { ...own, kind: experiment ? 'experiment' : 'other', tool: NODE_TOOL },
    {
      ...facts,
      call_span: firstCallSpan(reply),
      feedback_turn: own.call_turn + 1,
      code: asString(node['code']),
      parent_execution: parent.execution_id,
      flags: [...(facts.flags ?? []), ...(parent.missing ? ['parent_missing'] : [])],
    },
  );
}
