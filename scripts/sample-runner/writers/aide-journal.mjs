import { createHash } from 'node:crypto';

const METRIC_LINE = /validation [a-z0-9 ]+: ([0-9.]+)/g;

/** AIDE: one node a program, with a tree beside them. Its scores are those that the program itself printed. */
export function writeAideJournal(played) {
  const { script, task, turns } = played;
  const ids = turns.map((_, index) => createHash('md5').update(`${script.name} node ${index}`).digest('hex'));
  const nodes = turns.map((turn, index) => nodeOf({ turn, index, id: ids[index], script }));
  const node2parent = {};
  turns.forEach((turn, index) => {
    if (turn.parent !== null) node2parent[ids[index]] = ids[turn.parent];
  });
  const journal = { nodes, node2parent, __version: '2' };
  return [
    {
      path: `${task.task_id}/${script.name}/journal.json`,
      text: `${JSON.stringify(journal, null, 2)}\n`,
      sessions: [played],
    },
  ];
}

/** The last validation figure that a program printed, or null; what the scaffold takes for the node's metric. */
export function reportedMetric(run) {
  if (run.status !== 'ok') return null;
  const found = [...run.stdout.matchAll(METRIC_LINE)].at(-1);
  return found === undefined ? null : Number(found[1]);
}

function nodeOf({ turn, index, id, script }) {
  const { result: run } = turn;
  const value = reportedMetric(run);
  const failure = failureOf(run);
  const unit = run.seconds < 1 ? 'a moment' : `${run.seconds.toFixed(1)} seconds`;
  const closing = `Execution time: ${unit} (time limit is ${script.limit} seconds).`;
  return {
    code: turn.run,
    plan: turn.say,
    step: index,
    id,
    ctime: Date.parse(run.started_at) / 1000,
    parent: null,
    children: [],
    _term_out: [run.stdout, run.stderr, closing].filter((chunk) => chunk !== ''),
    exec_time: run.seconds,
    exc_type: failure?.type ?? null,
    exc_info: failure === null ? null : { args: failure.args },
    exc_stack: failure?.stack ?? null,
    analysis: analysisOf({ run, value, failure }),
    metric: { value, maximize: value === null ? null : script.claims_maximize },
    is_buggy: value === null,
  };
}

/** The exception of a failed run as AIDE keeps it, read from the real traceback; a timeout has a type of its own. */
function failureOf(run) {
  if (run.status === 'ok') return null;
  const stack = [...run.stderr.matchAll(/File "(.+?)", line (\d+), in (.+)\n\s+(.+)/g)].map((match) => [
    match[1],
    Number(match[2]),
    match[3],
    match[4],
  ]);
  if (run.status === 'timeout') return { type: 'TimeoutError', args: [], stack };
  const last = run.stderr.trimEnd().split('\n').at(-1);
  const colon = last.indexOf(':');
  return { type: last.slice(0, colon), args: [last.slice(colon + 1).trim()], stack };
}

function analysisOf({ run, value, failure }) {
  if (run.status === 'timeout')
    return 'The program was stopped at the time limit before it had written a submission.';
  if (failure !== null)
    return `The program ended with a ${failure.type} (${failure.args[0]}) and gave no validation figure.`;
  if (value === null)
    return 'The program ran to its end but printed no validation metric, so it cannot be compared.';
  return `The program ran to its end and reports ${value} on its own validation rows.`;
}
