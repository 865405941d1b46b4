import { posix } from 'node:path';
import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { reportVerdicts, runName } from './swebench-outcome.js';

export const swebenchReport: FormatAdapter = {
  name: 'swebench-report',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'SWE-bench evaluation report, of one instance, by instance or of a whole run: joined to the runs around it',
    recognised_by:
      'resolved and tests_status, also under instance ids, or lists of resolved and unresolved ids',
    scores: 'none of its own: `resolved` of the run of that instance',
    executions: 'none',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: ['results of single tests, and whether the patch applied where it contradicts nothing'],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return reportVerdicts(sniff.json) === null
    ? null
    : { confidence: 'certain', reason: 'verdicts of an evaluation by instance' };
}

/** A report is the sidecar of the first run that it judges; the others join it too. */
function read(input: unknown, context: ReadContext): SidecarOf {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const verdicts = reportVerdicts(input);
  const runs = context.siblings.names.flatMap((file) => {
    const name = runName(file);
    return name === null ? [] : [{ file, name: posix.basename(name) }];
  });
  const judged =
    runs.find(({ name }) => own.startsWith(name)) ??
    runs.find(({ name }) => posix.basename(posix.dirname(context.place.path)) === name) ??
    runs.find(({ name }) => [...(verdicts?.keys() ?? [])].some((id) => id !== null && name.includes(id))) ??
    (runs.length === 1 && verdicts?.has(null) ? runs[0] : undefined);
  if (judged === undefined) {
    throw new RejectError(
      'not_a_trajectory',
      'looks like a SWE-bench evaluation report, which holds no trajectory, and no run that it judges is beside it',
    );
  }
  return { sidecar_of: judged.file };
}
