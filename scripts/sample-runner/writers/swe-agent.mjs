const SYSTEM = 'You can work with a computer through a shell. Use one call in each answer.';

/** A SWE-agent 1.x trajectory: steps with the whole prompt of each, the history, and how it ended. */
export function writeSweAgent(played) {
  const { script, sandbox, turns } = played;
  const history = [
    message('system', SYSTEM, 'system_prompt'),
    message('user', instructions(script, sandbox), 'observation'),
  ];
  const trajectory = turns.map((turn, index) => {
    const prompt = structuredClone(history);
    const id = `call_${index + 1}`;
    const action = turn.submit ? 'submit' : turn.command;
    const call = turn.submit
      ? { name: 'submit', arguments: '{}' }
      : { name: 'bash', arguments: JSON.stringify({ command: turn.command }) };
    const observation = turn.result.output;
    history.push({
      ...message('assistant', turn.say, 'action'),
      thought: turn.say,
      action,
      tool_calls: [
        { index: 1, function: { arguments: call.arguments, name: call.name }, id, type: 'function' },
      ],
    });
    history.push({
      ...message('tool', [{ type: 'text', text: `OBSERVATION:\n${observation}` }], 'observation'),
      tool_call_ids: [id],
    });
    return {
      action,
      observation,
      response: turn.say,
      thought: turn.say,
      execution_time: turn.result.seconds,
      state: { working_dir: sandbox.workspace },
      messages: prompt,
      extra_info: {},
    };
  });
  const document = {
    trajectory,
    history,
    info: {
      swe_agent_version: '1.0.1',
      submission: turns.at(-1).result.output,
      exit_status: 'submitted',
      model_stats: { instance_cost: 0, tokens_sent: 0, tokens_received: 0, api_calls: turns.length },
    },
    replay_config: JSON.stringify({ agent: { model: { name: 'scripted-agent' } } }),
    environment: script.instance,
  };
  return [
    {
      path: `${script.instance}/${script.instance}.traj`,
      text: `${JSON.stringify(document, null, 2)}\n`,
      sessions: [played],
    },
  ];
}

function message(role, content, message_type) {
  return { role, content, agent: 'main', message_type };
}

function instructions(script, sandbox) {
  return `A Python repository lies in ${sandbox.workspace}. Resolve this issue in it:\n\n<pr_description>\n${script.issue}\n</pr_description>\n\nChange the package and not its tests. Call submit when you are done.`;
}
