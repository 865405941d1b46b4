import { makeExecution, makeSubmission } from '../trajectory/build.js';
import type { Execution, Submission } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { ReadContext } from './adapter.js';
import { pythonOutcome, scoreOutcome, toolText } from './sandmle-feedback.js';
import { callKind, modelCalls, type ShellCall } from './shell-executions.js';

const GRADER = 'sandmle';

/** What the calls of a SandMLE run did. */
export interface SandmleRun {
  readonly executions: Execution[];
  readonly submissions: Submission[];
  readonly task_claims: TaskClaims | null;
  readonly exposes_score: boolean;
  readonly flags: readonly string[];
}

interface Answered {
  readonly call: ShellCall;
  readonly feedback_turn: number | null;
  readonly text: string | null;
}

interface SandmleAnswers {
  /** the turn that answers a call; null where the log ends first */
  readonly answerOf: (call: ShellCall) => number | null;
  /** the run ended because its own clock did: what had no answer by then is no fault of the agent */
  readonly clockRanOut: boolean;
}

/**
 * Scripts are experiments; a Score call grades the file that the latest of them left. After a script that failed the
 * file may be an older one: such a submission is marked stale. That a file was found is no submission by itself.
 */
export function sandmleRun(
  turns: readonly Turn[],
  context: ReadContext,
  { answerOf, clockRanOut }: SandmleAnswers,
): SandmleRun {
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  const claims: TaskClaims[] = [];
  let latest: Execution | null = null;
  const calls = modelCalls(turns);
  const last = calls.at(-1);
  for (const call of calls) {
    if (turns[call.call_turn]?.truncated !== null) continue;
    const kind = callKind(call, context);
    if (kind === 'other') continue;
    const feedback_turn = answerOf(call);
    const answered = {
      call,
      feedback_turn,
      text: feedback_turn === null ? null : turnText(turns[feedback_turn]),
    };
    if (kind === 'experiment') {
      latest = experiment(answered, {
        order: executions.length,
        cutByClock: clockRanOut && call === last,
      });
      executions.push(latest);
      continue;
    }
    const scored = scoring(answered, { order: executions.length, submission: submissions.length, latest });
    executions.push(scored.execution);
    if (scored.submission !== null) submissions.push(scored.submission);
    if (scored.claims !== null) claims.push(scored.claims);
  }
  const differ = claims.some((claim) => JSON.stringify(claim) !== JSON.stringify(claims[0]));
  return {
    executions,
    submissions,
    task_claims: claims[0] ?? null,
    exposes_score: submissions.some((submission) => submission.score !== null),
    flags: differ ? ['task_claims_differ'] : [],
  };
}

function experiment(
  answered: Answered,
  { order, cutByClock }: { order: number; cutByClock: boolean },
): Execution {
  const { call, feedback_turn, text } = answered;
  const outcome = text === null ? null : pythonOutcome(text);
  return makeExecution(
    {
      execution_id: `call-${order}`,
      order,
      kind: 'experiment',
      tool: call.tool,
      call_turn: call.call_turn,
      status: outcome?.status ?? (cutByClock ? 'infrastructure' : 'unknown'),
    },
    {
      call_span: call.call_span,
      feedback_turn,
      seconds: outcome?.seconds ?? null,
      error_type: outcome?.error_type ?? null,
      code: call.command,
      flags: outcome !== null ? ['status_inferred'] : cutByClock ? ['clock_ran_out'] : [],
    },
  );
}

function scoring(
  answered: Answered,
  at: { order: number; submission: number; latest: Execution | null },
): { execution: Execution; submission: Submission | null; claims: TaskClaims | null } {
  const { call, feedback_turn, text } = answered;
  const outcome = text === null ? null : scoreOutcome(text);
  const execution = makeExecution(
    {
      execution_id: `call-${at.order}`,
      order: at.order,
      kind: 'scoring',
      tool: call.tool,
      call_turn: call.call_turn,
      status: outcome?.status ?? 'unknown',
    },
    { call_span: call.call_span, feedback_turn, flags: outcome === null ? [] : ['status_inferred'] },
  );
  if (outcome === null) return { execution, submission: null, claims: null };
  const stale = at.latest !== null && at.latest.status !== 'ok';
  const submission = makeSubmission(
    {
      execution_id: at.latest?.execution_id ?? null,
      order: at.submission,
      gradable: outcome.score !== null,
      score: outcome.score,
      scale: 'test',
    },
    {
      scored_by: execution.execution_id,
      observed_turn: feedback_turn,
      grader: GRADER,
      stale,
      flags: [...outcome.flags, ...(stale ? ['scored_after_failed_execution'] : [])],
    },
  );
  return { execution, submission, claims: outcome.claims };
}

function turnText(turn: Turn | undefined): string {
  return toolText(turn?.spans.map((span) => span.text).join('') ?? '');
}
