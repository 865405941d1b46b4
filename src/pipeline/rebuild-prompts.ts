import { PromptTemplate } from '../chat/prompt-template.js';
import { type ResolvedTask, resolveTask } from '../grading/resolve.js';
import { TaskIndex } from '../grading/task-index.js';
import { nodesOf, ownersOf, sharedBy } from '../selection/search-tree.js';
import { contentSpan, makeTurn } from '../trajectory/build.js';
import { trajectoryId } from '../trajectory/identity.js';
import type { Epoch, Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { PlanBody } from './plan.js';
import type { PromptOptions } from './prompt-options.js';
import { NODE_FIELDS, PROMPT_VARIABLES, promptVariables, TASK_FIELDS } from './prompt-variables.js';

/** What takes the place of `prompts_absent`, on the run and on each rebuilt turn. */
const REBUILT = 'prompts_rebuilt';
const ABSENT = 'prompts_absent';

/** The template of a pipeline, checked. Throws TrajmillError E_TEMPLATE. */
export function openPromptTemplate(name: string, text: string): PromptTemplate {
  return new PromptTemplate(
    { name, text },
    {
      variables: new Set(Object.keys(PROMPT_VARIABLES)),
      fields: new Set([...Object.keys(TASK_FIELDS), ...Object.keys(NODE_FIELDS)]),
    },
  );
}

/** The rebuilding that a plan asks for; null where it asks for none. */
export function promptRebuilder(body: PlanBody): ((trajectory: Trajectory) => Trajectory) | null {
  const { prompts: options, tasks } = body.config;
  const { prompts } = body;
  if (options === null || prompts === undefined) return null;
  const template = openPromptTemplate(options.template, prompts.template);
  const index = TaskIndex.of(body.task_records);
  const descriptions = new Map(
    Object.entries(prompts.descriptions).map(([name, text]) => [index.find(name)?.task_id ?? name, text]),
  );
  const pathPatterns = tasks.path_patterns.map((pattern) => new RegExp(pattern));
  return (trajectory) => {
    if (!lacksPrompts(trajectory)) return trajectory;
    const task = resolveTask(trajectory, { index, pathPatterns, mapping: tasks.mapping });
    const description = descriptions.get(task.task_id ?? '') ?? null;
    return rebuildPrompts(trajectory, { template, role: options.role, task, description });
  };
}

function lacksPrompts({ flags }: Trajectory): boolean {
  return flags.includes('tree_search') && flags.includes(ABSENT);
}

export interface Rebuilding {
  readonly template: PromptTemplate;
  readonly role: PromptOptions['role'];
  readonly task: ResolvedTask;
  readonly description: string | null;
}

/**
 * A search with a prompt before each reply of the model that has none of its own. Each such node then has a context of
 * its own: what stands before the first node, the prompt, the node. A node for which the template prints nothing stays
 * without. Turns are numbered anew, and the trajectory has the identity of its new turns. Throws
 * RejectError('template_error') where the template raises.
 */
export function rebuildPrompts(trajectory: Trajectory, rebuilding: Rebuilding): Trajectory {
  const { texts, lacking } = promptsOf(trajectory, rebuilding);
  if (texts.size === 0) return trajectory;
  const turns: Turn[] = [];
  const moved = trajectory.turns.map((turn, old) => {
    const text = texts.get(old);
    if (text !== undefined) {
      const span = contentSpan('prompt', 'environment', text);
      turns.push(makeTurn(rebuilding.role, [span], { flags: [REBUILT] }));
    }
    return turns.push(turn) - 1;
  });
  const to = (turn: number): number => moved[turn] ?? turn;
  const toOrNull = (turn: number | null): number | null => (turn === null ? null : to(turn));
  const withPrompt = (turn: number): number[] => (texts.has(turn) ? [to(turn) - 1, to(turn)] : [to(turn)]);
  return {
    ...trajectory,
    trajectory_id: trajectoryId(turns),
    turns,
    executions: trajectory.executions.map((each) => ({
      ...each,
      call_turn: to(each.call_turn),
      feedback_turn: toOrNull(each.feedback_turn),
    })),
    submissions: trajectory.submissions.map((each) => ({
      ...each,
      observed_turn: toOrNull(each.observed_turn),
    })),
    epochs: contextsOf(trajectory, new Set(texts.keys())).map((epoch) => ({
      ...epoch,
      turns: epoch.turns.flatMap(withPrompt),
    })),
    flags: [
      ...trajectory.flags.filter((flag) => flag !== ABSENT),
      ...(texts.size < lacking ? [ABSENT] : []),
      REBUILT,
    ],
  };
}

/** The texts of the prompts that are missing, by the turn of the reply, and how many nodes lack one. */
function promptsOf(
  trajectory: Trajectory,
  { template, task, description }: Rebuilding,
): { readonly texts: ReadonlyMap<number, string>; readonly lacking: number } {
  const nodes = nodesOf(trajectory);
  const calls = new Set(nodes.map((node) => node.call_turn));
  const isShared = sharedBy(trajectory, calls);
  const asked = new Set(
    ownersOf(trajectory, calls).filter((owner, turn) => owner !== null && turn < owner && !isShared(turn)),
  );
  const variables = promptVariables({ trajectory, nodes, ...task, description });
  const texts = new Map<number, string>();
  let lacking = 0;
  nodes.forEach(({ call_turn: call }, place) => {
    const isModels = trajectory.turns[call]?.spans.some(({ origin }) => origin === 'model') === true;
    if (!isModels || asked.has(call) || texts.has(call)) return;
    lacking++;
    const text = template.text(variables[place] ?? new Map());
    if (text.trim() !== '') texts.set(call, text);
  });
  return { texts, lacking };
}

/** The contexts of a search of which some nodes get one of their own, in the order of their first nodes. */
function contextsOf(trajectory: Trajectory, alone: ReadonlySet<number>): Epoch[] {
  const calls = new Set(nodesOf(trajectory).map((node) => node.call_turn));
  const isShared = sharedBy(trajectory, calls);
  const shared = [...trajectory.turns.keys()].filter(isShared);
  let before: number | null = null;
  const owners = ownersOf(trajectory, calls).map((owner, turn) => {
    if (calls.has(turn)) before = turn;
    return owner ?? before;
  });
  const own = [...alone].map((call) => [
    ...shared,
    ...owners.flatMap((owner, turn) => (owner === call && !isShared(turn) ? [turn] : [])),
  ]);
  const others = trajectory.epochs.flatMap(({ turns }) => {
    const left = turns.filter((turn) => isShared(turn) || !alone.has(owners[turn] ?? -1));
    return left.every(isShared) ? [] : [left];
  });
  const firstOf = (turns: readonly number[]): number => turns.find((turn) => !isShared(turn)) ?? 0;
  return [...own, ...others]
    .sort((a, b) => firstOf(a) - firstOf(b))
    .map((turns, place) => ({ turns, reason: place === 0 ? null : 'new_prompt' }));
}
