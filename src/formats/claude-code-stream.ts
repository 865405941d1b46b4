import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { inputMessage, replyOrigin } from './claude-messages.js';
import { resultEnd, resultFlags } from './claude-result.js';
import { isCursorStream } from './cursor-stream.js';
import { isDroidStreamLine } from './droid-stream.js';
import { fieldPath, listOf, objectOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { messagesRun } from './messages-run.js';
import { asArray, asId, asString, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

const SPOKEN: ReadonlySet<string> = new Set(['assistant', 'user']);

export const claudeCodeStream: FormatAdapter = {
  name: 'claude-code-stream',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Output of Claude Code and its SDK, of Qwen Code and of Amp, as stream-json: JSON lines or one list',
    recognised_by:
      'a record of type system and subtype init before records of type assistant, user and result',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'thinking blocks; absent where only their signature is logged (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the first prompt is not recorded unless user messages are replayed (flag prompts_absent); nor are times',
      'system prompt and tool definitions are not recorded, of tools only the names',
      'arguments are objects: the text that the model wrote is not recorded; where the harness changed them, those of the model stand (wire_tool_inputs)',
      'cost, duration and usage; partial messages of stream_event records, which the whole ones repeat',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const listed = asArray(sniff.json);
  const records = listed.length > 0 ? listed : sniff.lines;
  const init = records.some(
    (item) => isObject(item) && item['type'] === 'system' && item['subtype'] === 'init',
  );
  if (
    !init ||
    isCursorStream(records) ||
    records.some(isDroidStreamLine) ||
    !records.every((item) => isObject(item) && typeof item['type'] === 'string')
  )
    return null;
  return {
    confidence: 'certain',
    reason: 'a stream that opens with system init',
    unit: listed.length > 0 ? 'document' : 'lines',
  };
}

/** A conversation of the stream: the main one, or that of the sub-agent which a call started. */
interface Voice {
  readonly call: string | null;
  readonly messages: LoggedMessage[];
  readonly restarts: number[];
}

/** Every record names its session; the head comes again with each prompt. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const opens = record['type'] === 'system' && record['subtype'] === 'init';
  return { once: asString(record['uuid']), opens, session: asId(record['session_id']) };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = listOf(input, 'list').map((value, index) => objectOf(value, `[${index}]`));
  const voices = new Map<string | null, Voice>([[null, { call: null, messages: [], restarts: [] }]]);
  let init: JsonObject = {};
  let result: JsonObject | null = null;
  records.forEach((record, index) => {
    const type = asString(record['type']);
    const call = asString(record['parent_tool_use_id']);
    const voice = voices.get(call) ?? { call, messages: [], restarts: [] };
    voices.set(call, voice);
    if (type === 'system' && record['subtype'] === 'init' && init['type'] === undefined) init = record;
    if (type === 'system' && record['subtype'] === 'compact_boundary')
      voice.restarts.push(voice.messages.length);
    if (type === 'result') result = record;
    if (type === 'stream_event') stopLast(voice, record);
    const message = recordMessage(record, `[${index}]`);
    if (message !== null) voice.messages.push(message);
  });
  const end: JsonObject = result ?? {};
  const session = asId(init['session_id']) ?? asId(end['session_id']);
  const spoken = [...voices.values()].filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0)
    throw new RejectError('no_turns', `${records.length} records, none of them a message`);
  const runs = spoken.map((voice) => readVoice(voice, { context, init, end, session }));
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}

/** Why a streamed reply stopped stands behind it, in the last of its pieces; the whole one was printed before. */
function stopLast({ messages }: Voice, record: JsonObject): void {
  const event = isObject(record['event']) ? record['event'] : {};
  const delta = isObject(event['delta']) ? event['delta'] : {};
  const last = messages.at(-1);
  if (event['type'] !== 'message_delta' || last?.role !== 'assistant') return;
  if ((last.stop ?? null) === null) messages[messages.length - 1] = { ...last, stop: delta['stop_reason'] };
}

function readVoice(
  voice: Voice,
  at: { context: ReadContext; init: JsonObject; end: JsonObject; session: string | null },
): RawTrajectory {
  const { init, end, session } = at;
  const subagent = voice.call !== null;
  const stated = subagent ? null : resultEnd(end);
  const asked = voice.messages[0]?.role === 'user' && !isResult(voice.messages[0]);
  const run = messagesRun(voice, at.context, {
    session_id: subagent ? voice.call : session,
    parent_session: subagent ? session : null,
    ...writerOf(init),
    model: asString(init['model']),
    ...(stated === null ? {} : { termination: stated }),
    flags: ['system_prompt_absent', ...(asked ? [] : ['prompts_absent']), ...(subagent ? ['subagent'] : [])],
  });
  return subagent ? run : { ...run, flags: [...run.flags, ...resultFlags(run, end)] };
}

/** Qwen Code prints the same stream under its own name, Amp under none: its threads have ids T-…. */
function writerOf(init: JsonObject): { scaffold: string; scaffold_version: string | null } {
  const qwen = asString(init['qwen_code_version']);
  if (qwen !== null) return { scaffold: 'qwen-code', scaffold_version: qwen };
  const version = asString(init['claude_code_version']);
  if (version === null && /^T-/.test(asString(init['session_id']) ?? ''))
    return { scaffold: 'amp', scaffold_version: null };
  return { scaffold: 'claude-code', scaffold_version: version };
}

function isResult(message: LoggedMessage): boolean {
  return asArray(message.content).some((block) => isObject(block) && block['type'] === 'tool_result');
}

function recordMessage(record: JsonObject, at: string): LoggedMessage | null {
  const type = asString(record['type']) ?? '';
  // A state of a reply on its way, which the whole one repeats.
  if (!SPOKEN.has(type) || record['is_partial'] === true) return null;
  const path = fieldPath(at, 'message');
  const message = objectOf(record['message'], path);
  if (type === 'assistant') {
    const reply = replyOrigin(message, path);
    const failed = asString(record['error']) !== null;
    return {
      role: 'assistant',
      path,
      timestamp: asString(record['timestamp']),
      ...reply,
      content: asWritten(message['content'], record['wire_tool_inputs']),
      ...(record['aborted'] === true ? { truncated: 'aborted' as const } : {}),
      ...(failed ? { origin: 'environment' as const, flags: [...(reply.flags ?? []), 'api_error'] } : {}),
    };
  }
  const human = record['isSynthetic'] !== true;
  const flags = human ? [] : ['meta'];
  return {
    ...inputMessage(message['content'], { path, timestamp: asString(record['timestamp']), human, flags }),
    beside: record['tool_use_result'],
  };
}

/** Calls with the arguments that the model sent, where the harness put others in their place (plans, paths). */
function asWritten(content: unknown, sent: unknown): unknown {
  if (!Array.isArray(content) || !isObject(sent)) return content;
  return content.map((block: unknown) => {
    const id = isObject(block) ? asId(block['id']) : null;
    return isObject(block) && id !== null && Object.hasOwn(sent, id) ? { ...block, input: sent[id] } : block;
  });
}
