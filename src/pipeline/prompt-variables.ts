import { type PromptValue, promptValue } from '../chat/prompt-template.js';
import type { TaskRecord } from '../grading/task-record.js';
import { knowsParent } from '../selection/search-tree.js';
import { turnContent } from '../trajectory/build.js';
import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';

/** What a prompt template is given; the docs list it from here. */
export const PROMPT_VARIABLES = {
  task: 'the task of the run',
  node: 'the node whose prompt is printed: `number` and `operator` alone, since the rest is what the model will answer',
  parent: 'the node that it is made from; none for a draft, and where the log does not tell',
  path: 'the nodes from the root to the parent, in order; empty where the log does not tell',
  earlier: 'all nodes before it, in the order of execution',
} as const;

/** Fields of `task`. */
export const TASK_FIELDS = {
  id: 'none where no task is known',
  description: 'the text that `descriptions` names for its id; none without one',
  metric: 'from its record; none without one',
  lower_is_better: 'from its record; none without one',
} as const;

/** Fields of a node. */
export const NODE_FIELDS = {
  number: 'place in the order of execution, from 0',
  operator:
    '`draft` without a parent, `debug` of a parent that is buggy, else `improve`; none where the log does not tell the parent',
  plan: 'what the model wrote beside its program',
  code: 'its program; none where the log has none',
  output: 'the feedback that the log shows',
  status: '`ok`, `error`, `timeout`, `infrastructure` or `unknown`',
  error_type: 'class of the exception; none without one',
  seconds: 'how long it ran; none where the log does not say',
  score: "its score as the agent's scaffold knew it, never one on hidden labels; none without one",
  buggy: 'it failed, or left nothing to score',
} as const;

export interface RunFacts {
  readonly trajectory: Trajectory;
  readonly task_id: string | null;
  readonly task: TaskRecord | null;
  readonly description: string | null;
  /** the nodes in the order of execution */
  readonly nodes: readonly Execution[];
}

/** The variables of each node's prompt, in the order of execution. Everything that a prompt tells was known before. */
export function promptVariables(run: RunFacts): ReadonlyMap<string, PromptValue>[] {
  const { trajectory, nodes } = run;
  const places = new Map(nodes.map((node, place) => [node.execution_id, place]));
  const facts = nodes.map((node) => factsOf(node, trajectory));
  const parents = nodes.map((node, place) => {
    const parent = places.get(node.parent_execution ?? '') ?? null;
    return parent === null || parent >= place ? null : parent;
  });
  const operators = nodes.map(operatorOf);
  const values = facts.map((each, number) => promptValue({ number, operator: operators[number], ...each }));
  const task = promptValue({
    id: run.task_id,
    description: run.description,
    metric: run.task?.metric ?? null,
    lower_is_better: run.task?.is_lower_better ?? null,
  });
  return nodes.map((_, number) => {
    const path = operators[number] === null ? [] : pathTo(number);
    return new Map<string, PromptValue>([
      ['task', task],
      ['node', promptValue({ number, operator: operators[number] })],
      ['parent', path.at(-1) ?? null],
      ['path', path],
      ['earlier', values.slice(0, number)],
    ]);
  });

  function operatorOf(node: Execution, place: number): 'draft' | 'debug' | 'improve' | null {
    const parent = parents[place] ?? null;
    if (!knowsParent(trajectory, node)) return null;
    if (parent === null) return node.parent_execution === null ? 'draft' : null;
    return facts[parent]?.buggy === true ? 'debug' : 'improve';
  }

  /** Parents come before their children, so that this ends. */
  function pathTo(number: number): PromptValue[] {
    const path: PromptValue[] = [];
    for (let at = parents[number] ?? null; at !== null; at = parents[at] ?? null) {
      path.unshift(values[at] ?? null);
    }
    return path;
  }
}

function factsOf(node: Execution, trajectory: Trajectory) {
  const { turns, submissions, feedback_exposes_test_score: isExposed } = trajectory;
  const reply = turns[node.call_turn];
  const feedback = node.feedback_turn === null ? undefined : turns[node.feedback_turn];
  const words = reply?.spans.filter(({ kind }) => kind === 'text').map(({ text }) => text) ?? [];
  // a score on hidden labels lies beside the log: the agent was never told
  const own = submissions.filter(({ execution_id, stale }) => execution_id === node.execution_id && !stale);
  const told = own.filter(({ scale }) => scale !== 'test');
  const isFailed = node.status === 'error' || node.status === 'timeout';
  return {
    plan: words.join('').trim(),
    code: node.code,
    output: feedback === undefined ? '' : turnContent(feedback),
    status: node.status,
    error_type: node.error_type,
    seconds: node.seconds,
    score: told.findLast(({ gradable }) => gradable)?.score ?? null,
    buggy: isFailed || !(isExposed ? own : told).some(({ gradable }) => gradable),
  };
}
