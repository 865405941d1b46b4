import { createHash } from 'node:crypto';

const SYSTEM = `You are a machine learning engineer. Think inside <think> and </think> first, then use one tool.
To run a program: <tool_call>
python
<code>
your program
</code>
</tool_call>
To score submission.csv: <tool_call>{"name": "Score", "arguments": {}}</tool_call>
To finish: <answer>what you did</answer>`;

/** rLLM episodes as SandMLE logs them: every step repeats the chat so far; no token ids, since no model sampled. */
export function writeRllmEpisode(played) {
  const { script, task, turns } = played;
  const chat = [
    { role: 'system', content: SYSTEM },
    {
      role: 'user',
      content: `${task.overview}\nFiles lie in data/. A program may run for ${script.limit} seconds.`,
    },
  ];
  const steps = turns.map((turn, index) => {
    const content = actionText(turn);
    chat.push({ role: 'assistant', content });
    const observation = turn.answer ? '' : observationOf({ turn, played, index });
    const context = structuredClone(chat);
    if (observation !== '')
      chat.push({ role: 'user', content: `<tool_response>\n${observation}\n</tool_response>` });
    return {
      prompt_ids: [],
      response_ids: [],
      logprobs: [],
      chat_completions: index === turns.length - 1 ? structuredClone(chat) : context,
      observation,
      thought: turn.think ?? '',
      action: turn.run ?? (turn.score ? 'Score' : turn.say),
      model_response: content,
      model_output: null,
      info: {},
      reward: 0,
      done: index === turns.length - 1,
      mc_return: 0,
      advantage: null,
      weight_version: null,
    };
  });
  const episode = episodeOf({ played, steps, chat });
  return [
    {
      path: `${task.task_id}/${script.name}.json`,
      text: `${JSON.stringify(episode, null, 2)}\n`,
      sessions: [played],
    },
  ];
}

function actionText(turn) {
  const thought = `<think>\n${turn.think}\n</think>\n`;
  if (turn.answer) return `${thought}<answer>${turn.say}</answer>`;
  if (turn.score) return `${thought}<tool_call>{"name": "Score", "arguments": {}}</tool_call>`;
  return `${thought}${turn.say}\n<tool_call>\npython\n<code>\n${turn.run}\n</code>\n</tool_call>`;
}

function observationOf({ turn, played, index }) {
  return turn.score ? scoreText({ turn, played }) : runText({ turn, played, index });
}

function runText({ turn, played }) {
  const { result: run } = turn;
  const parts = [];
  if (run.status === 'timeout')
    parts.push(`[Timeout] Python execution timed out after ${played.script.limit}s`);
  else {
    parts.push(`[Output]\n${run.stdout.trimEnd()}`);
    if (run.stderr !== '') parts.push(`[Stderr]\n${run.stderr.trimEnd()}`);
  }
  parts.push(`Note: submission.csv ${run.present ? 'found' : 'not found'}`);
  return parts.join('\n');
}

function scoreText({ turn, played: { task, sandbox } }) {
  const { grade } = turn.result;
  if (!grade.exists) return '[Error] submission.csv not found in the working folder';
  if (!grade.valid) return `[Error] the submission was not accepted: ${grade.error}`;
  const details = {
    'score_primary (main competition metric for current code)': grade.score,
    'metric_lower_is_better (true means lower score is better)': task.is_lower_better,
    'threshold_gold (score needed for gold tier)': task.thresholds.gold,
    'threshold_silver (score needed for silver tier)': task.thresholds.silver,
    'threshold_bronze (score needed for bronze tier)': task.thresholds.bronze,
    'threshold_median (median submission score)': task.thresholds.median,
    submission_path: `${sandbox.workspace}/submission.csv`,
  };
  return `Submission graded. Details: ${JSON.stringify(details)}`;
}

/** SandMLE's milestone reward with the weights of its paper, over the final graded submission. */
function rewardOf({ task, turns, steps }) {
  const thinking = steps.filter((step) => step.model_response.startsWith('<think>')).length / steps.length;
  const graded = turns.filter((turn) => turn.score && turn.result.grade.valid && !turn.result.stale).at(-1);
  if (graded === undefined) return Number((0.1 * thinking).toFixed(6));
  const { score } = graded.result.grade;
  const reaches = (limit) => (task.is_lower_better ? score <= limit : score >= limit);
  const beats = task.is_lower_better ? score < task.thresholds.median : score > task.thresholds.median;
  const { gold, silver, bronze } = task.thresholds;
  const milestones = 0.1 * beats + 0.2 * reaches(bronze) + 0.2 * reaches(silver) + 0.1 * reaches(gold);
  return Number((0.1 * thinking + 0.3 + milestones).toFixed(6));
}

function episodeOf({ played, steps, chat }) {
  const { script, task, turns } = played;
  const runs = turns.filter((turn) => turn.run !== undefined);
  const errors = runs.filter((turn) => turn.result.status !== 'ok').length;
  const valid = turns.some((turn) => turn.score && turn.result.grade.valid);
  const reward = rewardOf({ task, turns, steps });
  const seconds = (Date.parse(turns.at(-1).at) - Date.parse(turns[0].result.started_at)) / 1000;
  return {
    id: `${task.task_id}:${script.rollout}`,
    task: { task_id: task.task_id, question: task.overview },
    termination_reason: script.termination,
    is_correct: valid,
    trajectories: [
      {
        uid: createHash('md5').update(script.name).digest('hex'),
        name: 'mle_agent',
        task: task.task_id,
        steps,
        reward,
        info: {},
      },
    ],
    metrics: {
      rounds: steps.length,
      time_taken: seconds,
      valid_submission: valid ? 1 : 0,
      reward,
      error_count: errors,
      error_rate: errors / runs.length,
      message_count: chat.length,
      format_correct_rate:
        steps.filter((step) => step.model_response.startsWith('<think>')).length / steps.length,
    },
    info: {},
  };
}
