import { RejectError } from '../logs/reject.js';
import type { Truncation } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { ampAnswer } from './amp-results.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { inputSpans } from './claude-inputs.js';
import { fieldPath, listOf, objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { readPiece } from './pieces.js';
import { REASONING_SUMMARY } from './reasoning-summary.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { isoMillis } from './times.js';

export const amp: FormatAdapter = {
  name: 'amp',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Amp threads: the thread store and `amp threads export`, one JSON a thread',
    recognised_by: 'an object with messages and an id T-…, with a version or tool results under `run`',
    scores: 'none',
    executions:
      'calls with the state of their run; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'thinking blocks of Anthropic; of other providers they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions are not recorded',
      'results are recorded as data: the words in which the model reads them are not, so that they stand as JSON; pictures as placeholders',
      'arguments are objects: the text that the model wrote is recorded only of a call that broke off',
      'files that people named (fileMentions), guidance files, state of the editor (userState), titles, usage and credits',
      'after a compaction the context is taken to be its summary (flag compacted_context_assumed), which Amp sends as a reply',
      'a reply that was cancelled within a call: Amp completes the arguments, so that it is context, never trained (turn flag reply_not_recorded)',
      'threads of sub-agents are files of their own, without their parent; messages under a call (parentToolUseId) are runs of their own',
    ],
  },
  detect,
  read,
};

const THREAD_ID = /^T-/;

function detect(sniff: Sniff): Detection | null {
  const thread = sniff.json;
  if (!hasKeys(thread, 'id', 'messages') || !THREAD_ID.test(asString(thread['id']) ?? '')) return null;
  const messages = asArray(thread['messages']);
  if (!messages.every((message) => hasKeys(message, 'role', 'content'))) return null;
  const runs = messages.some((message) => asArray((message as JsonObject)['content']).some(isRunResult));
  if (!runs && asNumber(thread['v']) === null) return null;
  return { confidence: 'certain', reason: 'an Amp thread' };
}

function isRunResult(block: unknown): boolean {
  return hasKeys(block, 'toolUseID', 'run');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const thread = objectOf(input, 'thread');
  const voices = new Map<string | null, Item[]>([[null, []]]);
  listOf(thread['messages'], 'messages').forEach((value, index) => {
    const path = `messages[${index}]`;
    const message = objectOf(value, path);
    const call = asId(message['parentToolUseId']);
    const voice = voices.get(call);
    if (voice === undefined) voices.set(call, [{ message, path }]);
    else voice.push({ message, path });
  });
  const session = asId(thread['id']);
  return [...voices].flatMap(([call, items]) =>
    readPiece(context, call ?? 'main', () => [readVoice(items, { call, session, context })]),
  );
}

/** A message of the thread with its place. */
interface Item {
  readonly message: JsonObject;
  readonly path: string;
}

function readVoice(
  items: readonly Item[],
  at: { readonly call: string | null; readonly session: string | null; readonly context: ReadContext },
): RawTrajectory {
  const ended = endsOf(items);
  const messages = items.flatMap(({ message, path }) => readMessage(message, path, ended) ?? []);
  const restarts = messages.flatMap(({ flags }, index) =>
    flags?.includes('compact_summary') === true ? [index] : [],
  );
  const run = messagesRun(
    { messages, restarts, cutReply: (text, origin) => actionSpans(text, [], origin) },
    at.context,
    {
      session_id: at.call ?? at.session,
      parent_session: at.call === null ? null : at.session,
      scaffold: 'amp',
      flags: [
        'system_prompt_absent',
        ...(restarts.length > 0 ? ['compacted_context_assumed'] : []),
        ...(at.call === null ? [] : ['subagent']),
      ],
    },
  );
  requireModelTurns(run.turns);
  return run;
}

