import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { objectOf, requiredString, stringAt } from './fields.js';
import { exitOutcome } from './printed-exit.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** Events that stand between the two lines of the head and the end, of which one at least is in every log. */
const KNOWN: ReadonlySet<string> = new Set([
  'session_configured',
  'task_started',
  'agent_message',
  'agent_reasoning',
  'exec_command_begin',
  'exec_command_end',
  'patch_apply_begin',
  'task_complete',
]);

/** Whether a line is an event as `codex exec --json` printed them before it had items: an id beside a typed `msg`. */
export function isCodexEvent(line: unknown): line is JsonObject {
  return (
    hasKeys(line, 'id', 'msg') && isObject(line['msg']) && KNOWN.has(asString(line['msg']['type']) ?? '')
  );
}

/** The first line: what Codex was set up with. The one behind it is the prompt. */
export function isCodexSetup(line: unknown): line is JsonObject {
  return hasKeys(line, 'model', 'workdir') && !hasKeys(line, 'msg') && !hasKeys(line, 'type');
}

/** Reads the events in order: the begin of a call is the model's, its end the answer. */
export function readCodexEvents(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  run.flag('system_prompt_absent', 'text_rebuilt');
  let session: string | null = null;
  let model: string | null = null;
  let ended: 'submitted' | 'error' | 'cut' = 'cut';
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    if (isCodexSetup(record)) model ??= asString(record['model']);
    if (record['msg'] === undefined) {
      const prompt = stringAt(record, 'prompt', path);
      if (prompt !== null) run.push(makeTurn('user', [contentSpan('prompt', 'environment', prompt)]));
      return;
    }
    const at = `${path}.msg`;
    const event = objectOf(record['msg'], at);
    const type = requiredString(event, 'type', at);
    if (type === 'session_configured') {
      session ??= asId(event['session_id']);
      model = asString(event['model']) ?? model;
    }
    ended = ENDS[type] ?? ended;
    readEvent(run, event, { type, path: at });
  });
  if (!run.turns.some(({ role }) => role === 'user')) run.flag('prompts_absent');
  return run.finish(context, { session_id: session, scaffold: 'codex', model, termination: ended });
}

/** What an event says of the end; one that begins or speaks takes it back. */
const ENDS: Readonly<Record<string, 'submitted' | 'error' | 'cut'>> = {
  task_started: 'cut',
  agent_message: 'cut',
  exec_command_begin: 'cut',
  task_complete: 'submitted',
  turn_aborted: 'cut',
  error: 'error',
};

function readEvent(run: SessionRun, event: JsonObject, at: { type: string; path: string }): void {
  const { type, path } = at;
  if (type === 'agent_message') {
    const text = stringAt(event, 'message', path) ?? '';
    if (text !== '') run.extendReply(contentSpan('text', 'model', text));
  } else if (type === 'agent_reasoning_raw_content') {
    const text = stringAt(event, 'text', path) ?? '';
    if (text !== '') run.extendReply(reasoningSpan(text));
  } else if (type === 'agent_reasoning') {
    const text = stringAt(event, 'text', path) ?? '';
    if (text === '') return;
    run.flag(REASONING_SUMMARY);
    run.extendReply(summarySpan(text));
  } else if (type === 'view_image_tool_call') {
    const arguments_ = { path: event['path'] ?? '' };
    run.extendReply(callSpan({ id: asId(event['call_id']), name: 'view_image', arguments: arguments_ }));
  }
  const begun = BEGINS[type]?.(event);
  if (begun !== undefined) {
    const span = callSpan({ ...begun, id: asId(event['call_id']) });
    // The events tell what a patch did to its files, not how the model wrote it.
    run.extendReply(type === 'patch_apply_begin' ? { ...span, origin: 'environment' } : span);
  }
  const answer = ANSWERS[type]?.(event);
  if (answer === undefined) return;
  const turn = makeTurn('tool', [contentSpan('observation', 'environment', answer.result)], {
    name: answer.name,
    tool_call_id: asId(event['call_id']),
  });
  run.push(turn, answer.outcome);
}

type Begin = (event: JsonObject) => { name: string; arguments: unknown };

const BEGINS: Readonly<Record<string, Begin>> = {
  exec_command_begin: ({ command }) => ({ name: 'shell', arguments: { command } }),
  patch_apply_begin: ({ changes }) => ({ name: 'apply_patch', arguments: { changes } }),
  mcp_tool_call_begin: (event) => ({ name: mcpName(event), arguments: invocation(event)['arguments'] ?? {} }),
  // What is looked for stands in the end alone; the provider runs the search, so that nothing answers it.
  web_search_end: ({ query }) => ({ name: 'web_search', arguments: { query } }),
};

interface Answer {
  readonly name: string;
  readonly result: string;
  readonly outcome: RecordedOutcome;
}

const ANSWERS: Readonly<Record<string, (event: JsonObject) => Answer>> = {
  exec_command_end: (event) => {
    const code = asNumber(event['exit_code']);
    const shown = asString(event['formatted_output']) ?? asString(event['aggregated_output']);
    const streams = `${asString(event['stdout']) ?? ''}${asString(event['stderr']) ?? ''}`;
    return {
      name: 'shell',
      result: shown ?? streams,
      outcome: exitOutcome(code, { seconds: seconds(event) }),
    };
  },
  patch_apply_end: (event) => ({
    name: 'apply_patch',
    result: `${asString(event['stdout']) ?? ''}${asString(event['stderr']) ?? ''}`,
    outcome: { status: event['success'] === true ? 'ok' : 'error' },
  }),
  mcp_tool_call_end: (event) => {
    const { result } = event;
    const failed = !hasKeys(result, 'Ok') || (isObject(result['Ok']) && result['Ok']['is_error'] === true);
    return {
      name: mcpName(event),
      result: JSON.stringify(result ?? null),
      outcome: { status: failed ? 'error' : 'ok', seconds: seconds(event) },
    };
  },
};

function invocation(event: JsonObject): JsonObject {
  const { invocation: nested } = event;
  return isObject(nested) ? nested : event;
}

function mcpName(event: JsonObject): string {
  const { server, tool } = invocation(event);
  return `${asString(server) ?? 'mcp'}__${asString(tool) ?? 'tool'}`;
}

/** A duration in seconds: whole seconds and nanoseconds, as Rust writes them. */
function seconds({ duration }: JsonObject): number | null {
  if (!isObject(duration)) return null;
  const secs = asNumber(duration['secs']);
  return secs === null ? null : secs + (asNumber(duration['nanos']) ?? 0) / 1e9;
}
