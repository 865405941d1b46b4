import { answerOf, instructionsOf } from './tools.mjs';

const TOOLS = [
  { name: 'execute_code', description: 'Run a program as a new node of the solution tree.' },
  { name: 'update_answer', description: 'Hand in what a node wrote.' },
  { name: 'invalidate_node', description: 'Take a node back.' },
];

/** A session as the one-line record of a harness that keeps a tree of solution nodes. */
export function writeTrajmillNative(played) {
  const { script, task, turns } = played;
  const messages = [
    { role: 'system', content: 'You search a tree of solutions. Each program is a node.' },
    { role: 'user', content: instructionsOf({ task, limit: script.limit }) },
  ];
  const nodes = [];
  const answers = [];
  turns.forEach((turn, index) => {
    const call_id = `call_${index + 1}`;
    const message = { role: 'assistant', content: turn.say, stop: 'end' };
    if (turn.think !== null) message.reasoning = turn.think;
    const call = callOf(turn, { nodes });
    if (call === null) {
      messages.push(message);
      return;
    }
    messages.push({ ...message, calls: [{ id: call_id, ...call }] });
    if (turn.run !== undefined) nodes.push(nodeOf(turn, { call_id, nodes }));
    if (turn.score) answers.push(answerRecord(turn, { call_id, node: nodes.at(-1), task }));
    if (turn.invalidates !== undefined) nodes[turn.invalidates].invalidated_by = call_id;
    messages.push({ role: 'tool', call_id, content: feedbackOf(turn, { task, nodes }) });
  });
  const record = {
    format: 'trajmill-native',
    version: 1,
    session_id: script.name,
    task_id: task.task_id,
    scaffold: 'sample-tree',
    model: 'scripted-agent',
    tools: TOOLS,
    messages,
    nodes,
    answers,
    termination: 'submitted',
  };
  const path = `${task.task_id}/${script.name}.jsonl`;
  return [{ path, text: `${JSON.stringify(record)}\n`, sessions: [played], by_line: true }];
}

function callOf(turn, { nodes }) {
  if (turn.run !== undefined) return { name: 'execute_code', arguments: JSON.stringify({ code: turn.run }) };
  if (turn.score) return { name: 'update_answer', arguments: JSON.stringify({ node: nodes.at(-1).id }) };
  if (turn.invalidates === undefined) return null;
  return { name: 'invalidate_node', arguments: JSON.stringify({ node: nodes[turn.invalidates].id }) };
}

function nodeOf({ run, result }, { call_id, nodes }) {
  const node = {
    id: `n${nodes.length + 1}`,
    call_id,
    code: run,
    status: result.status,
    exit_code: result.exit_code,
    seconds: result.seconds,
    completed_at: result.completed_at,
    logs: `${result.stdout}${result.stderr}`,
  };
  return nodes.length === 0 ? node : { ...node, parent: nodes.at(-1).id };
}

function answerRecord({ result }, { call_id, node, task }) {
  return {
    node: node.id,
    call_id,
    shown: true,
    gradable: result.grade.valid,
    score: result.grade.score,
    scale: 'test',
    grader: task.metric,
    stale: result.stale,
  };
}

function feedbackOf(turn, { task, nodes }) {
  if (turn.invalidates !== undefined) return `${nodes[turn.invalidates].id} is taken back`;
  return answerOf(turn, task);
}
