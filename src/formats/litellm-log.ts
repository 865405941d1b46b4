import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { listOf, objectOf } from './fields.js';
import { callChains, chainRun, type LoggedCall } from './generation-chains.js';
import { exchangeOf, isExchange, isUnanswered } from './model-exchange.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { isoSeconds } from './times.js';
import { messageKey, replyMessages } from './trace-messages.js';

/** Logs beside one that are looked into, the newest first, for the one that continues it. */
const MAX_BESIDE = 64;
const LOG_NAME = /^(.*?)[-_]?\d{9,}(?:\.\d+)?(?:[-_]\w+)?\.json$/;

export const litellmLog: FormatAdapter = {
  name: 'litellm-completion-log',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Calls of a model with their replies: LiteLLM completion logs, as OpenHands writes one file for each, payloads of LiteLLM, requests and responses of a proxy',
    recognised_by:
      'an object, or lines, with messages, response and latency_sec; messages beside a response of choices; request and response of a chat API',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning:
      'reasoning_content of replies where recorded; of OpenAI and Google it is a summary (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'earlier logs of a session: the last one holds all of them, and they are its sidecars',
      'kwargs, usage, cost, latency and the raw response',
      'messages that were converted for models without calls, where raw_messages holds what the model saw',
      'a context that was condensed is a run of its own: what it repeats is not joined',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isExchange(sniff.json)) {
    return { confidence: 'certain', reason: 'a request with its response', unit: 'document' };
  }
  if (isUnanswered(sniff.json)) {
    return { confidence: 'certain', reason: 'a call of LiteLLM without a reply', unit: 'document' };
  }
  const listed = asArray(sniff.json).some(isExchange);
  if (listed || sniff.lines.some(isExchange)) {
    return {
      confidence: 'certain',
      reason: 'requests with their responses',
      unit: listed ? 'document' : 'lines',
    };
  }
  const reason = 'messages, response and latency_sec';
  if (isLog(sniff.json)) return { confidence: 'certain', reason, unit: 'document' };
  return sniff.lines.some(isLog)
    ? { confidence: 'certain', reason: `lines of ${reason}`, unit: 'lines' }
    : null;
}

function isLog(value: unknown): boolean {
  return hasKeys(value, 'messages', 'response', 'latency_sec');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (Array.isArray(input)) return readLines(input, context);
  if (isExchange(input)) return readLines([input], context);
  const log = objectOf(input, 'document');
  if (isUnanswered(log)) throw new RejectError('no_model_turns', 'a call of a model without a reply');
  const call = loggedCall(log);
  const later = continuedBy(call, context);
  if (later !== null) return { sidecar_of: later };
  const before = earlierCalls(call, context);
  // Every assistant message of a log was written in its session, whether the log of that call is at hand or not.
  return [finished(chainRun({ calls: [...before, call] }, { context, whole: true }), log)];
}

/** The calls of one file: each is kept in the longest chain that holds it. */
function readLines(lines: readonly unknown[], context: ReadContext): readonly RawTrajectory[] {
  const logs = lines
    .filter(isObject)
    .flatMap((line): JsonObject[] => [exchangeOf(line) ?? line])
    .filter((line) => isLog(line) || isExchange(line));
  const calls = new Map(logs.map((log) => [loggedCall(log), log]));
  return callChains([...calls.keys()]).flatMap((chain, index) =>
    readPiece(context, `chain ${index}`, () => {
      const last = chain.calls.at(-1);
      return [
        finished(chainRun(chain, { context }), (last === undefined ? undefined : calls.get(last)) ?? {}),
      ];
    }),
  );
}

function finished(run: RawTrajectory, log: JsonObject): RawTrajectory {
  const kwargs = isObject(log['kwargs']) ? log['kwargs'] : {};
  const body = isObject(kwargs['extra_body']) ? kwargs['extra_body'] : {};
  const metadata = isObject(kwargs['metadata'])
    ? kwargs['metadata']
    : isObject(body['metadata'])
      ? body['metadata']
      : {};
  const tags = asArray(metadata['tags']).flatMap((tag) => asString(tag) ?? []);
  const version = tags
    .find((tag) => tag.startsWith('openhands_version:'))
    ?.slice('openhands_version:'.length);
  return {
    ...run,
    session_id: asId(metadata['session_id']) ?? run.session_id,
    scaffold: version === undefined ? null : 'openhands',
    scaffold_version: version ?? null,
  };
}

function loggedCall(log: JsonObject): LoggedCall {
  const raw = Array.isArray(log['raw_messages']) && isObject(log['raw_response']);
  const response = raw ? log['raw_response'] : log['response'];
  const messages = listOf(raw ? log['raw_messages'] : log['messages'], 'messages');
  return {
    input: messages.map((message, index) => objectOf(message, `messages[${index}]`)),
    reply: replyMessages(response),
    tools: raw ? [] : asArray(log['tools']),
    model: isObject(response) ? asString(response['model']) : null,
    started_at: isoSeconds(asNumber(log['timestamp'])),
  };
}

/** The newest log beside this one whose context holds it whole. */
function continuedBy(call: LoggedCall, context: ReadContext): string | null {
  const keys = [...call.input, ...call.reply].map(messageKey);
  for (const name of logsBeside(context).slice(0, MAX_BESIDE)) {
    const other = readCall(name, context);
    if (other === null || other.input.length < keys.length) continue;
    if (
      keys.every((key, index) => other.input[index] !== undefined && messageKey(other.input[index]) === key)
    )
      return name;
  }
  return null;
}

/** Earlier logs of the session give the model and time of each reply. */
function earlierCalls(call: LoggedCall, context: ReadContext): LoggedCall[] {
  const keys = call.input.map(messageKey);
  return logsBeside(context)
    .slice(0, MAX_BESIDE)
    .reverse()
    .flatMap((name) => {
      const other = readCall(name, context);
      if (other === null) return [];
      const own = [...other.input, ...other.reply].map(messageKey);
      return own.length <= keys.length && own.every((key, index) => key === keys[index]) ? [other] : [];
    });
}

/** Logs of the same prefix, the newest first, as their names carry the time. */
function logsBeside(context: ReadContext): string[] {
  const own = LOG_NAME.exec(context.place.path.slice(context.place.path.lastIndexOf('/') + 1))?.[1];
  if (own === undefined) return [];
  return context.siblings.names.filter((name) => LOG_NAME.exec(name)?.[1] === own).reverse();
}

function readCall(name: string, context: ReadContext): LoggedCall | null {
  const text = context.siblings.readText(name, 'completion_log');
  if (text === null) return null;
  try {
    const { value } = parseJsonText(text);
    return isLog(value) && isObject(value) ? loggedCall(value) : null;
  } catch {
    return null;
  }
}
