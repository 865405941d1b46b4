import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { convertedMessage } from './converted-messages.js';
import { listOf, objectOf, requiredString } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asString, firstId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const convertedSession: FormatAdapter = {
  name: 'converted-session',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'trajectory.json that converters make of sessions of Claude Code and Codex: messages in parts, under `messages`',
    recognised_by: 'messages in lists of parts, among them tool_call or tool_output',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning:
      'reasoning parts of Claude; those of other models are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the model, the system prompt of Claude Code, tool definitions, and whether a call failed are not recorded',
      'where a reply ends: replies with nothing between them are joined to one',
      'what the harness wrote as a reply (API errors) is told by its words alone, and is environment (flag harness_reply)',
      'subagents (roles assistant-subagent-ID) are runs of their own',
      'a summary of the session so far begins a new context (flag compacted_context_assumed)',
      'token counts and skipped events under `meta`; pictures become placeholders',
    ],
  },
  detect,
  read,
};

const PARTS: ReadonlySet<unknown> = new Set(['tool_call', 'tool_output']);

function detect(sniff: Sniff): Detection | null {
  const { json } = sniff;
  const messages = isObject(json) ? asArray(json['messages']) : [];
  if (messages.length === 0 || !messages.every((one) => hasKeys(one, 'role', 'content'))) return null;
  const partsOf = (one: unknown): readonly unknown[] => (isObject(one) ? asArray(one['content']) : []);
  const told = messages.some((one) => partsOf(one).some((part) => isObject(part) && PARTS.has(part['type'])));
  return told
    ? { confidence: 'certain', reason: 'messages with tool_call and tool_output parts', unit: 'document' }
    : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const groups = new Map<string | null, { message: JsonObject; path: string }[]>();
  listOf(document['messages'], 'messages').forEach((value, index) => {
    const path = `messages[${index}]`;
    const message = objectOf(value, path);
    const agent = SUBAGENT.exec(requiredString(message, 'role', path))?.[1] ?? null;
    const group = groups.get(agent);
    if (group === undefined) groups.set(agent, [{ message, path }]);
    else group.push({ message, path });
  });
  const facts = factsOf(document);
  return [...groups].flatMap(([agent, records]) =>
    readPiece(context, agent ?? 'main', () => [readRun(records, { agent, facts, context })]),
  );
}

const SUBAGENT = /^assistant-subagent-(.+)$/;

interface Facts {
  readonly session: string | null;
  readonly scaffold: string | null;
  readonly version: string | null;
  readonly model: string | null;
}

/** What the converter kept of the head of the session; Codex names its version otherwise than Claude Code. */
function factsOf(document: JsonObject): Facts {
  const meta = isObject(document['meta']) ? document['meta'] : {};
  const head = isObject(meta['session_meta']) ? meta['session_meta'] : {};
  const codex = asString(head['cli_version']);
  const claude = asString(head['version']);
  return {
    session: firstId([head], ['session_id', 'id']),
    scaffold: codex !== null ? 'codex-cli' : claude !== null ? 'claude-code' : null,
    version: codex ?? claude,
    model: asString(head['model']),
  };
}

function readRun(
  records: readonly { message: JsonObject; path: string }[],
  at: { readonly agent: string | null; readonly facts: Facts; readonly context: ReadContext },
): RawTrajectory {
  const claude = records.some(({ message }) => callsOfClaude(message)) || at.facts.scaffold === 'claude-code';
  const messages = joinedReplies(
    records.map(({ message, path }) => convertedMessage(message, path, { claude })),
  );
  const restarts = messages.flatMap(({ flags }, index) =>
    index > 0 && flags?.includes('compact_summary') === true ? [index] : [],
  );
  const { facts } = at;
  const system = messages.some(({ role }) => role === 'system');
  const run = messagesRun(
    { messages, restarts, cutReply: (text, origin) => actionSpans(text, [], origin) },
    at.context,
    {
      session_id: at.agent ?? facts.session,
      parent_session: at.agent === null ? null : facts.session,
      scaffold: facts.scaffold,
      scaffold_version: facts.version,
      model: facts.model,
      flags: [
        ...(system ? [] : ['system_prompt_absent']),
        ...(restarts.length > 0 ? ['compacted_context_assumed'] : []),
      ],
    },
  );
  requireModelTurns(run.turns);
  return run;
}

/** Replies with nothing between them get one id; what the harness wrote stays apart. */
function joinedReplies(messages: readonly LoggedMessage[]): LoggedMessage[] {
  let reply = 0;
  let open = false;
  return messages.map((message) => {
    const own = message.role === 'assistant' && message.origin !== 'environment';
    if (own && !open) reply += 1;
    open = own;
    return own ? { ...message, id: `reply ${reply}` } : message;
  });
}

/** Ids of the Anthropic API, by which the reasoning beside them is Claude's own. */
function callsOfClaude(message: JsonObject): boolean {
  return asArray(message['content']).some(
    (part) => isObject(part) && (asId(part['tool_call_id']) ?? '').startsWith('toolu_'),
  );
}
