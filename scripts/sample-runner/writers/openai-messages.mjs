import { answerOf, callOf, instructionsOf, TOOLS } from './tools.mjs';

const TORN_AT = 0.6;

/** One row of messages with tool calls, of one session. */
function rowOf(played) {
  const { script, task, turns } = played;
  const messages = [
    { role: 'system', content: 'You are a careful machine learning engineer with two tools.' },
    { role: 'user', content: instructionsOf({ task, limit: script.limit }) },
  ];
  let calls = 0;
  for (const turn of turns) {
    const call = callOf(turn);
    const message = { role: 'assistant', content: turn.say };
    if (turn.think !== null) message.reasoning_content = turn.think;
    messages.push(message);
    if (call !== null) {
      calls += 1;
      const id = `call_${calls}`;
      message.tool_calls = [
        { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
      ];
      messages.push({ role: 'tool', tool_call_id: id, name: call.name, content: answerOf(turn, task) });
    }
  }
  return { id: script.name, task_id: task.task_id, model: 'scripted-agent', messages, tools: TOOLS };
}

/**
 * Several sessions as rows of one file, in order. `copies` are sessions of another file, repeated here unchanged. A
 * session marked `torn` comes last and is cut off inside its row, as by a full disk.
 */
export function writeOpenaiMessages({ file, sessions, copies }) {
  const rows = [...sessions.filter((s) => !s.script.torn), ...copies];
  const lines = rows.map((played) => `${JSON.stringify(rowOf(played))}\n`);
  const torn = sessions.filter((s) => s.script.torn);
  for (const played of torn) {
    const line = JSON.stringify(rowOf(played));
    lines.push(line.slice(0, Math.floor(line.length * TORN_AT)));
  }
  return [{ path: file, text: lines.join(''), sessions: [...rows, ...torn], by_line: true }];
}
