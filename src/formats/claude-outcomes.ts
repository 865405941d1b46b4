import type { Turn } from '../trajectory/turn.js';
import type { CallAnswer } from './anthropic-turns.js';
import { asNumber, asString, isObject } from './shape.js';
import { type CallOutcome, inferredOutcome, type ShellCall } from './shell-executions.js';

/** How Claude Code says that a call was refused before it ran, by the user or by its permission rules. */
const NOT_RUN =
  /^(?:Error: )?(?:The user doesn't want to |Claude requested permissions to |This (?:Bash )?command (?:requires approval|contains multiple operations)|Permission to use |\[Request interrupted by user|.{0,200} was blocked\. For security)/;

const EXIT_CODE = /^(?:Error: )?Exit code (-?\d+)\b/;
const TIMED_OUT = /\bCommand timed out after \d/;
const BAD_CALL = /^<tool_use_error>/;

/** How a call ended, as the log records it: its result's error mark, and what the harness wrote into an error. */
export function claudeOutcome(
  turns: readonly Turn[],
  answers: ReadonlyMap<string, CallAnswer>,
  call: ShellCall,
): CallOutcome {
  const answer = call.id === null ? undefined : answers.get(call.id);
  if (answer === undefined || answer.turn <= call.call_turn) {
    return call.id === null ? positional(turns, call) : { feedback_turn: null };
  }
  const text = (turns[answer.turn]?.spans ?? []).map((span) => span.text).join('');
  const beside = isObject(answer.beside) ? answer.beside : {};
  const known = {
    feedback_turn: answer.turn,
    seconds: millis(beside['totalDurationMs'] ?? beside['durationMs']),
  };
  if (answer.is_error === true) {
    const exit_code = exitCode(text);
    if (TIMED_OUT.test(text)) return { ...known, status: 'timeout', exit_code };
    if (NOT_RUN.test(text)) return { ...known, status: 'infrastructure', error_type: 'not_run' };
    if (BAD_CALL.test(text)) return { ...known, status: 'error', error_type: 'bad_call' };
    const { error_type } = inferredOutcome(text, known);
    return { ...known, status: 'error', exit_code, error_type: error_type ?? null };
  }
  if (beside['interrupted'] === true)
    return { ...known, status: 'infrastructure', error_type: 'interrupted' };
  // What runs on in the background has no outcome yet.
  if (asString(beside['backgroundTaskId']) !== null) return known;
  if (answer.is_error === false) return { ...known, status: 'ok' };
  return inferredOutcome(text, known);
}

/** A call without an id is answered by the tool turn right after it. */
function positional(turns: readonly Turn[], call: ShellCall): CallOutcome {
  const next = turns[call.call_turn + 1];
  if (next?.role !== 'tool') return { feedback_turn: null };
  return inferredOutcome(next.spans.map((span) => span.text).join(''), { feedback_turn: call.call_turn + 1 });
}

function exitCode(text: string): number | null {
  const found = EXIT_CODE.exec(text);
  return found === null ? null : Number(found[1]);
}

function millis(value: unknown): number | null {
  const number = asNumber(value);
  return number === null ? null : number / 1000;
}
