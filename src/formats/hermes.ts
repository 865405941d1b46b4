import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, listOf, objectOf, stringAt } from './fields.js';
import { openaiMessages } from './openai-messages.js';
import { asArray, asString, hasKeys, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** Fields of a message that repeat others or only speak to a provider. */
const SIDE_FIELDS: ReadonlySet<string> = new Set([
  'tool_name',
  'codex_reasoning_items',
  'codex_message_items',
  'reasoning_details',
  'finish_reason',
  'mirror',
  'mirror_source',
]);

export const hermes: FormatAdapter = {
  name: 'hermes',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Hermes agent sessions: one JSON, or of its gateway JSON lines',
    recognised_by: 'session_id, platform and messages; a first line of role session_meta',
    scores: 'none',
    executions: 'calls and their results, no exit codes or times',
    reasoning: 'reasoning or reasoning_content, once',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'reasoning items of other providers (codex_reasoning_items, reasoning_details): summaries or encrypted',
      'messages of role session_meta, platform, titles, base URL, working folder',
      'stand-ins for empty replies, and copies of what was sent to a channel from elsewhere, are never trained (weight 0)',
      'pictures become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const { json, lines } = sniff;
  if (lines.length > 1 && isMeta(lines[0])) {
    return { confidence: 'certain', reason: 'a first line of role session_meta', unit: 'lines' };
  }
  if (!hasKeys(json, 'session_id', 'messages') || !Array.isArray(json['messages'])) return null;
  if (!hasKeys(json, 'platform') && !hasKeys(json, 'session_start', 'system_prompt')) return null;
  return { confidence: 'certain', reason: 'session_id, platform and messages', unit: 'document' };
}

/** The head of a transcript in lines: model, platform and tools. */
function isMeta(line: unknown): line is JsonObject {
  return hasKeys(line, 'role') && line['role'] === 'session_meta';
}

/** The messages are those of OpenAI's API with a few fields beside them. */
function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const session = Array.isArray(input)
    ? { ...(input.find(isMeta) ?? {}), messages: input }
    : objectOf(input, 'document');
  const prompt = stringAt(session, 'system_prompt', '');
  const messages = listOf(session['messages'], 'messages')
    .map((value, index) => objectOf(value, `messages[${index}]`))
    .filter((message) => message['role'] !== 'session_meta');
  const hasSystem = messages[0]?.['role'] === 'system';
  const row = {
    messages: [
      ...(prompt === null || prompt === '' || hasSystem ? [] : [{ role: 'system', content: prompt }]),
      ...messages.map(plainMessage),
    ],
    tools: listAt(session, 'tools', '') ?? [],
    session_id: stringAt(session, 'session_id', ''),
    model: asString(session['model']),
    scaffold: 'hermes',
  };
  const runs = openaiMessages.read(row, context);
  if ('sidecar_of' in runs) return [];
  const parent = asString(session['parent_session_id']);
  return runs.map((run) => {
    requireModelTurns(run.turns);
    if (parent === null) return run;
    return { ...run, parent_session: parent, flags: [...run.flags, 'continued_session'] };
  });
}

function plainMessage(message: JsonObject): JsonObject {
  const kept = Object.fromEntries(
    Object.entries(message).filter(([key]) => !SIDE_FIELDS.has(key) && !key.startsWith('_')),
  );
  const name = asString(message['tool_name']);
  const finish = message['role'] === 'assistant' ? message['finish_reason'] : null;
  const made = message['role'] === 'assistant' && isMade(message) ? { weight: 0 } : {};
  return { ...kept, ...(name === null ? {} : { name }), ...made, finish_reason: finish ?? null };
}

/** What stands in the place of an empty reply. */
const NO_REPLY = '(empty)';

/** A reply that no model of this session wrote: one of the harness, or a copy of what was sent to a channel from elsewhere. */
function isMade(message: JsonObject): boolean {
  const marked = Object.keys(message).some(
    (key) => /^_\w+_(?:synthetic|sentinel)$/.test(key) && message[key] === true,
  );
  const empty = message['content'] === NO_REPLY && asArray(message['tool_calls']).length === 0;
  return message['mirror'] === true || marked || empty;
}
