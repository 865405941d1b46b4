import type { Origin, Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { type CallAnswer, type LoggedMessage, messageTurns } from './anthropic-turns.js';
import { markInterrupted, sessionEnd } from './claude-end.js';
import { claudeOutcome } from './claude-outcomes.js';
import { mostUsedModel, withoutOwnModel } from './model-names.js';
import { rawTrajectory } from './raw-trajectory.js';
import { thinkingFlags } from './reasoning-summary.js';
import { scoredCalls } from './scored-calls.js';
import { type CallOutcome, type ShellCall, shellExecutions } from './shell-executions.js';

/** Messages of one conversation in order. */
export interface Conversation {
  readonly messages: readonly LoggedMessage[];
  /** positions of the messages before which the harness began a new context */
  readonly restarts?: readonly number[];
  readonly cutReply?: (text: string, origin: Origin) => Span[];
  /** how a call ended, where not by the results of the API */
  readonly outcome?: (
    turns: readonly Turn[],
    answers: ReadonlyMap<string, CallAnswer>,
    call: ShellCall,
  ) => CallOutcome | null;
}

/** A linear conversation of Anthropic messages as a trajectory; flags of `rest` are added to those of the scores. */
export function messagesRun(
  conversation: Conversation,
  context: ReadContext,
  rest: Partial<RawTrajectory>,
): RawTrajectory {
  const { messages, restarts = [], cutReply, outcome = claudeOutcome } = conversation;
  const joined = messageTurns(messages, cutReply === undefined ? {} : { cutReply });
  const bounds = [0, ...restarts, messages.length];
  const epochs = bounds
    .slice(1)
    .map((end, index) => [...new Set(joined.turnsOf.slice(bounds[index], end).flat())])
    .filter((turns) => turns.length > 0)
    .map((turns, index) => ({ turns, reason: index === 0 ? null : 'compaction' }));
  for (const epoch of epochs) markInterrupted(joined.turns, epoch.turns, joined.stopped);
  const model = mostUsedModel(joined.turns) ?? rest.model ?? null;
  const turns = withoutOwnModel(joined.turns, model);
  const executions = shellExecutions(turns, context, (call) => outcome(turns, joined.answers, call));
  const scored = scoredCalls(turns, executions, context);
  const last = epochs.at(-1)?.turns ?? [];
  return rawTrajectory(
    { turns, executions },
    {
      termination: sessionEnd(last.flatMap((index) => turns[index] ?? [])),
      ...rest,
      model,
      submissions: scored.submissions,
      epochs: epochs.length > 0 ? epochs : [{ turns: [], reason: null }],
      flags: [...scored.flags, ...thinkingFlags(turns, model), ...(rest.flags ?? [])],
    },
  );
}
