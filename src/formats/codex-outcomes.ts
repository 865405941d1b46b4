import type { ExecutionStatus } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import { asBoolean, asNumber, asString, isObject, type JsonObject } from './shape.js';
import { type CallOutcome, inferredOutcome, type ShellCall } from './shell-executions.js';

/** How Codex frames a command's output, by version: JSON with metadata, or lines before the output. */
const EXIT_LINE = /^(?:Exit code: |Process exited with code )(-?\d+)\s*$/m;
const WALL_LINE = /^Wall time: ([\d.]+) seconds?\s*$/m;
const FRAME_END = /^Output:\s*$/m;
const TIMED_OUT = /^command timed out after \d+/m;
const ABORTED = /^aborted(?: by user)?\b/;

/** What events say of a call, by its id: `exec_command_end`, `patch_apply_end`, `mcp_tool_call_end`. */
export type CallEvents = ReadonlyMap<string, JsonObject>;

/** How a call ended: by its event, else by the frame around its output, else by the text. */
export function codexOutcome(
  turns: readonly Turn[],
  call: ShellCall,
  known: { feedback_turn: number | null; events: CallEvents },
): CallOutcome {
  const { feedback_turn } = known;
  const event = call.id === null ? undefined : known.events.get(call.id);
  const text =
    feedback_turn === null ? null : (turns[feedback_turn]?.spans ?? []).map((span) => span.text).join('');
  const framed = text === null ? NOTHING : framedOutcome(text);
  const ended = event === undefined ? NOTHING : eventOutcome(event);
  const exit_code = ended.exit_code ?? framed.exit_code;
  const seconds = ended.seconds ?? framed.seconds;
  const common = { feedback_turn, exit_code, seconds };
  if (text !== null && TIMED_OUT.test(text)) return { ...common, status: 'timeout' };
  if (text !== null && ABORTED.test(text))
    return { ...common, status: 'infrastructure', error_type: 'aborted' };
  const status = ended.status ?? framed.status ?? statusOf(exit_code);
  if (status === null) return { ...inferredOutcome(text, { feedback_turn, seconds }), exit_code };
  const error_type = status === 'error' && text !== null ? inferredOutcome(text, common).error_type : null;
  return { ...common, status, error_type: error_type ?? null };
}

interface Ended {
  readonly status: ExecutionStatus | null;
  readonly exit_code: number | null;
  readonly seconds: number | null;
}

const NOTHING: Ended = { status: null, exit_code: null, seconds: null };

function framedOutcome(text: string): Ended {
  const metadata = jsonMetadata(text);
  if (metadata !== null) {
    const exit_code = integer(metadata['exit_code']);
    return { status: null, exit_code, seconds: asNumber(metadata['duration_seconds']) };
  }
  const end = FRAME_END.exec(text);
  if (end === null) return NOTHING;
  const frame = text.slice(0, end.index);
  const code = EXIT_LINE.exec(frame)?.[1];
  const wall = WALL_LINE.exec(frame)?.[1];
  return {
    status: null,
    exit_code: code === undefined ? null : Number(code),
    seconds: wall === undefined ? null : asNumber(Number(wall)),
  };
}

function jsonMetadata(text: string): JsonObject | null {
  if (!text.startsWith('{')) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && isObject(parsed['metadata']) ? parsed['metadata'] : null;
  } catch {
    return null;
  }
}

function eventOutcome(event: JsonObject): Ended {
  const seconds = duration(event['duration']);
  const exit_code = integer(event['exit_code']);
  const success = asBoolean(event['success']);
  const result = event['result'];
  if (success !== null) return { status: success ? 'ok' : 'error', exit_code, seconds };
  if (isObject(result)) {
    const failed =
      Object.hasOwn(result, 'Err') || (isObject(result['Ok']) && result['Ok']['isError'] === true);
    return { status: failed ? 'error' : 'ok', exit_code, seconds };
  }
  return { status: statusOf(exit_code), exit_code, seconds };
}

function statusOf(exit_code: number | null): ExecutionStatus | null {
  return exit_code === null ? null : exit_code === 0 ? 'ok' : 'error';
}

/** Rust's duration: seconds and nanoseconds. */
function duration(value: unknown): number | null {
  if (!isObject(value)) return null;
  const secs = asNumber(value['secs']);
  return secs === null ? null : secs + (asNumber(value['nanos']) ?? 0) / 1e9;
}

function integer(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && Number.isInteger(number) ? number : null;
}

/** Events that end a call, by its id. */
export function callEvents(events: readonly JsonObject[]): CallEvents {
  const found = new Map<string, JsonObject>();
  for (const event of events) {
    const id = asString(event['call_id']);
    if (id !== null && /_end$/.test(asString(event['type']) ?? '')) found.set(id, event);
  }
  return found;
}
