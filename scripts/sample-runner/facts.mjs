import { reportedMetric } from './writers/aide-journal.mjs';

/** Calls that hand in an answer, by format; elsewhere every program is graded as it ends. */
const SCORED_BY_CALL = new Set(['openai-messages', 'rllm-episode', 'atif', 'trajmill-native']);

/** What a reader should find in one session: plain facts of the run, in the order of its calls. */
export function factsOf(played) {
  const { script, task } = played;
  return {
    name: script.name,
    task_id: task?.task_id ?? script.instance,
    termination: terminationOf(script),
    n_model_turns: played.turns.length,
    covers: script.covers,
    ...(task === null
      ? { resolved: played.resolved, executions: played.turns.map(shellFacts) }
      : { executions: executionFacts(played) }),
  };
}

function terminationOf(script) {
  if (script.torn || script.cut) return 'cut';
  return script.termination ?? 'ended';
}

function shellFacts({ result }, order) {
  return {
    order,
    kind: 'other',
    status: result.status,
    exit_code: result.exit_code,
    seconds: result.seconds,
  };
}

function executionFacts({ script, turns }) {
  const byCall = SCORED_BY_CALL.has(script.format);
  const calls = turns.filter((turn) => turn.result !== undefined);
  return calls.map((turn, order) => {
    const { result } = turn;
    const unseen = script.cut === true && turn === turns.at(-1);
    const base = {
      order,
      kind: turn.score ? 'scoring' : 'experiment',
      status: unseen ? 'unknown' : result.status,
      exit_code: unseen ? null : (result.exit_code ?? null),
      seconds: unseen ? null : result.seconds,
    };
    if (byCall && !turn.score) return { ...base, submission: null };
    if (turn.try !== undefined) return { ...base, submission: null };
    return { ...base, submission: submissionFacts({ script, result }) };
  });
}

/**
 * `score_test` is the grader's; `score_self_reported` what the program printed, where the log has nothing else. A stale
 * submission is a file that an earlier program left: the latest one failed or wrote none.
 */
function submissionFacts({ script, result }) {
  const { grade } = result;
  const outcome = grade.valid ? 'graded' : grade.exists ? 'invalid' : 'missing';
  const facts = {
    outcome,
    stale: result.stale ?? false,
    score_test: grade.score,
    medal: grade.medal,
    error: grade.error,
  };
  if (script.format !== 'aide-journal') return facts;
  return { ...facts, score_self_reported: reportedMetric(result) };
}

/** Which files and sessions show each thing that the samples are meant to hold. */
export function coverageOf(files) {
  const coverage = {};
  for (const file of files) {
    for (const session of file.trajectories) {
      for (const tag of session.covers) {
        coverage[tag] ??= new Set();
        coverage[tag].add(session.name);
      }
    }
  }
  return Object.fromEntries(
    Object.keys(coverage)
      .sort()
      .map((tag) => [tag, [...coverage[tag]].sort()]),
  );
}
