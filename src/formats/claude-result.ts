import type { Termination } from '../trajectory/trajectory.js';
import type { RawTrajectory } from './adapter.js';
import { asString, type JsonObject } from './shape.js';

/** How a result record says that a run ended, where it was not by a final message. */
const ENDS: Readonly<Record<string, Termination>> = {
  error_max_turns: 'step_limit',
  error_during_execution: 'error',
  error_max_budget_usd: 'error',
  error_max_structured_output_retries: 'error',
};

/** The end that a result record states, null where it leaves that to the messages. */
export function resultEnd(result: JsonObject): Termination | null {
  const subtype = asString(result['subtype']) ?? '';
  if (Object.hasOwn(ENDS, subtype)) return ENDS[subtype] ?? null;
  return result['is_error'] === true ? 'error' : null;
}

/** Where the result record and the messages do not agree. */
export function resultFlags(run: RawTrajectory, result: JsonObject): string[] {
  const flags: string[] = [];
  const said = asString(result['result'])?.trim() ?? '';
  const last = run.turns.findLast((turn) => turn.role === 'assistant');
  const text = (last?.spans ?? []).flatMap((span) => (span.kind === 'text' ? [span.text] : []));
  const repeats = text.some((part) => part.trim() === said) || text.join('').trim() === said;
  if (said !== '' && !repeats) flags.push('final_text_without_message');
  const claims = result['subtype'] === 'success' && result['is_error'] !== true;
  if (claims && run.termination !== 'submitted') flags.push('result_contradicts_messages');
  return flags;
}
