/** The two tools that the tool-calling scaffolds offer, and how they answer. */
export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'execute_code',
      description: 'Run a Python 3 program (standard library only) in the working folder.',
      parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
  },
  {
    type: 'function',
    function: {
      name: 'submit',
      description: 'Hand in submission.csv and learn its score on the hidden labels.',
      parameters: { type: 'object', properties: {} },
    },
  },
];

/** Name and arguments of a turn's call, or null for plain text. */
export function callOf(turn) {
  if (turn.score) return { name: 'submit', arguments: {} };
  const code = turn.run ?? turn.try;
  return code === undefined ? null : { name: 'execute_code', arguments: { code } };
}

/** What the tool answers, as text. */
export function answerOf(turn, task) {
  return turn.score ? scoreAnswer(turn.result.grade, task) : runAnswer(turn.result);
}

function runAnswer(run) {
  const head =
    run.status === 'timeout'
      ? `timed out after ${run.seconds.toFixed(2)} s`
      : `exit code ${run.exit_code} after ${run.seconds.toFixed(2)} s`;
  const parts = [head];
  if (run.stdout !== '') parts.push(`stdout:\n${run.stdout.trimEnd()}`);
  if (run.stderr !== '') parts.push(`stderr:\n${run.stderr.trimEnd()}`);
  parts.push(`submission.csv: ${run.fresh ? 'written' : 'not written'}`);
  return parts.join('\n');
}

function scoreAnswer(grade, task) {
  if (!grade.valid) return JSON.stringify({ valid_submission: false, score: null, error: grade.error });
  return JSON.stringify({ valid_submission: true, score: grade.score, metric: task.metric, scale: 'test' });
}

export function instructionsOf({ task, limit }) {
  return [
    task.overview,
    '',
    'Work in the folder data/ (train.csv, test.csv, sample_submission.csv) and write submission.csv beside it.',
    `A program may run for ${limit} seconds; only the standard library of Python 3 is installed.`,
    'Call execute_code to run a program and submit to hand in submission.csv.',
  ].join('\n');
}
