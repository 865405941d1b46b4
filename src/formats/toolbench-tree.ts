import { RejectError } from '../logs/reject.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun } from './chat-run.js';
import { listAt, objectAt, objectOf } from './fields.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

const INPUT = 'Action Input';

export const toolbenchTree: FormatAdapter = {
  name: 'toolbench-tree',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'ToolBench answer: depth-first search over calls of tools, or one chain of them',
    recognised_by: 'an object with answer_generation and a tree, or train_messages in it',
    scores: 'none: `win` says that an answer was given, not that it is right (flag win:<value>)',
    executions: 'only where the pipeline names tools',
    reasoning: 'none: thoughts are part of the reply',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'branches that the search left: only the path to the answer, or to the last node, is a run (flag rewound_replies:<n>)',
      'prompts that ask for another way than those tried before',
      'Elo, candidates of comparisons and token counts',
      'the model is not named',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (!hasKeys(sniff.json, 'answer_generation')) return null;
  if (hasKeys(sniff.json, 'tree')) {
    return { confidence: 'certain', reason: 'an object with tree and answer_generation' };
  }
  // A single chain has its tries in the place of a tree.
  return hasKeys(sniff.json['answer_generation'], 'train_messages', 'query')
    ? { confidence: 'certain', reason: 'answer_generation with its messages' }
    : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const answer = objectAt(document, 'answer_generation', '') ?? {};
  const tree = objectAt(document, 'tree', '') ?? {};
  const root = objectAt(tree, 'tree', 'tree') ?? {};
  const paths = leafPaths(root);
  const replay = listAt(answer, 'train_messages', 'answer_generation')?.at(-1);
  const messages = Array.isArray(replay)
    ? replay
    : treeMessages(chosenPath(paths), asString(answer['query']));
  if (messages.length === 0) throw new RejectError('no_turns', 'a search without nodes');
  const run = chatRun({ messages, functions: asArray(answer['function']) }, context);
  const replies = run.turns.filter((turn) => turn.role === 'assistant').length;
  const all = countReplies(root);
  const finish = asString(answer['finish_type']);
  return [
    {
      ...run,
      scaffold: 'toolbench',
      termination: terminationOf(document, answer, finish),
      flags: [
        ...run.flags,
        `win:${document['win'] === true}`,
        ...(finish === 'give_up' ? ['gave_up'] : []),
        ...(all > replies ? [`rewound_replies:${all - replies}`] : []),
        ...(Array.isArray(replay) ? [] : ['rebuilt_from_tree']),
      ],
    },
  ];
}

function terminationOf(document: JsonObject, answer: JsonObject, finish: string | null): Termination {
  if (finish === 'give_answer' || finish === 'give_up') return 'submitted';
  const limits = objectAt(document, 'forward_args', '') ?? {};
  const limit = asNumber(limits['max_query_count']);
  const count = asNumber(answer['query_count']);
  return limit !== null && count !== null && count >= limit ? 'step_limit' : 'unknown';
}

/** Nodes from the root to each leaf, leaves in the order of the search. The tree is walked without recursion. */
function leafPaths(root: JsonObject): JsonObject[][] {
  const paths: JsonObject[][] = [];
  const stack: JsonObject[][] = [[root]];
  for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
    const children = asArray(path.at(-1)?.['children']).filter(isObject);
    if (children.length === 0) paths.push(path);
    for (const child of [...children].reverse()) stack.push([...path, child]);
  }
  return paths;
}

/** The path to an answer, else to what was tried last. */
function chosenPath(paths: readonly JsonObject[][]): JsonObject[] {
  const finished = paths.findLast((path) => path.some((node) => node['description'] === 'Finish'));
  const tried = paths.reduce<JsonObject[] | null>((last, path) => {
    const order = (nodes: readonly JsonObject[] | null): number =>
      asNumber(nodes?.at(-1)?.['expand_num']) ?? -1;
    return last === null || order(path) >= order(last) ? path : last;
  }, null);
  return finished ?? tried ?? [];
}

/** Replies are the inputs of actions, and thoughts that no action followed. */
function countReplies(root: JsonObject): number {
  let count = 0;
  const stack: JsonObject[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const children = asArray(node['children']).filter(isObject);
    const named = asString(node['description']) ?? '';
    if (
      node !== root &&
      (node['node_type'] === INPUT ||
        (node['node_type'] === 'Thought' && children.length === 0 && named !== ''))
    )
      count++;
    stack.push(...children);
  }
  return count;
}

/** A path of Thought, Action and Action Input nodes as messages. */
function treeMessages(path: readonly JsonObject[], query: string | null): JsonObject[] {
  const messages: JsonObject[] = query === null ? [] : [{ role: 'user', content: query }];
  let thought: string | null = null;
  let action = '';
  for (const node of path.slice(1)) {
    const text = asString(node['description']) ?? '';
    if (node['node_type'] === 'Thought') thought = text;
    else if (node['node_type'] === 'Action') action = text;
    else if (node['node_type'] === INPUT) {
      messages.push({
        role: 'assistant',
        content: thought,
        function_call: { name: action, arguments: text },
      });
      const observation = asString(node['observation']);
      if (observation !== null && observation !== '')
        messages.push({ role: 'function', name: asId(action), content: observation });
      thought = null;
    }
  }
  if (thought !== null && thought !== '') messages.push({ role: 'assistant', content: thought });
  return messages;
}
