import { RejectError } from '../logs/reject.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { openaiMessages } from './openai-messages.js';
import type { JsonObject } from './shape.js';

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