/** By call id the status of its run. */
function endsOf(items: readonly Item[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  for (const { message } of items) {
    for (const block of asArray(message['content'])) {
      if (!hasKeys(block, 'toolUseID') || !isObject(block['run'])) continue;
      ends.set(asId(block['toolUseID']) ?? '', asString(block['run']['status']) ?? '');
    }
  }
  return ends;
}

/** What a reply that never came to its end says of itself. */
const STOPPED: Readonly<Record<string, Truncation>> = {
  cancelled: 'aborted',
  error: 'error',
  streaming: 'cut',
};

/** The message as the model sees it; null where it is shown nothing of it. */
function readMessage(
  message: JsonObject,
  path: string,
  ended: ReadonlyMap<string, string>,
): LoggedMessage | null {
  const role = requiredString(message, 'role', path);
  const meta = isObject(message['meta']) ? message['meta'] : {};
  const shared = { path, timestamp: isoMillis(meta['sentAt']) };
  if (role === 'assistant') return { ...shared, role, ...replyOf(message, ended) };
  if (role !== 'user' && role !== 'info') {
    throw new RejectError('bad_shape', `${fieldPath(path, 'role')}: unknown role "${role}"`);
  }
  const summary = summaryOf(message);
  const content = summary ?? inputBlocks(message['content']);
  if (Array.isArray(content) && content.length === 0) return null;
  return {
    ...shared,
    role: 'user',
    content,
    cut: (text) => inputSpans(text, { human: role === 'user' }),
    flags: summary !== null ? ['compact_summary'] : role === 'info' ? ['injected'] : [],
  };
}

function replyOf(
  message: JsonObject,
  ended: ReadonlyMap<string, string>,
): Omit<LoggedMessage, 'role' | 'path'> {
  const { content } = message as { content?: unknown };
  const state = isObject(message['state']) ? message['state'] : {};
  const usage = isObject(message['usage']) ? message['usage'] : {};
  const inputs = isObject(message['originalToolUseInput']) ? message['originalToolUseInput'] : {};
  const blocks = Array.isArray(content)
    ? content.flatMap((block: unknown) => replyBlock(block, inputs))
    : content;
  const broken = asArray(content).some(isBrokenCall);
  const last = asArray(content).at(-1);
  // What it was when it was cancelled Amp completes, and says so only of one that did not run.
  const completed =
    state['type'] === 'cancelled' &&
    isObject(last) &&
    last['type'] === 'tool_use' &&
    !isBrokenCall(last) &&
    (ended.get(asId(last['id']) ?? '') ?? 'cancelled') === 'cancelled';
  return {
    content: blocks,
    model: asString(usage['model']),
    stop: state['stopReason'],
    truncated: STOPPED[asString(state['type']) ?? ''] ?? (broken ? 'cut' : null),
    ...(completed ? { origin: 'environment' as const, flags: ['reply_not_recorded'] } : {}),
  };
}

function isBrokenCall(block: unknown): boolean {
  return isObject(block) && block['type'] === 'tool_use' && block['complete'] === false;
}

/** `inputs` has the arguments of the model by call id, where Amp put others in their place. */
function replyBlock(block: unknown, inputs: JsonObject): unknown[] {
  if (!isObject(block)) return [block];
  if (block['type'] === 'tool_use') {
    if (isBrokenCall(block)) {
      const partial = isObject(block['inputPartialJSON'])
        ? asString(block['inputPartialJSON']['json'])
        : null;
      return partial === null || partial === '' ? [] : [{ ...block, input: partial }];
    }
    return [namedCall({ ...block, input: inputs[asId(block['id']) ?? ''] ?? block['input'] })];
  }
  // Providers other than Anthropic send summaries of their reasoning.
  const text = block['type'] === 'thinking' ? (asString(block['thinking']) ?? '') : '';
  const own = (block['provider'] ?? 'anthropic') === 'anthropic';
  return [own || text === '' ? block : { type: REASONING_SUMMARY, text }];
}

/** A call by a name that no tool can have stands under another, with its name among the arguments. */
function namedCall(call: JsonObject): JsonObject {
  if (!isObject(call['input']) || !hasKeys(call['input'], 'invalid_tool_name')) return call;
  const { invalid_tool_name, ...input } = call['input'];
  return { ...call, name: invalid_tool_name, input };
}

/** The text that took the place of everything before it; null for any other message. */
function summaryOf(message: JsonObject): string | null {
  if (message['role'] !== 'info') return null;
  for (const block of asArray(message['content'])) {
    const summary = isObject(block) && block['type'] === 'summary' ? block['summary'] : null;
    if (isObject(summary) && summary['type'] === 'message') return asString(summary['summary']);
  }
  return null;
}

function inputBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.flatMap((block: unknown) => {
    if (!isObject(block)) return [block];
    if (block['type'] === 'manual_bash_invocation') return isShown(block) ? [block] : [];
    if (block['type'] !== 'tool_result' || !isRunResult(block)) return [block];
    const answer = ampAnswer(block['run']);
    return answer === null ? [] : [{ type: 'tool_result', tool_use_id: block['toolUseID'], ...answer }];
  });
}

/** Commands that people ran themselves reach the model once they are done, unless they hid them. */
function isShown({ hidden, toolRun }: JsonObject): boolean {
  return hidden !== true && isObject(toolRun) && toolRun['status'] === 'done';
}
