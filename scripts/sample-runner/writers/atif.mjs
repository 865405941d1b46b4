import { createHash } from 'node:crypto';
import { answerOf, callOf, instructionsOf, TOOLS } from './tools.mjs';

/** An ATIF 1.7 document. A cut session ends with the last call, without its observation. */
export function writeAtif(played) {
  const { script, task, turns } = played;
  const steps = [
    {
      step_id: 1,
      timestamp: turns[0].result.started_at,
      source: 'user',
      message: instructionsOf({ task, limit: script.limit }),
    },
  ];
  turns.forEach((turn, index) => {
    const call = callOf(turn);
    const step = {
      step_id: index + 2,
      timestamp: turn.result?.started_at ?? turn.at,
      source: 'agent',
      message: turn.say,
    };
    if (turn.think !== null) step.reasoning_content = turn.think;
    if (call !== null) {
      const id = `call_${index + 1}`;
      step.tool_calls = [{ tool_call_id: id, function_name: call.name, arguments: call.arguments }];
      if (!(script.cut && index === turns.length - 1)) {
        step.observation = { results: [{ source_call_id: id, content: answerOf(turn, task) }] };
      }
    }
    steps.push(step);
  });
  const document = {
    schema_version: 'ATIF-v1.7',
    session_id: createHash('md5').update(script.name).digest('hex'),
    agent: { name: 'scripted-agent', version: '1.0.0', model_name: 'scripted', tool_definitions: TOOLS },
    steps,
    final_metrics: { total_steps: steps.length },
    extra: { task_id: task.task_id },
  };
  return [
    {
      path: `${task.task_id}/${script.name}.json`,
      text: `${JSON.stringify(document, null, 2)}\n`,
      sessions: [played],
    },
  ];
}
