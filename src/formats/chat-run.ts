import { RejectError } from '../logs/reject.js';
import { SUBMISSIONS_NOT_RECORDED } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { openaiMessages } from './openai-messages.js';
import { scoredCalls } from './scored-calls.js';
import type { JsonObject } from './shape.js';
import { boundaryFlags } from './shell-executions.js';

/**
 * A chat in the shape of the OpenAI API that stands inside another format: `row` has messages, and may have tools,
 * session_id, task_id, model, scaffold, resolved and finish_reason.
 *
 * @throws RejectError as the adapter of such chats
 */
export function chatRun(row: JsonObject, context: ReadContext): RawTrajectory {
  const runs = openaiMessages.read(row, context);
  const [run] = 'sidecar_of' in runs ? [] : runs;
  if (run === undefined) throw new RejectError('no_turns', 'a chat without messages');
  return run;
}

/**
 * A chat with what its reader knows of its turns: what a reply launched that no model wrote here, or that was cut, is
 * no deed of this run.
 */
export function ownRun(run: RawTrajectory, turns: readonly Turn[], context: ReadContext): RawTrajectory {
  const executions = run.executions
    .filter(({ call_turn, call_span }) => {
      const turn = turns[call_turn];
      return turn?.truncated === null && turn.spans[call_span ?? 0]?.origin === 'model';
    })
    .map((execution, order) => ({ ...execution, order, execution_id: `call-${order}` }));
  const { submissions, flags } = scoredCalls(turns, executions, context);
  const told = [...boundaryFlags(run.executions), SUBMISSIONS_NOT_RECORDED];
  return {
    ...run,
    turns: [...turns],
    executions,
    submissions,
    feedback_exposes_test_score: submissions.some(({ scale }) => scale === 'test'),
    flags: [...flags, ...run.flags.filter((flag) => !told.includes(flag))],
  };
}
