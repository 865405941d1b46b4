/** A mini-swe-agent 1.1 trajectory in its tool-calling form. */
export function writeMiniSweAgent(played) {
  const { script, sandbox, turns } = played;
  const messages = [
    { role: 'system', content: 'You can work with a computer shell to solve programming tasks.' },
    { role: 'user', content: instructions(script) },
  ];
  turns.forEach((turn, index) => {
    const id = `call_${index + 1}`;
    messages.push(assistantMessage({ turn, id }));
    if (!turn.submit) messages.push(toolMessage({ turn, id }));
  });
  const [, ...patch] = turns.at(-1).result.stdout.split('\n');
  const submission = patch.join('\n');
  messages.push({ role: 'exit', content: submission, extra: { exit_status: 'Submitted', submission } });
  const document = {
    info: {
      model_stats: { instance_cost: 0, api_calls: turns.length },
      config: {
        agent: { step_limit: 20, cost_limit: 0 },
        model: { model_name: 'scripted-agent' },
        environment: { cwd: sandbox.workspace, timeout: script.limit },
      },
      mini_version: '2.2.7',
      exit_status: 'Submitted',
      submission,
    },
    messages,
    trajectory_format: 'mini-swe-agent-1.1',
    instance_id: script.instance,
  };
  return [
    {
      path: `${script.instance}/${script.instance}.traj.json`,
      text: `${JSON.stringify(document, null, 2)}\n`,
      sessions: [played],
    },
  ];
}

function assistantMessage({ turn, id }) {
  const call = {
    index: 0,
    function: { arguments: JSON.stringify({ command: turn.command }), name: 'bash' },
    id,
    type: 'function',
  };
  return {
    content: turn.say,
    role: 'assistant',
    tool_calls: [call],
    function_call: null,
    reasoning_content: turn.think,
    provider_specific_fields: { reasoning_content: turn.think },
    extra: {
      actions: [{ command: turn.command, tool_call_id: id }],
      response: {
        object: 'chat.completion',
        model: 'scripted-agent',
        choices: [{ finish_reason: 'tool_calls', index: 0 }],
      },
      cost: 0,
      timestamp: Date.parse(turn.result.started_at) / 1000,
    },
  };
}

function toolMessage({ turn, id }) {
  const { result: run } = turn;
  const returncode = run.exit_code ?? -1;
  return {
    content: `<returncode>${returncode}</returncode>\n<output>\n${run.output}</output>`,
    extra: {
      raw_output: run.output,
      returncode,
      timestamp: Date.parse(run.completed_at) / 1000,
      exception_info: '',
    },
    role: 'tool',
    tool_call_id: id,
  };
}

function instructions(script) {
  return [
    '<pr_description>',
    script.issue,
    '</pr_description>',
    '',
    'Resolve it in the repository of the current folder. Every answer calls bash at least once; each call has a new shell.',
    'Write the patch to patch.txt. When it is right, submit with exactly: echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt',
  ].join('\n');
}
