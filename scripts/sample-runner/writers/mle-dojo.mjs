import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { positionOf } from '../task.mjs';

/**
 * MLE-Dojo: the messages, and beside them the history of the environment. As in that tool the messages end on the
 * last action, so that the result of it stands in the history alone.
 */
export function writeMleDojo(played) {
  const { script, task, turns } = played;
  const actions = [];
  const messages = [{ role: 'user', content: opening(played) }];
  const best = { raw: null, position: null, code: null };
  let reward = 0;
  const budget = turns.length;
  turns.forEach((turn, index) => {
    const call = callOf(turn);
    messages.push({
      role: 'assistant',
      content: `${turn.say}\n\n\`\`\`json\n${JSON.stringify(call, null, 4)}\n\`\`\``,
    });
    const outcome =
      turn.info === undefined ? codeOutcome({ turn, task, best }) : infoOutcome(turn.info, played);
    reward += outcome.reward;
    actions.push({
      step: index + 1,
      action: call.action,
      timestamp: turn.at.replace('Z', '000'),
      result: outcome.result,
      feedback: { base: { feedback_status: 'SUCCESS', feedback: outcome.feedback } },
    });
    if (index < budget - 1) {
      messages.push({ role: 'user', content: reply({ outcome, left: budget - index - 1 }) });
    }
  });
  const history = {
    competition: task.task_id,
    actions,
    total_reward: reward,
    best_code: best.code,
    best_raw_score: best.raw,
    best_position_score: best.position,
    step_count: actions.length,
    created_at: actions[0].timestamp,
  };
  const stem = `${task.task_id}/${script.name}`;
  return [
    {
      path: `${stem}_agent_trajectory.json`,
      text: `${JSON.stringify(messages, null, 2)}\n`,
      sessions: [played],
    },
    { path: `${stem}_env_history.json`, text: `${JSON.stringify(history, null, 2)}\n`, sidecar: true },
  ];
}

function callOf(turn) {
  if (turn.info !== undefined) return { action: 'request_info', params: { info_type: turn.info } };
  return { action: 'execute_code', params: { code: turn.run } };
}

function opening({ task, turns, script }) {
  return [
    `You take part in the tabular competition "${task.task_id}". Reach the best position on its leaderboard.`,
    '',
    `You have ${turns.length} actions. A program may run for ${script.limit} seconds.`,
    '',
    'There are three actions, and each is answered:',
    '1. request_info: params info_type, one of "overview", "sample_submission", "data_structure", "data_path", "output_path"',
    '2. validate_code: params code; runs the program and shows its output',
    '3. execute_code: params code; runs the program, grades submission.csv and shows your place',
    '',
    'Programs read the folder data/ and write submission.csv. Only the standard library of Python 3 is there.',
    'Answer with one action as JSON: {"action": "<name>", "params": {...}}',
  ].join('\n');
}

function infoOutcome(type, { task, sandbox }) {
  const data = { [type]: infoValue(type, { task, sandbox }) };
  return {
    result: { status: 'SUCCESS', data },
    feedback: `=== Competition Info ===\nYour requested information: ${JSON.stringify(data)}`,
    failed: false,
    reward: 0,
  };
}

function infoValue(type, { task, sandbox }) {
  if (type === 'overview') return task.overview;
  if (type === 'data_path') return `${sandbox.workspace}/data`;
  if (type === 'output_path') return sandbox.workspace;
  if (type === 'data_structure')
    return [
      'data/',
      ...readdirSync(task.public)
        .sort()
        .map((n) => `  ${n}`),
    ].join('\n');
  const lines = readFileSync(join(task.public, 'sample_submission.csv'), 'utf8').split('\n');
  return lines.slice(0, 4).join('\n');
}

/** A program's result; `best` is brought up to date. */
function codeOutcome({ turn, task, best }) {
  const { result: run } = turn;
  const ok = run.status === 'ok';
  const execution = {
    status: ok ? 'SUCCESS' : 'FAILED',
    output: run.stdout,
    error: run.stderr,
    execution_time: `${run.seconds.toFixed(2)}s`,
  };
  if (!ok) {
    const feedback = `=== Code Execution Results ===\nExecution failed: ${run.stderr}`;
    return {
      result: { status: 'FAILED', execution, submission: null },
      feedback,
      failed: true,
      reward: 0,
    };
  }
  const head = `=== Code Execution Results ===\nExecution successful\nCode execution time: ${execution.execution_time}\nCode output: ${run.stdout}\n\n=== Submission Evaluation ===\n`;
  if (!run.grade.valid) {
    const error_type = run.grade.exists ? 'InvalidSubmissionError' : 'SubmissionNotFoundError';
    const submission = { status: 'FAILED', error_type, error: run.grade.error };
    return {
      result: { execution, submission, status: 'FAILED' },
      feedback: `${head}Submission error (${error_type}): ${run.grade.error}`,
      failed: true,
      reward: 0,
    };
  }
  const { score } = run.grade;
  const total = task.board.length;
  const position = positionOf(score, task);
  const share = (total - position + 1) / total;
  const improves = best.raw === null || (task.is_lower_better ? score < best.raw : score > best.raw);
  if (improves) Object.assign(best, { raw: score, position: share, code: turn.run });
  const place = { position, total, position_score: share };
  const feedback = [
    `${head}Submission successful`,
    `Private Leaderboard: Position ${position} / ${total}`,
    `Public Leaderboard: Position ${position} / ${total}`,
    `Raw Score: ${score}`,
    `Average Position Score: ${share.toFixed(4)}`,
    `Best Raw Score: ${best.raw}`,
    `Best Position Score: ${best.position}`,
  ].join('\n');
  const submission = {
    status: 'SUCCESS',
    raw_score: score,
    details: 'Submission processed successfully',
    position_score: { private: place, public: { ...place }, avg_score: share },
  };
  return { result: { execution, submission, status: 'SUCCESS' }, feedback, failed: false, reward: share };
}

function reply({ outcome, left }) {
  const [intro, mark] = outcome.failed
    ? ['Execution failed, details below:', 'Error']
    : ['The results of your previous action:', 'Results'];
  return [
    intro,
    '',
    `#### ${mark} Start ####`,
    outcome.feedback,
    `#### ${mark} End ####`,
    '',
    `You still have ${left} actions available.`,
  ].join('\n');
}
