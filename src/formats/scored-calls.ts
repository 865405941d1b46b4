import { makeSubmission, turnContent } from '../trajectory/build.js';
import { type Execution, SUBMISSIONS_NOT_RECORDED, type Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { ReadContext, ScoreRule } from './adapter.js';
import { isObject } from './shape.js';
import { boundaryFlags } from './shell-executions.js';

/**
 * Submissions of a chat whose scoring calls are answered with JSON, as the pipeline's score rule says. A score
 * belongs to the latest experiment before the call; after a failed one the artefact is of an earlier run, so stale.
 * Without a rule nothing is known of submissions, and a flag says so; a run without experiments is flagged too.
 *
 * @param artefacts by the id of a scoring call, the experiment before it, for runs whose contexts lie side by side
 */
export function scoredCalls(
  turns: readonly Turn[],
  executions: readonly Execution[],
  context: ReadContext,
  artefacts?: ReadonlyMap<string, Execution | null>,
): { submissions: Submission[]; flags: string[] } {
  const rule = context.experiments.score ?? null;
  if (rule === null) {
    const boundary = boundaryFlags(executions);
    return { submissions: [], flags: boundary.length > 0 ? boundary : [SUBMISSIONS_NOT_RECORDED] };
  }
  const submissions: Submission[] = [];
  let latest: Execution | null = null;
  for (const execution of executions) {
    if (execution.kind === 'experiment') latest = execution;
    if (execution.kind !== 'scoring' || execution.feedback_turn === null) continue;
    const feedback = turns[execution.feedback_turn];
    if (feedback === undefined) continue;
    const score = readScore(turnContent(feedback), rule);
    const made = artefacts === undefined ? latest : (artefacts.get(execution.execution_id) ?? null);
    submissions.push(
      makeSubmission(
        {
          execution_id: made?.execution_id ?? null,
          order: submissions.length,
          gradable: score !== null,
          score,
          scale: rule.scale,
        },
        {
          scored_by: execution.execution_id,
          observed_turn: execution.feedback_turn,
          grader: execution.tool,
          stale: made !== null && (made.status === 'error' || made.status === 'timeout'),
        },
      ),
    );
  }
  return { submissions, flags: boundaryFlags(executions) };
}

/** The finite number under the rule's key of a JSON answer; null where there is none. */
function readScore(answer: string, { key }: ScoreRule): number | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer);
  } catch {
    return null;
  }
  const value = isObject(parsed) ? parsed[key] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
